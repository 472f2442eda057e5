"""Drawing that a layout hands over: boxes, lines and labels as plain arrays that any painter can walk.

Scene units are pixels at zoom 1; y grows downwards. The flow runs down, or to the right where a drawing says so.
"""

from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, Ragged
from errorflow.base.values import dataclass, field

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
# Columns of x, y, width, height or x1, y1, x2, y2 of what runs down, once it is to run to the right.
TURNED = [1, 0, 3, 2]


class Kind(IntEnum):
    """Kind of thing that a box stands for."""

    OPERATOR = 0
    INPUT = 1
    OUTPUT = 2
    CONSTANT = 3
    FOLD = 4  # a closed group
    STACK = 5  # ×N siblings of the same form


def no_numbers() -> Ints:
    return np.zeros(0, np.int32)


def no_points() -> Floats:
    return np.zeros((0, 2))


def no_bytes() -> Bytes:
    return np.zeros(0, np.uint8)


@dataclass(frozen=True, eq=False)
class Drawing:
    """Drawing of a graph. All arrays are read-only; -1 stands for "none" in every column of numbers."""

    boxes: Floats  # (n, 4): x, y, width, height; no two overlap
    kinds: Bytes  # (n,): Kind
    nodes: Ints  # (n,): node of the graph; none for inputs, outputs, folds and stacks
    tensors: Ints  # (n,): the tensor of an input, output or constant
    groups: Ints  # (n,): innermost open group that the box lies in
    folds: Ints  # (n,): the group that a FOLD stands for
    labels: tuple[str, ...]  # (n,): what to write
    lines: Floats  # (k, 4): x1, y1, x2, y2; curves come as short straight pieces, long runs as one
    line_tensors: Ints  # (k,): what flows; the pieces of one tensor are contiguous
    group_boxes: Floats  # (g, 4): open groups, outer before inner
    group_depths: Bytes  # (g,): 0 for the outermost
    group_ids: Ints  # (g,)
    group_labels: tuple[str, ...]  # (g,)
    size: tuple[float, float]  # width, height; everything lies within (0, 0, width, height)
    # (nodes of the graph,): the box that shows the node: its own, or the fold or stack that it is in.
    node_boxes: Ints = field(default_factory=no_numbers)
    # (g,): 1 for the piece of a group that comes from the column before. A group that goes on has a box in each column,
    # one after the other, all with its number; the labels of those that come from another end in "(continued)".
    group_continued: Bytes = field(default_factory=no_bytes)  # empty: nothing is cut
    # Where a drawing in columns is cut through a line: the place, the tensor, and 1 if it goes on in the next column,
    # 0 if it comes from the one before. Those at which a piece begins come first, then in the same order those that
    # it goes on from.
    marks: Floats = field(default_factory=no_points)  # (m, 2)
    mark_tensors: Ints = field(default_factory=no_numbers)  # (m,)
    mark_ends: Bytes = field(default_factory=no_bytes)  # (m,)
    # Where a line ends of which only a short piece is drawn: the place, the tensor (-1: a control edge), and 1 for the
    # piece at its maker, 0 for one at a reader. `Prepared.draw` is told whose lines to draw all the same.
    stubs: Floats = field(default_factory=no_points)  # (s, 2)
    stub_tensors: Ints = field(default_factory=no_numbers)  # (s,)
    stub_ends: Bytes = field(default_factory=no_bytes)  # (s,)
    across: bool = False  # the flow runs to the right, and curves are flat at their ends

    def __len__(self) -> int:
        return len(self.boxes)

    def box_of_node(self, node: int) -> int | None:
        """The box that shows the node: its own, or the fold or stack around it. None: it is folded away."""
        box = int(self.node_boxes[node]) if 0 <= node < len(self.node_boxes) else -1
        return box if box >= 0 else None

    def nodes_of_box(self, box: int) -> Ints:
        """Finds all nodes that the box stands for, in file order."""
        return self._nodes_by_box[box]

    def group_at(self, x: float, y: float) -> int | None:
        """The innermost open group under a point, as its number in the outline."""
        left, top = self.group_boxes[:, 0], self.group_boxes[:, 1]
        right, bottom = left + self.group_boxes[:, 2], top + self.group_boxes[:, 3]
        hits = np.flatnonzero((left <= x) & (x <= right) & (top <= y) & (y <= bottom))
        return int(self.group_ids[hits[-1]]) if len(hits) else None

    def lines_of_tensor(self, tensor: int) -> slice:
        """The rows of `lines` that draw the tensor."""
        first, last = self._line_spans.get(tensor, (0, 0))
        return slice(first, last)

    @cached_property
    def _nodes_by_box(self) -> Ragged:
        shown = np.flatnonzero(self.node_boxes >= 0).astype(np.int32)
        return Ragged.grouped(self.node_boxes[shown], shown, len(self.boxes))

    @cached_property
    def _line_spans(self) -> dict[int, tuple[int, int]]:
        return _spans(self.line_tensors.tolist())


def _spans(values: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Finds for each value where its run starts and where it ends."""
    array = np.asarray(values, np.int32)
    if not len(array):
        return {}
    starts = np.concatenate([[0], np.flatnonzero(np.diff(array)) + 1])
    ends = np.append(starts[1:], len(array))
    return {int(array[a]): (int(a), int(b)) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)}


# Sizes of boxes: estimated from what is written in them, so that no font is needed.

HEIGHT = 28.0
NARROWEST = 48.0
CHARACTER = 7.0
BROAD, MORE = frozenset("mwMW"), 2.0  # letters that take more, or Gemm would have no room for its mark
MARGIN = 20.0
LONGEST = 28  # characters; longer names lose their middle, …
LONGEST_TYPE = 40  # … operator types and groups later


def shortened(name: str, longest: int = LONGEST) -> str:
    """The name, or its beginning and its end."""
    if len(name) <= longest:
        return name
    head = (longest - 1) // 2
    return f"{name[:head]}…{name[len(name) - (longest - 1 - head) :]}"


def width(label: str) -> float:
    """A multiple of 4, so that halves are whole."""
    wide = 0 if label.isascii() else sum(ord(character) >= 0x1100 and character != "…" for character in label)
    broad = sum(character in BROAD for character in label)
    room = (len(label) + wide) * CHARACTER + broad * MORE + MARGIN
    return max(NARROWEST, float(-(-room // 4) * 4))


def widths(labels: list[str]) -> Floats:
    known: dict[str, float] = {}
    for label in labels:
        if label not in known:
            known[label] = width(label)
    return np.array([known[label] for label in labels], np.float64)
