"""Feature maps channel by channel; a vector as a line."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QSpinBox, QStackedWidget, QWidget

from errorflow.base.values import dataclass
from errorflow.explain.inspect.figure import number_text, plane_csv
from errorflow.explain.inspect.figures import line_figure
from errorflow.explain.inspect.planes import Planes, PlaneView, plane_view
from errorflow.explain.inspect.tensors import Tensors
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.plots import Plot as GivenPlot
from errorflow_viewer.commands.copy_save.plots import image_of, offer_plot, svg_of
from errorflow_viewer.kit.layouts import text_label
from errorflow_viewer.kit.look import LABEL, PADDING, Theme
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.inspector.figure_view import FigureView
from errorflow_viewer.panels.inspector.view import Subject, View
from errorflow_viewer.plots.large import KEY as LARGE_KEY
from errorflow_viewer.plots.large import FigureContent, Large, MapContent
from errorflow_viewer.plots.shades import difference_image, ramp_image, value_image

MANY_VALUES = 32_768


class PlanesView:
    """Begins with the worst channel."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        theme = desk.appearance.theme
        self.large = Large(desk, "planes", "Maps")
        self.widget = FigureView(theme, self.large)
        self.pictures = PlanePictures(theme)
        offer_plot(desk, self.pictures, self.pictures.given())
        self.stack = QStackedWidget()
        box = self.widget.layout()
        assert box is not None
        box.replaceWidget(self.widget.plot, self.stack)
        self.stack.addWidget(self.pictures)
        self.stack.addWidget(self.widget.plot)
        self.plane = QSpinBox()
        self.plane.setAccessibleName("Plane")
        self.plane.lineEdit().setAccessibleName("Plane")
        self.plane.setToolTip("Which plane of the tensor is shown; it begins with the worst channel")
        self.plane.valueChanged.connect(self._draw)
        self.where = text_label(role="label")
        self.widget.controls.addWidget(self.plane)
        self.widget.controls.addWidget(self.where, 1)
        self.pictures.pointed.connect(self._say)
        self.pictures.enlarged.connect(lambda: self.large.open(self.widget))
        self._subject: Subject | None = None
        self._planes: Planes | None = None

    def show(self, subject: Subject | None) -> None:
        before = None if self._subject is None or self._subject.looked is None else self._subject.looked.tensors
        self._subject = subject
        looked = None if subject is None else subject.looked
        tensors = None if looked is None else looked.tensors
        if tensors is not before or tensors is None:
            self._planes = None if tensors is None else Planes.of(tensors.shape, tensors.axis)
            count = 1 if self._planes is None else self._planes.count
            self.plane.blockSignals(True)
            self.plane.setRange(0, count - 1)
            self.plane.setValue(self._worst())
            self.plane.blockSignals(False)
        several = self._planes is not None and self._planes.count > 1
        self.plane.setVisible(several)
        self.where.setVisible(several)
        self._draw()

    def _worst(self) -> int:
        looked = None if self._subject is None else self._subject.looked
        if self._planes is None or looked is None or looked.channels is None:
            return 0
        return self._planes.number(looked.channels.axis, int(looked.channels.order[0]))

    def _draw(self, _number: int = 0) -> None:
        looked = None if self._subject is None else self._subject.looked
        theme = self._desk.appearance.theme
        if looked is None or self._planes is None:
            self.pictures.show_plane(None, theme)
            self.large.show(None if looked is None or not looked.tensors.size else _line(looked.tensors))
            flat = looked is not None and looked.tensors.size > 0
            self.widget.show_figure(line_figure(looked.tensors) if flat and looked is not None else None, theme)
            self.stack.setCurrentWidget(self.widget.plot)
            return
        number = self.plane.value()
        self.widget.plot.show_figure(None, theme)
        self.pictures.show_plane(plane_view(looked.tensors, self._planes, number), theme)
        self.large.show(MapContent(looked.tensors.name, looked.tensors, self._planes, number))
        self.stack.setCurrentWidget(self.pictures)
        at = zip(self._planes.counting, self._planes.index(number), strict=True)
        said = ", ".join(f"axis {axis}: {place}" for axis, place in at if self._planes.shape[axis] > 1)
        self.where.setText(f"of {self._planes.count:,} · {said}")
        self._say("")

    def _say(self, text: str) -> None:
        if self._planes is not None:
            rows, columns = (self._planes.shape[axis] for axis in (self._planes.rows, self._planes.columns))
            self.widget.notes.setText(text if text else f"{rows:,} × {columns:,} values, both sides in the same shades")


def _line(tensors: Tensors) -> FigureContent:
    """A vector, with all the values that a window is wide enough for."""
    return FigureContent(tensors.name, lambda _: line_figure(tensors, MANY_VALUES))


PLANES = View("planes", "Maps", PlanesView)


Doubles = NDArray[np.float64]
_RAMP = 6.0


@dataclass(frozen=True, slots=True, eq=False)
class _Tile:
    title: str
    values: Doubles
    low: float
    high: float
    difference: bool

    def image(self, theme: Theme) -> QImage:
        if self.difference:
            return difference_image(self.values, self.high, theme)
        return value_image(self.values, self.low, self.high, theme)


