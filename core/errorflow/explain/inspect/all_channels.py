"""Plot of all channels of a tensor: boxes side by side, and where there are more than pixels, several as one."""

import warnings
from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.explain.inspect.channels import Boxes, ChannelView
from errorflow.explain.inspect.figure import Axis, BoxPlots, Doubles, Figure, Layer, Line, Role, number_text
from errorflow.explain.inspect.figures import CANDIDATE, REFERENCE, Squeeze, ends_of
from errorflow.explain.inspect.spread import ChannelSpread

Order = Literal["number", "loudness"]
# Boxes that a narrow plot can tell apart, and places that are named at its foot.
COLUMNS, NAMED = 120, 9
# Channels that are named below it.
FEW = 3


def view_of(spread: ChannelSpread) -> ChannelView:
    """Channels over many samples, as those of one sample are looked at."""
    boxes = Boxes(spread.low, spread.first, spread.median, spread.third, spread.high)
    return ChannelView(spread.axis, boxes, None, None, np.argsort(-spread.ranges, kind="stable"), spread.exact)


def all_channels_figure(
    view: ChannelView,
    thresholds: tuple[float, float] | None,
    name: str,
    order: Order = "number",
    columns: int = COLUMNS,
) -> Figure:
    """Plots from the first channel to the last, or from the loudest to the quietest. `thresholds`: where all codes
    end.
    """
    loud = _loudness(view)
    shown = np.arange(len(view)) if order == "number" else np.argsort(-loud, kind="stable")
    groups = np.array_split(shown, min(columns, len(shown)))
    squeeze = Squeeze.of(view)
    said = tuple(_said(group, loud) for group in groups)
    layers: list[Layer] = []
    sides: tuple[tuple[Role, str, Boxes | None], ...] = (
        ("reference", REFERENCE, view.reference),
        ("candidate", CANDIDATE, view.candidate),
    )
    two = view.reference is not None and view.candidate is not None
    for at, (role, label, boxes) in enumerate(sides):
        if boxes is not None:
            place = ((at - 0.5) * 0.42, 0.36) if two else (0.0, 0.8)
            layers.append(_boxes(role, label, boxes, groups, squeeze, place, said))
    ends = [side for layer in layers if isinstance(layer, BoxPlots) for side in (layer.low, layer.high)]
    low, high = ends_of(np.concatenate(ends))
    layers += _thresholds(thresholds, len(groups), squeeze, (low, high))
    every = max(1, -(-len(groups) // NAMED))
    names = tuple((float(at), f"{groups[at][0]}") for at in range(0, len(groups), every))
    x = Axis("Channel" if order == "number" else "Channel, loudest first", -0.6, len(groups) - 0.4, names=names)
    y = Axis("Value", low, high, names=squeeze.names)
    return Figure(f"All channels of {name}", x, y, tuple(layers), tuple(_notes(view, loud, len(groups))))


def _loudness(view: ChannelView) -> Doubles:
    ranges = view.main.ranges
    return np.where(np.isfinite(ranges), ranges, 0.0)


def _boxes(
    role: Role,
    label: str,
    boxes: Boxes,
    groups: list[NDArray[np.intp]],
    squeeze: Squeeze,
    place: tuple[float, float],
    said: tuple[str, ...],
) -> BoxPlots:
    """Joins several channels: the outermost ends, and quartiles as of the one in the middle. `place`: shift and
    width.
    """
    low = _each(boxes.low, groups, np.nanmin)
    first, middle, third = (_each(row, groups, np.nanmedian) for row in (boxes.first, boxes.middle, boxes.third))
    high = _each(boxes.high, groups, np.nanmax)
    values = tuple(zip(low.tolist(), middle.tolist(), high.tolist(), strict=True))
    x = np.arange(len(groups), dtype=np.float64) + place[0]
    ends = squeeze(low), squeeze(first), squeeze(middle), squeeze(third), squeeze(high)
    return BoxPlots(role, label, x, *ends, place[1], values, said)


def _each(row: Doubles, groups: list[NDArray[np.intp]], pick: Callable[[Doubles], np.float64]) -> Doubles:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of channels without a number there is none
        return np.array([pick(row[group]) for group in groups], np.float64)


def _said(group: NDArray[np.intp], loud: Doubles) -> str:
    if len(group) == 1:
        return f"Channel {group[0]}"
    loudest, quietest = int(group[loud[group].argmax()]), int(group[loud[group].argmin()])
    named = f"loudest {loudest}, quietest {quietest}"
    in_a_row = int(group[-1]) - int(group[0]) == len(group) - 1 and bool((np.diff(group) == 1).all())
    which = f"Channels {group[0]} to {group[-1]}" if in_a_row else f"{len(group):,} channels"
    return f"{which} ({named})"


def _thresholds(
    thresholds: tuple[float, float] | None, count: int, squeeze: Squeeze, ends: tuple[float, float]
) -> Iterator[Line]:
    """Yields the thresholds as far as they are in the plot."""
    for end in () if thresholds is None else thresholds:
        at = float(squeeze(np.array([end]))[0])
        if ends[0] <= at <= ends[1]:
            yield Line("strong", "Thresholds", np.array([-0.6, count - 0.4]), np.array([at, at]), dashed=True)


def _notes(view: ChannelView, loud: Doubles, columns: int) -> Iterator[str]:
    living = np.flatnonzero(loud > 0)
    if len(living):
        order = living[np.argsort(-loud[living], kind="stable")]
        yield f"Loudest: {_listed(order[:FEW], loud)}. Quietest: {_listed(order[::-1][:FEW], loud)}."
    if len(living) < len(view):
        dead = len(view) - len(living)
        yield f"{dead:,} of {len(view):,} channels {'is' if dead == 1 else 'are'} zero."
    if columns < len(view):
        yield f"{len(view):,} channels, up to {-(-len(view) // columns)} in each box: outermost ends, middle quartiles"
    if not view.exact:
        yield "quartiles from a sample, ends exact"


def _listed(channels: NDArray[np.intp], loud: Doubles) -> str:
    return ", ".join(f"{channel} ({number_text(float(loud[channel]))})" for channel in channels.tolist())
