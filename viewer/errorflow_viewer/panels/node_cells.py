"""How cells of the node list are painted: names give way in the middle, and a swatch beside a number says how bad."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt
from PySide6.QtGui import QFont, QPainter, QPalette, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from errorflow.session.model import Palette
from errorflow_viewer.node_rows import NAME
from errorflow_viewer.panels.node_columns import ROOM
from errorflow_viewer.panels.node_table import (
    ACCUMULATED,
    BADNESS_ROLE,
    FORMS_ROLE,
    MUTED_ROLE,
    NOTED_ROLE,
    POINTED_ROLE,
)
from errorflow_viewer.panels.short_names import fitting
from errorflow_viewer.panels.swatch import paint_swatch

# The side of the corner that marks a note.
_CORNER = 7.0
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
            option.text = fitting(index.data(FORMS_ROLE), lambda text: metrics.horizontalAdvance(text) <= room)
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
            paint_swatch(painter, option.rect, badness, self.palette, option.palette)
        if index.column() == NAME and index.data(NOTED_ROLE):
            _mark_note(painter, option.rect, option.palette)


def _mark_note(painter: QPainter, room: QRect, palette: QPalette) -> None:
    """A corner at the end of the name, as spreadsheets mark a cell with a comment."""
    right, top = float(room.right() + 1), float(room.top())
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.brush(QPalette.ColorRole.Link))
    painter.drawPolygon(QPolygonF([QPointF(right - _CORNER, top), QPointF(right, top), QPointF(right, top + _CORNER)]))
    painter.restore()