class PlanePictures(QWidget):
    """`pointed`: what both sides hold under the pointer; "": nothing."""

    pointed = Signal(str)
    enlarged = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._tiles: list[_Tile] = []
        self._images: list[QImage] = []
        self._cell: tuple[int, int] | None = None
        self._view: PlaneView | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(120)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Planes")

    def sizeHint(self) -> QSize:
        return QSize(240, 240)

    def show_plane(self, view: PlaneView | None, theme: Theme) -> None:
        self._theme, self._cell, self._view = theme, None, view
        self._tiles = [] if view is None else list(_tiles(view))
        self._images = [tile.image(theme) for tile in self._tiles]
        self.setAccessibleDescription(", ".join(_ends(tile) for tile in self._tiles))
        self.pointed.emit("")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._theme.surface))
        self._draw(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.focus), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()

    def given(self) -> GivenPlot:
        """Makes what its context menu offers."""
        return GivenPlot(
            lambda: "plane",
            lambda: image_of(self.size(), self._theme.surface, self._draw),
            lambda: svg_of(self.size(), self._theme.surface, self._draw, "Plane"),
            self._numbers,
            lambda: bool(self._tiles),
        )

    def _numbers(self) -> Callable[[], str]:
        view = self._view
        return str if view is None else lambda: plane_csv(view)

    def _draw(self, painter: QPainter) -> None:
        painter.setFont(font(LABEL))
        for tile, image, spot in zip(self._tiles, self._images, self.spots(), strict=True):
            self._paint_tile(painter, tile, image, spot)

    def spots(self) -> list[QRectF]:
        """Places the pictures side by side or one above the other, whichever makes them larger."""
        if not self._tiles:
            return []
        rows, columns = self._tiles[0].values.shape
        count = len(self._tiles)
        ways = [self._grid(across, rows, columns) for across in {1, count}]
        return max(ways, key=lambda spots: spots[0].width() * spots[0].height())

    def _grid(self, across: int, rows: int, columns: int) -> list[QRectF]:
        count, line = len(self._tiles), QFontMetricsF(font(LABEL)).height()
        down = -(-count // across)
        wide = (self.width() - PADDING * (across + 1)) / across
        high = (self.height() - PADDING * (down + 1)) / down - 2 * line - _RAMP
        scale = max(min(wide / columns, high / rows), 0.01)
        size = columns * scale, rows * scale
        found = []
        for at in range(count):
            x = PADDING + (at % across) * (wide + PADDING) + (wide - size[0]) / 2
            y = PADDING + (at // across) * (high + 2 * line + _RAMP + PADDING) + line
            found.append(QRectF(x, y, *size))
        return found

    def _paint_tile(self, painter: QPainter, tile: _Tile, image: QImage, spot: QRectF) -> None:
        line = QFontMetricsF(font(LABEL)).height()
        painter.setPen(QColor(self._theme.text))
        wide = QRectF(spot.left(), spot.top() - line, max(spot.width(), 90), line)
        painter.drawText(wide, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, tile.title)
        painter.drawImage(spot, image)
        painter.setPen(QPen(QColor(self._theme.hairline), 1))
        painter.drawRect(spot)
        ramp = QRectF(spot.left(), spot.bottom() + 3, spot.width(), _RAMP - 2)
        painter.drawImage(ramp, ramp_image(self._theme, tile.difference))
        painter.setPen(QColor(self._theme.muted))
        foot = QRectF(spot.left(), ramp.bottom(), spot.width(), line)
        low, high = number_text(tile.low), number_text(tile.high)
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, low)
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, high)
        if self._cell is not None:
            rows, columns = tile.values.shape
            unit = QPointF(spot.width() / columns, spot.height() / rows)
            at = spot.topLeft() + QPointF(self._cell[1] * unit.x(), self._cell[0] * unit.y())
            painter.setPen(QPen(QColor(self._theme.focus), 2))
            painter.drawRect(QRectF(at, at + unit))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        spot = next((spot for spot in self.spots() if spot.contains(at)), None)
        if spot is None:
            self._point(None)
            return
        rows, columns = self._tiles[0].values.shape
        row = int((at.y() - spot.top()) / spot.height() * rows)
        column = int((at.x() - spot.left()) / spot.width() * columns)
        self._point((min(row, rows - 1), min(column, columns - 1)))

    def leaveEvent(self, _event: QEvent) -> None:
        self._point(None)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.enlarged.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        if event.key() == LARGE_KEY:
            self.enlarged.emit()
            return
        steps = {keys.Key_Left: (0, -1), keys.Key_Right: (0, 1), keys.Key_Up: (-1, 0), keys.Key_Down: (1, 0)}
        step = steps.get(keys(event.key()))
        if step is None or not self._tiles:
            super().keyPressEvent(event)
            return
        rows, columns = self._tiles[0].values.shape
        row, column = (0, 0) if self._cell is None else (self._cell[0] + step[0], self._cell[1] + step[1])
        self._point((min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)))

    def _point(self, cell: tuple[int, int] | None) -> None:
        if cell == self._cell:
            return
        self._cell = cell
        said = "" if cell is None else f"Row {cell[0]}, column {cell[1]}: "
        said += (
            "" if cell is None else " · ".join(f"{t.title} {number_text(float(t.values[cell]))}" for t in self._tiles)
        )
        self.pointed.emit(said)
        self.update()


def _tiles(view: PlaneView) -> list[_Tile]:
    found = []
    for title, side in (("Reference", view.reference), ("Candidate", view.candidate)):
        if side is not None:
            found.append(_Tile(title, side, view.low, view.high, False))
    if view.difference is not None:
        found.append(_Tile("Difference", view.difference, -view.largest, view.largest, True))
    return found


def _ends(tile: _Tile) -> str:
    return f"{tile.title} from {number_text(tile.low)} to {number_text(tile.high)}"
