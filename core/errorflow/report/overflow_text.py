"""Overflows of operators, from the files that an NPU writes about it: as msaccucmp sums it up.

An `Opdebug.Node_OpDebug.…` file says in which task something overflowed; the dump of that task lies beside it.
"""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, ErrorflowError, FormatError, Progress, dataclass, field
from errorflow.base.files import Source
from errorflow.compare.match import codes
from errorflow.compare.match.codes import RefusedError
from errorflow.formats.ge_names import layout_text
from errorflow.formats.npu.file import NpuFile
from errorflow.formats.npu.header import NpuTensor
from errorflow.formats.npu.names import read_mapping
from errorflow.formats.npu.opdebug import NO_ID, PREFIX, parse_op_debug
from errorflow.report.array_file import make_folder
from errorflow.report.converted import ConversionRequest, write_dump
from errorflow.report.tool_codes import code_of

# Of these folders inside folders, none is looked into any more.
MAX_DEPTH = 30
_DUMP = re.compile(
    r"(?P<type>[A-Za-z0-9_-]+)\.(?P<name>[A-Za-z0-9_-]+)\.(?P<task>[0-9]{1,255})\.?(?P<stream>[0-9]{1,255})?"
    r"\.(?P<time>[0-9]{1,255})"
    r"\.?(?P<kind>[0-9]{1,255})?\.?(?P<context>[0-9]{1,255})?\.?(?P<thread>[0-9]{1,255})?\.?(?P<device>[0-9]{1,255})?",
    re.ASCII,
)
_RULE = "=" * 49


@dataclass(frozen=True, slots=True)
class _Named:
    """A file, and what its name says."""

    path: Path
    op_type: str
    op_name: str
    task: int
    stream: int
    time: int
    context: int | None
    thread: int | None


@dataclass(slots=True)
class Overflows:
    """The summary, and what went wrong on the way; `found` counts all files about overflows."""

    text: str = ""
    found: int = 0
    failures: list[tuple[str, ErrorflowError]] = field(default_factory=list)
    code: int = codes.OK


@dataclass(frozen=True, slots=True)
class _Task:
    task: int
    stream: int
    context: int
    thread: int

    def made(self, file: _Named) -> bool:
        if (file.task, file.stream) != (self.task, self.stream):
            return False
        pairs = ((self.context, file.context), (self.thread, file.thread))
        return all(wanted in (0, NO_ID) or have == wanted for wanted, have in pairs)


def analyse(folder: Path, out: Path, first: int, progress: Progress = SILENT) -> Overflows:
    """The summary of the first overflows by time; their files are converted into `out`."""
    make_folder(out)
    files = sorted(_files(folder, progress), key=lambda file: (file.time, file.path.name))
    told = [file for file in files if f"{file.op_type}.{file.op_name}." == PREFIX]
    made = Overflows(found=len(told))
    for number, file in enumerate(told[:first], 1):
        progress.step(number - 1, len(told[:first]), file.path.name)
        try:
            made.text += f"{_summary(number, file, out, progress)}\n"
        except ErrorflowError as error:
            made.failures.append((file.path.name, error))
            made.code = made.code if made.code else code_of(error)
    return made


def _files(folder: Path, progress: Progress) -> Iterator[_Named]:
    """Yields all dumps in the folder and in those inside it, by their names or by those in `mapping.csv`.

    A link that leads out of the folder is not followed.
    """
    root = os.path.realpath(folder)
    for where, folders, names in os.walk(folder):
        progress.step(0, 0, "Looking for overflows")
        place = Path(where)
        if len(place.relative_to(folder).parts) >= MAX_DEPTH:
            folders.clear()
        mapping = read_mapping(place)[0]
        for name in names:
            match = _DUMP.match(mapping.get(name, name))
            if match is not None and Path(os.path.realpath(place / name)).is_relative_to(root):
                yield _named(place / name, match)


