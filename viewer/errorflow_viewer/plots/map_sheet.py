"""Planes of a tensor, large: reference, candidate and difference, which are moved and zoomed together."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsRectItem, QSpinBox, QWidget

from errorflow.base.values import dataclass
from errorflow.explain.inspect.figure import Axis, Doubles, number_text, plane_csv, ticks
from errorflow.explain.inspect.planes import PlaneView, plane_view
from errorflow_viewer.kit.layouts import text_label
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.plots.box import LegendEntry, Marks, PaintedBox, PlotAxis, PlotBox, PlotLegend
from errorflow_viewer.plots.large import MapContent
from errorflow_viewer.plots.shades import difference_ramp, value_ramp
from errorflow_viewer.plots.sheet import PlotSheet

TITLES = ("Reference", "Candidate", "Difference")
DIFFERENCE = 2
# Of a plane with longer sides only so many values are drawn.
MOST_SIDE = 1024
# From here on planes stand above each other.
_FLAT = 2.4


@dataclass(frozen=True, slots=True, eq=False)
class MapTile:
    """One picture with its title and axes."""

    title: PlotLegend
    box: PlotBox
    left: PlotAxis
    bottom: PlotAxis
    image: pg.ImageItem
    # Seen where there is no number.
    ground: QGraphicsRectItem
    # Held here, or nobody would paint it.
    cell: "Cell"


class MapSheet(PlotSheet):
    """Steps through the planes by itself."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.setAccessibleName("Maps")
        self._content: MapContent | None = None
        self._view: PlaneView | None = None
        self.cell: tuple[int, int] | None = None
        self._moving = False
        self._down: bool | None = None
        self.plane = QSpinBox()
        self.plane.setAccessibleName("Plane")
        self.plane.lineEdit().setAccessibleName("Plane")
        self.plane.setToolTip("Which plane of the tensor is shown (Page up, Page down)")
        self.plane.valueChanged.connect(lambda _: self._draw())
        self.where = text_label(role="label")
        self.tiles = [self._made() for _ in TITLES]
        self.bars = (ColorBar(both=False), ColorBar(both=True))
        for bar in self.bars:
            bar.changed.connect(self._shade)
        self.boxes = [tile.box for tile in self.tiles]

    def _made(self) -> MapTile:
        box = PlotBox(both=True)
        box.invertY(True)
        box.setAspectLocked(True)
        image, ground = pg.ImageItem(axisOrder="row-major"), QGraphicsRectItem()
        ground.setPen(Qt.PenStyle.NoPen)
        for item in (ground, image):
            box.addItem(item, ignoreBounds=True)
        tile = MapTile(PlotLegend(), box, PlotAxis("left"), PlotAxis("bottom"), image, ground, Cell(self, box))
        for axis in (tile.left, tile.bottom):
            axis.linkToView(box)
        tile.left.ask(lambda low, high, most: _marks(low, high, self.size_.height(), most))
        tile.bottom.ask(lambda low, high, most: _marks(low, high, self.size_.width(), most))
        box.moved.connect(partial(self._follow, box))
        return tile

    @property
    def title(self) -> str:
        content = self._content
        return "" if content is None else f"Maps of {content.name}"

    @property
    def notes(self) -> str:
        content = self._content
        if content is None:
            return ""
        rows, columns = content.planes.steps(MOST_SIDE)
        shape = content.planes.shape
        told = f"{shape[content.planes.rows]:,} × {shape[content.planes.columns]:,} values"
        return told if rows == columns == 1 else f"{told}, every {rows:,}th row and every {columns:,}th column"

    def controls(self) -> Sequence[QWidget]:
        return (self.plane, self.where)

    def show_content(self, content: MapContent) -> None:
        before, self._content = self._content, content
        self.plane.blockSignals(True)
        self.plane.setRange(0, content.planes.count - 1)
        self.plane.setValue(content.number)
        self.plane.blockSignals(False)
        several = content.planes.count > 1
        self.plane.setVisible(several)
        self.where.setVisible(several)
        self._arrange()
        self._draw()
        if before is None or before.planes != content.planes:
            self.fit()

    def turn(self, step: int) -> None:
        self.plane.setValue(self.plane.value() + step)

    def dress(self, theme: Theme) -> None:
        super().dress(theme)
        if self._view is not None:
            self._dress()

    def fit(self) -> None:
        if self._content is None:
            return
        size = self.size_
        for bar in self.bars:
            bar.reset()
        for box in self.boxes:
            box.setRange(QRectF(QPointF(), size.bottomRight()), padding=0.01)

    def numbers(self) -> Callable[[], str]:
        content, view = self._content, self._view
        return lambda: "" if content is None or view is None else plane_csv(view, *content.planes.steps(MOST_SIDE))

    @property
    def size_(self) -> QRectF:
        """Size in values, also of those that are not drawn."""
        if self._content is None:
            return QRectF()
        planes = self._content.planes
        return QRectF(0, 0, planes.shape[planes.columns], planes.shape[planes.rows])

    def _sides(self) -> list[Doubles | None]:
        view = self._view
        return [] if view is None else [view.reference, view.candidate, view.difference]

    def _arrange(self) -> None:
        """Arranges pictures beside each other, or above, whatever leaves more room for planes of that form."""
        size = self.size_
        down = size.width() > _FLAT * size.height()
        if down == self._down:
            return
        if self._down is not None:
            for item in list(self.layout_.items):
                self.layout_.removeItem(item)
        self._down = down
        for at, tile in enumerate(self.tiles):
            row, column = (3 * at, 0) if down else (0, 2 * at if at < DIFFERENCE else 2 * at + 2)
            for item, below, beside in ((tile.title, 0, 1), (tile.left, 1, 0), (tile.box, 1, 1), (tile.bottom, 2, 1)):
                self.layout_.addItem(item, row + below, column + beside)
        # The first bar is for two pictures.
        places = ((4, 2), (3 * DIFFERENCE + 1, 2)) if down else ((1, 4), (1, 8))
        for bar, (row, column) in zip(self.bars, places, strict=True):
            self.layout_.addItem(bar.box, row, column)
            self.layout_.addItem(bar.axis, row, column + 1)

    def _draw(self) -> None:
        content = self._content
        if content is None:
            return
        number = self.plane.value()
        self._view = plane_view(content.tensors, content.planes, number, MOST_SIDE)
        index = ", ".join(map(str, content.planes.index(number)))
        self.where.setText(f"[{index}] of {content.planes.count:,}")
        size = self.size_
        for tile, side in zip(self.tiles, self._sides(), strict=True):
            there = side is not None
            for item in (tile.title, tile.box, tile.left, tile.bottom):
                item.setVisible(there)
            if side is not None:
                tile.image.setImage(np.where(np.isfinite(side), side, np.nan), autoLevels=False)
                tile.image.setRect(size)
                tile.ground.setRect(size)
                broken = not np.isfinite(side).all()
                tile.ground.setBrush(QColor(self.theme.overflow) if broken else Qt.BrushStyle.NoBrush)
        self._dress()
        self._point_at(self.cell)

    def _dress(self) -> None:
        view, theme = self._view, self.theme
        assert view is not None, "drawn before"
        ramps = [np.rint(ramp(theme)).astype(np.uint8) for ramp in (value_ramp, difference_ramp)]
        self.bars[0].show_range(view.low, view.high, ramps[0], theme)
        self.bars[1].show_range(-view.largest, view.largest, ramps[1], theme)
        for item in (self.bars[1].box, self.bars[1].axis):
            item.setVisible(view.difference is not None)
        for at, tile in enumerate(self.tiles):
            tile.title.fill((LegendEntry(TITLES[at]),), theme)
            tile.image.setLookupTable(ramps[at == DIFFERENCE])
            tile.left.dress(theme)
            tile.bottom.dress(theme)
        self._shade()

    def _shade(self) -> None:
        for at, tile in enumerate(self.tiles):
            tile.image.setLevels(self.bars[at == DIFFERENCE].levels)

    def _follow(self, leader: PlotBox) -> None:
        """The other pictures show the same part."""
        if self._moving:
            return
        self._moving = True
        for box in self.boxes:
            if box is not leader and box.isVisible():
                box.setRange(leader.viewRect(), padding=0)
        self._moving = False

    # Pointer and keys

    def point(self, spot: QPointF | None) -> None:
        box = next((box for box in self.boxes if spot is not None and box.sceneBoundingRect().contains(spot)), None)
        if box is None or spot is None or not box.isVisible():
            self._point_at(None)
            return
        at = box.mapSceneToView(spot)
        self._point_at((int(np.floor(at.y())), int(np.floor(at.x()))))

    def step(self, across: int, down: int) -> None:
        row, column = (0, 0) if self.cell is None else (self.cell[0] + down, self.cell[1] + across)
        size = self.size_
        rows, columns = int(size.height()), int(size.width())
        self._point_at((min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)))

    def _point_at(self, cell: tuple[int, int] | None) -> None:
        if cell is not None and not self.size_.contains(cell[1] + 0.5, cell[0] + 0.5):
            cell = None
        self.cell = cell
        text = ""
        if cell is not None and self._content is not None:
            steps = self._content.planes.steps(MOST_SIDE)
            drawn = cell[0] // steps[0], cell[1] // steps[1]
            values = [(title, side) for title, side in zip(TITLES, self._sides(), strict=True) if side is not None]
            told = " · ".join(f"{title} {number_text(float(side[drawn]))}" for title, side in values)
            text = f"Row {drawn[0] * steps[0]:,}, column {drawn[1] * steps[1]:,}: {told}"
        self.said.emit(text)
        for tile in self.tiles:
            tile.cell.update()


