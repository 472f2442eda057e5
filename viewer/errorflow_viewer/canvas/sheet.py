"""Sheet that every layer of the picture paints on: where, what, how large, in which colours."""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPixmap

from errorflow.base.arrays import distinct
from errorflow.base.language import Verbatim
from errorflow.base.values import dataclass, field
from errorflow.layout.drawing import Floats
from errorflow.report.fold import BoxErrors
from errorflow_viewer.canvas.batch import FRAGMENT, Batch
from errorflow_viewer.canvas.camera import Camera
from errorflow_viewer.canvas.cells import Indices, whole
from errorflow_viewer.canvas.colors import (
    FAINT_APART,
    LOUD_APART,
    QUIET_APART,
    QUIET_APART_DARK,
    SHADES,
    CanvasColors,
    fleck,
    grounds_of,
    ink_on,
    mixed,
    painting_order,
)
from errorflow_viewer.canvas.scene import BLANK, CROSSED, GOOD, TONES, Scene
from errorflow_viewer.kit.look import LABEL

if TYPE_CHECKING:
    from errorflow_viewer.canvas.signs import Signs


# Logical px from which a label grown with its box can be read.
READABLE = 5.5
# How many widths of texts are remembered.
_WIDTHS = 20_000
# How much of the ground is mixed into boxes, and into what is written on them, that a search has not found.
DIM, _DIM_INK = 0.65, 0.6


@dataclass(frozen=True, eq=False)
class Fills:
    """Fills: for each box the number of its colour; higher numbers are painted later, so that the worst is never
    hidden.
    """

    codes: NDArray[np.int16]
    colors: tuple[QColor, ...]
    flecks: tuple[QColor, ...]
    inks: tuple[QColor, ...]
    # From this number on colours say that something is wrong, and stay at least 2 px large.
    loud: int = GOOD + 1
    # Numbers below are those of boxes that step back.
    bright: int = 0

    @classmethod
    def of(
        cls, scene: Scene, style: "Style", errors: BoxErrors | None = None, crossed: "NDArray[np.bool_] | None" = None
    ) -> "Fills":
        """Fills by error, or without any by the family's tone. `crossed`: what cannot be compared."""
        if errors is None:
            codes = scene.tones.astype(np.int16)
        else:
            shades = np.rint(np.nan_to_num(errors.badness) * (SHADES - 1)).astype(np.intp)
            blank = BLANK if crossed is None else np.where(crossed, CROSSED, BLANK)
            codes = np.where(errors.measured, GOOD + style.places[shades], blank).astype(np.int16)
        return cls(codes, style.fills, style.flecks, style.inks, style.loud)

    def is_blank(self, code: int) -> bool:
        """Whether a number stands for what has not been measured."""
        return code in (BLANK, CROSSED, BLANK + self.bright, CROSSED + self.bright)

    def is_crossed(self, code: int) -> bool:
        """Whether it stands for what cannot be compared."""
        return code in (CROSSED, CROSSED + self.bright)

    def dimmed(self, boxes: NDArray[np.bool_], ground: QColor) -> "Fills":
        """The same with some boxes stepping back; they are painted first."""
        count = len(self.colors)
        faint = tuple(mixed(color, ground, DIM) for color in self.colors)
        inks = zip(self.inks, faint, strict=True)
        return Fills(
            np.where(boxes, self.codes, self.codes + count).astype(np.int16),
            faint + self.colors,
            tuple(mixed(color, ground, DIM) for color in self.flecks) + self.flecks,
            tuple(mixed(ink, color, _DIM_INK) for ink, color in inks) + self.inks,
            self.loud + count,
            count,
        )

    def of_boxes(self, boxes: "NDArray[np.intp]") -> "Fills":
        """Takes the fills for a scene of just these boxes."""
        return Fills(self.codes[boxes], self.colors, self.flecks, self.inks, self.loud, self.bright)


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


