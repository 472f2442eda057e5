"""The area of a large plot: a drag zooms into what it encloses, the wheel zooms round the pointer."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from errorflow_viewer.kit.look import Theme

# A band that is flatter than this zooms along one axis only.
_FLAT = 14.0
_BAND = 0.16


class PlotBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """`clicked` tells where, in the numbers of the axes."""

    clicked = Signal(object)
    # After any change of what is seen, and of the size.
    moved = Signal()

    def __init__(self, both: bool = False) -> None:
        """Makes the box. `both`: the wheel zooms along both axes, else along x."""
        super().__init__(enableMenu=False, defaultPadding=0.0)
        self.both, self.pans = both, False
        self.disableAutoRange()
        self.sigRangeChanged.connect(self._tell)
        self.sigResized.connect(self._tell)

    def _tell(self, *_: object) -> None:
        self.moved.emit()

    def dress(self, theme: Theme) -> None:
        color = QColor(theme.selection)
        self.rbScaleBox.setPen(QPen(color, 0))
        color.setAlphaF(_BAND)
        self.rbScaleBox.setBrush(color)
        self.setBackgroundColor(None)

    def area(self) -> QRectF:
        """Finds its room, in its own px."""
        return QRectF(0, 0, self.width(), self.height())

    def keep_within(self, x: tuple[float, float], y: tuple[float, float], nearest: float = 1000.0) -> None:
        """Keeps the view within: nothing lies outside; `nearest`: how far one can go into it."""
        across, high = x[1] - x[0], y[1] - y[0]
        self.setLimits(
            xMin=x[0], xMax=x[1], yMin=y[0], yMax=y[1], minXRange=across / nearest, minYRange=high / nearest,
            maxXRange=across, maxYRange=high,
        )  # fmt: skip

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        self.scaleBy((1 / factor, 1 / factor if self.both else 1.0), center=around)

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        super().wheelEvent(event, 0 if axis is None and not self.both else axis)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        if event.button() == Qt.MouseButton.RightButton:
            event.ignore()
            return
        middle = event.button() == Qt.MouseButton.MiddleButton
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.setMouseMode(self.PanMode if self.pans or middle or shifted else self.RectMode)
        super().mouseDragEvent(event, axis)

    def mouseClickEvent(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.clicked.emit(self.mapToView(event.pos()))

    def showAxRect(self, rect: QRectF, **_: Any) -> None:
        """Shows a rectangle; what a flat band leaves out stays as it is."""
        (left, right), (low, high) = self.viewRange()
        rect = rect.normalized()
        across = rect.width() / max(right - left, 1e-300) * self.width()
        down = rect.height() / max(high - low, 1e-300) * self.height()
        x = None if across < _FLAT else (rect.left(), rect.right())
        y = None if down < _FLAT else (rect.top(), rect.bottom())
        if x is not None or y is not None:
            self.setRange(xRange=x, yRange=y, padding=0)
            self.sigRangeChangedManually.emit(self.state["mouseEnabled"])


class PaintedBox(QGraphicsObject):
    """Thing in a box that is painted in its pixels, not in numbers of the axes: lines and text keep their size.

    Every kind has a `draw` of its own.
    """

    def __init__(self, box: PlotBox, depth: float = 0.0) -> None:
        super().__init__(box)
        self.box = box
        self.setZValue(depth)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        box.moved.connect(self._on_moved)

    def boundingRect(self) -> QRectF:
        return self.box.area()

    def _on_moved(self) -> None:
        self.prepareGeometryChange()
        self.update()

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        painter.save()
        painter.setClipRect(self.box.area(), Qt.ClipOperation.IntersectClip)
        self.draw(painter)
        painter.restore()

    def draw(self, painter: QPainter) -> None:
        """Draws in px of the box."""
        raise AssertionError(f"{type(self).__name__} does not paint on {painter}")
