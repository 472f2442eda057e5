"""Names of open groups, at the top left of each: at every zoom as large as one can read, as on a map.

Where boxes are large enough to be told apart no name covers one; where they are flecks none that is loud. Whether a
name has room depends on what lies near it alone, not on what is in sight, so that a picture can be painted in parts.
"""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from errorflow.base.language import Verbatim, translated
from errorflow.base.values import dataclass, field
from errorflow.layout.drawing import Floats
from errorflow.layout.pieces import CONTINUED
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.groups import in_sight
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.kit.look import LABEL

# In text heights: what is left of a name, what is above it, how wide one that is cut is at least, how high its line is.
_LEFT, _ABOVE, _LEAST, _LINE = 0.7, 0.45, 2.5, 1.15
# How high a group is at least, in text heights, that a name does not bury what is small in it.
_FAR_HIGH = 4.5
# Logical px of a part of a group that has a name of its own.
_WIDE = 120.0
# Logical px of a name where there is no room for one of the usual size.
_SMALL = 9.0
# In logical px where boxes are small: what is left of a name, what is above it; and how far it reaches at most.
_FAR_LEFT, _FAR_ABOVE, _WIDEST = 3.0, 2.0, 240.0
# Logical px of a box's height from which no name covers it.
_FLECK = 5.0
# Round the text, in logical px; between it and the next thing.
_AROUND, _APART = 2.0, 3.0
# Logical px of a cell of the grid in which names find each other.
_CELL = 64.0
_NUMBER = re.compile(r"(\d+ – )?\d+$")

Rect = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _Title:
    """Title and its place, in device pixels: left, top, and how wide and high with what is round it."""

    text: str
    pixels: int
    depth: int
    place: Rect


def paint_titles(sheet: Sheet) -> None:
    """Paints titles over everything but what they must not cover."""
    ratio = sheet.ratio
    pixels = max(round(LABEL * ratio), int(sheet.text_size * ratio))
    titles = list(_placed(sheet, pixels))
    if sheet.vector:
        for title in titles:
            _paint(sheet, title, sheet.batch.painter, title.place[:2])
            sheet.batch.counts.texts += 1
        return
    tiles = [_tile(sheet, title) for title in titles]
    places = np.array([title.place for title in titles]).reshape(-1, 4)
    sheet.style.atlas.draw(sheet.batch, np.array(tiles, np.intp), np.floor(places[:, 0]), np.floor(places[:, 1]))


def _tile(sheet: Sheet, title: _Title) -> int:
    key = "title", title.text, min(title.depth, len(sheet.style.colors.groups)), title.pixels

    def paint(painter: QPainter) -> None:
        _paint(sheet, title, painter, (0.0, 0.0))

    return sheet.style.atlas.tile(key, lambda: (int(title.place[2]) + 1, int(title.place[3]) + 1), paint)


def _paint(sheet: Sheet, title: _Title, painter: QPainter, corner: tuple[float, float]) -> None:
    """Paints a title on a ground of its own: lines may pass there."""
    colors, (font, metrics) = sheet.style.colors, sheet.style.text(title.pixels)
    (x, y), (_, _, width, height) = corner, title.place
    painter.fillRect(QRectF(x, y, width, height), colors.group(title.depth))
    painter.setFont(font)
    painter.setPen(colors.group_text)
    painter.drawText(QPointF(x + _AROUND * sheet.ratio, y + (height + metrics.capHeight()) / 2), Verbatim(title.text))


