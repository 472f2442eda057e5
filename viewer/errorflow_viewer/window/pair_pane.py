"""A graph of two with its title: which model it is, which side, and what is told about it."""

from typing import TypeVar

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.elided import Elided as Elided
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import PADDING, Theme
from errorflow_viewer.kit.scaling import OWN_SIZE

T = TypeVar("T", bound=QLabel)
_HIGH = 28
# Below such widths it is not told how many nodes there are, or what belongs to what is selected.
_WIDE, _MIDDLE = 460, 340


class Title(QWidget):
    """A row above a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(_HIGH)
        self._text = ""
        self.name = Elided(Qt.TextElideMode.ElideMiddle)
        self.name.setProperty("role", "strong")
        self.about = _muted(QLabel())
        self.told = _muted(Elided(Qt.TextElideMode.ElideRight))
        self.told.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.swatch = Swatch()
        self.lonely = _muted(QLabel())
        self._row = spaced(QHBoxLayout(self), PADDING, (PADDING + 4, 0, 4, 0))
        self.name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row.addWidget(self.name)
        self._row.addWidget(self.about)
        self._row.addWidget(self.told, 1)
        for widget in (self.swatch, self.lonely):
            self._row.addWidget(widget)
        self.show_lonely("", "")

    def add_button(self, icon: str, text: str) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setToolTip(text)
        button.setAccessibleName(text)
        icons.follow(button, icon)
        self._row.addWidget(button)
        return button

    def show_name(self, name: str, about: str, tip: str) -> None:
        self.name.show_text(name)
        self.about.setText(about)
        for label in (self.name, self.about):
            label.setToolTip(tip)

    def show_lonely(self, text: str, tip: str) -> None:
        """Beside the mark of nodes without a partner, how many there are."""
        self.lonely.setText(text)
        for widget in (self.swatch, self.lonely):
            widget.setVisible(bool(text))
            widget.setToolTip(f"{text}. {tip}")

    def tell(self, text: str) -> None:
        """Until something is pointed at."""
        self._text = text
        self.point("")

    def point(self, text: str) -> None:
        """What the pointer is on; empty: on nothing."""
        shown = text if text else self._text
        self.told.show_text(shown)
        self.told.setToolTip(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The name comes first, the side and the mark next."""
        super().resizeEvent(event)
        self.about.setVisible(self.width() >= _WIDE)
        self.told.setVisible(self.width() >= _MIDDLE)


class Swatch(QWidget):
    """How nodes without a partner are marked."""

    def __init__(self) -> None:
        super().__init__()
        self._color = QColor()
        self.setFixedSize(QSize(18, 14))

    def set_theme(self, theme: Theme) -> None:
        self._color = QColor(theme.muted)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._color, 1.5)
        pen.setDashPattern([3.0, 2.0])
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(1.5, 1.5, 15.0, 11.0), 3.0, 3.0)
        painter.end()


class Pane(QWidget):
    """A title above what it is the title of."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.title = Title()
        self._content = content
        box = spaced(QVBoxLayout(self))
        box.addWidget(self.title)
        box.addWidget(content, 1)
        self.setProperty(OWN_SIZE, True)  # in little room a graph is as good in large text
        self.setMinimumSize(160, 112)

    def set_theme(self, theme: Theme) -> None:
        self.title.swatch.set_theme(theme)


def _muted(label: T) -> T:
    label.setProperty("muted", True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
