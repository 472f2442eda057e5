"""A plot of the report in the theme of the window, as sharp as the screen is."""

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from errorflow.base.language.drawn import drawn
from errorflow.report.figure_shapes import colors_in_the_dark
from errorflow.report.html.themed import recolored
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.plots.saving import in_our_font

# In logical px: never smaller, or nobody reads its numbers.
LEAST = 240
# Of the size that it was made in.
LARGEST = 1.1


class VerdictPicture(QWidget):
    """Picture as wide as there is room, and as high as that makes it."""

    def __init__(self, svg: str, theme: Theme, said: str) -> None:
        super().__init__()
        text = recolored(svg, colors_in_the_dark()) if theme.dark else svg
        # As it is shown, for other programs.
        self.svg = drawn(text).encode("utf-8", "replace")
        self._renderer = QSvgRenderer(QByteArray(in_our_font(self.svg)), self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(said)

    def sizeHint(self) -> QSize:
        return self._renderer.defaultSize()

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST, self.heightForWidth(LEAST))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        size = self._renderer.defaultSize()
        return round(self._across(width) * size.height() / max(size.width(), 1))

    def _across(self, width: int) -> float:
        """Computes a width at which its letters do not become larger than those around it."""
        return min(float(width), LARGEST * self._renderer.defaultSize().width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self._renderer.render(painter, QRectF(0, 0, self._across(self.width()), self.heightForWidth(self.width())))
