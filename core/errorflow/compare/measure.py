"""Measuring of one pair: reads both tensors, brings them together, and says what every metric says."""

import ctypes
import sys
import traceback
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from errorflow.base import ErrorflowError, dataclass, replace
from errorflow.base.arrays import holds_numbers
from errorflow.compare.comparer import Printed, Printer
from errorflow.compare.match.model import Pair
from errorflow.compare.metrics.measure import measure
from errorflow.compare.model import Options, Row
from errorflow.compare.together import Together, bring_together, real_values
from errorflow.formats.convert.layouts import ConvertError

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


Array = NDArray[np.generic]
_PLAIN = Options()
# Sums of products of codes have more, and no steps that a number could be told in.
MOST_CODE_BITS = 16
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
    """Measures pairs that are sent to another process; a mistake of ours costs its pair only."""
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
        printed=None if pair.listed is None else Printed(pair.listed, reason=pair.listed.reason),
    )


def _measured(pair: Pair, row: Row, options: Options) -> Row:
    line = None if options.printer is None else row.printed
    if line is None or options.printer is None:
        return _with_numbers(pair, row, options)
    return _with_numbers(pair, replace(row, printed=options.printer.begin(line)), options, options.printer)


def _with_numbers(pair: Pair, row: Row, options: Options, printer: Printer | None = None) -> Row:
    alone = pair.reference is None or bool(pair.note)
    reads_alone = printer is not None and printer.reads_alone
    if pair.candidate is None or (alone and not reads_alone):
        return row
    try:
        mine = pair.candidate.read()
        if printer is not None and row.printed is not None:
            line = printer.read(row.printed, mine)
            row = replace(row, printed=line, overflows=line.overflows)
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
    if printer is not None and row.printed is not None:
        shape = together.shape if row.printed.listed.measured and together.refused is None else None
        row = replace(row, printed=printer.measure(row.printed, pair, together), measured_shape=shape)
    return _with_values(row, pair, together, options)


def _refused(row: Row, note: str, reason: str) -> Row:
    """The reason is the tool's, which never came so far with a pair that only we have found."""
    line = row.printed
    if line is not None and line.listed.measured:
        line = replace(line, reason=reason)
    return replace(row, note=note, printed=line)


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
