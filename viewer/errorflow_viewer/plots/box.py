"""The area of a large plot: a drag zooms into what it encloses, the wheel zooms round the pointer."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from errorflow.base.values import dataclass
from errorflow.report.figure_shapes import apart
from errorflow_viewer.kit.look import LABEL, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font

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


# The line above a large plot: what stands for what. A click hides or shows it.

HEIGHT = 24.0
_MARK, _SPACE, _APART = 12.0, 6.0, 18.0
_HIDDEN = 0.35


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """`paint` puts its mark into a rectangle."""

    label: str
    paint: Callable[[QPainter, QRectF], None] | None = None


class PlotLegend(pg.GraphicsWidget):  # type: ignore[misc]  # pyqtgraph has no types
    toggled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.entries: tuple[LegendEntry, ...] = ()
        self.hidden: set[str] = set()
        self._color = QColor()
        self.setFixedHeight(HEIGHT)

    def fill(self, entries: tuple[LegendEntry, ...], theme: Theme) -> None:
        """Fills the legend; of the same entries, those that were hidden stay hidden."""
        self.entries, self._color = entries, QColor(theme.text)
        self.hidden &= {entry.label for entry in entries}
        self.update()

    def toggle(self, label: str) -> None:
        self.hidden ^= {label}
        self.update()
        self.toggled.emit()

    def spots(self) -> list[tuple[LegendEntry, QRectF]]:
        """Finds where the entries stand, as far as there is room."""
        metrics, x = QFontMetricsF(font(LABEL)), 0.0
        found: list[tuple[LegendEntry, QRectF]] = []
        for entry in self.entries:
            mark = _MARK + _SPACE if entry.paint is not None else 0.0
            wide = mark + metrics.horizontalAdvance(entry.label)
            if x + wide > self.width() and found:
                break
            found.append((entry, QRectF(x, 0, wide, HEIGHT)))
            x += wide + _APART
        return found

    def paint(self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None) -> None:
        painter.setFont(font(LABEL))
        for entry, spot in self.spots():
            painter.setOpacity(_HIDDEN if entry.label in self.hidden else 1.0)
            text = QRectF(spot)
            if entry.paint is not None:
                painter.save()
                entry.paint(painter, QRectF(spot.left(), (HEIGHT - _MARK) / 2 + 1, _MARK, _MARK - 2))
                painter.restore()
                text.setLeft(spot.left() + _MARK + _SPACE)
            painter.setPen(self._color)
            painter.drawText(text.adjusted(0, 0, 2, 0), Qt.AlignmentFlag.AlignVCenter, entry.label)
        painter.setOpacity(1.0)

    def at(self, spot: QPointF) -> str:
        """The label there; "": none."""
        return next((entry.label for entry, room in self.spots() if room.contains(spot)), "")

    def mouseClickEvent(self, event: Any) -> None:
        label = self.at(event.pos())
        if label and event.button() == Qt.MouseButton.LeftButton:
            event.accept()
            self.toggle(label)


# An axis of a large plot: where its numbers stand is said by the figure, how it looks by the theme.

Marks = list[tuple[float, str]]
# From one end to the other, at most so many.
Ask = Callable[[float, float, int], Marks]
# How far apart two numbers are at least, along x and y.
_ROOM = {"bottom": 72.0, "left": 30.0, "right": 48.0}
_LETTER = 6.5


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """`grid`: its marks go through the plot as hairlines."""

    def __init__(self, side: str, grid: bool = False) -> None:
        self._ask: Ask = lambda _low, _high, _most: []
        self._marks: dict[float, str] = {}
        super().__init__(side, maxTickLength=4)
        self._side = side
        self.enableAutoSIPrefix(False)
        self.setStyle(tickTextOffset=4, autoExpandTextSpace=True, hideOverlappingLabels=side == "bottom")
        self.setTickFont(font(LABEL))
        self.setZValue(-10)
        if grid:
            self.setGrid(255)

    def dress(self, theme: Theme, label: str = "") -> None:
        self.setPen(QPen(QColor(theme.control_border), 1))
        self.setTickPen(QPen(QColor(theme.hairline if self.grid else theme.control_border), 1))
        self.setTextPen(QPen(QColor(theme.muted), 1))
        if label:
            self.setLabel(escape(label), **{"color": theme.text, "font-size": f"{px(LABEL)}px"})

    def ask(self, ask: Ask) -> None:
        """Takes its marks from there."""
        self._ask = ask
        self.picture = None
        self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = sorted((low, high))
        room = _ROOM[self._side]
        found = self._ask(low, high, max(int(size / room), 1))
        if self._side == "bottom" and found and high > low:
            wide = max(len(text) for _, text in found) * _LETTER + 8
            found = apart(found, lambda place: place * size / (high - low) / max(wide, 14.0))
        self._marks = dict(found)
        return [(1.0, list(self._marks))]

    def tickStrings(self, values: Sequence[float], _scale: float, _spacing: float) -> list[str]:
        return [self._marks.get(value, "") for value in values]