class Cell(PaintedBox):
    """Cell that is pointed at, in each of the pictures."""

    def __init__(self, sheet: MapSheet, box: PlotBox) -> None:
        self._sheet = sheet
        super().__init__(box, depth=30)

    def draw(self, painter: QPainter) -> None:
        sheet = self._sheet
        painter.setPen(QPen(QColor(sheet.theme.control_border), 1))
        whole = sheet.size_
        ends = self.box.mapFromView(whole.topLeft()), self.box.mapFromView(whole.bottomRight())
        painter.drawRect(QRectF(*ends).normalized())
        cell = sheet.cell
        if cell is None or sheet.exporting:
            return
        first = self.box.mapFromView(QPointF(cell[1], cell[0]))
        last = self.box.mapFromView(QPointF(cell[1] + 1, cell[0] + 1))
        painter.setPen(QPen(QColor(sheet.theme.selection), 2))
        painter.drawRect(QRectF(first, last).normalized().adjusted(-1, -1, 1, 1))


def _marks(low: float, high: float, last: float, most: int) -> Marks:
    """Rows or columns that are there."""
    low, high = max(low, 0.0), min(high, last)
    return ticks(Axis("", low, high, whole=True), most) if high > low else []


WIDTH = 14.0
_GRIP = 3


class ColorBar(QObject):
    """Bar of colours. `both`: zero stays in the middle."""

    changed = Signal()

    def __init__(self, both: bool) -> None:
        super().__init__()
        self._both = both
        self._ends = (0.0, 1.0)
        # Of levels that lie on both sides of zero.
        self._largest = 0.0
        self.box, self.axis = PlotBox(), PlotAxis("right")
        self.box.setMouseEnabled(False, False)
        self.box.setFixedWidth(WIDTH)
        self.axis.linkToView(self.box)
        self.axis.ask(lambda low, high, most: ticks(Axis("", low, high), most))
        self._image = pg.ImageItem(axisOrder="row-major")
        self.grips = pg.LinearRegionItem(orientation="horizontal", swapMode="block")
        self.grips.sigRegionChanged.connect(self._drag)
        for item in (self._image, self.grips):
            self.box.addItem(item, ignoreBounds=True)

    @property
    def levels(self) -> tuple[float, float]:
        low, high = self.grips.getRegion()
        return float(low), float(high)

    def show_range(self, low: float, high: float, ramp: NDArray[np.uint8], theme: Theme) -> None:
        """New ends, which the levels are at."""
        low, high = (low, high) if high > low else (low - 0.5, high + 0.5)
        fresh = (low, high) != self._ends
        self._ends = low, high
        self.dress(ramp, theme)
        if fresh:
            self.box.setRange(yRange=(low, high), xRange=(0, 1), padding=0)
            self.reset()

    def dress(self, ramp: NDArray[np.uint8], theme: Theme) -> None:
        low, high = self._ends
        self._image.setImage(ramp[:, None, :], levels=(0, 255))
        self._image.setRect(QRectF(0, low, 1, high - low))
        clear = QColor(0, 0, 0, 0)
        self.grips.setBrush(clear)
        self.grips.setHoverBrush(clear)
        for line in self.grips.lines:
            line.setPen(pg.mkPen(theme.selection, width=_GRIP))
            line.setHoverPen(pg.mkPen(theme.focus, width=_GRIP + 2))
        self.axis.dress(theme)

    def reset(self) -> None:
        self.grips.setBounds(self._ends)
        self.grips.setRegion(self._ends)

    def _drag(self) -> None:
        if self._both:
            low, high = self.levels
            moved = -low if abs(-low - self._largest) > abs(high - self._largest) else high
            self._largest = moved
            self.grips.blockSignals(True)
            self.grips.setRegion((-moved, moved))
            self.grips.blockSignals(False)
        self.changed.emit()
