"""One tensor with the values of both runs, as they were measured."""

from collections.abc import Iterator
from math import prod
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, ErrorflowError, Progress, dataclass, replace
from errorflow.base.arrays import holds_numbers
from errorflow.compare.match.model import Pair
from errorflow.compare.metrics.channels import channel_axis
from errorflow.compare.model import Options
from errorflow.compare.together import bring_together, dequantized, grid, real_values
from errorflow.explain.inspect.grid import Source
from errorflow.formats.convert.layouts import ConvertError
from errorflow.graph.dump import Stored
from errorflow.graph.qparams import QParams

Array = NDArray[Any]
Doubles = NDArray[np.float64]
# Values that are looked at together: they fit into a cache, and a cancel strikes between two such pieces.
PIECE = 1 << 17


class UnseenError(ErrorflowError):
    """Error of a tensor of which nothing could be looked at."""


@runtime_checkable
class WorkedOut(Protocol):
    """A stored tensor that is worked out when it is read, which may take a while."""

    def read_within(self, progress: Progress) -> Array: ...

    def coded(self) -> QParams | None:
        """Scale and zero point that its values were rounded to; None: they were not."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Tensors:
    """One or both sides, whole in memory. `together`: of the same shape, value against value."""

    name: str
    reference: Array | None
    candidate: Array | None
    # In which the values lie; of the candidate where both differ.
    shape: tuple[int, ...]
    together: bool = False
    # Along which the channels lie, as far as somebody says so.
    told_axis: int | None = None
    # Of the candidate, in that shape.
    qparams: QParams | None = None
    # What was done to the values before they were measured.
    done: tuple[str, ...] = ()
    # Why they are not together.
    note: str = ""
    # Who says what `qparams` are.
    told_by: Source = "run"

    @property
    def size(self) -> int:
        """Values of the larger side."""
        return max((side.size for side in self.sides if side is not None), default=0)

    @property
    def sides(self) -> tuple[Array | None, Array | None]:
        return self.reference, self.candidate

    @property
    def axis(self) -> int | None:
        """The axis of the channels; None: there are none."""
        return channel_axis(self.shape, self.told_axis) if self.told_axis is not None else _usual_axis(self.shape)

    @property
    def whole(self) -> bool:
        """Whether all values are whole numbers or truths by their type."""
        return all(side is None or side.dtype.kind in "biu" for side in self.sides)

    def pieces(self) -> Iterator[tuple[Doubles | None, Doubles | None]]:
        """Yields both sides as float64, flat, a part at a time; the shorter of two that differ ends earlier."""
        flat = [None if side is None else side.reshape(-1) for side in self.sides]
        for start in range(0, self.size, PIECE):
            reference, candidate = (None if side is None else doubles(side[start : start + PIECE]) for side in flat)
            yield reference, candidate

    def sampled(self, count: int) -> "Tensors":
        """Takes about `count` values of both sides: stretches at equal distances, quick to take also out of a large
        file.
        """
        if self.size <= count:
            return self
        places = stretches(self.size, count)
        sides = [None if side is None else side.reshape(-1)[places[places < side.size]] for side in self.sides]
        return replace(self, reference=sides[0], candidate=sides[1], shape=(len(places),), told_axis=None)


def stretches(size: int, count: int, length: int = 256) -> NDArray[np.intp]:
    """The places of about `count` of `size` values, in stretches that begin at equal distances."""
    starts = np.linspace(0, size - length, max(1, count // length)).astype(np.intp)
    places: NDArray[np.intp] = np.unique((starts[:, None] + np.arange(length)).ravel())
    return places


def doubles(values: Array) -> Doubles:
    """Converts values to float64; a zero has no sign."""
    found: Doubles = values.astype(np.float64)
    found += 0.0
    return found


def read_pair(pair: Pair, options: Options | None = None, progress: Progress = SILENT) -> Tensors:
    """Reads both sides in the form in which they were measured; those that cannot be measured, each in its own.

    Raises an `ErrorflowError` where not even one side can be looked at.
    """
    found = _read_pair(pair, Options() if options is None else options, progress)
    if found.qparams is None and isinstance(pair.candidate, WorkedOut) and found.candidate is not None:
        return replace(found, qparams=pair.candidate.coded(), told_by="plan")
    return found


def _read_pair(pair: Pair, options: Options, progress: Progress) -> Tensors:
    if pair.reference is None or pair.candidate is None:
        return _one(pair)
    mine, golden = _values(pair.candidate, progress), _values(pair.reference, progress)
    _check(pair.tensor, mine, golden)
    try:
        together = bring_together(pair, mine, golden, options)
        mine, golden, qparams, done = real_values(pair, together, options)
    except ConvertError as error:
        return Tensors(pair.tensor, golden, mine, mine.shape, note=error.message)
    if mine.size != golden.size:
        return Tensors(pair.tensor, golden, mine, mine.shape, note="the numbers of values differ")
    golden = golden.reshape(mine.shape)
    done = (*together.done, *done)
    return Tensors(pair.tensor, golden, mine, mine.shape, True, together.axis, qparams, done)


def _values(stored: Stored, progress: Progress) -> Array:
    return stored.read_within(progress) if isinstance(stored, WorkedOut) else stored.read()


def weight(name: str, values: Array, qparams: QParams | None = None, note: str = "") -> Tensors:
    """A constant of the model file, a side alone: with a scale, codes of the candidate."""
    _check(name, values)
    if qparams is None:
        return Tensors(name, values, None, values.shape, note=note)
    known = grid(qparams, None, values.shape, "")
    real = values if known is None else dequantized(values, known)
    return Tensors(name, None, real, values.shape, qparams=known, told_by="graph", note=note)


def _one(pair: Pair) -> Tensors:
    stored = pair.candidate if pair.candidate is not None else pair.reference
    if stored is None:
        raise UnseenError(f"Neither run holds {pair.tensor}.", "Dump it in both runs, or choose another tensor.")
    values = stored.read()
    _check(pair.tensor, values)
    note = pair.note if pair.note else "the other run does not hold it"
    mine = pair.candidate is not None
    qparams = stored.info.qparams if values.shape == stored.info.shape else None
    reference, candidate = (None, values) if mine else (values, None)
    return Tensors(pair.tensor, reference, candidate, values.shape, qparams=qparams, note=note)


def _check(name: str, *sides: Array) -> None:
    for side in sides:
        if not holds_numbers(side) or side.dtype.kind == "c":
            raise UnseenError(
                f"{name} holds {side.dtype.name}, which has no order.",
                "Only real numbers can be drawn; choose another.",
            )


def _usual_axis(shape: tuple[int, ...]) -> int | None:
    """The second; of a matrix, as a weight of a product is, too, however few values each has."""
    return 1 if len(shape) >= 2 and shape[1] > 1 and prod(shape) > shape[1] else None