def _placed(sheet: Sheet, pixels: int) -> Iterator[_Title]:
    """Names that have room, the outer groups first."""
    seen, rects = _wanted(sheet, pixels)
    above = (_ABOVE * sheet.text_size if sheet.readable else _FAR_ABOVE) * sheet.ratio
    corners = rects[:, :2] + (_left(sheet, pixels), above)
    # Not rounded, so that groups that look the same are named alike.
    tops = sheet.scene.drawing.group_boxes[seen, 1] * sheet.camera.scale - sheet.camera.top + above
    rooms = np.minimum(rects[:, 0] + rects[:, 2] - corners[:, 0], _WIDEST * sheet.ratio) - _AROUND * sheet.ratio
    near = _near(sheet)
    height = _LINE * pixels
    touched = _touched(sheet, corners, rooms, height)
    seen, corners, rooms = seen[touched], corners[touched], rooms[touched]
    if not len(seen):
        return
    clear = rooms
    if near:
        rooms = _beside_boxes(sheet, corners, tops[touched], rooms, height)
        clear = _beside_lines(sheet, corners, rooms, height)
    spots = _Spots(_CELL * sheet.ratio)
    loud: _Loud | None = None
    labels, depths = sheet.scene.drawing.group_labels, sheet.scene.drawing.group_depths
    around = 2 * _AROUND * sheet.ratio
    limits = np.column_stack([clear, rooms]) - around
    for group, (x, y), (free, room) in zip(seen.tolist(), corners.tolist(), limits.tolist(), strict=True):
        text, size = _text(sheet, labels[group], free, room, pixels)
        if not text:
            continue
        width = sheet.style.width(text, size) + around
        place = (x, y, float(np.ceil(width)), float(np.ceil(_LINE * size)))
        if loud is None and not near:
            loud = _Loud.of(sheet)  # where no name has room, nobody need look
        if (loud is None or not loud.touches(place)) and spots.take(place):
            yield _Title(text, size, int(depths[group]), place)


def _wanted(sheet: Sheet, pixels: int) -> tuple[Indices, Floats]:
    """Groups large enough for a name. Where boxes are flecks the largest part of a group speaks for its narrow ones."""
    seen, rects = in_sight(sheet)
    least = 2 if sheet.readable else _FAR_HIGH
    large = (rects[:, 2] >= pixels) & (rects[:, 3] >= least * pixels)
    if not _near(sheet):
        large &= sheet.scene.group_mains[seen] | (rects[:, 2] >= _WIDE * sheet.ratio)
    return seen[large], rects[large]


def _near(sheet: Sheet) -> bool:
    """Whether boxes are more than flecks."""
    return sheet.scene.box_height * sheet.zoom >= _FLECK


def _left(sheet: Sheet, pixels: int) -> float:
    """Computes how far from the left border of its group a name begins."""
    left = _LEFT * min(pixels, sheet.text_size * sheet.ratio) if sheet.readable else _FAR_LEFT * sheet.ratio
    return left - _AROUND * sheet.ratio


def _touched(sheet: Sheet, corners: Floats, rooms: Floats, height: float) -> NDArray[np.bool_]:
    """Marks the names that may reach into what is painted, or meet one that does."""
    left, top = sheet.camera.to_device(*sheet.clip[:2])
    right, bottom = sheet.camera.to_device(*sheet.clip[2:])
    across, down = _WIDEST * sheet.ratio, 2 * height
    (x, y), width = corners.T, rooms
    touched: NDArray[np.bool_] = (x < right + across) & (x + width > left - across)
    touched &= (y < bottom + down) & (y + height > top - down)
    return touched


def _around(sheet: Sheet) -> tuple[float, float, float, float]:
    """Finds what is painted and all that a name which reaches into it can meet, in scene units."""
    left, top, right, bottom = sheet.clip
    more = _WIDEST * sheet.ratio / sheet.camera.scale
    return left - more, top - more, right + more, bottom + more


def _beside_boxes(sheet: Sheet, corners: Floats, tops: Floats, rooms: Floats, height: float) -> Floats:
    """Measures how much of each room no box takes. What is rounded may be a pixel higher or lower."""
    scene, camera = sheet.scene, sheet.camera
    boxes = scene.drawing.boxes[scene.cells.within(*_around(sheet))]
    x, _, width, _ = sheet.placed(boxes).T
    y, high = boxes[:, 1] * camera.scale - camera.top, boxes[:, 3] * camera.scale
    band = (y < tops[:, None] + height + 1) & (y + high + 1 > tops[:, None]) & (x + width > corners[:, :1])
    ends = np.where(band, x, np.inf).min(axis=1, initial=np.inf)
    free: Floats = np.minimum(rooms, ends - corners[:, 0] - _APART * sheet.ratio)
    return free


def _beside_lines(sheet: Sheet, corners: Floats, rooms: Floats, height: float) -> Floats:
    """Measures how much of each room no upright line crosses."""
    level, camera = sheet.scene.lines.at(sheet.zoom), sheet.camera
    lines = level.lines[level.cells.within(*_around(sheet))]
    lines = lines[lines[:, 0] == lines[:, 2]]
    x = lines[:, 0] * camera.scale - camera.left
    y = np.sort(lines[:, 1::2], axis=1) * camera.scale - camera.top
    band = (y[:, 0] < corners[:, 1:] + height) & (y[:, 1] > corners[:, 1:]) & (x > corners[:, :1])
    free: Floats = np.minimum(rooms, np.where(band, x, np.inf).min(axis=1, initial=np.inf) - corners[:, 0])
    return free


