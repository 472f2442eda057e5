"""A figure of the inspector, large: with the steps of the grid, a crosshair, and layers that can be hidden."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from errorflow.draw.shapes import Lines, Pen, Shape, rows
from errorflow.explain.inspect.figure import Axis, Figure, Layer, Points, Rules, figure_csv, number_text, ticks
from errorflow.explain.inspect.grid import Grid
from errorflow.explain.inspect.readout import readout, stops
from errorflow.report.figure_shapes import FigureScale, layer_shapes, mark_shapes
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.plots.box import LegendEntry, Marks, PaintedBox, PlotAxis, PlotBox, PlotLegend
from errorflow_viewer.plots.check_box import CheckBox
from errorflow_viewer.plots.figures import area_of, look_of
from errorflow_viewer.plots.large import FigureContent
from errorflow_viewer.plots.shapes import WindowLetters, paint_shapes
from errorflow_viewer.plots.sheet import Crosshair, PlotSheet

# So many px from the pointer a point is meant; so far apart steps must be to be drawn, and to be drawn right up.
_REACH, _STEPS, _LINES = 12.0, 3.0, 7.0
_FOOT = 6.0
# Times as fine as the screen are points in a file.
_FINE = 3.0


class FigureSheet(PlotSheet):
    """Shows one figure after the other; what is seen of it stays as long as its axes do."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.setAccessibleName("Plot")
        self._content: FigureContent | None = None
        self.figure: Figure | None = None
        self.cursor: float | None = None
        self.log = CheckBox("Logarithmic count")
        self.log.setToolTip("Count in powers of ten, so that few values are seen beside many (L)")
        self.log.clicked.connect(lambda: self._draw())
        self.legend = PlotLegend()
        self.legend.toggled.connect(self._hide)
        self.box = PlotBox()
        self.boxes = [self.box]
        self.left, self.bottom = PlotAxis("left", grid=True), PlotAxis("bottom")
        for axis in (self.left, self.bottom):
            axis.linkToView(self.box)
        self.layout_.addItem(self.legend, 0, 1)
        self.layout_.addItem(self.left, 1, 0)
        self.layout_.addItem(self.box, 1, 1)
        self.layout_.addItem(self.bottom, 2, 1)
        self._layers = FigureItem(self)
        self.points = pg.ScatterPlotItem(pxMode=True, pen=None)
        self.box.addItem(self.points, ignoreBounds=True)
        self._cross = Crosshair(self, self.box)

    @property
    def title(self) -> str:
        return "" if self.figure is None else self.figure.title

    @property
    def notes(self) -> str:
        return "" if self.figure is None else " · ".join(self.figure.notes)

    @property
    def labels(self) -> Sequence[tuple[str, bool]]:
        return [(entry.label, entry.label not in self.legend.hidden) for entry in self.legend.entries]

    @property
    def grid(self) -> Grid | None:
        return None if self._content is None else self._content.grid

    def controls(self) -> Sequence[QWidget]:
        return (self.log,)

    def toggle(self, label: str) -> None:
        self.legend.toggle(label)

    def switch_log(self) -> None:
        if not self.log.isHidden():
            self.log.click()

    def show_content(self, content: FigureContent) -> None:
        """Shows a content; of another tensor the switch is where it should be for that."""
        if self._content is None or self._content.name != content.name:
            self.log.setChecked(bool(content.log))
        self._content = content
        self.log.setVisible(content.log is not None)
        self._draw()

    def dress(self, theme: Theme) -> None:
        super().dress(theme)
        if self.figure is not None:
            self._dress(self.figure)

    def numbers(self) -> Callable[[], str]:
        figure = self.figure
        return lambda: "" if figure is None else figure_csv(figure)

    def svg(self) -> bytes:
        """Points are a picture within it: as shapes of their own they would make it a hundred times as large."""
        self.points.hide()
        try:
            return super().svg()
        finally:
            self.points.show()

    @property
    def seen_points(self) -> Points | None:
        """Points that are seen; None: there are none, or they are hidden."""
        layers = () if self.figure is None else self.figure.layers
        hidden = self.legend.hidden
        return next((each for each in layers if isinstance(each, Points) and each.label not in hidden), None)

    def fit(self) -> None:
        if self.figure is not None:
            x, y = self.figure.x, self.figure.y
            self.box.setRange(xRange=(x.low, x.high), yRange=(y.low, y.high), padding=0)

    def _draw(self) -> None:
        content, before = self._content, self.figure
        if content is None:
            return
        figure = self.figure = content.make(self.log.isChecked())
        scattered = next((layer for layer in figure.layers if isinstance(layer, Points)), None)
        self.box.both = scattered is not None
        self.setAccessibleName(figure.title)
        self.setAccessibleDescription(figure.told)
        seen = self.box.viewRange()[0] if before is not None else None
        self.box.keep_within((figure.x.low, figure.x.high), (figure.y.low, figure.y.high))
        self._dress(figure)
        if before is None or _ends(before.x) != _ends(figure.x):
            self.fit()
            if content.first is not None:
                self.box.setRange(xRange=content.first, padding=0)
        elif _ends(before.y) != _ends(figure.y):
            self.fit()
            self.box.setRange(xRange=seen, padding=0)
        self._put(None)

    def _dress(self, figure: Figure) -> None:
        self.left.dress(self.theme, figure.y.label)
        self.bottom.dress(self.theme, figure.x.label)
        self.left.ask(lambda low, high, most: _marks(figure.y, low, high, most))
        self.bottom.ask(lambda low, high, most: _marks(figure.x, low, high, most))
        self.legend.fill(tuple(self._entries(figure)), self.theme)
        self._hide()

    def _entries(self, figure: Figure) -> list[LegendEntry]:
        entries: dict[str, LegendEntry] = {}
        for layer in figure.layers:
            empty = isinstance(layer, Rules) and not len(layer.x) and not (layer.ticks and self.grid is not None)
            if layer.label not in entries and not empty:
                entries[layer.label] = LegendEntry(layer.label, self._mark(layer))
        return list(entries.values())

    def _mark(self, layer: Layer) -> Callable[[QPainter, QRectF], None]:
        return lambda painter, spot: paint_shapes(painter, mark_shapes(layer, area_of(spot), look_of(self.theme)))

    def _hide(self) -> None:
        """Draws what is not hidden."""
        figure = self.figure
        if figure is None:
            return
        seen = [layer for layer in figure.layers if layer.label not in self.legend.hidden]
        scattered = self.seen_points
        if scattered is None:
            self.points.setData([], [])
        else:
            many = len(scattered.x) > 1000
            brush = QColor(look_of(self.theme).roles[scattered.role])
            brush.setAlphaF(0.45 if many else 0.8)
            self.points.setData(scattered.x, scattered.y, size=3 if many else 6, brush=brush, pen=None)
        self._layers.show_layers([layer for layer in seen if not isinstance(layer, Points)])

    # Pointer and keys

    def point(self, spot: QPointF | None) -> None:
        figure = self.figure
        if figure is None or spot is None or not self.box.sceneBoundingRect().contains(spot):
            self._put(None)
            return
        at = self.box.mapSceneToView(spot)
        scattered = next((layer for layer in figure.layers if isinstance(layer, Points)), None)
        if scattered is None:
            self._put(at.x(), at.y())
            return
        near = self._nearest(scattered, at)
        x, y = (at.x(), at.y()) if near is None else (float(scattered.x[near]), float(scattered.y[near]))
        self._cross.put(x, y, ring=near is not None)
        told = f"{figure.x.label} {number_text(x)} · {figure.y.label} {number_text(y)}"
        self.said.emit(f"{told} · difference {number_text(y - x)}" if near is not None else told)

    def step(self, across: int, down: int) -> None:
        """Steps through bars, channels or values."""
        places = np.array([] if self.figure is None or down else stops(self.figure))
        if not len(places):
            return
        (low, high), cursor = self.box.viewRange()[0], self.cursor
        if cursor is None:
            place = float(places[np.searchsorted(places, low).clip(0, len(places) - 1)])
        else:
            at = int(np.abs(places - cursor).argmin()) + across
            place = float(places[min(max(at, 0), len(places) - 1)])
        if not low <= place <= high:
            self.box.translateBy(x=place - (low + high) / 2)
        self._put(place)

    def _put(self, x: float | None, y: float | None = None) -> None:
        text = "" if x is None or self.figure is None else readout(self.figure, x)
        self.cursor = x if text else None
        self._cross.put(self.cursor, y)
        self.said.emit(text)

    def _nearest(self, points: Points, at: QPointF) -> int | None:
        """The point that is meant."""
        if not len(points.x):
            return None
        wide, high = self.box.viewPixelSize()
        away = np.hypot((points.x - at.x()) / wide, (points.y - at.y()) / high)
        found = int(away.argmin())
        return found if away[found] <= _REACH else None


