"""What is written on boxes: operator type with its family's mark; where there is room the name, type and shape."""

from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from errorflow.base.language import Verbatim
from errorflow.layout.drawing import Floats, Kind
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.marks import paint_mark
from errorflow_viewer.canvas.scene import FOLD_TONE
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.texts import abbreviations, lines_below
from errorflow_viewer.kit.look import LABEL

# Room beside the text, and beside mark and text, in text heights.
_BESIDE, _BESIDE_MARK = 0.35, 0.2
# Logical px of a text that one reads with ease, and of the smallest that can be read at all. Where a box is shown
# smaller than it was laid out, its label shrinks less: to the first if that has room, at most to the second.
_EASY, _SMALLEST = 9.0, 7.0
# What a text takes of a box's height, in text heights; how many letters are left at least of a name that is cut.
_HIGH, _LETTERS = 1.2, 4
# Zoom from which there are labels: then short types have room, too, and not only those whose boxes happen to be wide.
_LABELLED = 0.37
# Room beside the smallest text, in text heights.
_TIGHT = 0.08
# The mark's size and its distance from the text, in text heights.
_MARK, _APART = 0.62, 0.38
# Lines below the label: how many, and their distance, in text heights; what stays free above and below, in logical px.
_BELOW, _LINE, _FREE = 2, 1.4, 6.0


# Sides of a box in px are told apart up to that.
_SIDES = 1 << 13


# For a box, lines from the most important on, each in forms from long to short.
_Below = dict[int, tuple[tuple[str, ...], ...]]


def paint_labels(sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16]) -> None:
    """Everything written on the boxes in sight."""
    if sheet.zoom < _LABELLED:
        return
    pixels = int(sheet.text_size * sheet.ratio + 0.3)
    small = int(LABEL * sheet.ratio)
    below = _below(sheet, seen, (rects[:, 3] - 1.3 * pixels - _FREE * sheet.ratio) / (_LINE * small))
    counts = np.array([len(below.get(box, ())) for box in seen.tolist()]) if below else np.zeros(len(seen), int)
    middles = rects[:, 1] + (rects[:, 3] - counts * _LINE * small) / 2
    if sheet.vector:
        _write_labels(sheet, seen, rects, codes, middles, pixels)
    else:
        _paste_labels(sheet, seen, rects, codes, middles, pixels)
    if below:
        some = counts > 0
        _write_below(sheet, seen[some], rects[some], codes[some], middles[some] + 0.62 * pixels, below, small)


def _below(sheet: Sheet, seen: Indices, room: Floats) -> _Below:
    """What to write below the labels of the boxes that have room for so many lines."""
    drawing, graph = sheet.scene.drawing, sheet.scene.graph
    roomy = room >= 1
    rows = zip(seen[roomy].tolist(), np.minimum(room[roomy], _BELOW).astype(int).tolist(), strict=True)
    return {box: lines_below(drawing, graph, box)[:count] for box, count in rows}


def _paste_labels(
    sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16], middles: Floats, pixels: int
) -> None:
    """Equal labels are painted once and then copied."""
    scene = sheet.scene
    tones = scene.tones[seen].astype(np.int64)
    labels = scene.label_codes[seen].astype(np.int64)
    widths, heights = np.minimum(rects[:, 2:].astype(np.int64), (_SIDES - 1)).T
    # One number per distinct picture: label, tone (which mark), colour (which ink), and the room there is.
    keys = (((labels << 8 | tones) << 8 | codes) * _SIDES + widths) * _SIDES + heights
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    sizes = zip(widths[first].tolist(), heights[first].tolist(), strict=True)
    made = [
        _Label(sheet, int(seen[i]), int(codes[i]), room, pixels) for i, room in zip(first.tolist(), sizes, strict=True)
    ]
    shown = np.array([label.shown for label in made], bool)[which]
    if not shown.any():
        return
    which, rects, middles = which[shown], rects[shown], middles[shown]
    tiles = np.array([_tile(sheet, label) if label.shown else 0 for label in made])
    atlas = sheet.style.atlas
    sizes = np.array([atlas.size(tile) for tile in tiles.tolist()], np.float64).reshape(-1, 2)[which]
    lefts = rects[:, 0] + np.floor((rects[:, 2] - sizes[:, 0]) / 2)
    atlas.draw(sheet.batch, tiles.astype(np.intp)[which], lefts, np.floor(middles - sizes[:, 1] / 2))


def _tile(sheet: Sheet, label: "_Label") -> int:
    def paint(painter: QPainter) -> None:
        label.paint(painter, 1.0, label.height / 2)

    return sheet.style.atlas.tile(label.key, label.size, paint)


def _write_labels(
    sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16], middles: Floats, pixels: int
) -> None:
    """As text, which a file can enlarge."""
    rows = zip(seen.tolist(), rects.tolist(), codes.tolist(), middles.tolist(), strict=True)
    for box, (x, _, width, height), code, middle in rows:
        label = _Label(sheet, box, code, (width, height), pixels)
        if label.shown:
            label.paint(sheet.batch.painter, x + (width - label.width) / 2, middle)
            sheet.batch.counts.texts += 1


