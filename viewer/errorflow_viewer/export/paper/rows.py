"""Rows of a page: how high each is, and how it is painted."""

from functools import cache
from typing import Protocol

from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QTextLayout, QTextOption
from PySide6.QtSvg import QSvgRenderer

from errorflow.base.values import dataclass
from errorflow.draw.text import clean
from errorflow.report.svg import Picture
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.style import font
from errorflow_viewer.plots.figures import in_our_font

# Sizes, colours and fonts of a printed report. All lengths are tenths of a point: fonts are whole numbers of them.

# A4 upright, and what stays white around the text.
WIDTH, HEIGHT = 5953.0, 8419.0
LEFT, TOP, RIGHT, BOTTOM = 480.0, 500.0, 480.0, 620.0
ROOM = WIDTH - LEFT - RIGHT
# Sizes of letters.
TITLE, CHAPTER, HEAD, BODY, SMALL = 200, 140, 110, 95, 80
# Between lines, as a share of the size; between blocks.
LEADING, APART, PAD = 1.38, 80.0, 40.0
TEXT, MUTED, HAIRLINE, WARNING = LIGHT.text, LIGHT.muted, LIGHT.hairline, LIGHT.error.mark
# All that the shipped font surely has.
_LATIN = 0x250


@cache
def letters(size: int, strong: bool = False) -> QFont:
    found = font(size, strong)
    found.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return found


@cache
def color(name: str) -> QColor:
    return QColor(name)


def laid(text: str, size: int, strong: bool, width: float, right: bool = False) -> QTextLayout:
    """The text in lines of that width, the first at 0."""
    layout = QTextLayout(printable(text), letters(size, strong))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    if right:
        option.setAlignment(Qt.AlignmentFlag.AlignRight)
    layout.setTextOption(option)
    layout.beginLayout()
    top = 0.0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1.0))
        line.setPosition(QPointF(0.0, top))
        top += size * LEADING
    layout.endLayout()
    return layout


def printable(text: str) -> str:
    """Puts the code in place of each letter that no font here can draw: nothing may vanish."""
    return "".join(each if ord(each) < _LATIN or _is_drawn(each) else f"\\u{ord(each):04x}" for each in clean(text))


@cache
def _is_drawn(letter: str) -> bool:
    layout = QTextLayout(letter, letters(BODY))
    layout.beginLayout()
    layout.createLine().setLineWidth(1e6)
    layout.endLayout()
    return all(0 not in run.glyphIndexes() for run in layout.glyphRuns())


class PaintedRow(Protocol):
    """Paints itself with its upper left corner there."""

    def __call__(self, painter: QPainter, corner: QPointF, /) -> None: ...


@dataclass(frozen=True)
class PaperRow:
    """`sticks`: it stays with the next one. `head` comes first where it begins a page, readers list a `chapter`."""

    height: float
    paint: PaintedRow
    sticks: bool = False
    head: "PaperRow | None" = None
    chapter: str = ""
    # It has a page of its own, across.
    sheet: Picture | None = None


def nothing(_painter: QPainter, _corner: QPointF) -> None:
    """Paints nothing, for a row that is only a gap."""


def gap(height: float) -> PaperRow:
    return PaperRow(height, nothing)


@dataclass(frozen=True)
class Text:
    """Lines of one text, as wide as they may be."""

    layout: QTextLayout
    size: int
    ink: str

    @classmethod
    def of(
        cls,
        text: str,
        width: float = ROOM,
        size: int = BODY,
        *,
        strong: bool = False,
        ink: str = TEXT,
        right: bool = False,
    ) -> "Text":
        return cls(laid(text, size, strong, width, right), size, ink)

    @property
    def height(self) -> float:
        return self.layout.lineCount() * self.size * LEADING

    def __call__(self, painter: QPainter, corner: QPointF, /) -> None:
        painter.setPen(color(self.ink))
        self.layout.draw(painter, corner)

    def lines(self, left: float = 0.0) -> list[PaperRow]:
        """A row per line, so that a long text goes on on the next page."""
        return [PaperRow(self.size * LEADING, _Line(self, number, left)) for number in range(self.layout.lineCount())]


@dataclass(frozen=True)
class _Line:
    text: Text
    number: int
    left: float

    def __call__(self, painter: QPainter, corner: QPointF, /) -> None:
        line = self.text.layout.lineAt(self.number)
        painter.setPen(color(self.text.ink))
        line.draw(painter, QPointF(corner.x() + self.left, corner.y() - line.y()))


@dataclass(frozen=True)
class Several:
    """Things side by side, each so far from the corner."""

    parts: tuple[tuple[float, float, PaintedRow], ...]

    def __call__(self, painter: QPainter, corner: QPointF, /) -> None:
        for x, y, part in self.parts:
            part(painter, corner + QPointF(x, y))


@dataclass(frozen=True)
class Box:
    """A ground with a mark at its left edge, and an outline; "": without."""

    width: float
    height: float
    ground: str = ""
    mark: str = ""
    outline: str = ""

    def __call__(self, painter: QPainter, corner: QPointF, /) -> None:
        area = QRectF(corner.x(), corner.y(), self.width, self.height)
        painter.setPen(QPen(color(self.outline), 5) if self.outline else Qt.PenStyle.NoPen)
        painter.setBrush(color(self.ground) if self.ground else Qt.BrushStyle.NoBrush)
        painter.drawRect(area)
        if self.mark:
            painter.fillRect(QRectF(area.x(), area.y(), 30, area.height()), color(self.mark))
        painter.setBrush(Qt.BrushStyle.NoBrush)


@dataclass(frozen=True)
class Rule:
    """A hairline across."""

    width: float = ROOM

    def __call__(self, painter: QPainter, corner: QPointF, /) -> None:
        painter.setPen(QPen(color(HAIRLINE), 5))
        painter.drawLine(corner, corner + QPointF(self.width, 0))


@dataclass(frozen=True)
class Drawn:
    """An SVG of ours, as wide as that."""

    renderer: QSvgRenderer
    width: float

    @classmethod
    def of(cls, svg: str, width: float) -> "Drawn | None":
        renderer = QSvgRenderer(QByteArray(in_our_font(svg.encode("utf-8", "replace"))))
        return cls(renderer, width) if renderer.isValid() and renderer.defaultSize().width() > 0 else None

    @property
    def height(self) -> float:
        size = self.renderer.defaultSize()
        return self.width * size.height() / size.width()

    def __call__(self, painter: QPainter, corner: QPointF, /) -> None:
        self.renderer.render(painter, QRectF(corner.x(), corner.y(), self.width, self.height))
