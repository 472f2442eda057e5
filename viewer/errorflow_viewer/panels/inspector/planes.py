"""Pictures of one plane beside or below each other, with a shade scale each; values under the pointer are told."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from errorflow.explain.inspect.figure import number_text
from errorflow.explain.inspect.figure_csv import plane_csv
from errorflow.explain.inspect.planes import PlaneView
from errorflow_viewer.commands.copy_save.plots import Plot as GivenPlot
from errorflow_viewer.commands.copy_save.plots import image_of, svg_of
from errorflow_viewer.kit.look import LABEL, PADDING, Theme
from errorflow_viewer.kit.style import font
from errorflow_viewer.plots.large import KEY as LARGE_KEY
from errorflow_viewer.plots.shades import difference_image, ramp_image, value_image

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
        """What its context menu gives away."""
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
        """Where the pictures are: side by side or one above the other, whichever makes them larger."""
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
