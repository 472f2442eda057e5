"""A check box whose border is seen on dark ground as well: that of Qt's own style is darker than what it stands on."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton, QStylePainter

from errorflow_viewer.kit.look import RADIUS

STROKE = 1.0
# Of the text's colour, which makes three to one against the ground.
_BORDER = 0.6
# The tick, in parts of the box.
_TICK = ((0.22, 0.52), (0.42, 0.72), (0.78, 0.3))


class CheckBox(QCheckBox):
    """Looks the same in both themes."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        self._paint_box(painter, QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5))
        option.rect = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self)
        painter.drawControl(QStyle.ControlElement.CE_CheckBoxLabel, option)
        if self.hasFocus():
            painter.setPen(QPen(self.palette().accent(), STROKE))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS - 1, RADIUS - 1)
        painter.end()

    def _paint_box(self, painter: QPainter, box: QRectF) -> None:
        colors = self.palette()
        group = QPalette.ColorGroup.Normal if self.isEnabled() else QPalette.ColorGroup.Disabled
        accent, text = (colors.color(group, role) for role in (QPalette.ColorRole.Link, QPalette.ColorRole.WindowText))
        border = QColor(text)
        border.setAlphaF(_BORDER)
        on, aimed = self.isChecked(), self.hasFocus() or self.underMouse()
        painter.setPen(QPen(accent if on or aimed else border, STROKE))
        painter.setBrush(accent if on else colors.color(group, QPalette.ColorRole.Base))
        painter.drawRoundedRect(box, RADIUS - 1, RADIUS - 1)
        if on:
            painter.setPen(QPen(colors.color(group, QPalette.ColorRole.Base), 2 * STROKE, c=Qt.PenCapStyle.RoundCap))
            painter.drawPolyline([box.topLeft() + QPointF(x * box.width(), y * box.height()) for x, y in _TICK])
