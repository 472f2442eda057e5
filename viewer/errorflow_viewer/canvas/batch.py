"""Draws thousands of shapes in one call, straight from numpy memory.

The public Qt overloads that take a pointer and a count are ten times faster than a list of Python objects. The order
of the numbers in QRectF, QLineF and PixmapFragment has not changed since Qt 4; a test draws through each.
"""

from typing import Any

import numpy as np
import shiboken6
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap

from errorflow.base.language import Verbatim
from errorflow.base.values import dataclass
from errorflow.layout.drawing import Floats

# x, y of the middle; source left, top, width, height; scale x, y; rotation; opacity.
FRAGMENT = 10


@dataclass(slots=True)
class Counts:
    """Counts of painting: calls into Qt, and shapes by sort."""

    calls: int = 0
    rects: int = 0
    lines: int = 0
    tiles: int = 0
    texts: int = 0
    rounded: int = 0

    @property
    def shapes(self) -> int:
        return self.rects + self.lines + self.tiles + self.texts + self.rounded


class Batch:
    """A painter for many shapes of one colour; counts what it draws."""

    def __init__(self, painter: QPainter, counts: Counts) -> None:
        self.painter = painter
        self.counts = counts

    def fill(self, color: QColor) -> None:
        """Shapes without an outline from here on."""
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(QBrush(color))

    def stroke(self, color: QColor, width: float) -> None:
        """Outlines and lines from here on."""
        pen = QPen(color, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        self.painter.setPen(pen)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)

    def smooth(self, on: bool) -> None:
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing, on)

    def rects(self, rects: Floats) -> None:
        """Rows of x, y, width, height."""
        if not len(rects):
            return
        rects = _memory(rects)
        self.painter.drawRects(_pointer(rects, QRectF), len(rects))
        self.counts.calls += 1
        self.counts.rects += len(rects)

    def lines(self, lines: Floats) -> None:
        """Rows of x1, y1, x2, y2."""
        if not len(lines):
            return
        lines = _memory(lines)
        self.painter.drawLines(_pointer(lines, QLineF), len(lines))
        self.counts.calls += 1
        self.counts.lines += len(lines)

    def tiles(self, fragments: Floats, picture: QPixmap) -> None:
        """Rows as `FRAGMENT` says, all cut from one picture."""
        if not len(fragments):
            return
        fragments = _memory(fragments)
        self.painter.drawPixmapFragments(_pointer(fragments, QPainter.PixmapFragment), len(fragments), picture)
        self.counts.calls += 1
        self.counts.tiles += len(fragments)

    def rounded(self, rects: Floats, radius: float) -> None:
        """Rectangles with round corners, one call each: for a readable zoom, where few are seen."""
        draw = self.painter.drawRoundedRect
        for x, y, width, height in rects.tolist():
            draw(QRectF(x, y, width, height), radius, radius)
        self.counts.calls += len(rects)
        self.counts.rounded += len(rects)

    def text(self, x: float, baseline: float, text: str) -> None:
        self.painter.drawText(QRectF(x, baseline, 0, 0).topLeft(), Verbatim(text))
        self.counts.calls += 1
        self.counts.texts += 1


def _memory(rows: Floats) -> Floats:
    return np.ascontiguousarray(rows, np.float64)


def _pointer(rows: Floats, kind: type) -> Any:
    return shiboken6.wrapInstance(rows.ctypes.data, kind)
