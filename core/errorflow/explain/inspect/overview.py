"""Overview of a tensor from its values: the two histograms, the errors, a sample."""

import math

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass, field, replace
from errorflow.compare.metrics.steps import SLACK
from errorflow.explain.inspect.bins import ABOUT, Bins, Counts, choose
from errorflow.explain.inspect.grid import Grid, Grids, grid_of, grids_of, read_off
from errorflow.explain.inspect.summary import ErrorCollector, ErrorSummary, Summary, ValueCollector
from errorflow.explain.inspect.tensors import PIECE, Tensors
from errorflow.graph.qparams import QParams

Doubles = NDArray[np.float64]
# Up to so many values all are looked at at once; of more, first so many.
AT_ONCE = 1 << 18
FIRST = 1 << 16
# Points of a scatter plot, always the same ones of the same tensor.
POINTS = 8192
SEED = 20250


@dataclass(frozen=True, slots=True, eq=False)
class PairHistogram:
    """Histogram of both sides over the same bars; None: there is no such side."""

    bins: Bins
    reference: Counts | None
    candidate: Counts | None

    @property
    def wants_log(self) -> bool:
        """Whether one bar is so high that the others would vanish beside it."""
        counts = [side for side in (self.reference, self.candidate) if side is not None]
        filled = np.concatenate(counts) if counts else np.zeros(0)
        filled = filled[filled > 0]
        return bool(len(filled) and filled.max() > 50 * np.median(filled))


@dataclass(frozen=True, slots=True)
class Clipping:
    """The shares of the reference's finite values that lie below and above all that the grid can say.

    And how many of the candidate's lie on the lowest and on the highest of its values: where it saturates. An end that
    stands for zero does not count: after a ReLU values belong there.
    """

    below: float
    above: float
    lowest: int = 0
    highest: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Overview:
    """`exact`: all values were looked at; else it is a first impression from a sample."""

    tensors: Tensors
    exact: bool
    reference: Summary | None
    candidate: Summary | None
    errors: ErrorSummary | None
    values: PairHistogram
    # None: the two sides are not together.
    error_bins: Bins | None
    error_counts: Counts | None
    grid: Grid | None
    # Where there is a scale for each channel; then there is no one grid.
    grids: Grids | None
    clipping: Clipping | None
    # Reference and candidate at the same places.
    points: tuple[Doubles, Doubles] | None


def first_look(tensors: Tensors, near: QParams | None = None) -> Overview:
    """Looks at all values if they are few, else at some. `near` is what the graph says about the scale."""
    if tensors.size <= AT_ONCE:
        return overview(tensors, near)
    return _overview(tensors.sampled(FIRST), tensors, near, SILENT)


def overview(tensors: Tensors, near: QParams | None = None, progress: Progress = SILENT) -> Overview:
    """Looks at all values."""
    return _overview(tensors, tensors, near, progress)


