"""Plots of what was seen of a tensor."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics import METRICS
from errorflow.explain.inspect.bins import Bins, Counts
from errorflow.explain.inspect.channels import Boxes, ChannelView
from errorflow.explain.inspect.figure import (
    Axis,
    Band,
    Bars,
    BoxPlots,
    Doubles,
    Figure,
    Layer,
    Line,
    Points,
    Role,
    Rules,
    number_text,
    ticks,
)
from errorflow.explain.inspect.grid import Grid
from errorflow.explain.inspect.overview import Overview, PairHistogram
from errorflow.explain.inspect.summary import Summary
from errorflow.explain.inspect.tensors import Tensors

REFERENCE, CANDIDATE = "Reference", "Candidate"
# Steps of a grid are drawn as long as one can tell them apart.
MOST_TICKS = 260
# What is smaller than that beside the largest value is as good as zero, for codes and for the eye.
_DECADES = 4
# Boxes that stand beside each other in little room.
MOST_BOXES = 16
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")


def values_figure(seen: Overview, log: bool) -> Figure:
    """Plots both histograms over one another, the grid at the foot, and hatched what the grid cannot say."""
    histogram = seen.values
    edges = histogram.bins.edges
    layers: list[Layer] = list(_clipped(seen, float(edges[0]), float(edges[-1])))
    sides: tuple[tuple[Role, str, Counts | None], ...] = (
        ("reference", REFERENCE, histogram.reference),
        ("candidate", CANDIDATE, histogram.candidate),
    )
    for role, label, counts in sides:
        if counts is not None:
            layers.append(bars(role, label, histogram.bins, counts, log, role == "reference"))
    layers += _steps(seen, float(edges[0]), float(edges[-1]))
    known = [counts for _, _, counts in sides if counts is not None]
    notes = tuple(_value_notes(seen))
    x = Axis("Value", float(edges[0]), float(edges[-1]))
    return Figure(f"Values of {seen.tensors.name}", x, count_axis(known, log), tuple(layers), notes)


def error_figure(seen: Overview, log: bool) -> Figure:
    """The histogram of candidate − reference; between a pair of lines so many percent of all errors are."""
    bins, counts, errors = seen.error_bins, seen.error_counts, seen.errors
    assert bins is not None and counts is not None and errors is not None, "asked beforehand by `suits`"
    marks = [(percent, value) for percent, value in errors.percentiles if percent in (50.0, 99.0)]
    places = np.array([sign * value for _, value in marks for sign in (-1, 1)])
    names = tuple(f"±p{percent:g}" for percent, _ in marks for _ in (-1, 1))
    layers: tuple[Layer, ...] = (
        bars("error", "Error", bins, counts, log, True),
        Rules("quiet", "±p50, ±p99 of the size", places, names),
    )
    x = Axis("Candidate − reference", float(bins.edges[0]), float(bins.edges[-1]))
    return Figure(f"Errors of {seen.tensors.name}", x, count_axis([counts], log), layers, tuple(_error_notes(seen)))


def scatter_figure(seen: Overview, points: tuple[Doubles, Doubles] | None = None) -> Figure:
    """Candidate against reference; on the line both are equal. `points`: more than those that are at hand."""
    known = seen.points if points is None else points
    assert known is not None, "asked beforehand by `suits`"
    x, y = known
    low, high = ends_of(np.concatenate([x, y]))
    ends = np.array([low, high])
    layers = (Points("candidate", "Values", x, y), Line("strong", "Equal", ends, ends, dashed=True, named=True))
    notes = (f"{len(x):,} of {seen.tensors.size:,} values, always the same ones",) if len(x) < seen.tensors.size else ()
    title = f"Candidate against reference of {seen.tensors.name}"
    return Figure(title, Axis(REFERENCE, low, high), Axis(CANDIDATE, low, high), layers, notes, square=True)


def line_figure(tensors: Tensors, most: int = 4096) -> Figure:
    """The values of a vector in their order."""
    layers: list[Layer] = []
    known: list[Doubles] = []
    sides: tuple[tuple[Role, str], ...] = (("reference", REFERENCE), ("candidate", CANDIDATE))
    every = max(1, -(-tensors.size // most))
    for (role, label), side in zip(sides, tensors.sides, strict=True):
        if side is not None:
            y = side.reshape(-1)[::every].astype(np.float64)
            fine = np.isfinite(y)
            layers.append(Line(role, label, (np.arange(len(y)) * every)[fine].astype(np.float64), y[fine]))
            known.append(y[fine])
    low, high = ends_of(np.concatenate([np.zeros(0), *known]))
    notes = (f"every {every:,}th value",) if every > 1 else ()
    x = Axis("Index", 0, max(1, tensors.size - 1), whole=True)
    return Figure(f"Values of {tensors.name} in their order", x, Axis("Value", low, high), tuple(layers), notes)


def channel_figure(view: ChannelView, seen: Overview, first: int = 0, name: str = "", most: int = MOST_BOXES) -> Figure:
    """The ranges of the worst channels, the worst on the left; a line across where the first step of each is."""
    shown = view.order[first : first + most]
    squeeze = Squeeze.of(view)
    two = view.reference is not None and view.candidate is not None
    layers: list[Layer] = []
    sides: tuple[tuple[Role, str, Boxes | None, float], ...] = (
        ("reference", REFERENCE, view.reference, -0.2),
        ("candidate", CANDIDATE, view.candidate, 0.2),
    )
    for role, label, boxes, shift in sides:
        if boxes is not None:
            at = np.arange(len(shown), dtype=np.float64) + np.float64(shift if two else 0.0)
            layers.append(_boxes(role, label, boxes, shown, at, squeeze, 0.36 if two else 0.7))
    ends = [side for layer in layers if isinstance(layer, BoxPlots) for side in (layer.low, layer.high)]
    low, high = ends_of(np.concatenate(ends))
    steps = _first_steps(view, seen)
    if steps is not None:
        places = np.repeat(np.arange(len(shown) + 1) - 0.5, 2)[1:-1]
        heights = np.repeat(squeeze(steps[shown]), 2)
        layers.insert(0, Line("strong", "One step", places, heights, dashed=True))
    names = tuple((float(at), str(channel)) for at, channel in enumerate(shown.tolist()))
    order = "worst" if view.sqnr is not None else "loudest"
    x = Axis(f"Channel, {order} first", -0.6, max(len(shown) - 0.4, 0.6), names=names)
    y = Axis("Value", low, high, names=squeeze.names)
    return Figure(f"Channels of {name}", x, y, tuple(layers), tuple(_channel_notes(view, seen, first, len(shown))))


def _boxes(
    role: Role, label: str, boxes: Boxes, shown: NDArray[np.intp], at: Doubles, squeeze: "Squeeze", width: float
) -> BoxPlots:
    low, first, middle, third, high = (
        squeeze(row[shown]) for row in (boxes.low, boxes.first, boxes.middle, boxes.third, boxes.high)
    )
    true = zip(*(row[shown].tolist() for row in (boxes.low, boxes.middle, boxes.high)), strict=True)
    return BoxPlots(role, label, at, low, first, middle, third, high, width, tuple(true))


@dataclass(frozen=True, slots=True)
class Squeeze:
    """Presses large values together where one channel would press all others flat: sign · log₁₀(1 + |value| / unit)."""

    # 0: nothing is pressed.
    unit: float
    most: float

    @classmethod
    def of(cls, view: ChannelView) -> "Squeeze":
        loud = view.main.ranges
        known = loud[np.isfinite(loud) & (loud > 0)]
        median = float(np.median(known)) if len(known) else 0.0
        apart = len(known) > 1 and float(known.max()) > 20 * median
        most = float(known.max()) if len(known) else 0.0
        unit = 10.0 ** max(math.floor(math.log10(median)), math.floor(math.log10(most)) - _DECADES) if apart else 0.0
        return cls(unit, most)

    def __call__(self, values: Doubles) -> Doubles:
        if not self.unit:
            return values
        found: Doubles = np.sign(values) * np.log10(1 + np.abs(values) / self.unit)
        return found

    @property
    def names(self) -> tuple[tuple[float, str], ...]:
        """Zero and powers of ten of both signs, where they are."""
        if not self.unit:
            return ()
        powers = self.unit * 10.0 ** np.arange(math.ceil(math.log10(self.most / self.unit)) + 1)
        values = np.concatenate([-powers[::-1], [0.0], powers])
        texts = [number_text(value, abs(value)) for value in values.tolist()]
        return tuple(zip(self(values).tolist(), texts, strict=True))


def _first_steps(view: ChannelView, seen: Overview) -> Doubles | None:
    """Finds the first step of each channel; None: no grid is known, or it is one of channels along another axis."""
    if seen.grid is not None:
        return np.full(len(view), seen.grid.scale)
    along = seen.grids is not None and seen.grids.axis == view.axis
    return seen.grids.scales if along and seen.grids is not None else None


def _channel_notes(view: ChannelView, seen: Overview, first: int, shown: int) -> Iterator[str]:
    if shown < len(view):
        order = "worst" if view.sqnr is not None else "loudest"
        which = f"{first + 1:,} to {first + shown:,} of {len(view):,}, {order} first," if first else ""
        yield f"Channels {which} shown" if which else f"{order} {shown} of {len(view):,} channels shown"
    if view.sqnr is not None:
        worst = view.order[0]
        yield f"Worst: channel {worst}, {_SQNR.label} {_SQNR.text(float(view.sqnr[worst]))}"
    if seen.grid is not None:
        yield f"One step is {number_text(seen.grid.scale)}"
    elif seen.grids is not None:
        yield seen.grids.text
    if not view.exact:
        yield "quartiles from a sample, ends exact"


def bars(role: Role, label: str, bins: Bins, counts: Counts, log: bool, filled: bool) -> Bars:
    heights = counts.astype(np.float64)
    if log:
        heights = np.where(counts > 0, np.log10(np.maximum(counts, 1)), -1.0)
    return Bars(role, label, bins.edges, heights, filled)


def count_axis(sides: list[Counts], log: bool) -> Axis:
    most = max((int(side.max()) for side in sides if len(side)), default=1)
    if log:
        return Axis("Count", -0.3, max(0.3, math.log10(max(most, 1)) * 1.05), log=True)
    return Axis("Count", 0.0, max(most, 1) * 1.05, whole=True)


def _clipped(seen: Overview, low: float, high: float) -> Iterator[Band]:
    grid, clipping = seen.grid, seen.clipping
    if grid is None or clipping is None:
        return
    if clipping.below:
        yield Band(f"Beyond {grid_text(grid)}", low, grid.low - grid.scale / 2)
    if clipping.above:
        yield Band(f"Beyond {grid_text(grid)}", grid.high + grid.scale / 2, high)


def _steps(seen: Overview, low: float, high: float) -> Iterator[Rules]:
    """Yields the steps of the grid; of several the finest and the coarsest, between which the others lie."""
    if seen.grid is not None:
        yield _grid(seen.grid, low, high)
    if seen.grids is not None:
        finest, coarsest = seen.grids.finest, seen.grids.coarsest
        fine = _grid(seen.grids.grid(finest), low, high)
        if len(fine.x):
            yield replace(fine, role="quiet", label=f"Finest steps, channel {finest}")
        yield replace(_grid(seen.grids.grid(coarsest), low, high), label=f"Coarsest steps, channel {coarsest}")


def _grid(grid: Grid, low: float, high: float) -> Rules:
    first = max(math.ceil(low / grid.scale), math.ceil(grid.low / grid.scale - 0.5))
    last = min(math.floor(high / grid.scale), math.floor(grid.high / grid.scale + 0.5))
    few = 0 <= last - first < MOST_TICKS
    steps = (np.arange(first, last + 1 if few else first) * grid.scale).astype(np.float64)
    return Rules("strong", "Steps", steps, ticks=True)


def _value_notes(seen: Overview) -> Iterator[str]:
    if not seen.exact:
        yield "first impression from a sample; all values follow"
    for label, side in ((REFERENCE, seen.reference), (CANDIDATE, seen.candidate)):
        if side is not None and side.nan + side.infinite:
            yield f"{label}: {_broken(side)}, not drawn"
    if seen.grids is not None:
        yield f"{seen.grids.text}: each channel lies on its own steps"
    yield from clipped_texts(seen)


def _error_notes(seen: Overview) -> Iterator[str]:
    errors = seen.errors
    assert errors is not None
    if errors.broken:
        yield f"{errors.broken:,} errors are no number, not drawn"
    yield " · ".join(f"p{percent:g} {number_text(value)}" for percent, value in errors.percentiles)
    yield f"largest {number_text(errors.largest)} · mean {number_text(errors.mean)} · bias {number_text(errors.bias)}"


def _broken(side: Summary) -> str:
    parts = ((side.nan, "NaN"), (side.plus_infinite, "+∞"), (side.minus_infinite, "−∞"))
    return ", ".join(f"{count:,} {word}" for count, word in parts if count)


def ends_of(values: Doubles) -> tuple[float, float]:
    """A little more than the values need."""
    known = values[np.isfinite(values)]
    if not len(known):
        return -1.0, 1.0
    low, high = float(known.min()), float(known.max())
    room = (high / 2 - low / 2) * 0.08 if low < high else abs(low) * 0.1 + 0.5
    return low - room, high + room


def histogram_text(histogram: PairHistogram, rows: int = 24, width: int = 30) -> Iterator[str]:
    """The histogram for a terminal: both sides as bars beside each other."""
    groups = np.array_split(np.arange(len(histogram.bins)), min(rows, len(histogram.bins)))
    sides = [side for side in (histogram.reference, histogram.candidate) if side is not None]
    sums = [[int(side[group].sum()) for group in groups] for side in sides]
    most = max((count for side in sums for count in side), default=1)
    for at, group in enumerate(groups):
        bars = (("█" * round(side[at] / max(most, 1) * width)).ljust(width) + f"{side[at]:>12,}" for side in sums)
        yield f"{histogram.bins.edges[group[0]]:>12.5g}  " + "  ".join(bars)


# Clipping at the ends of a grid, in words: of the reference beyond it, of the candidate on its rails.


def grid_text(grid: Grid) -> str:
    """Describes a grid; of one that was read off the values it is unknown how far it would reach."""
    return "the grid" if grid.bits else "the candidate"


def clipped_texts(seen: Overview) -> Iterator[str]:
    """Yields both sides, each by name: one may saturate where the other never went."""
    if seen.clipping is None:
        return
    share = seen.clipping.below + seen.clipping.above
    beyond = "the grid of its channel" if seen.grid is None else grid_text(seen.grid)
    yield f"{share:.2%} of the reference is beyond {beyond}" if share else f"none of the reference is beyond {beyond}"
    yield from _rails(seen)


def _rails(seen: Overview) -> Iterator[str]:
    """Yields the rails. Of a grid that was read off the values, the outermost ones are the ends, so that one alone says
    nothing.
    """
    assert seen.clipping is not None
    lowest, highest = seen.clipping.lowest, seen.clipping.highest
    if seen.candidate is None:
        return
    count = f"{seen.candidate.finite:,}"
    if seen.grid is None:
        if lowest + highest:
            yield f"{lowest:,} + {highest:,} of {count} candidate values are on the rails of their channels"
        return
    few = 0 if seen.grid.bits else 1
    low, high = number_text(seen.grid.low), number_text(seen.grid.high)
    if lowest > few and highest > few:
        yield f"{lowest:,} + {highest:,} of {count} candidate values are on the rails, {low} and {high}"
    elif lowest > few:
        yield f"{lowest:,} of {count} candidate values are on the rail, {low}"
    elif highest > few:
        yield f"{highest:,} of {count} candidate values are on the rail, {high}"
    elif seen.grid.bits:
        yield "none of the candidate is on its rails"


# The ranges of several methods of calibration over the values that they are for.

# Brackets stand above the bars, in so many parts of their height, and each has feet of that many of its room.
_ABOVE, _FEET = 1.2, 0.4
_GAP = 0.08
_MARKS = 4


@dataclass(frozen=True, slots=True)
class RangeBracket:
    """A range by its name."""

    label: str
    low: float
    high: float
    role: Role = "quiet"


def ranges_figure(
    name: str, bins: Bins, counts: Counts, brackets: Sequence[RangeBracket], notes: tuple[str, ...]
) -> Figure:
    """Counts are logarithmic: ranges differ where few values are."""
    heights = np.log10(1.0 + counts.astype(np.float64))
    top = max(float(heights.max(initial=0.0)), 1.0)
    room = top * _ABOVE / max(len(brackets), 1)
    layers: list[Layer] = [Bars("reference", "Reference", bins.edges, heights)]
    for at, bracket in enumerate(brackets):
        y = top * (1 + _GAP) + room * (len(brackets) - at - 0.5)
        foot = y - room * _FEET
        x = np.array([bracket.low, bracket.low, bracket.high, bracket.high])
        layers.append(Line(bracket.role, bracket.label, x, np.array([foot, y, y, foot])))
    ends = [float(bins.edges[0]), float(bins.edges[-1])]
    ends += [end for bracket in brackets for end in (bracket.low, bracket.high)]
    margin = (max(ends) - min(ends)) * 0.02
    low, high = min(ends) - margin, max(ends) + margin
    powers = ticks(Axis("", 0.0, top, log=True), _MARKS)
    names = ((0.0, "0"), *((float(np.log10(1.0 + 10.0**power)), text) for power, text in powers))
    y_axis = Axis("Count", 0.0, top * (1 + _GAP + (_ABOVE if brackets else 0.0)), names=names)
    return Figure(f"Ranges of {name} by method of calibration", Axis("Value", low, high), y_axis, tuple(layers), notes)
