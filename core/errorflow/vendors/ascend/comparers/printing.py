"""msaccucmp's line of a pair, as version 26.2.0 prints it; nothing of ours enters it."""

import importlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, ErrorflowError, FileError, Progress, UsageError, dataclass, field, replace
from errorflow.base.arrays import type_name
from errorflow.base.workers import TIMEOUT_SECONDS, Standing, WorkerError
from errorflow.compare.comparer import Cells, Comparer, Printed, ToolColumn
from errorflow.compare.match.model import BOTH_NPU, GOLDEN_TYPE, MY_TYPE, OVERFLOW, SHAPE, Pair
from errorflow.compare.together import Together
from errorflow.graph.dump import TensorInfo
from errorflow.vendors.ascend.comparers.columns import (
    COLUMNS,
    FAILED,
    FILE_COLUMNS,
    NO_BOOL,
    NOT_COMPUTED,
    Cell,
    MsaccucmpColumn,
    cells,
    cells_of,
    chosen,
    is_scalar,
)

Array = NDArray[Any]
# The largest finite float16; the tool calls it an overflow already.
FLOAT16_END = 65504
_YES = "YES"
# As it writes the types of two dumps of NPUs, where that is not our name; it has no name for others.
_STORED_TYPES = {
    "": "int8",
    "resource": "int64",
    "float8e5m2": "float8_e5m2",
    "float8e4m3fn": "float8_e4m3fn",
    **{
        name: name
        for name in (
            *("float32", "float16", "float64", "bfloat16", "hifloat8", "bool", "uint1", "complex64", "complex128"),
            *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        )
    },
}


def described(
    pair: Pair, mine: NDArray[np.generic], golden: NDArray[np.generic], shape: Sequence[int]
) -> dict[str, str]:
    """Names the types in which two dumps of NPUs are stored, else those in which they were compared."""
    types = type_name(mine.dtype), type_name(golden.dtype)
    if pair.way == BOTH_NPU and pair.candidate is not None and pair.reference is not None:
        types = _stored(pair.candidate.info), _stored(pair.reference.info)
    return {MY_TYPE: types[0], GOLDEN_TYPE: types[1], SHAPE: f"[{','.join(map(str, shape))}]"}


def _stored(info: TensorInfo) -> str:
    return _STORED_TYPES.get(info.dtype, "NaN")


def _overflow(values: Array) -> str:
    """The tool's column; it sees no NaN, and of other types than float16 it says nothing."""
    if values.dtype != np.float16 or not values.size:
        return NOT_COMPUTED
    # As the tool's comparison has it, a NaN hides everything else.
    return _YES if max(abs(float(values.max())), abs(float(values.min()))) >= FLOAT16_END else "NO"


# Columns of the user's own: `DIR/algorithm/alg_NAME.py`, each with a function `compare(mine, golden, args)`.
#
# They are code and run as code, but only when the user passes `-c DIR`, and then in a process of their own, which
# stays
# from one pair to the next: whatever they do to it becomes the remark in their cells of that pair. They get what
# msaccucmp gives them and must return two texts.

FOLDER = "algorithm"
MAX_FILES = 1000
NO_TEXT = "The return value (%s) of 'compare' in '%s' is not string. Please check the return value."
_TEXT = "A custom algorithm"
_NAME = re.compile(r"alg_([A-Za-z0-9_]{1,128})\.py")
Options = Mapping[str, Mapping[str, str]]
# Of each algorithm its name, its folder, and when its file was written: code that has changed is loaded anew.
_Key = tuple[tuple[str, str, int], ...]
# Processes that nobody is using now: as many as there were calls at a time.
_idle: list[tuple[_Key, Standing]] = []
if hasattr(os, "register_at_fork"):
    # They answer the process that started them, not its copies.
    os.register_at_fork(after_in_child=_idle.clear)


@dataclass(frozen=True, slots=True)
class CustomColumn:
    """A column of the user's. It can be pickled, since it only knows where its code is."""

    name: str
    folder: str


class ShapeType(Enum):
    """Shape as the tool tells its algorithms; it only ever uses the first and the last."""

    Scalar = 0
    Vector = 1
    Matrix = 2
    Tensor = 3


class Arguments(SimpleNamespace):
    """Arguments that an algorithm gets third: paths, the kind of shape and its options, as attributes."""

    def get(self) -> dict[str, Any]:
        return self.__dict__

    def get_dict(self) -> dict[str, Any]:
        return self.__dict__


@dataclass(frozen=True, slots=True)
class Call:
    """One pair as the user's functions get it."""

    mine: NDArray[Any]
    golden: NDArray[Any]
    shape: Sequence[int]
    my_path: str
    golden_path: str
    maximum: int | None = None
    options: Options = field(default_factory=dict)


