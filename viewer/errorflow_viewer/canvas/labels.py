"""What is written on boxes: operator type with its family's mark; where there is room the name, type and shape."""

from math import floor

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.marks import paint_mark
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.canvas.texts import lines_below
from errorflow_viewer.look import LABEL

# Room beside the text, and beside mark and text, in text heights.
_BESIDE, _BESIDE_MARK = 0.35, 0.2
# The mark's size and its distance from the text, in text heights.
_MARK, _APART = 0.62, 0.38
# Lines below the label: how many, and their distance, in text heights; what stays free above and below, in logical px.
_BELOW, _LINE, _FREE = 2, 1.4, 6.0


# For a box, lines from the most important on, each in forms from long to short.
_Below = dict[int, tuple[tuple[str, ...], ...]]


def paint_labels(sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16]) -> None:
    """Everything written on the boxes in sight."""
    pixels = max(int(sheet.text_size * sheet.ratio + 0.3), 6)
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
    widths = rects[:, 2].astype(np.int64)
    # One number per distinct picture: label, tone (which mark), colour (which ink), width (where to cut it off).
    keys = ((labels << 8 | tones) << 8 | codes) << 20 | widths
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    tiles = np.array([_tile(sheet, int(seen[i]), int(codes[i]), float(widths[i]), pixels) for i in first.tolist()])
    atlas = sheet.style.atlas
    sizes = np.array([atlas.size(tile) for tile in tiles.tolist()], np.float64).reshape(-1, 2)[which]
    lefts = rects[:, 0] + np.floor((rects[:, 2] - sizes[:, 0]) / 2)
    atlas.draw(sheet.batch, tiles.astype(np.intp)[which], lefts, np.floor(middles - sizes[:, 1] / 2))


def _tile(sheet: Sheet, box: int, code: int, width: float, pixels: int) -> int:
    label = _Label(sheet, box, code, width, pixels)

    def paint(painter: QPainter) -> None:
        label.paint(painter, 1.0, label.height / 2)

    return sheet.style.atlas.tile(label.key, label.size, paint)


def _write_labels(
    sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16], middles: Floats, pixels: int
) -> None:
    """As text, which a file can enlarge."""
    rows = zip(seen.tolist(), rects.tolist(), codes.tolist(), middles.tolist(), strict=True)
    for box, (x, _, width, _), code, middle in rows:
        label = _Label(sheet, box, code, width, pixels)
        label.paint(sheet.batch.painter, x + (width - label.width) / 2, middle)
        sheet.batch.counts.texts += 1


class _Label:
    """A mark if there is room, and the text, cut off where it must be."""

    def __init__(self, sheet: Sheet, box: int, code: int, width: float, pixels: int) -> None:
        scene = sheet.scene
        self._text = scene.drawing.labels[box]
        self._tone = int(scene.tones[box])
        self._ink = sheet.fills.inks[code]
        self._font, self._metrics = sheet.style.text(pixels)
        self._room = width - 2 * _BESIDE * pixels
        self._advance = sheet.style.width(self._text, pixels)
        fits = self._advance + (_MARK + _APART) * pixels <= width - 2 * _BESIDE_MARK * pixels
        self._mark = _MARK * pixels if fits else 0.0
        self._before = (_MARK + _APART) * pixels if fits else 0.0
        self.width = min(self._advance, self._room) + self._before
        self.height = self._metrics.height()
        cut = int(self._room) if self._advance > self._room else 0
        self.key = ("label", self._text, self._tone, self._ink.rgba(), pixels, cut, fits)

    def size(self) -> tuple[int, int]:
        return int(self.width) + 3, int(self.height) + 1

    def paint(self, painter: QPainter, left: float, middle: float) -> None:
        capital = self._metrics.capHeight()
        if self._mark:
            place = QRectF(left, middle - self._mark / 2, self._mark, self._mark)
            paint_mark(painter, self._tone, place, self._ink)
        text = self._text
        if self._advance > self._room:
            text = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, self._room)
        painter.setFont(self._font)
        painter.setPen(self._ink)
        painter.drawText(QPointF(left + self._before, middle + capital / 2), text)


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
    return metrics.elidedText(forms[-1], Qt.TextElideMode.ElideLeft, room)


def _quiet(sheet: Sheet, code: int) -> QColor:
    return mixed(sheet.fills.inks[code], sheet.fills.colors[code], 0.3)
