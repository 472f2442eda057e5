"""Level: one graph laid out by itself, with what goes in and what comes out.

Items are boxes of any size around an anchor, nets lead from one item to others. The same engine places the operators
of a small model and the closed and open groups inside a group of a large one. The flow always runs down here; where a
drawing is to run to the right, boxes lie on their sides and all is turned at last.
"""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass, field
from errorflow.layout.drawing import Bytes, Floats, no_bytes, no_numbers, no_points

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances in scene units."""

    boxes: float = 20.0  # between two boxes side by side
    trunk: float = 14.0  # between a box and a trunk that passes it
    trunks: float = 10.0  # between two trunks
    rows: float = 20.0  # between rows that are joined by straight lines only
    bend: float = 30.0  # at most so much more where lines travel sideways
    components: float = 48.0  # between parts that nothing joins
    inset: float = 10.0  # how far from a box's corner lines stay
    spread: float = 8.0  # between lines that join the same two boxes
    strip: float = 18.0  # between a group's upper border, where lines come in, and the gap above its first row
    head: float = 28.0  # between the upper border and the first row, if no line comes in
    foot: float = 12.0  # between its last row and its lower border
    left: float = 12.0  # between its border and what is in it
    right: float = 12.0
    across: bool = False  # boxes lie on their sides


DOWN = Spacing()
# A group's name stands on its upper border, which is its left one as long as the drawing is not turned.
ACROSS = Spacing(
    boxes=14.0, trunk=12.0, rows=30.0, bend=40.0, inset=6.0, spread=4.0,
    strip=10.0, head=12.0, left=28.0, across=True,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Level:
    """Items and nets. A port offset is where a line meets an item, from its anchor; NaN: anywhere on the box."""

    left: Floats  # (n,) how far an item reaches to the left of its anchor
    right: Floats  # (n,)
    heights: Floats  # (n,)
    sources: Ints  # (k,) the item that net k leaves
    nets: Ints  # (e,) ends of nets: which net, …
    sinks: Ints  # (e,) … which item it enters; no pair twice
    source_ports: Floats  # (k,)
    sink_ports: Floats  # (e,)
    tops: Bools  # (n,) a port on the upper border
    bottoms: Bools  # (n,) a port on the lower border
    favoured: Bools  # (k,) the spine runs along these nets if it can
    stubs: Bools  # (e,) only the beginning and the end of the line are drawn
    sides: Ints  # (n,) where the lines of a port come from outside, in order: … -1 left, 1 … right, 0 anywhere
    framed: bool = False  # a group with a border and a name
    title: float = 0.0  # width of that name
    spacing: Spacing = DOWN

    def __len__(self) -> int:
        return len(self.left)


@dataclass(frozen=True, eq=False)
class Placement:
    """Places of everything on one level. The spine runs down at x = 0; the upper border is y = 0."""

    x: Floats  # (n,) anchors
    y: Floats  # (n,) upper edges
    lines: Floats  # (p, 4)
    line_nets: Ints  # (p,)
    arrivals: Floats  # (e,) where the line of each end stands before it turns to its item; NaN: it closes a cycle
    departures: Floats  # (k,) where each net goes on below its source; NaN: nowhere
    left: float  # how far it reaches to the left of the spine
    right: float
    height: float
    stubs: Floats = field(default_factory=no_points)  # (s, 2) where lines end of which only a piece is drawn
    stub_nets: Ints = field(default_factory=no_numbers)  # (s,)
    stub_ends: Bytes = field(default_factory=no_bytes)  # (s,) 1: the piece at the net's source, 0: at a sink


def known(offsets: Floats) -> Floats:
    """Port offsets, 0 for those that are anywhere on their box."""
    return np.where(np.isnan(offsets), 0.0, offsets)
