"""A picture as PNG: one image, or tiles and a page that shows them side by side."""

from collections.abc import Iterator
from html import escape
from math import ceil
from pathlib import Path
from urllib.parse import quote

from PySide6.QtCore import QByteArray, QRect, QRectF
from PySide6.QtGui import QImage, QImageWriter, QPainter

from errorflow.base import SILENT, FileError, Progress, UsageError, dataclass
from errorflow.base.files import arriving, replacing, write_atomic
from errorflow.draw.text import clean
from errorflow_viewer.export.poster import Poster

# Plan of a picture: cut into images that a program can open and a machine can hold.

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


_NO_ROOM = "Choose another folder or free some space."
_TEXT = "Painting the picture"
# Painted at a time, in units of the drawing: few enough boxes for the canvas to give all of them all detail.
_UNITS, _LEAST, _MOST = 2000, 500, 2000


def write_png(poster: Poster, plan: Plan, path: Path, progress: Progress = SILENT) -> Path:
    """Writes the image, or all tiles and their page; answers what to look at. When it fails, all is as it was."""
    if not plan.tile:
        [(_, _, place)] = plan.parts()
        image = _painted(poster, plan, place, progress, 0)
        with replacing(path) as beside:
            save(image, beside)
            progress.step(1, 1, _TEXT)  # a cancel meanwhile comes before the old file is replaced
        return path
    page = path.with_suffix(".html")
    with arriving(path.parent) as folder:
        for number, (row, column, place) in enumerate(plan.parts()):
            save(_painted(poster, plan, place, progress, number), folder / tile_name(path, row, column))
        write_atomic(folder / page.name, tiles_page(poster, plan, path))
    return page


def tile_name(path: Path, row: int, column: int) -> str:
    return f"{path.stem}-r{row}-c{column}.png"


def save(image: QImage, path: Path) -> None:
    """Writes a PNG to a file of any name."""
    writer = QImageWriter(str(path), QByteArray(b"png"))
    if not writer.write(image):
        raise FileError(f"The picture could not be written: {writer.errorString().lower()}.", _NO_ROOM)


def _painted(poster: Poster, plan: Plan, place: QRect, progress: Progress, number: int) -> QImage:
    image = QImage(place.size(), QImage.Format.Format_RGB32)
    if image.isNull():
        raise MemoryError
    painter = QPainter(image)
    try:
        side = round(min(max(_UNITS * plan.scale, _LEAST), _MOST))
        pieces = list(blocks(image.rect(), side))
        total = plan.rows * plan.columns * len(pieces)
        for done, block in enumerate(pieces):
            progress.step(number * len(pieces) + done, total, _TEXT)
            painter.setClipRect(block)
            poster.paint_pixels(painter, QRectF(block), plan.scale, place.topLeft())
    finally:
        painter.end()
    return image


def tiles_page(poster: Poster, plan: Plan, path: Path) -> str:
    """Shows the tiles side by side; needs no script and no network."""
    title = escape(clean(poster.picture.frame.title if poster.picture.frame.title else path.stem))
    tiles = "\n".join(
        f'<img src="{quote(tile_name(path, row, column))}" width="{place.width()}" height="{place.height()}" '
        f'style="left:{place.left()}px;top:{place.top()}px" alt="row {row + 1}, column {column + 1}" loading="lazy">'
        for row, column, place in plan.parts()
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>\n'
        f"html {{ background: {poster.theme.canvas}; }} body {{ margin: 0; }}\n"
        f"main {{ position: relative; width: {plan.width}px; height: {plan.height}px; }}\n"
        f"img {{ position: absolute; display: block; }}\n</style></head><body><main>\n{tiles}\n</main></body></html>\n"
    )