class _Label:
    """A mark if there is room, and the text, cut off where it must be."""

    def __init__(self, sheet: Sheet, box: int, code: int, room: tuple[float, float], pixels: int) -> None:
        scene = sheet.scene
        self._tone = int(scene.tones[box])
        self._ink = sheet.fills.inks[code]
        full = scene.drawing.labels[box]
        written = _Written(full, self._tone == FOLD_TONE, bool(scene.drawing.kinds[box] == Kind.OPERATOR))
        self.pixels, self.text, self.marked = _fitted(sheet, written, room, pixels)
        pixels, marked = self.pixels, self.marked
        self._font, self._metrics = sheet.style.text(pixels)
        self._mark = _MARK * pixels if marked else 0.0
        self._before = (_MARK + _APART) * pixels if marked else 0.0
        # Otherwise it could not be read.
        self.shown = marked or bool(self.text)
        self.width = sheet.style.width(self.text, pixels) + self._before
        self.height = self._metrics.height()
        self.key = ("label", self.text, self._tone, self._ink.rgba(), pixels, marked)

    def size(self) -> tuple[int, int]:
        return int(self.width) + 3, int(self.height) + 1

    def paint(self, painter: QPainter, left: float, middle: float) -> None:
        capital = self._metrics.capHeight()
        if self._mark:
            place = QRectF(left, middle - self._mark / 2, self._mark, self._mark)
            paint_mark(painter, self._tone, place, self._ink)
        painter.setFont(self._font)
        painter.setPen(self._ink)
        painter.drawText(QPointF(left + self._before, middle + capital / 2), Verbatim(self.text))


@dataclass(frozen=True, slots=True)
class _Written:
    """What a label says; whether it is that of something that can be opened, or an operator's type."""

    text: str
    opens: bool
    is_type: bool

    def cut(self, sheet: Sheet, room: float, pixels: int) -> str:
        """As much as has room: of a type the beginnings of its words, of a name its beginning and its end."""
        if self.is_type and not self.opens:
            forms = abbreviations(self.text)
            return next((form for form in forms if sheet.style.width(form, pixels) <= room), "")
        text = _uncounted(self.text) if self.opens else self.text
        found = sheet.style.text(pixels)[1].elidedText(Verbatim(text), Qt.TextElideMode.ElideMiddle, room)
        return found if len(found) > _LETTERS or found == text else ""


def _fitted(sheet: Sheet, written: _Written, room: tuple[float, float], pixels: int) -> tuple[int, str, bool]:
    """The size at which a label is written, as much of it as has room then, and whether its mark has.

    Written larger than laid out, only what can be opened keeps its mark: some with and some without would look like
    two sorts.
    """
    text, opens = written.text, written.opens
    width, height = room
    easy, smallest = max(pixels, round(_EASY * sheet.ratio)), round(_SMALLEST * sheet.ratio)
    for size in range(easy, max(pixels, smallest) - 1, -1):
        advance = sheet.style.width(text, size)
        if size > pixels and _HIGH * size > height:
            continue
        marked = size == pixels or opens
        if marked and advance + (_MARK + _APART) * size <= width - 2 * _BESIDE_MARK * size:
            return size, text, True
        if advance <= width - 2 * (_BESIDE if size == pixels else _BESIDE_MARK) * size:
            return size, text, False
    size = max(pixels, smallest)
    if size == pixels:
        return size, written.cut(sheet, width - 2 * _BESIDE * size, size), False
    if _HIGH * size > height:
        return size, "", False
    rest = width - 2 * _TIGHT * size
    for form in (text, _uncounted(text)) if opens else (text,):
        if sheet.style.width(form, size) <= rest:
            return size, form, False
    return size, written.cut(sheet, rest, size), False


def _uncounted(text: str) -> str:
    """What a folded group is called, without how many nodes are in it."""
    name, _, count = text.rpartition(" (")
    return name if name and count.endswith(")") else text


def _write_below(
    sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16], tops: Floats, below: _Below, pixels: int
) -> None:
    """Name, type and shape, smaller and quieter than the label; each is different, so they are drawn one by one."""
    font, metrics = sheet.style.text(pixels)
    sheet.batch.painter.setFont(font)
    inset = _BESIDE * pixels * 1.5
    rows = zip(seen.tolist(), rects.tolist(), codes.tolist(), tops.tolist(), strict=True)
    for box, (x, _, width, _), code, top in rows:
        sheet.batch.painter.setPen(_quiet(sheet, code))
        for number, forms in enumerate(below[box]):
            shown = _fitting(sheet, forms, width - 2 * inset, pixels)
            left = x + (width - sheet.style.width(shown, pixels)) / 2
            baseline = top + number * _LINE * pixels + metrics.ascent()
            sheet.batch.text(floor(left + 0.5), floor(baseline + 0.5), shown)


def _fitting(sheet: Sheet, forms: tuple[str, ...], room: float, pixels: int) -> str:
    """The longest form that has room, or the end of the shortest."""
    for form in forms:
        if sheet.style.width(form, pixels) <= room:
            return form
    _, metrics = sheet.style.text(pixels)
    return metrics.elidedText(Verbatim(forms[-1]), Qt.TextElideMode.ElideLeft, room)


def _quiet(sheet: Sheet, code: int) -> QColor:
    return mixed(sheet.fills.inks[code], sheet.fills.colors[code], 0.3)