@dataclass(frozen=True, eq=False)
class Style:
    """Colours, text and what is cached for them."""

    colors: CanvasColors
    font: QFont
    atlas: Atlas = field(default_factory=Atlas)
    _widths: dict[tuple[str, int], float] = field(default_factory=dict)
    _fonts: dict[tuple[int, bool], tuple[QFont, QFontMetricsF]] = field(default_factory=dict)

    @cached_property
    def fills(self) -> tuple[QColor, ...]:
        """The colours of boxes by the numbers of `Fills`."""
        colors = self.colors
        error = (colors.error[shade] for shade in self._order)
        return (*colors.families, colors.constant, colors.fold, colors.blank, colors.blank, *error)

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """Places of each shade of badness in the order of painting."""
        return np.argsort(self._order)

    @property
    def loud(self) -> int:
        """First number of `Fills` that says that something is wrong, or not as it was."""
        return GOOD + (sum(shade == self.colors.error[SHADES // 2] for shade in self.colors.error) or 1)

    @cached_property
    def _order(self) -> tuple[int, ...]:
        return painting_order(self.colors.diverging)

    @cached_property
    def flecks(self) -> tuple[QColor, ...]:
        """The same for boxes of a few pixels."""
        quiet = QUIET_APART_DARK if self.colors.dark else QUIET_APART
        apart = [quiet] * TONES + [FAINT_APART] * (GOOD - TONES) + [LOUD_APART] * SHADES
        grounds = grounds_of(self.colors)
        return tuple(fleck(color, self.colors, grounds, least) for color, least in zip(self.fills, apart, strict=True))

    @cached_property
    def inks(self) -> tuple[QColor, ...]:
        """Inks of what is written on them."""
        return tuple(ink_on(color, self.colors) for color in self.fills)

    def text(self, pixels: int, strong: bool = False) -> tuple[QFont, QFontMetricsF]:
        """The font at a size in px of the picture."""
        found = self._fonts.get((pixels, strong))
        if found is None:
            font = QFont(self.font)
            font.setPixelSize(max(pixels, 1))
            if strong:
                font.setWeight(QFont.Weight.DemiBold)
            found = self._fonts[pixels, strong] = font, QFontMetricsF(font)
        return found

    def font_of(self, size: float, strong: bool = False) -> QFont:
        """The same for shapes."""
        return self.text(round(size), strong)[0]

    def width(self, text: str, pixels: int) -> float:
        """Measures a text at a size. Remembered: the same few are needed in every frame."""
        found = self._widths.get((text, pixels))
        if found is None:
            if len(self._widths) >= _WIDTHS:
                self._widths.clear()
            found = self._widths[text, pixels] = self.text(pixels)[1].horizontalAdvance(Verbatim(text))
        return found


@dataclass(frozen=True)
class Sheet:
    """Sheet of one act of painting. Painters work in device pixels."""

    batch: Batch
    scene: Scene
    fills: Fills
    style: Style
    camera: Camera
    # Device pixels per logical pixel.
    ratio: float
    # What is painted, in scene units: left, top, right, bottom.
    clip: tuple[float, float, float, float]
    signs: "Signs"
    # For files that can be enlarged: no pictures of text, no whole pixels.
    vector: bool = False

    @property
    def zoom(self) -> float:
        """Logical pixels per scene unit."""
        return self.camera.scale / self.ratio

    @property
    def hair(self) -> float:
        """The width of a thin line."""
        return self.ratio if self.vector else max(1.0, float(round(self.ratio)))

    @cached_property
    def text_size(self) -> float:
        """Logical px of a box's label: grows with the box up to a comfortable size, then much slower."""
        grown = LABEL * self.zoom
        return grown if grown <= 13 else 13 + (self.zoom - 13 / LABEL)

    @property
    def readable(self) -> bool:
        return LABEL * self.zoom >= READABLE

    def placed(self, boxes: Floats) -> Floats:
        """Boxes in device pixels, whole and of odd width: the middle is a pixel, and a line enters there."""
        scale, camera = self.camera.scale, self.camera
        placed = boxes * scale
        placed[:, 0] -= camera.left
        placed[:, 1] -= camera.top
        if self.vector:
            return placed
        middle = np.floor(placed[:, 0] + placed[:, 2] / 2)
        half = np.floor(placed[:, 2] / 2)
        bottom = whole(placed[:, 1] + placed[:, 3])
        placed[:, 0] = middle - half
        placed[:, 1] = whole(placed[:, 1])
        placed[:, 2] = 2 * half + 1
        placed[:, 3] = np.maximum(bottom - placed[:, 1], 1)
        return placed
