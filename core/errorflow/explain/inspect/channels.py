"""A tensor channel by channel: ranges and quartiles of both sides, and how much of each channel the error takes."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass
from errorflow.explain.inspect.grid import Grid
from errorflow.explain.inspect.tensors import PIECE, Array, Tensors, doubles, stretches
from errorflow.graph.model import Graph
from errorflow.graph.quiet import CONVERSIONS

Doubles = NDArray[np.float64]
# Values of a channel that its quartiles are made of, fewer where there are many channels; its ends are exact.
MOST_VALUES, FEWEST_VALUES, ALL_VALUES = 1 << 14, 1 << 10, 1 << 21
MOST_CHANNELS = 1 << 14
# Values of neighbouring channels that are copied together.
TOGETHER = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Boxes of one side, each per channel: the smallest finite value, quartiles, the largest; NaN where there is
    none.
    """

    low: Doubles
    first: Doubles
    middle: Doubles
    third: Doubles
    high: Doubles

    @property
    def ranges(self) -> Doubles:
        """The largest size that a value has."""
        return np.maximum(np.abs(self.low), np.abs(self.high))


@dataclass(frozen=True, slots=True, eq=False)
class ChannelView:
    """`sqnr` in decibels, NaN where a channel has none; `order` has the worst channel first."""

    axis: int
    reference: Boxes | None
    candidate: Boxes | None
    sqnr: Doubles | None
    order: NDArray[np.intp]
    # Whether the quartiles are those of all values.
    exact: bool

    def __len__(self) -> int:
        return len(self.order)

    @property
    def main(self) -> Boxes:
        """The reference's, or of the one side that there is."""
        boxes = self.candidate if self.reference is None else self.reference
        assert boxes is not None, "one side at least is there"
        return boxes


def axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Lists the axes along which there can be channels."""
    return tuple(axis for axis, size in enumerate(shape) if 1 < size <= MOST_CHANNELS)


def channel_view(tensors: Tensors, axis: int, progress: Progress = SILENT) -> ChannelView:
    """A few channels are in memory as float64 at a time, or a part of one."""
    split = [
        None if side is None or side.shape != tensors.shape else np.moveaxis(side, axis, 0) for side in tensors.sides
    ]
    count = tensors.shape[axis]
    boxes = [None if side is None else np.full((5, count), np.nan) for side in split]
    ratios = np.full(count, np.nan)
    enough = max(FEWEST_VALUES, min(MOST_VALUES, ALL_VALUES // max(count, 1)))
    together = max(1, min(count, TOGETHER * count // max(tensors.size, 1)))
    for start in range(0, count, together):
        progress.step(start, count, "Looking at the channels")
        # Copied together where they lie apart: alone, each would be gathered from all over the memory.
        block = [None if side is None else np.ascontiguousarray(side[start : start + together]) for side in split]
        _look(block, start, enough, boxes, ratios if tensors.together else None)
    found = [None if box is None else Boxes(*box) for box in boxes]
    exact = tensors.size // max(count, 1) <= enough
    sqnr = ratios if tensors.together and found[0] is not None and found[1] is not None else None
    return ChannelView(axis, found[0], found[1], sqnr, _order(sqnr, found), exact)


def _look(
    block: list[Array | None], start: int, enough: int, boxes: list[Doubles | None], ratios: Doubles | None
) -> None:
    """Fills in what some channels are, from `start` on."""
    for box, side in zip(boxes, block, strict=True):
        if box is not None and side is not None:
            for at, values in enumerate(side):
                box[:, start + at] = _box(np.asarray(values).reshape(-1), enough)
    reference, candidate = block
    if ratios is not None and reference is not None and candidate is not None:
        for at in range(len(reference)):
            ratios[start + at] = _sqnr(np.asarray(reference[at]).reshape(-1), np.asarray(candidate[at]).reshape(-1))


def _order(sqnr: Doubles | None, sides: "list[Boxes | None]") -> NDArray[np.intp]:
    """The worst ratio first, NaN before all; without ratios the loudest first."""
    if sqnr is not None:
        return np.argsort(np.where(np.isnan(sqnr), -np.inf, sqnr), kind="stable")
    loud = next(side.ranges for side in sides if side is not None)
    return np.argsort(np.where(np.isnan(loud), -np.inf, -loud), kind="stable")


def _box(values: Array, enough: int) -> Doubles:
    low, high = _ends(values)
    some = values if values.size <= enough else values[stretches(values.size, enough)]
    wide = doubles(some)
    wide = wide[np.isfinite(wide)]
    if math.isnan(low) or not len(wide):
        return np.array([low, np.nan, np.nan, np.nan, high])
    return np.array([low, *np.percentile(wide, (25, 50, 75)), high])


def _ends(values: Array) -> tuple[float, float]:
    if not values.size:
        return math.nan, math.nan
    low, high = float(values.min()), float(values.max())
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    fine = values[np.isfinite(values)]
    return (float(fine.min()), float(fine.max())) if fine.size else (math.nan, math.nan)


def _sqnr(reference: Array, candidate: Array) -> float:
    signal = noise = 0.0
    with np.errstate(all="ignore"):
        for start in range(0, reference.size, PIECE):
            r, c = doubles(reference[start : start + PIECE]), doubles(candidate[start : start + PIECE])
            error = c - r
            signal += float(r @ r)
            noise += float(error @ error)
    if math.isnan(noise) or math.isnan(signal) or math.isinf(noise):
        return math.nan
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0 else -math.inf


# One loud channel under one scale: the tensor looks fine as a whole, and its quiet channels are destroyed.
# A same-input measure blames the node that reads it; the node that makes it is to blame.

# So many times as loud as the median of the others.
LOUD = 8.0
# With fewer steps than that, a channel has less than four bits.
FEW_STEPS = 16.0
# The way up is not followed further; of nodes that only convert there are never as many.
FURTHEST, _DEEPEST = 12, 64


@dataclass(frozen=True, slots=True)
class LoudChannel:
    """`ratio`: its largest value over the median of the others'. `steps`: what of the grid that median has."""

    axis: int
    channel: int
    channels: int
    ratio: float
    # None: it has no scale of its own, and so harms nothing here.
    scale: float | None
    steps: float
    # Channels that are not all zero, and have no value that is nearer to a step than to zero.
    lost: int

    @property
    def text(self) -> str:
        others = self.channels - 1
        said = f"Channel {self.channel} is {_times(self.ratio)} times as loud as the median of the other {others:,}."
        if self.scale is None:
            return said
        rest = f" {self.lost:,} of them become all zero." if self.lost else ""
        steps = f"{self.steps:.2g}"
        left = f"{steps} step" if steps == "1" else f"{steps} steps"
        return f"{said} One scale of {self.scale:.4g} for all leaves that median {left}.{rest}"


