"""An axis of a large plot: where its numbers stand is said by the figure, how it looks by the theme."""

from collections.abc import Callable, Sequence
from html import escape

import pyqtgraph as pg
from PySide6.QtGui import QColor, QPen

from errorflow.report.figure_shapes import apart
from errorflow_viewer.kit.look import LABEL, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font

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