def custom_columns(folder: str | Path) -> tuple[CustomColumn, ...]:
    """Lists the algorithms in the folder that `-c` names, by name; their code is not looked at."""
    path = Path(folder).resolve()
    if not path.is_dir():
        raise FileError(f"There is no folder {folder}.", f"Give the folder that holds {FOLDER}/alg_NAME.py.")
    place = path / FOLDER
    files = sorted(place.iterdir())[:MAX_FILES] if place.is_dir() else []
    names = (match.group(1) for file in files if file.is_file() and (match := _NAME.fullmatch(file.name)))
    return tuple(CustomColumn(name, str(path)) for name in names)


def options(text: str) -> Options:
    """Reads `-a`: `alg:name=value,name=value;alg2:…`; a built-in algorithm may be given by its number."""
    found: dict[str, dict[str, str]] = {}
    for part in text.split(";"):
        if part.strip():
            name, separator, rest = part.partition(":")
            if not name.strip() or not separator or ":" in rest:
                raise _wrong(part)
            found.setdefault(_by_name(name.strip()), {}).update(_pairs(rest, part))
    return found


def custom_cells(
    columns: Sequence[CustomColumn], call: Call, progress: Progress = SILENT, timeout: float = TIMEOUT_SECONDS
) -> Cells:
    """Calls the user's functions for one pair, all in one process; if it dies, every cell of the pair says so."""
    if not columns:
        return Cells({})
    x, y = (side.reshape(-1)[: call.maximum if call.maximum else None] for side in (call.mine, call.golden))
    if x.dtype == np.bool_ and y.dtype == np.bool_:
        names = [column.name for column in columns]
        return Cells(dict.fromkeys(names, NOT_COMPUTED), tuple(NO_BOOL % name for name in names))
    try:
        rows = _run(columns, x, y, call, progress, timeout)
    except ErrorflowError as error:
        rows = [[NOT_COMPUTED, FAILED % (column.name, error.message)] for column in columns]
    return cells_of({column.name: Cell(*row) for column, row in zip(columns, rows, strict=True)})


def end_custom() -> None:
    """Ends the processes that wait for the next pair; without this, they end with this one."""
    while _idle:
        _idle.pop()[1].stop()


def _run(
    columns: Sequence[CustomColumn], x: NDArray[Any], y: NDArray[Any], call: Call, progress: Progress, timeout: float
) -> list[list[str]]:
    with np.errstate(all="ignore"):
        mine, golden = (side.astype(np.float32).tobytes() for side in (x, y))
    facts: dict[str, Any] = {
        "my_path": call.my_path,
        "golden_path": call.golden_path,
        "scalar": is_scalar(call.shape),
        "options": {name: dict(given) for name, given in call.options.items()},
    }
    # The folder of each, since a column knows its own.
    places: list[Any] = [[column.name, column.folder] for column in columns]
    with _process(columns) as process:
        found = process.call(places, mine, golden, facts, progress=progress, timeout=timeout)
        rows = _rows(found, len(columns))
        if rows is None:
            process.stop()
            raise WorkerError("A custom algorithm gave an answer that makes no sense.", "Look into its code.")
    return rows


def _rows(found: object, count: int) -> list[list[str]] | None:
    """A value and a remark per column; None where the process, which runs code of others, sent something else."""
    rows = [row for row in found if isinstance(row, list)] if isinstance(found, list) else []
    fits = len(rows) == count and all(len(row) == 2 and all(isinstance(text, str) for text in row) for row in rows)
    return rows if fits else None


@contextmanager
def _process(columns: Sequence[CustomColumn]) -> Iterator[Standing]:
    """Yields a process that has the code of these columns loaded, or will load it."""
    key = tuple((column.name, column.folder, _written(column)) for column in columns)
    try:
        known, process = _idle.pop()
    except IndexError:
        known, process = key, Standing(compute, _TEXT)
    if known != key:
        process.stop()
    try:
        yield process
    finally:
        _idle.append((key, process))


def _written(column: CustomColumn) -> int:
    try:
        return (Path(column.folder) / FOLDER / f"alg_{column.name}.py").stat().st_mtime_ns
    except OSError:  # it is gone, of which loading it will say more
        return 0


def compute(places: list[Any], mine: bytes, golden: bytes, facts: dict[str, Any]) -> list[Any]:
    """Runs in a process of its own: value and remark of each column."""
    arrays = [np.frombuffer(data, np.float32).copy() for data in (mine, golden)]
    np.seterr(divide="ignore", invalid="ignore")
    return [_value(name, folder, arrays, facts) for name, folder in places]


def _value(name: str, folder: str, arrays: list[NDArray[Any]], facts: dict[str, Any]) -> list[Any]:
    arguments = Arguments(
        **{
            **facts["options"].get(name, {}),
            "my_output_dump_file": facts["my_path"],
            "ground_truth_dump_file": facts["golden_path"],
            "shape_type": ShapeType.Scalar if facts["scalar"] else ShapeType.Tensor,
        }
    )
    try:
        value, message = _function(name, folder)(*arrays, arguments)
        for text in (value, message):
            if not isinstance(text, str):
                raise TypeError(NO_TEXT % (text, name))
    except Exception as error:  # noqa: BLE001 - the user's own code may raise whatever it likes
        value, message = NOT_COMPUTED, FAILED % (name, error)
    return [_plain(value), _plain(message)]


