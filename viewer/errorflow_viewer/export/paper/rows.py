"""Rows of a page: how high each is, and how it is painted."""

from typing import Protocol

from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTextLayout
from PySide6.QtSvg import QSvgRenderer

from errorflow.base.values import dataclass
from errorflow.report.svg import Picture
from errorflow_viewer.export.paper.ink import BODY, HAIRLINE, LEADING, ROOM, TEXT, color, laid
from errorflow_viewer.plots.saving import in_our_font


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
