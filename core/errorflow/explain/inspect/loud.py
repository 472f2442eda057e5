"""One loud channel under one scale: the tensor looks fine as a whole, and its quiet channels are destroyed.

A same-input measure blames the node that reads it; the node that makes it is to blame.
"""

from collections.abc import Callable, Iterator

import numpy as np

from errorflow.base.values import dataclass
from errorflow.explain.inspect.channels import ChannelView
from errorflow.explain.inspect.grid import Grid
from errorflow.graph.model import Graph
from errorflow.graph.quiet import CONVERSIONS

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
