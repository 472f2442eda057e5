"""Small pictures (labels, marks) side by side on large ones, so that hundreds are drawn in one call."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPixmap

from errorflow.base.arrays import distinct
from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.batch import FRAGMENT, Batch
from errorflow_viewer.canvas.cells import Indices

_SIDE = 1024
# 16 pages of 1024 × 1024 are 64 MB; zooming back and forth through a model of thousands of names comes to that.
_PAGES = 16
# Between tiles, so that nothing bleeds.
_GAP = 1


@dataclass(slots=True)
class _Page:
    """Tiles are laid in rows, left to right."""

    picture: QPixmap
    x: int = 0
    y: int = 0
    row: int = 0

    def place(self, width: int, height: int) -> tuple[int, int] | None:
        if self.x + width > self.picture.width():
            self.x, self.y, self.row = 0, self.y + self.row + _GAP, 0
        if self.x + width > self.picture.width() or self.y + height > self.picture.height():
            return None
        spot = self.x, self.y
        self.x += width + _GAP
        self.row = max(self.row, height)
        return spot


@dataclass(slots=True)
class Atlas:
    """Paints each tile when it is first asked for and keeps it."""

    _pages: list[_Page] = field(default_factory=list)
    _known: dict[Hashable, int] = field(default_factory=dict)
    # Page, left, top, width, height.
    _places: list[tuple[int, int, int, int, int]] = field(default_factory=list)

    def trim(self) -> None:
        """Starts anew when too much has come together. Tile numbers from before are void."""
        if len(self._pages) > _PAGES:
            self.clear()

    def clear(self) -> None:
        self._pages.clear()
        self._known.clear()
        self._places.clear()

    def tile(self, key: Hashable, size: Callable[[], tuple[int, int]], paint: Callable[[QPainter], None]) -> int:
        """The number of the picture known as `key`; `paint` draws a new one into (0, 0, *size())."""
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self._places)
            self._places.append(self._painted(*size(), paint))
        return number

    def size(self, tile: int) -> tuple[int, int]:
        return self._places[tile][3:]

    def draw(self, batch: Batch, tiles: Indices, lefts: Floats, tops: Floats) -> None:
        """Each tile with its top left corner at whole pixels (left, top)."""
        if not len(tiles):
            return
        places = np.array(self._places, np.float64)[tiles]
        fragments = np.zeros((len(tiles), FRAGMENT))
        fragments[:, 0] = lefts + places[:, 3] / 2
        fragments[:, 1] = tops + places[:, 4] / 2
        fragments[:, 2:6] = places[:, 1:]
        fragments[:, 6:8] = 1.0
        fragments[:, 9] = 1.0
        for page in distinct(places[:, 0]).astype(int).tolist():
            batch.tiles(fragments[places[:, 0] == page], self._pages[page].picture)

    def _painted(self, width: int, height: int, paint: Callable[[QPainter], None]) -> tuple[int, int, int, int, int]:
        width, height = max(width, 1), max(height, 1)
        spot = self._pages[-1].place(width, height) if self._pages else None
        if spot is None:
            picture = QPixmap(max(_SIDE, width), max(_SIDE, height))
            picture.fill(Qt.GlobalColor.transparent)
            self._pages.append(_Page(picture))
            spot = self._pages[-1].place(width, height)
        assert spot is not None, "a new page holds what it was made for"
        painter = QPainter(self._pages[-1].picture)
        try:
            painter.translate(*spot)
            painter.setClipRect(QRect(0, 0, width, height))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(painter)
        finally:
            painter.end()
        return len(self._pages) - 1, *spot, width, height
