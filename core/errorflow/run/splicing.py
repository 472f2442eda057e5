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

from errorflow.base.values import dataclass, field
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


def spliced_run(
    models: list[str], modified: list[int], spec: str, feeds: dict[str, str], asked: dict[str, Any]
) -> list[list[str]]:
    """Runs the original and the candidate as one, with each set of switches on; gives what could not be used.

    `feeds`: an array's file by the input's name. `asked`: `sets` of switches, `wanted` tensors of the candidate, and
    the `folder` into which each is written as `set-tensor.npy`.
    """
    made = _made(tuple(models), tuple(modified), spec)
    folder, arrays = Path(asked["folder"]), Arrays()
    values = {name: value_of(np.load(folder / file, allow_pickle=False)) for name, file in feeds.items()}
    names = [made.splice.seen(name) for name in asked["wanted"]]
    refused: list[list[str]] = []
    for number, switches in enumerate(asked["sets"]):
        on = {name: value_of(np.array(int(name.removeprefix(_SWITCH)) in switches)) for name in made.splice.switches}
        with told(Path(models[1])):
            answers = run(made.session(tuple(names)), values | on, names)
        refused.append([])
        for place, value in enumerate(answers):
            array = arrays.of(value)
            if isinstance(array, str):
                refused[-1].append(array)
            else:
                np.save(folder / f"{number}-{place}.npy", array, allow_pickle=False)
    return refused


_SWITCH, _OURS, _CHOSEN = "switch:", "original:", "chosen:"


# Another file of the same name is another model.
@lru_cache(maxsize=1)
def _made(models: tuple[str, ...], modified: tuple[int, ...], spec: str) -> "_Made":  # noqa: ARG001
    original, candidate = (Parts.load(Path(path)) for path in models)
    told_by = json.loads(spec)
    nodes = {int(number): made for number, made in told_by["nodes"].items()}
    return _Made(Splice(*_alike(original, candidate), nodes, told_by["carriers"], told_by["types"]))


@dataclass
class _Made:
    splice: "Splice"
    _sessions: dict[tuple[str, ...], Any] = field(default_factory=dict)

    def session(self, wanted: tuple[str, ...]) -> Any:
        if wanted not in self._sessions:
            model = self.splice.model(wanted)
            if model.ByteSize() > MOST_BYTES:
                raise RunError("The two models are too large to be run as one.", "Their nodes are tried one by one.")
            self._sessions = {wanted: session(model, self.splice.candidate.path.parent, 1)}
        return self._sessions[wanted]


def _alike(original: Parts, candidate: Parts) -> tuple[Parts, Parts]:
    """Both in the later version of the operators, and the original with all of its values in it."""
    import onnx

    model = onnx.ModelProto()
    model.CopyFrom(original.model)
    onnx.load_external_data_for_model(model, str(original.path.parent))
    ours, theirs = Parts(model, original.path), candidate
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
    """Splice of two models: by number of a switch, the tensors that its node makes; by tensor of the original, what
    carries it in the candidate; by such a carrier its type, where that is not the original's.
    """

    original: Parts
    candidate: Parts
    nodes: Mapping[int, Sequence[str]]
    carriers: Mapping[str, Sequence[str]]
    types: Mapping[str, str]

    @cached_property
    def switches(self) -> tuple[str, ...]:
        return tuple(f"{_SWITCH}{number}" for number in self.nodes)

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

    def model(self, wanted: Sequence[str]) -> "onnx.ModelProto":
        """The one model, with the switches as further inputs."""
        import onnx
        from onnx import helper

        model = onnx.ModelProto()
        model.CopyFrom(self.candidate.model)
        del model.graph.node[:], model.graph.output[:]
        known, functions = {each.domain for each in model.opset_import}, {each.name for each in model.functions}
        model.opset_import.extend(each for each in self.original.model.opset_import if each.domain not in known)
        model.functions.extend(each for each in self.original.model.functions if each.name not in functions)
        copies = _Copies(self)
        for made in self.nodes.values():
            copies.take(made[0])
        model.graph.node.extend([*self._of_candidate(), *copies.nodes, *self._choices()])
        model.graph.initializer.extend(copies.constants)
        model.graph.input.extend(
            helper.make_tensor_value_info(name, onnx.TensorProto.BOOL, []) for name in self.switches
        )
        ordered = Parts(model, self.candidate.path).nodes
        del model.graph.node[:]
        model.graph.node.extend(ordered)
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in wanted)
        return model

    def _of_candidate(self) -> "Iterator[onnx.NodeProto]":
        import onnx

        for node in self.candidate.nodes:
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
                        yield helper.make_node("Cast", [f"{_OURS}{name}"], [cast], to=_ELEMENTS[self.types[carrier]])
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
            raise RunError(f"Too much before {name} is not in the other model.", "Its nodes are tried one by one.")
        if set(reads(node)) != {each for each in node.input if each}:
            raise RunError(f"{name} is made by a node with a body of its own.", "Its nodes are tried one by one.")
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
                self.nodes.append(helper.make_node("Cast", [splice.seen(carrier)], [read], to=1))
            return read
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
        raise RunError(f"The other model has nothing for {name}.", "Its nodes are tried one by one.")
