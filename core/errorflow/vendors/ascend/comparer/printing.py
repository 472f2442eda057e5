"""msaccucmp's line of a pair, as version 26.2.0 prints it; nothing of ours enters it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import type_name
from errorflow.compare.comparer import Cells, Comparer, Printed, ToolColumn
from errorflow.compare.match.model import BOTH_NPU, GOLDEN_TYPE, MY_TYPE, OVERFLOW, SHAPE, Pair
from errorflow.compare.together import Together
from errorflow.graph.dump import TensorInfo
from errorflow.vendors.ascend.comparer.columns import COLUMNS, FILE_COLUMNS, NOT_COMPUTED, Column, cells, chosen
from errorflow.vendors.ascend.comparer.custom import (
    Call,
    CustomColumn,
    custom_cells,
    custom_columns,
    end_custom,
    options,
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
    """Of two dumps of NPUs the types in which they are stored, else those in which they were compared."""
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


@dataclass(frozen=True, slots=True)
class MsaccucmpPrinter:
    """What of the tool's table is wanted."""

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
    def _built_in(self) -> list[Column]:
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
    """In the order of the table; words may be separated by commas or spaces. `all` means the tool's, as there."""
    known = {column.name: column for column in (custom_columns(folder) if folder else ())}
    words = [word.strip() for text in texts for word in text.split(",") if word.strip()]
    found: dict[str, ToolColumn] = {}
    for word in words if words else [""]:
        columns = (known[word],) if word in known else chosen(word)
        found |= {column.name: column for column in columns if column.name not in found}
    return tuple(found.values())


def _printer(columns: Sequence[ToolColumn], most: int | None, overflow: bool, custom: str) -> MsaccucmpPrinter:
    keys = (column.number if isinstance(column, Column) else column for column in columns)
    return MsaccucmpPrinter(tuple(key for key in keys if isinstance(key, int | CustomColumn)), most, overflow, custom)


def _cells(mine: Array, golden: Array, columns: Sequence[ToolColumn], paths: tuple[str, str]) -> Cells:
    built_in = [column for column in columns if isinstance(column, Column)]
    flat = mine.reshape(-1), golden.reshape(-1)
    return cells(*flat, columns=built_in, shape=mine.shape, my_path=paths[0], golden_path=paths[1])


MSACCUCMP = Comparer("msaccucmp", columns_of, _cells, lambda: FILE_COLUMNS, _printer)
