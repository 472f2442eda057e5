"""One pair, measured: reads both tensors, brings them together, and says what every metric says."""

import ctypes
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import holds_numbers, type_name
from errorflow.base.errors import ErrorflowError
from errorflow.compare.match.model import BOTH_NPU, GOLDEN_TYPE, MY_TYPE, SHAPE, Pair
from errorflow.compare.metrics.custom import Call, CustomColumn, custom_cells
from errorflow.compare.metrics.custom import options as custom_options
from errorflow.compare.metrics.measure import measure
from errorflow.compare.metrics.msaccucmp import COLUMNS, Column, cells
from errorflow.compare.model import Row
from errorflow.compare.options import Options
from errorflow.compare.together import Together, bring_together, real_values
from errorflow.formats.convert.error import ConvertError
from errorflow.graph.dump import TensorInfo

# Memory that is freed after a pair is kept for the next: to get it anew takes a fifth of the time of a comparison.
# Of mallopt, as malloc.h has them.
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
# So much may lie idle in a process; arrays up to the second size are taken from it.
KEPT, LARGEST = 128 << 20, 32 << 20


@cache
def keep_memory() -> None:
    """Asks the system's allocator for it, once per process; only that of Linux can be asked."""
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is not None:
        mallopt(TRIM_THRESHOLD, KEPT)
        mallopt(MMAP_THRESHOLD, LARGEST)


# The cells of msaccucmp's line that say what was compared: both types and the shape.
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


Array = NDArray[np.generic]
_PLAIN = Options()
# What the tool prints where it has no number.
NOT_COMPUTED = "NaN"
# Sums of products of codes have more, and no steps that a number could be told in.
MOST_CODE_BITS = 16
OVERFLOW = "OverFlow"
# The largest finite float16; the tool calls it an overflow already.
FLOAT16_END = 65504
# Letters of a message of ours that a note repeats.
MAX_FAULT = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake of ours that came to light with one pair: what its row says, and where it happened."""

    note: str
    trace: str

    @classmethod
    def of(cls, error: BaseException) -> "Fault":
        what = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_FAULT]
        note = f"measuring it failed inside Errorflow ({what}); please report it"
        return cls(note, "".join(traceback.format_exception(error)))


def measure_pairs(pairs: Sequence[Pair], options: Options) -> list[Row | Fault]:
    """What is sent to other processes; a mistake of ours costs its pair only."""
    keep_memory()
    return [_row_or_fault(pair, options) for pair in pairs]


def _row_or_fault(pair: Pair, options: Options) -> Row | Fault:
    try:
        return measure_pair(pair, options)
    except Exception as error:  # noqa: BLE001 - the boundary of a process: whatever it is, the other pairs go on
        return Fault.of(error)


def measure_pair(pair: Pair, options: Options = _PLAIN) -> Row:
    """The pair's row; whatever is wrong with a tensor is its note."""
    row = unmeasured(pair)
    try:
        return _measured(pair, row, options)
    except MemoryError:
        return replace(row, note="there is not enough memory for both tensors")


def unmeasured(pair: Pair, note: str = "") -> Row:
    """The pair's row without a number."""
    return Row(
        pair.tensor,
        None if pair.reference is None else pair.reference.info,
        None if pair.candidate is None else pair.candidate.info,
        note=note if note else pair.note,
        rule=pair.rule,
        node=pair.node,
        op_type=pair.op_type,
        listed=pair.listed,
        reason="" if pair.listed is None else pair.listed.reason,
    )


