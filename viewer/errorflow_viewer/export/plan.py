"""Plan of a picture: cut into images that a program can open and a machine can hold."""

from collections.abc import Iterator
from math import ceil

from PySide6.QtCore import QRect

from errorflow.base.errors import UsageError
from errorflow.base.values import dataclass

# A single image has no longer side (Qt paints no further than 32767 px) and no more pixels (4 bytes each).
LONGEST, MOST_PIXELS = 30_000, 64_000_000
# Tiles: their side unless told otherwise, and how many there may be.
TILE, MOST_TILES = 4096, 5000
# What is tried, finest first, when no scale is asked for; the last one is taken in tiles if it must.
SCALES = (2.0, 1.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """The picture in px, and the side of its tiles; 0: it is one image."""

    scale: float
    width: int
    height: int
    tile: int = 0

    @classmethod
    def of(cls, width: float, height: float, scale: float | None, tile: int | None) -> "Plan":
        """The plan for a picture of that size at scale 1. Raises a `UsageError` where it would take too many tiles."""
        for each in SCALES if scale is None else (scale,):
            across, down = _pixels(width * each), _pixels(height * each)
            if tile is None and max(across, down) <= LONGEST and across * down <= MOST_PIXELS:
                return cls(each, across, down)
        plan = cls(each, across, down, TILE if tile is None else tile)
        if plan.columns * plan.rows > MOST_TILES:
            raise UsageError(
                f"The picture would be {across:,} × {down:,} px, in {plan.columns * plan.rows:,} tiles.",
                "Ask for a smaller --scale, or for an .svg or a .pdf, which have no pixels.",
            )
        return plan

    @property
    def columns(self) -> int:
        return ceil(self.width / self.tile) if self.tile else 1

    @property
    def rows(self) -> int:
        return ceil(self.height / self.tile) if self.tile else 1

    def parts(self) -> Iterator[tuple[int, int, QRect]]:
        """Row, column and place of each tile, or of the one image."""
        whole = QRect(0, 0, self.width, self.height)
        for row in range(self.rows):
            for column in range(self.columns):
                place = QRect(column * self.tile, row * self.tile, self.tile, self.tile)
                yield row, column, place & whole if self.tile else whole


def blocks(area: QRect, side: int) -> Iterator[QRect]:
    """An area in squares that are painted one by one."""
    for top in range(area.top(), area.bottom() + 1, side):
        for left in range(area.left(), area.right() + 1, side):
            yield QRect(left, top, side, side) & area


def _pixels(length: float) -> int:
    return max(ceil(round(length, 6)), 1)  # 500.0000001 is 500