def _overview(seen: Tensors, tensors: Tensors, near: QParams | None, progress: Progress) -> Overview:
    look = _Look.of(seen, _grid(seen, tensors, near))
    parts = max(1, -(-seen.size // PIECE))
    again = True
    while again:
        for part, (reference, candidate) in enumerate(seen.pieces()):
            progress.step(look.passes * parts + part, parts * (look.passes + 2), "Looking at the values")
            look.feed(reference, candidate)
        again = look.turn()
    found = look.found(tensors, seen is tensors)
    grids = _grids(tensors, near)
    if grids is None:
        return found
    return replace(found, grids=grids, clipping=_beyond(tensors, grids) if seen is tensors else None)


def _grid(seen: Tensors, tensors: Tensors, near: QParams | None) -> Grid | None:
    if seen.candidate is None or seen.candidate.dtype.kind != "f":
        return None
    if tensors.qparams is not None:
        return grid_of(tensors.qparams, tensors.told_by)
    return grid_of(near, "graph") if near is not None else read_off(seen.candidate, seen.reference)


def _grids(tensors: Tensors, near: QParams | None) -> Grids | None:
    """Finds the grids of the candidate, where its shape has as many channels as there are scales."""
    if tensors.candidate is None or tensors.candidate.dtype.kind != "f" or tensors.candidate.shape != tensors.shape:
        return None
    if tensors.qparams is not None:
        found = grids_of(tensors.qparams, tensors.told_by)
    else:
        found = None if near is None else grids_of(near, "graph")
    rank = len(tensors.shape)
    if found is None or not -rank <= found.axis < rank or tensors.shape[found.axis] != len(found):
        return None
    return replace(found, axis=found.axis % rank)


def _beyond(tensors: Tensors, grids: Grids) -> Clipping | None:
    """Measures how much of the reference lies beyond the grid of its own channel."""
    if tensors.reference is None or tensors.reference.shape != tensors.shape:
        return None
    inner = math.prod(tensors.shape[grids.axis + 1 :])
    lows, highs = grids.lows - grids.scales / 2, grids.highs + grids.scales / 2
    below = above = count = start = lowest = highest = 0
    for values, others in tensors.pieces():
        if values is None:
            continue
        channels = (np.arange(start, start + len(values)) // inner) % len(grids)
        start += len(values)
        if others is not None:
            steps = grids.scales[channels]
            lowest += int(np.count_nonzero(_on_low(others, grids.lows[channels], steps)))
            highest += int(np.count_nonzero(_on_high(others, grids.highs[channels], steps)))
        below += int(np.count_nonzero((values < lows[channels]) & np.isfinite(values)))
        above += int(np.count_nonzero((values > highs[channels]) & np.isfinite(values)))
        count += int(np.count_nonzero(np.isfinite(values)))
    return Clipping(below / max(1, count), above / max(1, count), lowest, highest)


def _on_low(values: Doubles, low: Doubles, step: Doubles) -> NDArray[np.bool_]:
    """Marks the lowest values that the candidate can say, unless that is zero."""
    found: NDArray[np.bool_] = (values <= low + SLACK * step) & (low < -step / 2)
    return found


def _on_high(values: Doubles, high: Doubles, step: Doubles) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (values >= high - SLACK * step) & (high > step / 2)
    return found


def sampled_points(tensors: Tensors, most: int = POINTS) -> tuple[Doubles, Doubles] | None:
    """A sample that is spread over the whole tensor and always the same."""
    if not tensors.together or tensors.reference is None or tensors.candidate is None:
        return None
    if tensors.size > most:
        places = np.unique(np.random.default_rng(SEED).integers(0, tensors.size, most))
    else:
        places = np.arange(tensors.size)
    flat = (side.reshape(-1)[places].astype(np.float64) for side in (tensors.reference, tensors.candidate))
    reference, candidate = flat
    fine = np.isfinite(reference) & np.isfinite(candidate)
    return reference[fine], candidate[fine]


def _bars_for(count: int) -> int:
    """Fewer bars for few values, as Rice has it, twice as fine."""
    return min(ABOUT, max(24, round(4 * float(np.cbrt(count)))))


@dataclass(slots=True)
class _Counting:
    """The bars of the second walk, and what lies beyond the grid."""

    histogram: PairHistogram
    error_bins: Bins | None
    error_counts: Counts | None
    beyond: list[int] = field(default_factory=lambda: [0, 0])
    ends: list[int] = field(default_factory=lambda: [0, 0])


@dataclass(slots=True)
class _Look:
    """The collectors of walks over the values: the first finds the ends, the second counts, others rank."""

    tensors: Tensors
    grid: Grid | None
    reference: ValueCollector | None
    candidate: ValueCollector | None
    errors: ErrorCollector | None
    passes: int = 0
    counting: _Counting | None = None

    @classmethod
    def of(cls, tensors: Tensors, grid: Grid | None) -> "_Look":
        reference, candidate = (None if side is None else ValueCollector() for side in tensors.sides)
        return cls(tensors, grid, reference, candidate, ErrorCollector() if tensors.together else None)

    def feed(self, reference: Doubles | None, candidate: Doubles | None) -> None:
        histogram = None if self.counting is None or self.passes != 1 else self.counting.histogram
        fine = self._feed_side(self.reference, reference, None if histogram is None else histogram.reference)
        said = self._feed_side(self.candidate, candidate, None if histogram is None else histogram.candidate)
        if histogram is not None and fine is not None:
            self._count_beyond(fine)
        if histogram is not None and said is not None:
            self._count_ends(said)
        if self.errors is not None and reference is not None and candidate is not None:
            self._feed_errors(self.errors, reference, candidate)

    def _feed_side(self, into: ValueCollector | None, values: Doubles | None, counts: Counts | None) -> Doubles | None:
        if into is None or values is None:
            return None
        good = np.isfinite(values)
        kept = values if good.all() else values[good]
        into.feed(values, kept)
        if counts is not None and self.counting is not None:
            counts += self.counting.histogram.bins.count(kept)
        return kept

    def _feed_errors(self, into: ErrorCollector, reference: Doubles, candidate: Doubles) -> None:
        with np.errstate(all="ignore"):
            errors = candidate - reference
        fine = np.isfinite(errors)
        errors = errors if fine.all() else errors[fine]
        into.feed(errors, len(reference) - len(errors))
        found = self.counting
        if self.passes == 1 and found is not None and found.error_bins is not None and found.error_counts is not None:
            found.error_counts += found.error_bins.count(errors)

    def _count_beyond(self, reference: Doubles) -> None:
        if self.grid is not None and self.counting is not None:
            half = self.grid.scale / 2
            self.counting.beyond[0] += int(np.count_nonzero(reference < self.grid.low - half))
            self.counting.beyond[1] += int(np.count_nonzero(reference > self.grid.high + half))

    def _count_ends(self, candidate: Doubles) -> None:
        if self.grid is not None and self.counting is not None:
            low, high, step = (np.array(end) for end in (self.grid.low, self.grid.high, self.grid.scale))
            self.counting.ends[0] += int(np.count_nonzero(_on_low(candidate, low, step)))
            self.counting.ends[1] += int(np.count_nonzero(_on_high(candidate, high, step)))

    def turn(self) -> bool:
        """Ends a walk. True: another is needed."""
        self.passes += 1
        wanted = [each.turn() for each in (self.reference, self.candidate, self.errors) if each is not None]
        if self.passes == 1:
            self.counting = self._bars()
        return self.passes == 1 or any(wanted)

    def _bars(self) -> _Counting:
        sides = [side for side in (self.reference, self.candidate) if side is not None and side.low <= side.high]
        low = min((side.low for side in sides), default=math.nan)
        high = max((side.high for side in sides), default=math.nan)
        about = _bars_for(self.tensors.size)
        bins = choose(low, high, step=self._step(low, high), about=about)
        empty = [None if side is None else np.zeros(len(bins), np.int64) for side in (self.reference, self.candidate)]
        histogram = PairHistogram(bins, empty[0], empty[1])
        if self.errors is None:
            return _Counting(histogram, None, None)
        most = max(abs(self.errors.low), abs(self.errors.high)) if self.errors.low <= self.errors.high else math.nan
        whole = 1.0 if self.tensors.whole else 0.0
        errors = choose(-most, most, step=whole, middle=True, about=about)
        return _Counting(histogram, errors, np.zeros(len(errors), np.int64))

    def _step(self, low: float, high: float) -> float:
        """Bars of whole codes or whole steps, where there are not too many of these."""
        if self.tensors.whole:
            return 1.0
        return self.grid.scale if self.grid is not None and high - low < 4096 * self.grid.scale else 0.0

    def found(self, tensors: Tensors, exact: bool) -> Overview:
        counting = self.counting
        assert counting is not None, "the first walk is over"
        return Overview(
            tensors,
            exact,
            None if self.reference is None else self.reference.found(),
            None if self.candidate is None else self.candidate.found(),
            None if self.errors is None else self.errors.found(),
            counting.histogram,
            counting.error_bins,
            counting.error_counts,
            self.grid,
            None,
            self._clipping(counting),
            sampled_points(tensors),
        )

    def _clipping(self, counting: _Counting) -> Clipping | None:
        if self.grid is None or self.reference is None:
            return None
        count = max(1, self.reference.exact.count)
        return Clipping(counting.beyond[0] / count, counting.beyond[1] / count, *counting.ends)