def _plain(text: str) -> str:
    """Exactly a text, which can be sent, and not one that only behaves like one."""
    return str.__str__(text).encode("utf-8", "backslashreplace").decode()


def _function(name: str, folder: str) -> Any:
    if folder not in sys.path:
        # Last, as the tool does it: a file of the user's must not stand in for a library.
        sys.path.append(folder)
    return importlib.import_module(f"{FOLDER}.alg_{name}").compare


def _by_name(word: str) -> str:
    return next((column.name for column in COLUMNS if word == str(column.number)), word)


def _pairs(text: str, part: str) -> dict[str, str]:
    found = {}
    for item in text.split(","):
        if item.strip():
            name, separator, value = (word.strip() for word in item.partition("="))
            if not name or not separator or not value or "=" in value:
                raise _wrong(part)
            found[name] = value
    return found


def _wrong(part: str) -> UsageError:
    return UsageError(f"“{part.strip()}” is no option of an algorithm.", "Write algorithm:name=value,name=value;…")


@dataclass(frozen=True, slots=True)
class MsaccucmpPrinter:
    """Wish for the tool's table."""

    # Numbers of its columns, and the user's own.
    columns: tuple[int | CustomColumn, ...]
    # Of each tensor only so many values are looked at.
    most_values: int | None = None
    # The column that says whether float16 overflowed.
    overflow: bool = False
    # Arguments of the user's own columns, as typed.
    custom_options: str = ""

    @property
    def reads_alone(self) -> bool:
        return self.overflow

    @property
    def _own(self) -> list[CustomColumn]:
        return [column for column in self.columns if isinstance(column, CustomColumn)]

    @property
    def _built_in(self) -> list[MsaccucmpColumn]:
        return [COLUMNS[column] for column in self.columns if isinstance(column, int)]

    def begin(self, line: Printed) -> Printed:
        names = (*(column.name for column in self._built_in), *(column.name for column in self._own))
        return replace(line, cells=dict.fromkeys(names, NOT_COMPUTED))

    def read(self, line: Printed, candidate: Array) -> Printed:
        if not self.overflow:
            return line
        found = _overflow(candidate)
        return replace(line, cells={OVERFLOW: found, **line.cells}, overflows=found == _YES)

    def measure(self, line: Printed, pair: Pair, together: Together) -> Printed:
        listed = line.listed
        if not listed.measured:
            return line
        if together.refused is not None:
            return replace(line, reason=together.refused)
        assert pair.candidate is not None and pair.reference is not None, "both were brought together"
        call = Call(
            together.mine,
            together.golden,
            together.shape,
            listed.candidate_path if listed.candidate_path else pair.candidate.path,
            listed.reference_path if listed.reference_path else pair.reference.path,
            self.most_values,
            options(self.custom_options),
        )
        found = cells(
            call.mine,
            call.golden,
            columns=self._built_in,
            shape=call.shape,
            my_path=call.my_path,
            golden_path=call.golden_path,
            maximum=call.maximum,
        )
        users = custom_cells(self._own, call)
        head = described(pair, together.mine, together.golden, together.shape)
        reason = ",".join((*found.messages, *users.messages))
        return replace(line, cells={**line.cells, **head, **found.values, **users.values}, reason=reason)

    def end(self) -> None:
        end_custom()


def columns_of(texts: Sequence[str], folder: str) -> tuple[ToolColumn, ...]:
    """Reads columns in the order of the table; words may be separated by commas or spaces. `all` means msaccucmp's, as
    there.
    """
    known = {column.name: column for column in (custom_columns(folder) if folder else ())}
    words = [word.strip() for text in texts for word in text.split(",") if word.strip()]
    found: dict[str, ToolColumn] = {}
    for word in words if words else [""]:
        columns = (known[word],) if word in known else chosen(word)
        found |= {column.name: column for column in columns if column.name not in found}
    return tuple(found.values())


def _printer(columns: Sequence[ToolColumn], most: int | None, overflow: bool, custom: str) -> MsaccucmpPrinter:
    keys = (column.number if isinstance(column, MsaccucmpColumn) else column for column in columns)
    return MsaccucmpPrinter(tuple(key for key in keys if isinstance(key, int | CustomColumn)), most, overflow, custom)


def _cells(mine: Array, golden: Array, columns: Sequence[ToolColumn], paths: tuple[str, str]) -> Cells:
    built_in = [column for column in columns if isinstance(column, MsaccucmpColumn)]
    flat = mine.reshape(-1), golden.reshape(-1)
    return cells(*flat, columns=built_in, shape=mine.shape, my_path=paths[0], golden_path=paths[1])


MSACCUCMP = Comparer("msaccucmp", columns_of, _cells, lambda: FILE_COLUMNS, _printer)
