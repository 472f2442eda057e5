"""What is painted beside a box's colour: states that have no number, the second mark, and what a search has found."""

from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap

from errorflow.layout.drawing import Floats
from errorflow.report.fold import BoxErrors
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.rects import at_least, frames, grown
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.look import LABEL

# Logical px: a square of the check, and how wide its band round the box is.
_CHECK, _BAND = 4.0, 4.0
# Logical px: the bar's width, its distance from the left edge and from top and bottom, and the box that has room.
_BAR, _BAR_LEFT, _BAR_ENDS, _BAR_FROM = 3.0, 3.0, 4.0, 14.0
_OUTLINE, _RING = 2.0, 2.0
# Logical px of a box below which a state is painted as a plain colour.
_PATTERNED = 7.0
# The zoom from which on a count shrinks no more.
_COUNT_FROM = 0.8


class Mark(IntFlag):
    """A state of a box that is no number on a scale."""

    BROKEN = 2  # NaN or infinite: black and white squares
    OVERFLOW = 4  # outlined


@dataclass(frozen=True, eq=False)
class Signs:
    """One entry per box; None: there are none of that sort."""

    marks: NDArray[np.uint8] | None = None
    # The number of a colour of the palette; beyond it: no bar.
    bars: NDArray[np.uint8] | None = None
    palette: tuple[QColor, ...] = ()
    # How many of the nodes that a search has found a box stands for.
    matches: NDArray[np.int64] | None = None
    # What boxes are filled by, if not by their families.
    errors: BoxErrors | None = None

    @cached_property
    def states(self) -> NDArray[np.uint8] | None:
        """The marks, with what is broken by its error."""
        if self.errors is None or not self.errors.broken.any():
            return self.marks
        broken = np.where(self.errors.broken, Mark.BROKEN, 0).astype(np.uint8)
        return broken if self.marks is None else self.marks | broken

    def errors_of(self, boxes: Indices) -> "Signs":
        """Only the errors, and for a scene of just these boxes."""
        return NO_SIGNS if self.errors is None else Signs(errors=self.errors.of_boxes(boxes))

    @property
    def unmatched(self) -> NDArray[np.bool_] | None:
        return None if self.matches is None else self.matches == 0


NO_SIGNS = Signs()


def paint_rings(sheet: Sheet, seen: Indices, rects: Floats, radius: float) -> None:
    """Behind boxes that a search has found: what sticks out is a ring."""
    matches = sheet.signs.matches
    if matches is None:
        return
    found = rects[matches[seen] > 0]
    color = sheet.style.colors.found
    rings = grown(at_least(found, 2 * sheet.hair), _RING * sheet.ratio)
    if radius and len(rings) < 1000:
        sheet.batch.smooth(True)
        sheet.batch.fill(color)
        sheet.batch.rounded(rings, radius + _RING * sheet.ratio)
        sheet.batch.smooth(False)
    else:
        sheet.batch.smooth(False)
        sheet.batch.fill(color)
        sheet.batch.rects(rings)


def paint_signs(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    """Over the boxes in sight, below what is written on them."""
    _paint_marks(sheet, seen, rects)
    _paint_bars(sheet, seen, rects)


def _paint_marks(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    if sheet.signs.states is None:
        return
    marks, colors = sheet.signs.states[seen], sheet.style.colors
    sheet.batch.smooth(False)
    painter = sheet.batch.painter
    # Patterns belong to the drawing: they move with it when the picture is shifted.
    painter.setBrushOrigin(-sheet.camera.left, -sheet.camera.top)
    large = rects[:, 3] >= _PATTERNED * sheet.ratio
    broken = (marks & Mark.BROKEN) > 0
    check = _check(sheet)
    _fill(sheet, at_least(rects[broken & ~large], 3 * sheet.hair), check)
    inner = grown(rects[broken & large], -sheet.hair)
    _fill(sheet, frames(inner, np.minimum(_BAND * sheet.ratio, inner[:, 3] / 4)), check)
    painter.setBrushOrigin(0, 0)
    over = rects[(marks & Mark.OVERFLOW) > 0]
    width = max(round(_OUTLINE * sheet.ratio), 1)
    near = at_least(over, 2 * sheet.hair)
    _fill(sheet, frames(near, np.minimum(width, near[:, 2:].min(axis=1) / 2)), QBrush(colors.overflow))


def _paint_bars(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    signs, ratio = sheet.signs, sheet.ratio
    if signs.bars is None:
        return
    bars = signs.bars[seen]
    wide = rects[:, 2] >= _BAR_FROM * ratio
    high = rects[:, 3] >= _BAR_FROM * ratio
    sheet.batch.smooth(False)
    for number, color in enumerate(signs.palette):
        mine = (bars == number) & wide
        x, y, _, height = rects[mine].T
        left, ends = np.where(high[mine], _BAR_LEFT, 0.0) * ratio, np.where(high[mine], _BAR_ENDS, 0.0) * ratio
        bar = np.column_stack([x + left, y + ends, np.full(len(x), round(_BAR * ratio)), height - 2 * ends])
        _fill(sheet, bar, QBrush(color))


def paint_counts(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    """At the corner of closed groups, how many nodes in them a search has found."""
    matches = sheet.signs.matches
    if matches is None or not sheet.readable:
        return
    counts = np.where(sheet.scene.drawing.folds[seen] >= 0, matches[seen], 0)
    batch, colors = sheet.batch, sheet.style.colors
    pixels = round(LABEL * sheet.ratio * min(max(sheet.zoom, _COUNT_FROM), 1.0))
    font, metrics = sheet.style.text(pixels, strong=True)
    batch.painter.setFont(font)
    batch.smooth(True)
    for (x, y, width, _), count in zip(rects[counts > 0].tolist(), counts[counts > 0].tolist(), strict=True):
        text = f"{count:,}"
        size = metrics.horizontalAdvance(text) + pixels
        place = QRectF(x + width - size + 0.4 * pixels, y - 0.7 * pixels, size, 1.5 * pixels)
        batch.painter.setPen(QPen(colors.background, sheet.hair))
        batch.painter.setBrush(colors.found)
        batch.painter.drawRoundedRect(place, place.height() / 2, place.height() / 2)
        batch.painter.setPen(colors.background)
        left = place.center().x() - metrics.horizontalAdvance(text) / 2
        batch.text(left, place.center().y() + metrics.capHeight() / 2, text)
    batch.smooth(False)


def _fill(sheet: Sheet, rects: Floats, brush: QBrush) -> None:
    sheet.batch.painter.setPen(Qt.PenStyle.NoPen)
    sheet.batch.painter.setBrush(brush)
    sheet.batch.rects(rects)


def _check(sheet: Sheet) -> QBrush:
    """Squares of black and white, small enough for the boxes to show some."""
    height = sheet.scene.box_height * sheet.camera.scale
    side = max(round(min(_CHECK * sheet.ratio, height / 3)), 1)
    picture = QPixmap(2 * side, 2 * side)
    picture.fill(QColor("#FFFFFF"))
    painter = QPainter(picture)
    for x, y in ((0, 0), (side, side)):
        painter.fillRect(x, y, side, side, QColor("#000000"))
    painter.end()
    return QBrush(picture)
