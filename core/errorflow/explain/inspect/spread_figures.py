"""Plots of a distribution over samples: histograms before and after, errors, and a box for each channel."""

import math
from collections.abc import Iterator

import numpy as np

from errorflow.explain.inspect.bins import Counts
from errorflow.explain.inspect.distribution import Distribution, thresholds_of
from errorflow.explain.inspect.figure import Axis, BoxPlots, Figure, Layer, Line, Points, Role, Rules, number_text
from errorflow.explain.inspect.figures import Squeeze, bars, count_axis, ends_of
from errorflow.explain.inspect.spread import ChannelSpread

BEFORE, AFTER = "Before", "After"
# Channels that stand beside each other in one plot.
MOST_BOXES = 400
# Where one channel is so many times as loud as the median one, large values are pressed together.
_APART = 20.0
# Thresholds that lie further out than this many lengths of the values are told and not drawn.
_FAR = 3.0
QUIET_BITS = (1, 2, 3, 4, 5, 6)
# One scale does harm where at least such a share of the channels loses so many bits to it.
LOST_BITS, MANY = 3, 0.25


def histogram_figure(seen: Distribution, log: bool) -> Figure:
    """Plots both histograms over one another, with the ends of the codes."""
    sides: list[tuple[Role, str, Counts]] = [("reference", BEFORE, seen.before)]
    if seen.after is not None:
        sides.append(("candidate", AFTER, seen.after))
    layers: list[Layer] = [
        bars(role, label, seen.bins, counts, log, role == "reference") for role, label, counts in sides
    ]
    low, high = float(seen.bins.edges[0]), float(seen.bins.edges[-1])
    if seen.thresholds is not None:
        low, high, rules = _with_thresholds(low, high, seen.thresholds)
        layers.append(rules)
    if seen.count:
        layers.append(Rules("quiet", "Largest size", np.array(_largest(seen)), ticks=True))
    title = f"Distribution of {seen.tensor} over {seen.samples:,} samples" if seen.samples > 1 else _title(seen)
    axis = count_axis([counts for _, _, counts in sides], log)
    return Figure(title, Axis("Value", low, high), axis, tuple(layers), tuple(histogram_notes(seen)))


def error_figure(seen: Distribution, log: bool) -> Figure | None:
    """Plots after − before; None: nothing is coded."""
    if seen.error_bins is None or seen.errors is None:
        return None
    edges = seen.error_bins.edges
    layers = (bars("error", "Error", seen.error_bins, seen.errors, log, True),)
    x = Axis("After − before", float(edges[0]), float(edges[-1]))
    return Figure(f"Errors of {seen.tensor}", x, count_axis([seen.errors], log), layers)


def boxes_figure(seen: Distribution, first: int = 0, most: int = MOST_BOXES) -> Figure:
    """Whiskers, boxes, medians, means and what lies beyond of each channel from `first` on, in their order."""
    spread = seen.channels
    assert spread is not None, "asked beforehand"
    last = min(first + most, len(spread))
    press = _press_of(spread)
    part, at = slice(first, last), np.arange(first, last, dtype=np.float64)
    rows = (spread.whisker_low, spread.first, spread.median, spread.third, spread.whisker_high)
    low, lower, middle, upper, high = (press(row[part]) for row in rows)
    shown = (spread.whisker_low, spread.median, spread.whisker_high)
    true = zip(*(row[part].tolist() for row in shown), strict=True)
    room = ends_of(press(np.concatenate([spread.low[part], spread.high[part]])))
    layers: list[Layer] = list(_ends_of_codes(seen, first, last, press, room))
    layers.append(_fliers(spread, first, last, press))
    layers.append(BoxPlots("candidate", "Channels", at, low, lower, middle, upper, high, 0.7, tuple(true)))
    layers.append(Points("strong", "Mean", at, press(spread.mean[part])))
    x = Axis("Channel", first - 0.8, last - 0.2, whole=True)
    y = Axis("Value", *room, names=press.names)
    return Figure(f"Channels of {seen.tensor}", x, y, tuple(layers), tuple(channel_notes(seen, first, last)))


def histogram_notes(seen: Distribution) -> Iterator[str]:
    """Yields notes below a histogram."""
    yield from judged(seen)
    if seen.thresholds is not None:
        low, high = (number_text(end) for end in seen.thresholds)
        yield f"Codes reach from {low} to {high}; {seen.clipped_share:.2%} of the values are beyond"
    elif seen.qparams is not None:
        scales = f"A scale for each of {len(seen.qparams.scales):,} channels"
        yield f"{scales}; {seen.clipped_share:.2%} of the values are beyond"
    if seen.zeros:
        yield f"{seen.zeros / seen.count:.1%} of the values are exactly zero, and not drawn"
    if seen.note:
        yield seen.note


