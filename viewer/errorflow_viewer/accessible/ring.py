"""A ring round what has the keyboard, where Qt's own style hardly shows it."""

from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractSpinBox, QCheckBox, QComboBox, QFocusFrame, QRadioButton, QSlider, QWidget

_FAINT = (QAbstractSpinBox, QCheckBox, QComboBox, QRadioButton, QSlider)
_WIDE, _ROUND = 2.0, 4.0


class Ring(QFocusFrame):
    """Follows a widget wherever it goes."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.hide()

    def show_on(self, widget: QWidget, by_key: bool) -> None:
        round_it = by_key and isinstance(widget, _FAINT)
        self.setWidget(widget if round_it else None)  # type: ignore[arg-type]  # none may be
        self.setVisible(round_it)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().accent(), _WIDE))
        half, parent = _WIDE / 2, self.parentWidget()
        room = self.rect() if parent is None else self.rect() & parent.rect().translated(-self.pos())
        painter.drawRoundedRect(room.toRectF().adjusted(half, half, -half, -half), _ROUND, _ROUND)
        painter.end()