def _measured(pair: Pair, row: Row, options: Options) -> Row:
    listed = options.columns is not None and pair.listed is not None
    if listed:
        row = replace(row, columns=dict.fromkeys(_column_names(options), NOT_COMPUTED))
    alone = pair.reference is None or bool(pair.note)
    if pair.candidate is None or (alone and not (listed and options.overflow)):
        return row
    try:
        mine = pair.candidate.read()
        if listed and options.overflow:
            row = replace(row, columns={OVERFLOW: _overflow(mine), **row.columns})
        if alone or pair.reference is None:
            return row
        golden = pair.reference.read()
        strange = [array.dtype.name for array in (golden, mine) if not holds_numbers(array)]
        if strange:
            return replace(row, note=f"no real numbers: {strange[0]}")
        together = bring_together(pair, mine, golden, options)
    except ConvertError as error:
        return _refused(row, error.message, error.reason)
    except ErrorflowError as error:
        return _refused(row, error.message, error.message)
    if listed:
        row = _with_columns(row, pair, together, options)
    return _with_values(row, pair, together, options)


def _refused(row: Row, note: str, reason: str) -> Row:
    """The reason is msaccucmp's, which never came so far with a pair that only we have found."""
    is_ours = row.listed is not None and not row.listed.measured
    return replace(row, note=note, reason=row.reason if is_ours else reason)


def _overflow(values: Array) -> str:
    """The tool's column; it sees no NaN, and of other types than float16 it says nothing."""
    if values.dtype != np.float16 or not values.size:
        return NOT_COMPUTED
    # As the tool's comparison has it, a NaN hides everything else.
    return "YES" if max(abs(float(values.max())), abs(float(values.min()))) >= FLOAT16_END else "NO"


def _with_columns(row: Row, pair: Pair, together: Together, options: Options) -> Row:
    """The line as msaccucmp prints it; nothing of ours enters it."""
    assert pair.listed is not None and pair.candidate is not None and pair.reference is not None
    if not pair.listed.measured:
        return row
    if together.refused is not None:
        return replace(row, reason=together.refused)
    built_in, own = _columns(options)
    call = Call(
        together.mine,
        together.golden,
        together.shape,
        pair.listed.candidate_path if pair.listed.candidate_path else pair.candidate.path,
        pair.listed.reference_path if pair.listed.reference_path else pair.reference.path,
        options.most_values,
        custom_options(options.custom_options),
    )
    found = cells(
        call.mine,
        call.golden,
        columns=built_in,
        shape=call.shape,
        my_path=call.my_path,
        golden_path=call.golden_path,
        maximum=call.maximum,
    )
    users = custom_cells(own, call)
    head = described(pair, together.mine, together.golden, together.shape)
    columns = {**row.columns, **head, **found.values, **users.values}
    reason = ",".join((*found.messages, *users.messages))
    return replace(row, columns=columns, reason=reason, measured_shape=together.shape)


def _columns(options: Options) -> tuple[list[Column], list[CustomColumn]]:
    """msaccucmp's and the user's own."""
    wanted = () if options.columns is None else options.columns
    built_in = [COLUMNS[key] for key in wanted if isinstance(key, int)]
    return built_in, [CustomColumn(key, options.custom) for key in wanted if isinstance(key, str)]


def _column_names(options: Options) -> list[str]:
    built_in, own = _columns(options)
    return [*(column.name for column in built_in), *(column.name for column in own)]


def _with_values(row: Row, pair: Pair, together: Together, options: Options) -> Row:
    mine, golden, qparams, done = real_values(pair, together, options)
    if pair.qparams is not None and qparams is None:
        return replace(row, note=", ".join(done))
    strange = [array.dtype.name for array in (golden, mine) if not np.can_cast(array.dtype, np.float64, "same_kind")]
    if strange:
        return replace(row, note=f"no real numbers: {strange[0]}")
    if qparams is not None and qparams.bits > MOST_CODE_BITS:
        qparams = None
    found = measure(golden, mine, axis=together.axis, qparams=qparams)
    return replace(
        row,
        values=found.values,
        reference_side=found.reference,
        candidate_side=found.candidate,
        channels=found.channels,
        unique=found.unique,
        done=(*together.done, *done),
        measured_shape=together.shape,
    )
