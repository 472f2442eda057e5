"""The shades of a map and the numbers that they stand for; its ends can be dragged."""

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QColor

from errorflow.explain.inspect.figure import Axis, ticks
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.plots.axis import PlotAxis
from errorflow_viewer.plots.box import PlotBox

WIDTH = 14.0
_GRIP = 3


class ColorBar(QObject):
    """`both`: zero stays in the middle."""

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
