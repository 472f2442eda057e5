"""A tall drawing cut into columns that stand side by side, as in a newspaper.

A group that is cut goes on in the next column with its name, and in both columns its border keeps clear of what is in
it. Lines that go on get marks.
"""

from dataclasses import dataclass, replace

import numpy as np

from errorflow.base.arrays import Longs
from errorflow.base.progress import SILENT, Progress
from errorflow.layout.cuts import Cuts, Places, Rooms, cuts
from errorflow.layout.drawing import Drawing, Floats
from errorflow.layout.level import ACROSS, DOWN
from errorflow.layout.pieces import Contents, Pads, Pieces, Things, columns_of, pieces
from errorflow.layout.strips import APART, STRIP, CutLines, with_strips

GAP = 40.0  # between columns
MARGIN = 16.0
NAME = 32.0  # room above what goes on of a group in the next column, for the group's name
FOOT = 11.0  # below what is cut off
MOST = 3  # times as many columns as an even drawing would have


def columns(drawing: Drawing, aspect: float, progress: Progress = SILENT, *, across: bool = False) -> Drawing:
    """The same drawing in so many columns that its width is about `aspect` times its height.

    `across` says that it will be turned, so that names of groups stand at their left border.
    """
    width, height = drawing.size
    if not len(drawing) or height * aspect <= width:
        return drawing
    count = max(1, round(float(np.sqrt(aspect * height / width))))
    _tell(progress)
    places = Places.of(drawing, progress)
    _tell(progress)
    things, rooms, pads = Things.of(drawing, progress), Rooms(FOOT if across else NAME, FOOT), _pads(across=across)
    found: list[Cuts] = []
    misfits: list[float] = []
    # Where the drawing is wide at one place only there is room for more columns, as long as each makes it better.
    while len(found) < 4 or (misfits[-1] == min(misfits) and len(found) <= MOST * count):
        _tell(progress)
        found.append(cuts(places, height, max(1, count - 1) + len(found), rooms))
        _tell(progress)
        misfits.append(_misfit(found[-1], height, rooms, pads, things, aspect))
    best = found[int(np.argmin(misfits))]
    lines = CutLines.of(drawing.lines, drawing.line_tensors, best.y, progress)
    parts = pieces(drawing, things, best.y, pads, progress)
    return _joined(drawing, _Plan.of(height, best, rooms, parts, lines), lines, progress)


def _tell(progress: Progress) -> None:
    progress.step(0, 1, "Cutting columns")


def _pads(*, across: bool) -> Pads:
    spacing = ACROSS if across else DOWN
    return Pads(spacing.left, spacing.right, names=not across)


def _misfit(found: Cuts, height: float, rooms: Rooms, pads: Pads, things: Things, aspect: float) -> float:
    """How small the drawing is shown in a window of that aspect, and how much is cut that belongs together."""
    contents = Contents.of(things, found.y)
    lowest = np.append(found.y, height)
    borders = np.maximum(np.append(found.levels, 0), np.concatenate([[0], found.levels])) * (pads.left + pads.right)
    width = 2 * MARGIN - GAP + float(borders.sum())
    for content in contents.widths(found.y).tolist():
        width += GAP + content
    lengths = lowest - np.concatenate([[0.0], found.y]) + found.heads(rooms) + found.feet(rooms)
    return max(width, (float(lengths.max()) + 2 * MARGIN) * aspect) * (1 + found.cost / 2)


@dataclass(frozen=True, eq=False)
class _Plan:
    """Where each column comes to lie."""

    cuts: Floats
    levels: Longs  # (columns + 1,) how deep in groups the upper end of each column is, and the end of the last
    pieces: Pieces
    rooms: Rooms
    moves: Floats  # (columns, 2)
    tops: Floats  # (columns,) where what is in it begins, with the borders of groups
    bottoms: Floats
    size: tuple[float, float]

    @classmethod
    def of(cls, height: float, found: Cuts, rooms: Rooms, parts: Pieces, lines: CutLines) -> "_Plan":
        left, right = _reach(parts, lines)
        places = MARGIN + np.cumsum(right - left + GAP) - (right - left + GAP)
        width = float(places[-1] + right[-1] - left[-1] + MARGIN)
        upper, heads = np.concatenate([[0.0], found.y]), found.heads(rooms)
        strip = STRIP if len(found.y) else 0.0
        tops = np.full(len(upper), MARGIN + strip)
        bottoms = tops + heads + np.append(found.y, height) - upper + found.feet(rooms)
        moves = np.column_stack([places - left, tops + heads - upper])
        levels = np.concatenate([[0], found.levels, [0]])
        return cls(found.y, levels, parts, rooms, moves, tops, bottoms, (width, float(bottoms.max()) + strip + MARGIN))

    def moved(self, points: Floats) -> Floats:
        column, _ = columns_of(self.cuts, points[:, 1], points[:, 1])
        result: Floats = points + self.moves[column]
        return result

    def frames(self, depths: Longs) -> Floats:
        """All pieces of groups where they come to lie, with room at cuts: outer ones reach further."""
        column, continued = self.pieces.columns, self.pieces.continued
        goes_on = np.append(continued[1:], False)
        frames = self.pieces.frames.copy()
        frames[:, :2] += self.moves[column]
        head = np.where(continued, (self.levels[column] - depths) * self.rooms.head, 0.0)
        foot = np.where(goes_on, (self.levels[column + 1] - depths) * self.rooms.foot, 0.0)
        frames[:, 1] -= head
        frames[:, 3] += head + foot
        return frames


def _reach(parts: Pieces, lines: CutLines) -> tuple[Floats, Floats]:
    """How far what is in each column reaches to the left and to the right, marks included."""
    empty = parts.left > parts.right
    left, right = np.where(empty, 0.0, parts.left), np.where(empty, 0.0, parts.right)
    np.minimum.at(left, lines.ends.columns, lines.ends.slots - APART / 2)
    np.maximum.at(right, lines.ends.columns, lines.ends.slots + APART / 2)
    return np.floor(left), np.ceil(right)


def _joined(drawing: Drawing, plan: _Plan, cut: CutLines, progress: Progress) -> Drawing:
    _tell(progress)
    boxes = drawing.boxes.copy()
    boxes[:, :2] = plan.moved(boxes[:, :2])
    lines, rows, marks = with_strips(cut, plan.moves, plan.tops, plan.bottoms, progress)
    _tell(progress)
    frames = plan.pieces.rows
    depths = drawing.group_depths[frames]
    return replace(
        drawing,
        boxes=boxes,
        lines=lines,
        line_tensors=drawing.line_tensors[rows],
        group_boxes=plan.frames(depths.astype(np.int64)),
        group_depths=depths,
        group_ids=drawing.group_ids[frames],
        group_labels=plan.pieces.names(drawing.group_labels),
        group_continued=plan.pieces.continued.astype(np.uint8),
        size=plan.size,
        marks=marks,
        mark_tensors=drawing.line_tensors[cut.rows[cut.ends.pieces]],
        mark_ends=cut.ends.lower,
        stubs=plan.moved(drawing.stubs),
    )
