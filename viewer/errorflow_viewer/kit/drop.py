"""Says while files are dragged over the window that they may be dropped."""

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.look import RADIUS, TITLE, Theme
from errorflow_viewer.kit.stacking import StaysAbove
from errorflow_viewer.kit.style import font

_ICON = 24


class DropOverlay(QWidget):
    """A veil with a frame over the whole window; the mouse goes through it."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        StaysAbove(self)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    def appear(self) -> None:
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        theme, painter = self._theme, QPainter(self)
        veil = QColor(theme.canvas)
        veil.setAlphaF(0.88)
        painter.fillRect(self.rect(), veil)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.accent), 2, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(self.rect().adjusted(16, 16, -16, -16), 2 * RADIUS, 2 * RADIUS)
        middle = self.rect().center()
        drawn = icons.pixmap("drop", theme.accent, _ICON, self.devicePixelRatioF())
        painter.drawPixmap(middle.x() - _ICON // 2, middle.y() - _ICON - 8, drawn)
        painter.setFont(font(TITLE, strong=True))
        painter.setPen(QColor(theme.text))
        painter.drawText(self.rect().adjusted(0, 32, 0, 0), Qt.AlignmentFlag.AlignCenter, "Drop to open")
        painter.end()


def dropped_files(data: QMimeData) -> list[Path]:
    """The local files in what is dragged."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
