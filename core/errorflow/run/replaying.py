"""Nodes of a model once more, each on inputs of its own, many in one session. Runs in a process of its own."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from errorflow.base.values import dataclass
from errorflow.run.model import Array, RunError
from errorflow.run.parts import Parts, reads
from errorflow.run.sessions import Arrays, run, session, told, type_proto, value_of

if TYPE_CHECKING:
    import onnx


def replay(model: str, modified: int, groups: list[dict[str, Any]], folder: str, threads: int) -> list[str]:
    """Runs each group again; returns "" for each or why it could not be run. With no `threads` in float64.

    A group has `made` (the tensors that its nodes make), `fed` (an array's file by the tensor's name, with the type
    where that is none of numpy's) and `wanted` (the file that each tensor is to be written to).
    """
    source = _Source(_loaded(model, modified), Path(folder), threads)
    work = [_Group(number, **group) for number, group in enumerate(groups)]
    try:
        source.run(work)
    except RunError:
        return [source.alone(group) for group in work]
    return [""] * len(work)


@lru_cache(maxsize=1)
def _loaded(model: str, modified: int) -> "Makers":  # noqa: ARG001 - another file of the same name is another model
    return Makers(Parts.load(Path(model)))


@dataclass(frozen=True)
class Makers:
    """The nodes of a model by what they make, and copies of them."""

    parts: Parts

    @cached_property
    def makers(self) -> "Mapping[str, onnx.NodeProto]":
        """The node that makes each tensor."""
        return {name: node for node in self.parts.nodes for name in node.output if name}

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Places of the nodes in the order of running."""
        return {id(node): place for place, node in enumerate(self.parts.nodes)}

    def copies(self, number: int, made: Iterable[str], fed: Iterable[str]) -> "tuple[list[onnx.NodeProto], list[str]]":
        """Copies the nodes that make these tensors, with names of the group of that number; and the constants that
        they read.
        """
        import onnx

        chosen = {id(node): node for node in (self.makers[name] for name in made)}
        ordered = sorted(chosen.values(), key=lambda node: self.places[id(node)])
        own = {name for node in ordered for name in node.output if name} | set(fed)
        copies = []
        for place, node in enumerate(ordered):
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.name = own_name(number, f"{place}:{node.name}")
            copy.input[:] = [own_name(number, name) if name in own else name for name in node.input]
            copy.output[:] = [own_name(number, name) if name else "" for name in node.output]
            copies.append(copy)
        return copies, [name for node in ordered for name in reads(node) if name not in own]


def own_name(number: int, name: str) -> str:
    """Names what a group has of a tensor that others have as well."""
    return f"{number}:{name}"


@dataclass(frozen=True, slots=True)
class _Group:
    number: int
    made: list[str]
    fed: Mapping[str, tuple[str, str]]
    wanted: Mapping[str, str]

    def own(self, name: str) -> str:
        return own_name(self.number, name)


@dataclass(frozen=True, slots=True)
class _Source:
    loaded: Makers
    folder: Path
    threads: int

    def run(self, groups: Sequence[_Group]) -> None:
        parts = self.loaded.parts
        feeds: dict[str, Any] = {}
        nodes: list[onnx.NodeProto] = []
        constants: dict[str, None] = {}
        for group in groups:
            for name, (file, dtype) in group.fed.items():
                feeds[group.own(name)] = value_of(_array(self.folder / file), dtype)
            found, used = self.loaded.copies(group.number, group.made, group.fed)
            nodes += found
            constants |= dict.fromkeys(used)
        outputs = [group.own(name) for group in groups for name in group.wanted]
        with told(parts.path):
            model = parts.build(nodes, [info_of(name, value) for name, value in feeds.items()], outputs, constants)
            files = [file for group in groups for file in group.wanted.values()]
            for file, array in zip(files, self._arrays(model, feeds, outputs), strict=True):
                if isinstance(array, str):
                    raise RunError(f"What comes out cannot be used: {array}.", "It is left out.")
                np.save(self.folder / file, array, allow_pickle=False)

    def _arrays(self, model: "onnx.ModelProto", feeds: Mapping[str, Any], outputs: Sequence[str]) -> list[Array | str]:
        arrays = Arrays()
        if not self.threads:
            fed = {name: arrays.of(value) for name, value in feeds.items()}
            return _in_float64(model, self.loaded.parts.path.parent, fed, outputs)
        return [
            arrays.of(value)
            for value in run(session(model, self.loaded.parts.path.parent, self.threads), feeds, outputs)
        ]

    def alone(self, group: _Group) -> str:
        """Finds why this group fails, if it does."""
        try:
            self.run([group])
        except RunError as error:
            return error.message
        return ""


# What numpy raises for what an operator makes no sense of.
_NOT_COMPUTED = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)


def _in_float64(
    model: "onnx.ModelProto", folder: Path, feeds: Mapping[str, Array | str], outputs: Sequence[str]
) -> list[Array | str]:
    """Computes by onnx's own definitions of the operators, whose numbers are as exact as those they are fed with."""
    from onnx import numpy_helper
    from onnx.checker import ValidationError
    from onnx.reference import ReferenceEvaluator

    try:
        for constant in model.graph.initializer:
            array = _exact(numpy_helper.to_array(constant, str(folder)))
            constant.CopyFrom(numpy_helper.from_array(array, constant.name))
        with np.errstate(all="ignore"):
            fed = {name: _exact(array) for name, array in feeds.items() if not isinstance(array, str)}
            return list(ReferenceEvaluator(model).run(list(outputs), fed))
    except (*_NOT_COMPUTED, ValidationError) as error:
        raise RunError("It cannot be computed in float64.", "It is taken as ONNX Runtime computes it.") from error


def _exact(array: Array) -> Array:
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _array(path: Path) -> Array:
    array: Array = np.load(path, allow_pickle=False)
    return array


def info_of(name: str, value: Any) -> "onnx.ValueInfoProto":
    """Says the type and shape of a value that is fed."""
    from onnx import helper

    kind = type_proto(value.data_type(), value.shape())
    assert kind is not None  # an array is always a tensor
    return helper.make_value_info(name, kind)