def _named(path: Path, match: re.Match[str]) -> _Named:
    def number(group: str) -> int | None:
        text = match[group]
        return None if text is None else int(text)

    stream, time = number("stream"), number("time")
    both = match["context"] is not None and match["thread"] is not None
    return _Named(
        path,
        match["type"],
        match["name"],
        int(match["task"]),
        0 if stream is None else stream,
        0 if time is None else time,
        number("context") if both else None,
        number("thread") if both else None,
    )


def _summary(number: int, file: _Named, out: Path, progress: Progress) -> str:
    lines: list[str] = []
    task = _task(_told(file, out), lines)
    lines.append(f" [timestamp:{file.time}]")
    dump = _dump_of(task, file, progress)
    head = f"{_RULE}[{number}]{_RULE}="
    if dump is None:
        return "\n".join((head, *lines))
    held = _read(dump.path)
    _write(dump.path, out)
    for side, tensors in (("input", held.inputs), ("output", held.outputs)):
        for tensor in tensors:
            lines.append(f" {dump.path.name}.{side}.{tensor.index}.npy")
            lines.append(f" -[Format: {layout_text(tensor.layout_number)}] {_values(held, tensor)}")
    return "\n".join((head, f"[{dump.op_type}] {held.op_name}", *lines))


def _told(file: _Named, out: Path) -> Mapping[str, Any]:
    """Reads what the file says, and writes it as JSON too."""
    held = _read(file.path)
    if len(held.outputs) != 1:
        raise FormatError(f"{file.path.name} has {len(held.outputs)} outputs instead of one.", "Dump it again.")
    told = parse_op_debug(held.read(held.outputs[0].name).tobytes(), file.path.name)
    _write(file.path, out)
    return cast("Mapping[str, Any]", told)


def _read(path: Path) -> NpuFile:
    with Source(path) as source:
        return NpuFile.of(source)


def _write(path: Path, out: Path) -> None:
    made = write_dump(path, ConversionRequest(out), lambda: None)
    if made.failures:
        raise made.failures[0][1]


def _task(told: Mapping[str, Any], lines: list[str]) -> _Task:
    """The task in which it happened; a line for each unit that tells of it."""
    if "magic" in told:
        account = told["acc_list"]
        units = {account["acc_type"]: account["data"]}
        nothing = RefusedError("The status in the file about an overflow is zero.", _AGAIN, codes.NO_OVERFLOW_STATUS)
    else:
        units = dict(told)
        nothing = RefusedError("No unit of the chip tells of an overflow.", _AGAIN, codes.NO_OVERFLOW_UNIT)
    task: _Task | None = None
    for unit, data in units.items():
        if data.get("status"):
            lines.append(f" [{unit}][TaskId:{data['task_id']}][StreamId:{data['stream_id']}][Status:{data['status']}]")
            task = _Task(
                data["task_id"], data["stream_id"], data.get("context_id", NO_ID), data.get("thread_id", NO_ID)
            )
    if task is None:
        raise nothing
    return task


_AGAIN = "Nothing may have overflowed; switch the overflow debugging on and run the model again."


def _dump_of(task: _Task, file: _Named, progress: Progress) -> _Named | None:
    """The first dump of the task, beside the file that tells of it or below."""
    found = _files(file.path.parent, progress)
    beside = (other for other in found if other.op_type != "Opdebug" and task.made(other))
    return min(beside, key=lambda other: (other.time, other.path.name), default=None)


def _values(held: NpuFile, tensor: NpuTensor) -> str:
    array = _as_written(held.read(tensor.name))
    if array.size == 0:
        raise FormatError(f"{tensor.name} in {held.file.path.name} holds no values.", "Dump the operator again.")
    with np.errstate(all="ignore"):
        return (
            f"[Shape: {array.shape}] [Dtype: {array.dtype}] [Max: {np.max(array)!s}] [Min: {np.min(array)!s}] "
            f"[Mean: {array.mean()!s}]"
        )


def _as_written(array: NDArray[Any]) -> NDArray[Any]:
    """A single value has an axis in the files."""
    return array if array.shape else array.reshape(-1)
