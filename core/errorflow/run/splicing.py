"""Two models as one, with a switch for each node: as the candidate has it, or as the original computes it.

Behind each tensor of the candidate that carries what a node of the original makes stands a Where: by the node's switch
it takes the candidate's values, or those that the original's node makes of the candidate's own inputs. Runs in a
process of its own.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from errorflow.base.values import dataclass
from errorflow.run.model import RunError
from errorflow.run.parts import Parts, reads
from errorflow.run.sessions import Arrays, run, session, told, value_of

if TYPE_CHECKING:
    import onnx

# More cannot be handed to a session as one piece.
MOST_BYTES = 1 << 30
# Nodes of the original that are run in place of one, where the candidate has nothing for what they make.
MOST_INNER = 32
_ELEMENTS = {"float32": 1, "float16": 10, "float64": 11}
_MAIN = ("", "ai.onnx")
_ONE_BY_ONE = "Their nodes are tried one by one."


def spliced_run(
    models: list[str], modified: list[int], spec: str, feeds: dict[str, str], asked: dict[str, Any]
) -> list[str]:
    """Runs the original and the candidate as one, with these switches on; gives what could not be used.

    `feeds`: an array's file by the input's name. `asked`: `switches`, `wanted` tensors of the candidate, and the
    `folder` into which each is written as `out-N.npy`.
    """
    made = _made(tuple(models), tuple(modified), spec)
    folder, arrays, splice = Path(asked["folder"]), Arrays(), made.splice
    values = {name: value_of(np.load(folder / file, allow_pickle=False)) for name, file in feeds.items()}
    switches = frozenset(asked["switches"])
    on = {f"{_SWITCH}{number}": value_of(np.array(number in switches)) for number in splice.nodes}
    with told(Path(models[1])):
        answers = run(made.session, values | on, [splice.seen(name) for name in asked["wanted"]])
    found = [arrays.of(value) for value in answers]
    for place, array in enumerate(found):
        if not isinstance(array, str):
            np.save(folder / f"out-{place}.npy", array, allow_pickle=False)
    return [array for array in found if isinstance(array, str)]


_SWITCH, _OURS, _CHOSEN = "switch:", "original:", "chosen:"


@lru_cache(maxsize=1)  # another file of the same name is another model
def _made(models: tuple[str, ...], modified: tuple[int, ...], spec: str) -> "_Made":  # noqa: ARG001 - a key
    from google.protobuf.message import EncodeError
    from onnx.checker import ValidationError

    original, candidate = (Parts.load(Path(path)) for path in models)
    told_by = json.loads(spec)
    nodes = {int(number): made for number, made in told_by.pop("nodes").items()}
    try:
        splice = Splice(*_alike(original, candidate), nodes, **told_by)
        model = splice.model()
        if model.ByteSize() > MOST_BYTES:
            raise RunError("The two models are too large to be run as one.", _ONE_BY_ONE)
        with told(candidate.path):
            return _Made(splice, session(model, candidate.path.parent, 1))
    except (ValidationError, EncodeError, ValueError, KeyError) as error:
        raise RunError(f"The two models cannot be put together: {error}.", _ONE_BY_ONE) from error


@dataclass(frozen=True, slots=True)
class _Made:
    splice: "Splice"
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
    except RuntimeError as error:
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
