"""Signs beside a box's colour: states that have no number, the second mark, and what a search has found."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QImage, QPen, QPixmap

from errorflow.base.values import dataclass, replace
from errorflow.explain.findings.model import State
from errorflow.layout.drawing import Floats
from errorflow.report.box_signs import BoxSigns
from errorflow.report.fold import BoxErrors
from errorflow.report.paint import Paint
from errorflow.report.tints import LEAST, SHADES
from errorflow_viewer.canvas.cells import Indices, at_least, frames, grown
from errorflow_viewer.canvas.colors import SHADES as FILLS
from errorflow_viewer.canvas.sheet import Sheet
from errorflow_viewer.kit.look import LABEL

# Logical px: a square of the check, a stripe, and how wide their band round the box is.
_CHECK, _STRIPE, _BAND = 4.0, 5.0, 4.0
_OUTLINE = 2.0
# Logical px of a box below which a state is painted as a plain colour.
_PATTERNED = 7.0
# The zoom from which on a count shrinks no more.
_COUNT_FROM = 0.8
NO_BAR = 255


@dataclass(frozen=True, eq=False)
class Signs:
    """Signs, one entry per box; None: there are none of that sort."""

    # What boxes are filled by, if not by their families, and what is told beside that.
    errors: BoxErrors | None = None
    beside: BoxSigns | None = None
    # For each tensor the shade of its edges, 0: a calm one.
    tints: NDArray[np.uint8] | None = None
    # How many of the nodes that a search has found a box stands for.
    matches: NDArray[np.int64] | None = None
    # `Kept`, or 0, where boxes are filled by their families.
    unpainted: NDArray[np.uint8] | None = None

    def painted(self, paint: "Paint | None") -> "Signs":
        """The same with what a paint tells; without one with what is told all the same."""
        if paint is None:
            return Signs(matches=self.matches, unpainted=self.unpainted)
        tints = None if paint.tints is None else _shades(paint.tints)
        return Signs(paint.errors, paint.signs, tints, self.matches)

    def errors_of(self, boxes: Indices) -> "Signs":
        """Takes the signs for a scene of just these boxes, without what a search has found."""
        errors = None if self.errors is None else self.errors.of_boxes(boxes)
        beside = None if self.beside is None else self.beside.of_boxes(boxes)
        unpainted = None if self.unpainted is None else self.unpainted[boxes]
        return replace(self, errors=errors, beside=beside, matches=None, unpainted=unpainted)

    @property
    def kept(self) -> NDArray[np.uint8] | None:
        """Switches away from the plan; None: nothing."""
        return self.unpainted if self.beside is None else self.beside.kept

    @property
    def unmatched(self) -> NDArray[np.bool_] | None:
        return None if self.matches is None else self.matches == 0

    @property
    def crossed(self) -> NDArray[np.bool_] | None:
        """Marks of what cannot be compared."""
        return None if self.beside is None else self.of_state(State.INCOMPARABLE)

    @cached_property
    def nan(self) -> NDArray[np.bool_]:
        """Marks of what is NaN, or has no number although it was measured."""
        assert self.errors is not None, "asked for where boxes are filled by error"
        broken = self.errors.broken
        if self.beside is None:
            return broken
        return self.of_state(State.NAN) | (broken & ~self.of_state(State.INF))

    @cached_property
    def inf(self) -> NDArray[np.bool_]:
        return self.of_state(State.INF) & ~self.nan

    def of_state(self, state: State) -> NDArray[np.bool_]:
        assert self.errors is not None, "asked for where boxes are filled by error"
        states = np.zeros(len(self.errors.broken), np.uint16) if self.beside is None else self.beside.states
        found: NDArray[np.bool_] = np.not_equal(states & np.uint16(state), 0)
        return found

    @cached_property
    def bars(self) -> NDArray[np.uint8]:
        """Colours of each box's second mark, by number; beyond all of them: it has none, or what is good
        both ways stays calm, or a frame takes its place.
        """
        assert self.beside is not None and self.errors is not None, "asked for where there are second marks"
        bars = self.beside.bars
        told = ((bars > 0) | ((bars == 0) & (self.errors.badness > 0))) & ~self.nan & ~self.inf
        return np.where(told, np.rint(np.nan_to_num(bars) * (FILLS - 1)), NO_BAR).astype(np.uint8)


NO_SIGNS = Signs()


def _shades(tints: Floats) -> NDArray[np.uint8]:
    """`tints.shade_of` of many."""
    known = np.nan_to_num(tints)
    return np.where(known >= LEAST, np.minimum((known * SHADES).astype(np.uint8) + 1, SHADES), 0).astype(np.uint8)


def paint_states(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    """Paints states over the boxes in sight, below what is written on them."""
    if sheet.signs.errors is None:
        return
    _paint_broken(sheet, seen, rects)
    over = rects[sheet.signs.of_state(State.OVERFLOW)[seen]]
    width = max(round(_OUTLINE * sheet.ratio), 1)
    near = at_least(over, 2 * sheet.hair)
    _fill(sheet, frames(near, np.minimum(width, near[:, 2:].min(axis=1) / 2)), QBrush(sheet.style.colors.overflow))


def _paint_broken(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    """Framed in black and white: NaN in squares, what is infinite in slanting stripes."""
    signs, painter = sheet.signs, sheet.batch.painter
    nan, inf = signs.nan[seen], signs.inf[seen]
    if not nan.any() and not inf.any():
        return
    sheet.batch.smooth(False)
    # Patterns belong to the drawing: they move with it when the picture is shifted.
    painter.setBrushOrigin(-sheet.camera.left, -sheet.camera.top)
    large = rects[:, 3] >= _PATTERNED * sheet.ratio
    for some, brush in ((inf, _stripes(sheet)), (nan, _check(sheet))):
        _fill(sheet, at_least(rects[some & ~large], 3 * sheet.hair), brush)
        inner = grown(rects[some & large], -sheet.hair)
        _fill(sheet, frames(inner, np.minimum(_BAND * sheet.ratio, inner[:, 3] / 4)), brush)
    painter.setBrushOrigin(0, 0)


def paint_counts(sheet: Sheet, seen: Indices, rects: Floats) -> None:
    """Paints at the corner of closed groups how many nodes in them a search has found."""
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
    return check(max(round(min(_CHECK * sheet.ratio, height / 3)), 1))


def _stripes(sheet: Sheet) -> QBrush:
    height = sheet.scene.box_height * sheet.camera.scale
    return stripes(max(round(min(_STRIPE * sheet.ratio, height / 2)), 1))


def check(side: int) -> QBrush:
    """Squares of black and white."""
    x, y = np.indices((2 * side, 2 * side)) // side
    return _brush((x + y) % 2 > 0)


def stripes(side: int) -> QBrush:
    """Slanting stripes of black and white."""
    x, y = np.indices((2 * side, 2 * side))
    return _brush((x + y) // side % 2 > 0)


def _brush(white: NDArray[np.bool_]) -> QBrush:
    side = len(white)
    pixels = np.where(white, 0xFFFFFFFF, 0xFF000000).astype(np.uint32)
    return QBrush(QPixmap.fromImage(QImage(pixels.tobytes(), side, side, 4 * side, QImage.Format.Format_RGB32).copy()))
