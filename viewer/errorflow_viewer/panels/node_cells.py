"""How cells of the node list are painted: names give way in the middle, and a swatch beside a number says how bad."""

import math

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from errorflow.report.scale import scale_of
from errorflow.session.model import Palette
from errorflow_viewer.node_rows import NAME
from errorflow_viewer.panels.node_columns import ROOM
from errorflow_viewer.panels.node_table import ACCUMULATED, BADNESS_ROLE, MUTED_ROLE, POINTED_ROLE
from errorflow_viewer.panels.short_names import shortened

# Logical px: the swatch, and what it takes from the cell.
SWATCH, SWATCH_ROOM = 10, 18
_TABULAR = QFont.Tag("tnum")
Index = QModelIndex | QPersistentModelIndex


class Cells(QStyledItemDelegate):
    """Long names leave out scopes and then give way in the middle, all else at its end."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.palette: Palette = "ember"

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        name = index.column() == NAME
        option.textElideMode = Qt.TextElideMode.ElideMiddle if name else Qt.TextElideMode.ElideRight
        if name:
            room, metrics = option.rect.width() - ROOM, option.fontMetrics
            option.text = shortened(option.text, lambda text: metrics.horizontalAdvance(text) <= room)
        if index.data(MUTED_ROLE):
            option.palette.setBrush(QPalette.ColorRole.Text, option.palette.placeholderText())
        if option.displayAlignment & Qt.AlignmentFlag.AlignRight:
            option.font.setFeature(_TABULAR, 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.data(POINTED_ROLE) and not option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.brush(QPalette.ColorRole.Midlight))
        super().paint(painter, option, index)
        badness = index.data(BADNESS_ROLE) if index.column() == ACCUMULATED else None
        if badness is not None:
            top = option.rect.center().y() - SWATCH / 2 + 0.5
            self._paint_swatch(painter, QRectF(option.rect.left() + 5, top, SWATCH, SWATCH), badness, option.palette)

    def _paint_swatch(self, painter: QPainter, place: QRectF, badness: float, palette: QPalette) -> None:
        """The colour of the graph; a check where the value is no number."""
        dark = palette.color(QPalette.ColorRole.Base).lightness() < palette.color(QPalette.ColorRole.Text).lightness()
        painter.save()
        painter.setPen(Qt.PenStyle.NoPen)
        if math.isnan(badness):
            half = SWATCH / 2
            painter.fillRect(place, Qt.GlobalColor.white)
            for x, y in ((0.0, 0.0), (half, half)):
                painter.fillRect(QRectF(place.x() + x, place.y() + y, half, half), Qt.GlobalColor.black)
        else:
            painter.fillRect(place, QColor(scale_of(self.palette, dark).hex(badness)))
        painter.setPen(palette.color(QPalette.ColorRole.Mid))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(place.adjusted(0, 0, -1, -1))
        painter.restore()