class FigureItem(PaintedBox):
    """The layers but the points, as the panel paints them."""

    def __init__(self, sheet: FigureSheet) -> None:
        self._sheet = sheet
        self._shown: list[Layer] = []
        super().__init__(sheet.box, depth=-5)

    def show_layers(self, layers: list[Layer]) -> None:
        self._shown = layers
        self.update()

    def draw(self, painter: QPainter) -> None:
        (left, right), (low, high) = self.box.viewRange()
        scale, look = FigureScale(area_of(self.box.area()), left, right, low, high), look_of(self._sheet.theme)
        grid = self._sheet.grid
        for layer in self._shown:
            if isinstance(layer, Rules) and layer.ticks and grid is not None:
                paint_shapes(painter, _steps(grid, scale, look.text))
            else:
                paint_shapes(painter, layer_shapes(layer, scale, look, WindowLetters()))
        points = self._sheet.seen_points
        if points is not None and not self._sheet.points.isVisible():
            self._picture(painter, points, scale)

    def _picture(self, painter: QPainter, points: Points, scale: FigureScale) -> None:
        area = self.box.area()
        image = QImage((area.size() * _FINE).toSize(), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(_FINE)
        image.fill(Qt.GlobalColor.transparent)
        inner = QPainter(image)
        paint_shapes(inner, layer_shapes(points, scale, look_of(self._sheet.theme)))
        inner.end()
        painter.drawImage(area, image)


def _steps(grid: Grid, scale: FigureScale, color: str) -> Iterator[Shape]:
    """Short at the foot while they are close, right up where there is room for what lies between them."""
    area = scale.area
    apart = grid.scale / max(scale.x_high - scale.x_low, 1e-300) * area.width
    if apart < _STEPS:
        return
    first = np.ceil(max(scale.x_low, grid.low - grid.scale / 2) / grid.scale)
    last = np.floor(min(scale.x_high, grid.high + grid.scale / 2) / grid.scale)
    places = scale.x(np.arange(first, last + 1) * grid.scale)
    if apart >= _LINES:
        yield Lines(rows(places, area.y, places, area.bottom), Pen(color, opacity=0.14), crisp=True)
    yield Lines(rows(places, area.bottom - _FOOT, places, area.bottom), Pen(color, opacity=0.7), crisp=True)


def _marks(axis: Axis, low: float, high: float, most: int) -> Marks:
    """Finds the marks of the part that is seen."""
    return ticks(Axis(axis.label, low, high, axis.log, axis.whole, axis.names), most)


def _ends(axis: Axis) -> tuple[float, float]:
    return axis.low, axis.high