def judged(seen: Distribution) -> Iterator[str]:
    """Yields what the vendor's rule on peaks says, and where channels that share one scale say otherwise."""
    yield seen.peaks.text
    spread = seen.channels
    if not seen.peaks.friendly or spread is None or (seen.qparams is not None and seen.qparams.axis is not None):
        return
    share = spread.quiet(LOST_BITS)
    if share >= MANY:
        yield f"That rule sees no channels: {share:.0%} stay below 1/{2**LOST_BITS} of the range, under one scale"


def channel_notes(seen: Distribution, first: int, last: int) -> Iterator[str]:
    """Yields what the vendor's rule on peaks does not see: channels that are quiet beside the loudest one."""
    spread = seen.channels
    assert spread is not None, "asked beforehand"
    shares = " · ".join(f"1/{2**bits}: {spread.quiet(bits):.0%}" for bits in QUIET_BITS)
    yield f"Channels whose range is below a part of the tensor's: {shares}"
    loud = spread.loudest
    yield f"Loudest: channel {loud}, up to {number_text(float(spread.ranges[loud]))}"
    if last - first < len(spread):
        yield f"Channels {first:,} to {last - 1:,} of {len(spread):,}"
    if not spread.exact:
        yield "Quartiles from a part of the values, ends and means of all"


def _press_of(spread: ChannelSpread) -> Squeeze:
    known = spread.ranges[spread.ranges > 0]
    if not len(known):
        return Squeeze(0.0, 0.0)
    median, most = float(np.median(known)), float(known.max())
    return Squeeze(10.0 ** math.floor(math.log10(median)) if most > _APART * median else 0.0, most)


def _fliers(spread: ChannelSpread, first: int, last: int, press: Squeeze) -> Points:
    rows = spread.fliers[first:last]
    x = np.repeat(np.arange(first, last, dtype=np.float64), [len(row) for row in rows])
    values = np.concatenate(rows) if rows else np.zeros(0)
    return Points("quiet", "Beyond the whiskers", x, press(values))


def _ends_of_codes(
    seen: Distribution, first: int, last: int, press: Squeeze, room: tuple[float, float]
) -> Iterator[Line]:
    """Yields the ends of codes of the tensor, or of each channel as steps; gaps where they lie beyond the plot."""
    spread = seen.channels
    if seen.qparams is None or spread is None:
        return
    if seen.qparams.axis is not None and (seen.qparams.axis != spread.axis or len(seen.qparams.scales) != len(spread)):
        return
    for ends in thresholds_of(seen.qparams):
        each = np.broadcast_to(ends, (len(spread),))[first:last]
        x = np.repeat(np.arange(first, last + 1) - 0.5, 2)[1:-1]
        y = press(np.repeat(each, 2))
        is_seen = (y >= room[0]) & (y <= room[1])
        for run in np.split(np.arange(len(y)), np.flatnonzero(np.diff(is_seen)) + 1):
            if is_seen[run[0]]:
                yield Line("strong", "Ends of the codes", x[run], y[run], dashed=True)


def _with_thresholds(low: float, high: float, thresholds: tuple[float, float]) -> tuple[float, float, Rules]:
    """The ends of the axis, moved so that near thresholds are seen."""
    room = (high - low) * _FAR
    near = [end for end in thresholds if low - room <= end <= high + room]
    label = f"Thresholds {number_text(thresholds[0])}, {number_text(thresholds[1])}"
    edge = (high - low) * 0.02
    least, most = min([low, *(end - edge for end in near)]), max([high, *(end + edge for end in near)])
    return least, most, Rules("strong", label, np.array(near))


def _largest(seen: Distribution) -> list[float]:
    """The place of the largest size of a value."""
    return [seen.low if abs(seen.low) > abs(seen.high) else seen.high]


def _title(seen: Distribution) -> str:
    return f"Distribution of {seen.tensor}"


def wants_log(seen: Distribution) -> bool:
    """Whether one bar is so high that the others would vanish beside it."""
    sides = [seen.before] if seen.after is None else [seen.before, seen.after]
    filled = np.concatenate(sides)
    filled = filled[filled > 0]
    return bool(len(filled) and filled.max() > 50 * np.median(filled))
