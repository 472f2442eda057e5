"""Folders of an NPU and of the original model, as matching asks for them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source
from errorflow.compare.match.sides import Operation, Run
from errorflow.formats.folders.kinds import SideKind
from errorflow.formats.folders.npu import NpuFolder
from errorflow.formats.folders.npu_op import NpuOp
from errorflow.formats.folders.npy import NpyFolder
from errorflow.formats.npu.file import read_head
from errorflow.formats.npu.header import LENGTH_BYTES
from errorflow.graph.dump import Stored

# As msaccucmp counts time; names that end in anything else are taken for the oldest.
_TIME_DIGITS = 16


@dataclass(frozen=True)
class NpuRun:
    """Heads are read once, when an operator is asked for."""

    folder: NpuFolder
    _opened: dict[str, Operation | None] = field(default_factory=dict, repr=False)

    @property
    def kind(self) -> SideKind:
        return self.folder.kind

    @property
    def label(self) -> str:
        return str(self.folder.folder)

    def names(self) -> Sequence[str]:
        return tuple(self.folder.by_name)

    def operation(self, name: str) -> Operation | None:
        if name not in self._opened:
            op = self.folder.by_name.get(name)
            self._opened[name] = None if op is None else _operation(op)
        return self._opened[name]

    def tensor(self, name: str, index: int) -> Stored | None:
        found = self.operation(name)
        if found is None:
            return None
        if found.problem:
            raise ErrorflowError(found.problem, "Dump the operator again.")
        return found.outputs[index] if 0 <= index < len(found.outputs) else None

    def file(self, name: str, index: int) -> str:  # noqa: ARG002 - one file holds all outputs
        found = self.operation(name)
        return "" if found is None else found.path


@dataclass(frozen=True)
class NpyRun:
    """The original model's tensors."""

    folder: NpyFolder

    @property
    def kind(self) -> SideKind:
        return self.folder.kind

    @property
    def label(self) -> str:
        return str(self.folder.folder)

    def names(self) -> Sequence[str]:
        return tuple(self.folder.operators)

    def operation(self, name: str) -> Operation | None:
        """Of an operator of a quantized model only its first output is looked at."""
        try:
            stored = self.tensor(name, 0)
        except ErrorflowError as error:
            return Operation(name, "", "", problem=error.message)
        return None if stored is None else Operation(name, "", stored.path, (), (stored,))

    def tensor(self, name: str, index: int) -> Stored | None:
        key = f"{name}.{index}"
        return self.folder.stored(key) if key in self.folder.operators else None

    def file(self, name: str, index: int) -> str:
        key = f"{name}.{index}"
        return str(self.folder.members[key].path) if key in self.folder.operators else ""


def run_of(folder: object) -> Run | None:
    """The run in a folder, if it is one that fusion rules are about."""
    if isinstance(folder, NpuFolder):
        return NpuRun(folder)
    return NpyRun(folder) if isinstance(folder, NpyFolder) and folder.operators else None


def _operation(op: NpuOp) -> Operation:
    path = Path(op.path)
    op_type = "" if path.name.isdigit() else op.op_type
    time = _time(op)
    try:
        tensors = op.open()
    except ErrorflowError as error:
        problem = "" if _is_empty(op) else error.message
        return Operation(op.name, op_type, str(path), timestamp=time, problem=problem)
    in_pieces = op.mode != "single"
    if in_pieces and not tensors.sliced:
        path = _newest(op)
    return Operation(
        op.name,
        op_type,
        str(path),
        tensors.inputs,
        tensors.outputs,
        time,
        older_is_broken=not in_pieces and any(map(_is_broken, op.files[:-1])),
        in_pieces=in_pieces,
        incomplete=tensors.incomplete,
        full_name=tensors.op_name if in_pieces and not tensors.sliced else "",
    )


def _newest(op: NpuOp) -> Path:
    """The piece that stands for the operator where nobody knows how it was cut."""
    times = [name.timestamp for name in op.names]
    return op.files[max(range(len(times)), key=lambda at: (times[at], at))]


def _is_broken(path: Path) -> bool:
    try:
        with Source(path) as source:
            read_head(source)
    except ErrorflowError:
        return True
    return False


def _time(op: NpuOp) -> int:
    parts = op.names[-1].written.split(".")
    text = parts[4] if op.mode != "single" and len(parts) > 4 else parts[-1]
    return int(text) if len(text) == _TIME_DIGITS and text.isdigit() else 0


def _is_empty(op: NpuOp) -> bool:
    """msaccucmp takes a file without a head for an operator without tensors, not for a broken one."""
    try:
        return 0 < op.files[-1].stat().st_size <= LENGTH_BYTES
    except OSError:  # it is gone, or nobody may look at it: why it was not read says so
        return False
