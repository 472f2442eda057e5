"""Cells of lists: names give way in the middle, numbers have a swatch or a bar."""

import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from errorflow.case.session.model import Palette
from errorflow.report.scale import scale_of
from errorflow_viewer.kit.look import ROW
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.tables.short_names import fitting
from errorflow_viewer.kit.tables.table import Column

# Logical px: the square, and what it takes from a cell.
SWATCH, SWATCH_ROOM = 10, 18


def paint_swatch(painter: QPainter, cell: QRect, badness: float, colors: Palette, palette: QPalette) -> None:
    """Paints a swatch at the left end of a cell; a check where the value is no number."""
    place = QRectF(cell.left() + 5, cell.center().y() - SWATCH / 2 + 0.5, SWATCH, SWATCH)
    dark = palette.color(QPalette.ColorRole.Base).lightness() < palette.color(QPalette.ColorRole.Text).lightness()
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    if math.isnan(badness):
        half = SWATCH / 2
        painter.fillRect(place, Qt.GlobalColor.white)
        for x, y in ((0.0, 0.0), (half, half)):
            painter.fillRect(QRectF(place.x() + x, place.y() + y, half, half), Qt.GlobalColor.black)
    else:
        painter.fillRect(place, QColor(scale_of(colors, dark).hex(badness)))
    painter.setPen(palette.color(QPalette.ColorRole.Mid))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(0, 0, -1, -1))
    painter.restore()


# Logical px round the text of a cell.
ROOM = 18
# Logical px: a bar, its distance from the sides and from the bottom of its cell; the side of the corner that marks.
_HIGH, _BESIDE, _BELOW, _CORNER = 3.0, 6.0, 3.0, 7.0
_TABULAR = QFont.Tag("tnum")
Index = QModelIndex | QPersistentModelIndex


class CellPainter(QStyledItemDelegate):
    """Paints what the columns of the one model say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        # The colours of swatches, and of bars by badness from 0 to 1, in equal steps.
        self.palette: Palette = "ember"
        self.shades: tuple[QColor, ...] = ()

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        column, item = index.model().at(index)  # type: ignore[attr-defined]  # it is ours
        option.textElideMode = Qt.TextElideMode.ElideMiddle if column.is_name else Qt.TextElideMode.ElideRight
        if column.forms is not None:
            option.text = self.named(column.forms(item), option.fontMetrics, option.rect.width() - ROOM)
        if column.muted is not None and column.muted(item):
            option.palette.setBrush(QPalette.ColorRole.Text, option.palette.placeholderText())
        if column.strong is not None and column.strong(item):
            option.font.setWeight(QFont.Weight.DemiBold)
        if column.is_number:
            option.font.setFeature(_TABULAR, 1)

    def named(self, forms: Sequence[str], metrics: QFontMetrics, room: int) -> str:
        """The form of a name that has room."""
        return fitting(forms, lambda text: metrics.horizontalAdvance(text) <= room)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        column, item = model.at(index)  # type: ignore[attr-defined]  # it is ours
        pointed = model.pointed  # type: ignore[attr-defined]  # too
        if pointed is not None and pointed == item and not option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.brush(QPalette.ColorRole.Midlight))
        super().paint(painter, option, index)
        self._paint_badness(painter, option, column, item)
        if column.marked is not None and column.marked(item):
            _mark(painter, option.rect, option.palette)

    def _paint_badness(self, painter: QPainter, option: QStyleOptionViewItem, column: Column[Any], item: Any) -> None:
        badness = None if column.badness is None else column.badness(item)
        if badness is None:
            return
        length = None if column.length is None else column.length(item)
        if column.length is None:
            paint_swatch(painter, option.rect, badness, self.palette, option.palette)
        elif length is not None and self.shades:
            shade = self.shades[-1] if math.isnan(badness) else self.shades[round(badness * (len(self.shades) - 1))]
            _paint_bar(painter, QRectF(option.rect), length, shade)


class TallCells(CellPainter):
    """Cells as high as the rows of tables, in views that ask their cells for it."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(super().sizeHint(option, index).width(), px(ROW))


def _paint_bar(painter: QPainter, cell: QRectF, length: float, shade: QColor) -> None:
    room = cell.adjusted(_BESIDE, 0, -_BESIDE, -_BELOW)
    bar = QRectF(room.left(), room.bottom() - _HIGH + 1, max(room.width() * length, 1.0), _HIGH)
    painter.fillRect(bar, shade)


def _mark(painter: QPainter, room: QRect, palette: QPalette) -> None:
    """A corner at the end of a name, as spreadsheets mark a cell with a comment."""
    right, top = float(room.right() + 1), float(room.top())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.brush(QPalette.ColorRole.Link))
    painter.drawPolygon(QPolygonF([QPointF(right - _CORNER, top), QPointF(right, top), QPointF(right, top + _CORNER)]))
    painter.restore()
