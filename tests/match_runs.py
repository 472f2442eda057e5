"""Runs for tests of matching: tensors of which only the shape and type are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ascend_writer import Json, graph, model, write_json
from errorflow.base.errors import FormatError
from errorflow.compare.match.fusion.table import FusionTable, fusion_table
from errorflow.compare.match.sides import Operation
from errorflow.formats import read_listing
from errorflow.formats.folders.scan import SideKind
from errorflow.graph.dump import TensorInfo


@dataclass(frozen=True)
class Seen:
    """A tensor that is there."""

    info: TensorInfo
    path: str

    def read(self) -> NDArray[np.generic]:
        return np.zeros(self.info.shape, self.info.dtype)


def seen(name: str, path: str, dtype: str = "float16", shape: tuple[int, ...] = (2, 3), address: int = 0) -> Seen:
    return Seen(TensorInfo(name, dtype, shape, 2 * int(np.prod(shape)), "ND", address=address), path)


def operation(
    name: str, inputs: int = 0, outputs: int = 1, time: int = 0, dtype: str = "float16", problem: str = ""
) -> Operation:
    """The dump of one operator with so many tensors."""
    path = f"mine/Type.{name}.1.2.{time}"
    sides = [
        tuple(seen(f"{side}:{at}", path, dtype) for at in range(0 if problem else count))
        for side, count in (("input", inputs), ("output", outputs))
    ]
    return Operation(name, "Type", path, sides[0], sides[1], time, problem)


@dataclass(frozen=True)
class NpuRun:
    operations: Mapping[str, Operation]
    kind: SideKind = "npu"
    label: str = "mine"

    @classmethod
    def of(cls, *operations: Operation, kind: SideKind = "npu") -> "NpuRun":
        return cls({operation.name: operation for operation in operations}, kind)

    def names(self) -> Sequence[str]:
        return tuple(self.operations)

    def operation(self, name: str) -> Operation | None:
        return self.operations.get(name)

    def tensor(self, name: str, index: int) -> Seen | None:
        found = self.operations.get(name)
        if found is not None and found.problem:
            raise FormatError(found.problem, "")
        outputs = () if found is None else found.outputs
        stored = outputs[index] if index < len(outputs) else None
        return stored if isinstance(stored, Seen) else None

    def file(self, name: str, index: int) -> str:
        found = self.operations.get(name)
        return "" if found is None else found.path


@dataclass(frozen=True)
class NpyRun:
    """Tensors by operator and output, as in the names of their files."""

    tensors: Sequence[str]
    kind: SideKind = "npy"
    label: str = "golden"
    broken: frozenset[str] = field(default=frozenset())

    def names(self) -> Sequence[str]:
        return self.tensors

    def operation(self, name: str) -> Operation | None:
        found = self.tensor(name, 0)
        return None if found is None else Operation(name, "", found.path, (), (found,))

    def tensor(self, name: str, index: int) -> Seen | None:
        key = f"{name}.{index}"
        if key in self.broken:
            raise FormatError(f"{key} is broken.", "")
        return seen(key, self.file(name, index), "float32") if key in self.tensors else None

    def file(self, name: str, index: int) -> str:
        key = f"{name}.{index}"
        return f"golden/{key}.1.npy" if key in self.tensors else ""


def table(folder: Path, *ops: Json) -> FusionTable:
    """The table of a model with one graph of these operators."""
    return tables(folder, graph(*ops))


def tables(folder: Path, *graphs: Json) -> FusionTable:
    return fusion_table(read_listing(write_json(folder / "fusion.json", model(*graphs))))
