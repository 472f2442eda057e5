"""Two models as one, with a switch for each node: as the candidate has it, or as the original computes it.

Where a candidate left tensors only, it is rebuilt: the original, and behind each node what the candidate's made of the
same inputs more or less.

Behind each tensor of the candidate that carries what a node of the original makes stands a Where: by the node's switch
it takes the candidate's values, or those that the original's node makes of the candidate's own inputs. Runs in a
process of its own.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from errorflow.base.values import dataclass
from errorflow.run.model import RunError
from errorflow.run.parts import NEWEST_IR, Parts, reads
from errorflow.run.replaying import Makers, info_of, own_name
from errorflow.run.sessions import Arrays, run, session, told, value_of

if TYPE_CHECKING:
    import onnx

# More cannot be handed to a session as one piece.
MOST_BYTES = 1 << 30
# Nodes of the original that are run in place of one, where the candidate has nothing for what they make.
MOST_INNER = 32
_ELEMENTS = {"float32": 1, "float16": 10, "float64": 11}
_MAIN = ("", "ai.onnx")
# From this version of the operators on, constants may be numbers, and Where takes all that switches are made of.
_SWITCHING = 13
_ONE_BY_ONE = "Their nodes are tried one by one."


def spliced_run(models: list[str], modified: list[int], spec: str, feeds: str, asked: dict[str, Any]) -> list[str]:
    """Runs the original and the candidate as one, with these switches on; gives what could not be used.

    `feeds` is a folder, see `FedFolder`. `asked`: `switches`, `flipped` pieces, `wanted` tensors of the candidate, and
    the `folder` into which each is written as `out-N.npy`.
    """
    values = _fed(feeds)
    made = _made(tuple(models), tuple(modified), spec, feeds)
    folder, arrays, splice = Path(asked["folder"]), Arrays(), made.splice
    switches = frozenset(asked["switches"])
    on = {f"{_SWITCH}{number}": value_of(np.array(number in switches)) for number in splice.switches}
    on |= splice.signs(frozenset(asked["flipped"]))
    with told(Path(models[-1])):
        answers = run(made.session, {**values, **on}, [splice.seen(name) for name in asked["wanted"]])
    found = [arrays.of(value) for value in answers]
    for place, array in enumerate(found):
        if not isinstance(array, str):
            np.save(folder / f"out-{place}.npy", array, allow_pickle=False)
    return [array for array in found if isinstance(array, str)]


# No exporter calls a tensor so.
_SWITCH, _SIGN, _OURS = "errorflow/switch/", "errorflow/sign/", "errorflow/original/"
_CHOSEN = "errorflow/chosen/"
# In a folder with arrays by their numbers: names, and types where they are none of numpy's.
NAMES = "names.json"


@lru_cache(maxsize=1)  # what is fed stays the same for all sets of switches
def _fed(feeds: str) -> Mapping[str, Any]:
    folder = Path(feeds)
    names = enumerate(json.loads((folder / NAMES).read_text("utf-8")))
    arrays = ((name, kind, np.load(folder / f"{number}.npy", allow_pickle=False)) for number, (name, kind) in names)
    return {name: value_of(array, kind) for name, kind, array in arrays}


@lru_cache(maxsize=1)  # another file of the same name is another model
def _made(models: tuple[str, ...], modified: tuple[int, ...], spec: str, feeds: str) -> "_Made":  # noqa: ARG001 - keys
    from google.protobuf.message import EncodeError
    from onnx.checker import ValidationError

    parts = [Parts.load(Path(path)) for path in models]
    told_by = json.loads(spec)
    try:
        splice: Splice | Rebuilt
        if len(parts) > 1:
            nodes = {int(number): made for number, made in told_by.pop("nodes").items()}
            splice = Splice(*_alike(*parts), nodes, **told_by)
        else:
            pieces = [TensorPiece(**each) for each in told_by["pieces"]]
            newer = _in_version(parts[0], max(_version(parts[0]), _SWITCHING))
            splice = Rebuilt(Makers(newer), pieces, told_by["outputs"], _fed(feeds))
        model = splice.model()
        if model.ByteSize() > MOST_BYTES:
            raise RunError("The two models are too large to be run as one.", _ONE_BY_ONE)
        with told(parts[-1].path):
            return _Made(splice, session(model, parts[-1].path.parent, 1))
    except (ValidationError, EncodeError, ValueError, KeyError) as error:
        raise RunError(f"The two models cannot be put together: {error}.", _ONE_BY_ONE) from error


@dataclass(frozen=True, slots=True)
class _Made:
    splice: "Splice | Rebuilt"
    session: Any


def _alike(original: Parts, candidate: Parts) -> tuple[Parts, Parts]:
    """Both in the later version of the operators, and the original with all of its values in it."""
    import onnx

    onnx.load_external_data_for_model(original.model, str(original.path.parent))
    ours, theirs = original, candidate
    latest = max(_version(ours), _version(theirs))
    return _in_version(ours, latest), _in_version(theirs, latest)


def _in_version(parts: Parts, version: int) -> Parts:
    from onnx.version_converter import convert_version

    if _version(parts) == version:
        return parts
    try:
        return Parts(convert_version(parts.model, version), parts.path)
    except Exception as error:  # it is code of others, and what it raises has no class of its own
        text = f"{parts.path.name} cannot be read as opset {version}."
        raise RunError(text, "Export both with one opset.") from error


def _version(parts: Parts) -> int:
    return next((each.version for each in parts.model.opset_import if each.domain in _MAIN), 0)


@dataclass(frozen=True)
class Splice:
    """Splice of two models, by a `SpliceSpec`."""

    original: Parts
    candidate: Parts
    nodes: Mapping[int, Sequence[str]]
    carriers: Mapping[str, Sequence[str]]
    reads: Mapping[str, str]
    types: Mapping[str, Sequence[str]]
    outputs: Sequence[str]

    @property
    def switches(self) -> Iterable[int]:
        return self.nodes

    def signs(self, _: Set[int]) -> dict[str, Any]:
        """Gives nothing: a candidate that is run rounds by itself."""
        return {}

    @cached_property
    def _switch_of(self) -> dict[str, int]:
        """Maps carriers to the switch of the node that makes what they carry."""
        return {
            carrier: number
            for number, made in self.nodes.items()
            for name in made
            for carrier in self.carriers.get(name, ())
        }

    def seen(self, name: str) -> str:
        """Names what the readers of a tensor of the candidate read."""
        return f"{_CHOSEN}{name}" if name in self._switch_of else name

    @cached_property
    def _makers(self) -> "Mapping[str, onnx.NodeProto]":
        return {name: node for node in self.original.nodes for name in node.output if name}

    def model(self) -> "onnx.ModelProto":
        """The one model, with the switches as further inputs."""
        import onnx
        from onnx import helper

        model = onnx.ModelProto()
        model.CopyFrom(self.candidate.model)
        model.ir_version = min(model.ir_version, NEWEST_IR)
        del model.graph.node[:], model.graph.output[:]
        known = {each.domain for each in model.opset_import}
        model.opset_import.extend(each for each in self.original.model.opset_import if each.domain not in known)
        functions = {(each.domain, each.name): each for each in model.functions}
        for each in self.original.model.functions:
            if functions.setdefault((each.domain, each.name), each) != each:
                raise RunError(f"Both models have a function {each.name}, and not the same.", _ONE_BY_ONE)
        model.functions.extend(each for each in functions.values() if each not in model.functions)
        copies = _Copies(self)
        for made in self.nodes.values():
            copies.take(made[0])
        model.graph.node.extend([*self._of_candidate(), *copies.nodes, *self._choices()])
        model.graph.initializer.extend(copies.constants)
        model.graph.input.extend(
            helper.make_tensor_value_info(f"{_SWITCH}{number}", onnx.TensorProto.BOOL, []) for number in self.nodes
        )
        ordered = Parts(model, self.candidate.path).nodes
        del model.graph.node[:]
        model.graph.node.extend(ordered)
        model.graph.output.extend(onnx.ValueInfoProto(name=self.seen(name)) for name in self.outputs)
        return model

    def _of_candidate(self) -> "Iterator[onnx.NodeProto]":
        import onnx

        for node in self.candidate.nodes:
            if not self._switch_of.keys().isdisjoint(set(reads(node)) - set(node.input)):
                raise RunError(f"A body of {node.name} reads what is switched.", _ONE_BY_ONE)
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.input[:] = [self.seen(name) for name in node.input]
            yield copy

    def _choices(self) -> "Iterator[onnx.NodeProto]":
        """A Where for each carrier, and before it a Cast where the candidate computes in another type."""
        from onnx import helper

        for number, made in self.nodes.items():
            for name in made:
                for carrier in self.carriers.get(name, ()):
                    cast = f"{_OURS}{name}"
                    if carrier in self.types:
                        cast = f"{_OURS}{carrier}:cast"
                        yield helper.make_node("Cast", [f"{_OURS}{name}"], [cast], to=_ELEMENTS[self.types[carrier][0]])
                    yield helper.make_node("Where", [f"{_SWITCH}{number}", cast, carrier], [self.seen(carrier)])


class _Copies:
    """Nodes of the original that read what the candidate has."""

    def __init__(self, splice: Splice) -> None:
        self._splice = splice
        self._taken: set[str] = set()
        self._casts: set[str] = set()
        self._own = splice.original.constants
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def take(self, name: str, depth: int = 0) -> None:
        """Takes the node that makes a tensor, and what it needs that the candidate does not have."""
        import onnx

        node = self._splice._makers[name]
        if name in self._taken:
            return
        if depth > MOST_INNER:
            raise RunError(f"Too much before {name} is not in the other model.", _ONE_BY_ONE)
        if set(reads(node)) != {each for each in node.input if each}:
            raise RunError(f"{name} is made by a node with a body of its own.", _ONE_BY_ONE)
        self._taken.update(each for each in node.output if each)
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.name = f"{_OURS}{node.name}"
        copy.input[:] = [self._read(each, depth) for each in node.input]
        copy.output[:] = [f"{_OURS}{each}" if each else "" for each in node.output]
        self.nodes.append(copy)

    def _read(self, name: str, depth: int) -> str:
        from onnx import helper

        splice = self._splice
        if not name:
            return ""
        if carriers := splice.carriers.get(name):
            # As its readers get it: rounding is its maker's, but that of the model's inputs is the reader's.
            carrier = carriers[-1 if name in splice._makers else 0]
            if carrier not in splice.types:
                return splice.seen(carrier)
            read = f"{_OURS}{name}:read"
            if name not in self._casts:
                self._casts.add(name)
                kind = _ELEMENTS[splice.types[carrier][1]]
                self.nodes.append(helper.make_node("Cast", [splice.seen(carrier)], [read], to=kind))
            return read
        if name in splice.reads:
            return splice.seen(splice.reads[name])
        ours = f"{_OURS}{name}"
        if name in self._own:
            if name not in self._taken:
                self._taken.add(name)
                constant = self._own[name]
                copied = type(constant)()
                copied.CopyFrom(constant)
                copied.name = ours
                self.constants.append(copied)
            return ours
        if name in splice._makers:
            self.take(name, depth + 1)
            return ours
        raise RunError(f"The other model has nothing for {name}.", _ONE_BY_ONE)


@dataclass(frozen=True, slots=True)
class TensorPiece:
    """Piece of the candidate, one tensor: what the original makes of what its node read, and what that missed."""

    # By nodes of the original that make these; none: it only passes on what it reads.
    made: Sequence[str]
    # By the original's name, the number of the piece that is read, or the name of what is fed.
    fed: Mapping[str, int | str]
    out: str
    # Values beyond are cut off; None: none are.
    low: float | None = None
    high: float | None = None
    # Its type has 16 bits: what is too large for that is infinite.
    half: bool = False
    # The name of what is fed that it was more than the original's; "": it was the same.
    error: str = ""
    # The name of what the candidate made, where the original's is no number; "": all of them are.
    dumped: str = ""


@dataclass(frozen=True)
class Rebuilt:
    """Rebuilds the candidate out of pieces of the original, with a switch for each that leaves out what it missed."""

    makers: Makers
    pieces: Sequence[TensorPiece]
    outputs: Sequence[int]
    feeds: Mapping[str, Any]

    @property
    def switches(self) -> Iterable[int]:
        return range(len(self.pieces))

    def seen(self, name: object) -> str:
        return f"{_CHOSEN}{name}"

    def signs(self, flipped: Set[int]) -> dict[str, Any]:
        """Signs of the differences: those of `flipped` pieces are taken away: another rounding that is as large."""
        found = {}
        for number, piece in enumerate(self.pieces):
            if piece.error:
                kind = np.dtype(self.feeds[piece.error].numpy().dtype)
                found[f"{_SIGN}{number}"] = value_of(np.array(-1 if number in flipped else 1, kind))
        return found

    def model(self) -> "onnx.ModelProto":
        import onnx
        from onnx import helper

        nodes: list[onnx.NodeProto] = []
        constants: dict[str, None] = {}
        for number, piece in enumerate(self.pieces):
            for name, source in piece.fed.items():
                read = source if isinstance(source, str) else self.seen(source)
                nodes.append(helper.make_node("Identity", [read], [own_name(number, name)]))
            found, used = self.makers.copies(number, piece.made, piece.fed)
            nodes += found
            constants |= dict.fromkeys(used)
            nodes += self._with_error(number, piece)
        inputs = [info_of(name, value) for name, value in {**self.feeds, **self.signs(frozenset())}.items()]
        inputs += [
            helper.make_tensor_value_info(f"{_SWITCH}{number}", onnx.TensorProto.BOOL, []) for number in self.switches
        ]
        parts = self.makers.parts
        model = parts.build(nodes, inputs, [], constants)
        ordered = Parts(model, parts.path).nodes
        del model.graph.node[:]
        model.graph.node.extend(ordered)
        model.graph.output.extend(onnx.ValueInfoProto(name=self.seen(number)) for number in self.outputs)
        return model

    def _with_error(self, number: int, piece: TensorPiece) -> "Iterator[onnx.NodeProto]":
        """Adds what the candidate made more, as its type can hold it, unless the switch is on."""
        from onnx import helper

        right, wrong = own_name(number, piece.out), f"{_OURS}{number}"
        if not piece.error:
            yield helper.make_node("Identity", [right], [self.seen(number)])
            return
        yield helper.make_node("Mul", [piece.error, f"{_SIGN}{number}"], [f"{wrong}:error"])
        yield helper.make_node("Add", [right, f"{wrong}:error"], [wrong])
        if piece.dumped:
            checks = [f"{wrong}:nan", f"{wrong}:inf", f"{wrong}:lost"]
            yield helper.make_node("IsNaN", [right], checks[:1])
            yield helper.make_node("IsInf", [right], checks[1:2])
            yield helper.make_node("Or", checks[:2], checks[2:])
            yield helper.make_node("Where", [checks[2], piece.dumped, wrong], [f"{wrong}:told"])
            wrong = f"{wrong}:told"
        for bound, cut in ((piece.low, "Max"), (piece.high, "Min")):
            if bound is not None:
                yield helper.make_node("Constant", [], [f"{wrong}:{cut}"], value_float=bound)
                yield helper.make_node(cut, [wrong, f"{wrong}:{cut}"], [f"{wrong}:cut{cut}"])
                wrong = f"{wrong}:cut{cut}"
        if piece.half:
            yield helper.make_node("Cast", [wrong], [f"{wrong}:half"], to=_ELEMENTS["float16"])
            yield helper.make_node("Cast", [f"{wrong}:half"], [f"{wrong}:whole"], to=_ELEMENTS["float32"])
            wrong = f"{wrong}:whole"
        yield helper.make_node("Where", [f"{_SWITCH}{number}", right, wrong], [self.seen(number)])
