"""Page of the view of one graph or two: with its name, what was compared, legend, date and versions."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from errorflow.base.values import dataclass
from errorflow.report.caption import Caption, CaptionFacts
from errorflow.report.frame import Frame
from errorflow.report.notes import drawing_note
from errorflow.report.svg import framed
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.legend import paint_round
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.document.case_on_view import case_of
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.look import LABEL, Theme

if TYPE_CHECKING:
    from errorflow.graph.model import Graph
    from errorflow.layout.drawing import Drawing
    from errorflow.report.paint import Paint

# Between texts and graphs and between two graphs, and the row with the name of each, in logical px.
_BETWEEN, _NAME_ROW = 8.0, 22.0


@dataclass(frozen=True)
class PagePane:
    """View of one graph, with nothing round it."""

    name: str
    image: QImage


@dataclass(frozen=True)
class ViewPage:
    """`fine`: pixels of the images to a logical px. Two graphs stand side by side, or one below the other."""

    panes: Sequence[PagePane]
    fine: float
    title: str
    note: str
    caption: Caption
    theme: Theme
    font: QFont
    paint: "Paint | None" = None
    stacked: bool = False

    def image(self) -> QImage:
        frame = self._frame
        size = QSizeF(frame.width, frame.height) * self.fine
        image = QImage(size.toSize(), QImage.Format.Format_RGB32)
        if image.isNull():
            raise MemoryError
        painter = QPainter(image)
        try:
            self._paint(painter, frame)
        finally:
            painter.end()
        return image

    @cached_property
    def _style(self) -> Style:
        paint = self.paint
        colors = colors_of(self.theme) if paint is None else colors_of(self.theme, paint.palette, paint.diverging)
        return Style(colors, self.font)

    @cached_property
    def _frame(self) -> Frame:
        places = self._places
        size = (max(place.right() for place in places), max(place.bottom() for place in places))
        return framed(size, self.title, self.note, self.paint, self.caption)

    @cached_property
    def _places(self) -> list[QRectF]:
        """Places of the graphs, from the corner of the first one or of its name."""
        found: list[QRectF] = []
        across, down = 0.0, _BETWEEN
        above = _NAME_ROW if len(self.panes) > 1 else 0.0
        for pane in self.panes:
            size = QSizeF(pane.image.size()) / self.fine
            found.append(QRectF(QPointF(across, down + above), size))
            if self.stacked:
                down += above + size.height() + _BETWEEN
            else:
                across += size.width() + _BETWEEN
        return found

    def _paint(self, painter: QPainter, frame: Frame) -> None:
        painter.fillRect(painter.viewport(), self._style.colors.background)
        painter.scale(self.fine, self.fine)
        paint_round(painter, frame, self._style, self.paint)
        font, metrics = self._style.text(LABEL, True)
        for pane, place in zip(self.panes, self._places, strict=True):
            place = place.translated(frame.left, frame.top)
            if len(self.panes) > 1:
                painter.setFont(font)
                painter.setPen(QColor(self.theme.text))
                painter.drawText(QPointF(place.left(), place.top() - metrics.descent() - 2), pane.name)
            self._paint_pane(painter, pane, place)

    def _paint_pane(self, painter: QPainter, pane: PagePane, place: QRectF) -> None:
        """Pixel by pixel, in a hairline."""
        painter.save()
        painter.resetTransform()
        corner = QPointF(round(place.left() * self.fine), round(place.top() * self.fine))
        painter.drawImage(corner, pane.image)
        painter.setPen(QColor(self.theme.hairline))
        painter.setBrush(Qt.BrushStyle.NoBrush)  # that of a mark in the legend would cover all
        painter.drawRect(QRectF(corner, QSizeF(pane.image.width() - 1, pane.image.height() - 1)))
        painter.restore()


# Facts that pictures of what is on view state about it.


def made_on_view(state: State) -> CaptionFacts:
    """Finds what was compared, and what ran it."""
    if state.model is None or (state.case is None and state.simulated is None):
        return CaptionFacts()
    case = case_of(state)
    return CaptionFacts(case.compared, case.facts)


def part_text(graph: "Graph", drawing: "Drawing", whole: bool, zoom: float) -> str:
    """Says how much there is, and whether all of it is seen."""
    seen = "all in view" if whole else f"a part of it at {zoom:.0%}"
    return f"{drawing_note(graph, drawing)} · {seen}"
