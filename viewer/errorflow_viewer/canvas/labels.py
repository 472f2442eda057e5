"""What is written on boxes: operator type with its family's mark; where there is room the name, type and shape."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.marks import paint_mark
from errorflow_viewer.canvas.sheet import Sheet

# Room beside the text, in text heights.
_BESIDE = 0.35
# The mark's size and its distance from the text, in text heights.
_MARK, _APART = 0.62, 0.38


def paint_labels(sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16]) -> None:
    """The label of each box, in the middle; equal ones are painted once."""
    scene = sheet.scene
    tones = scene.tones[seen].astype(np.int64)
    labels = scene.label_codes[seen].astype(np.int64)
    widths = rects[:, 2].astype(np.int64)
    # One number per distinct picture: label, tone (which mark), colour (which ink), width (where to cut it off).
    keys = ((labels << 8 | tones) << 8 | codes) << 20 | widths
    distinct, first, which = np.unique(keys, return_index=True, return_inverse=True)
    del distinct
    pixels = max(int(sheet.text_size * sheet.ratio + 0.3), 6)
    tiles = np.array(
        [
            _tile(sheet, scene.labels[labels[i]], int(tones[i]), sheet.fills.inks[codes[i]], float(widths[i]), pixels)
            for i in first.tolist()
        ],
        np.intp,
    )
    atlas = sheet.style.atlas
    sizes = np.array([atlas.size(tile) for tile in tiles.tolist()], np.float64).reshape(-1, 2)[which]
    lefts = rects[:, 0] + np.floor((rects[:, 2] - sizes[:, 0]) / 2)
    tops = rects[:, 1] + np.floor((rects[:, 3] - sizes[:, 1]) / 2)
    atlas.draw(sheet.batch, tiles[which], lefts, tops)


def _tile(sheet: Sheet, text: str, tone: int, ink: QColor, width: float, pixels: int) -> int:
    """The picture of a label: a mark if there is room, and the text, cut off where it must be."""
    font, metrics = sheet.style.text(pixels)
    mark, apart = _MARK * pixels, _APART * pixels
    room = width - 2 * _BESIDE * pixels
    advance = metrics.horizontalAdvance(text)
    if advance + mark + apart > room:
        mark = apart = 0.0
    key = ("label", text, tone, ink.rgba(), pixels, int(room) if advance > room else mark > 0)

    def size() -> tuple[int, int]:
        return int(min(advance, room) + mark + apart) + 2, int(metrics.height()) + 1

    def paint(painter: QPainter) -> None:
        height = metrics.height()
        baseline = round((height + metrics.capHeight()) / 2)
        if mark:
            middle = baseline - metrics.capHeight() / 2
            paint_mark(painter, tone, QRectF(0.5, middle - mark / 2, mark, mark), ink)
        painter.setFont(font)
        painter.setPen(ink)
        shown = text if advance <= room else metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(mark + apart + 0.5, baseline, 0, 0).topLeft(), shown)

    return sheet.style.atlas.tile(key, size, paint)