def _text(sheet: Sheet, label: str, clear: float, room: float, pixels: int) -> tuple[str, int]:
    """Cuts a name to the room, and finds its size; if possible so that it leaves lines `clear`.

    From near it may be cut; from afar its number says which it is.
    """
    short = label.removesuffix(CONTINUED)
    number = _NUMBER.search(short)
    small = min(round(_SMALL * sheet.ratio), pixels)
    forms = [(short, pixels), (short, small)]
    whole = label if short == label else f"{short}{_goes_on()}"
    for form, size in [(whole, pixels), *forms] if sheet.readable else forms:
        if sheet.style.width(form, size) <= clear:
            return form, size
    if number and not sheet.readable:
        forms += [(number[0], pixels), (number[0], small)]
    for form, size in forms:
        if sheet.style.width(form, size) <= room:
            return form, size
    if not sheet.readable or room < _LEAST * pixels:
        return "", pixels
    return sheet.style.text(pixels)[1].elidedText(Verbatim(short), Qt.TextElideMode.ElideRight, room), pixels


def _goes_on() -> str:
    """Writes what is said of a name, in the language that is spoken; the name stays as it is."""
    return translated(f"…{CONTINUED}", False).removeprefix("…")


@dataclass(frozen=True, slots=True)
class _Spots:
    """Names that are written already, findable by place."""

    side: float
    _cells: dict[tuple[int, int], list[Rect]] = field(default_factory=dict)

    def take(self, place: Rect) -> bool:
        """Whether the place was free; now it is not."""
        x, y, width, height = place
        cells = [
            (column, row)
            for column in range(int(x // self.side), int((x + width) // self.side) + 1)
            for row in range(int(y // self.side), int((y + height) // self.side) + 1)
        ]
        if any(_meet(place, other) for cell in cells for other in self._cells.get(cell, ())):
            return False
        for cell in cells:
            self._cells.setdefault(cell, []).append(place)
        return True


def _meet(one: Rect, other: Rect) -> bool:
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Loud:
    """Boxes that must be seen: for each cell of a few pixels how many lie left and above of it."""

    left: float
    top: float
    side: float
    sums: Indices

    @classmethod
    def of(cls, sheet: Sheet) -> "_Loud":
        scene, side, more = sheet.scene, 4.0 * sheet.ratio, _WIDEST * sheet.ratio / sheet.camera.scale
        left, top, right, bottom = sheet.clip
        seen = scene.cells.within(left - more, top - more, right + more, bottom + more)
        seen = seen[sheet.fills.codes[seen] >= sheet.fills.loud]
        if not len(seen):
            return cls(0.0, 0.0, side, np.zeros((1, 1), np.intp))
        rects = sheet.placed(scene.drawing.boxes[seen])
        corner = float(rects[:, 0].min()), float(rects[:, 1].min())
        first = ((rects[:, :2] - corner) / side).astype(np.intp)
        last = ((rects[:, :2] + rects[:, 2:] - corner) / side).astype(np.intp) + 1
        shape = int(last[:, 1].max()) + 1, int(last[:, 0].max()) + 1

        def count(columns: Indices, rows: Indices) -> Indices:
            return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1])

        steps = count(first[:, 0], first[:, 1]) + count(last[:, 0], last[:, 1])
        steps -= count(last[:, 0], first[:, 1]) + count(first[:, 0], last[:, 1])
        covered = steps.reshape(shape).cumsum(axis=0).cumsum(axis=1) > 0
        return cls(*corner, side, np.pad(covered.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0))))

    def touches(self, place: Rect) -> bool:
        x, y, width, height = place
        rows, columns = self.sums.shape
        left = min(max(int((x - self.left) // self.side), 0), columns - 1)
        right = min(max(int((x + width - self.left) // self.side) + 1, 0), columns - 1)
        top = min(max(int((y - self.top) // self.side), 0), rows - 1)
        bottom = min(max(int((y + height - self.top) // self.side) + 1, 0), rows - 1)
        sums = self.sums
        return bool(sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left])