@dataclass(frozen=True, slots=True)
class Born:
    """Birthplace of the loud channel, and the nodes that pass it on, from there to the tensor on view."""

    node: int
    carriers: tuple[int, ...]


def loud_channel(view: ChannelView, grid: Grid | None) -> LoudChannel | None:
    """Finds the loud channel; None: none stands out, or the grid is fine enough for the quiet ones. Without a grid:
    which stands out.
    """
    loud = view.main.ranges
    known = np.flatnonzero(np.isfinite(loud))
    if len(known) < 3:
        return None
    channel = int(known[np.argmax(loud[known])])
    others = loud[known[known != channel]]
    living = others[others > 0]
    if not len(living):
        return None
    median = float(np.median(living))
    ratio = float(loud[channel]) / median
    steps = median / grid.scale if grid is not None else float("inf")
    if ratio < LOUD or (grid is not None and steps >= FEW_STEPS):
        return None
    lost = 0 if grid is None else int(np.count_nonzero(living < grid.scale / 2))
    scale = None if grid is None else grid.scale
    return LoudChannel(view.axis, channel, len(loud), ratio, scale, steps, lost)


def born_at(graph: Graph, tensor: int, found: LoudChannel, look: Callable[[int], LoudChannel | None]) -> Born | None:
    """Finds the node whose output has the loud channel first. `look` says which channel of another tensor is loud.

    What only rounds a value or brings it into another type makes no channel loud, and is passed over: so it is the same
    node in a model with QuantizeLinear and DequantizeLinear and in one without. None: no node makes the tensor.
    """
    way: list[int] = []
    while len(way) < FURTHEST:
        tensor = next(reversed(list(forms(graph, tensor))))
        node = int(graph.producers[tensor])
        if node < 0:
            break
        way.append(node)
        above = _same_above(graph, node, found, look)
        if above is None:
            break
        tensor = above
    return Born(way[-1], tuple(reversed(way[:-1]))) if way else None


def forms(graph: Graph, tensor: int) -> Iterator[int]:
    """The tensor, and what it was before each of the nodes that only convert it, up to what is computed."""
    for _ in range(_DEEPEST):
        yield tensor
        node = int(graph.producers[tensor])
        if node < 0 or graph.op_types[node] not in CONVERSIONS:
            return
        tensor = int(next(iter(graph.node_inputs[node].tolist()), -1))
        if tensor < 0:
            return


def _same_above(graph: Graph, node: int, found: LoudChannel, look: Callable[[int], LoudChannel | None]) -> int | None:
    """Finds what the node reads that has the same loud channel."""
    constants = set(graph.constants.tolist())
    for tensor in graph.node_inputs[node].tolist():
        if tensor < 0 or tensor in constants:
            continue
        other = look(tensor)
        same = other is not None and (other.channel, other.channels) == (found.channel, found.channels)
        if same and other is not None and other.ratio >= LOUD:
            return int(tensor)
    return None


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"
