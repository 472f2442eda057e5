"""What is written round a picture: title, what was compared, legend, and at the foot date and versions."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter

from errorflow.report.frame import LABEL, NOTE, TEXT_LEFT, TITLE, TITLE_BASE, Frame
from errorflow_viewer.canvas.legend import paint_rows
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.kit.look import Theme

if TYPE_CHECKING:
    from errorflow.report.paint import Paint


def write_texts(painter: QPainter, frame: Frame, style: Style, theme: Theme, paint: "Paint | None") -> None:
    """In px of the page; a painter that is scaled writes them as fine as that."""
    rows = [(frame.title, TITLE_BASE, TITLE, True, theme.text)]
    rows += [(text, base, NOTE, False, theme.muted) for base, text in frame.lines_of_head()]
    rows += [(text, base, LABEL, False, theme.muted) for base, text in frame.lines_of_foot()]
    for text, base, size, strong, color in rows:
        if text:
            painter.setFont(style.text(size, strong)[0])
            painter.setPen(QColor(color))
            painter.drawText(QPointF(TEXT_LEFT, base), text)
    if paint is not None:
        corner = QPointF(TEXT_LEFT, frame.below)
        paint_rows(painter, corner, style, paint, f"{paint.measure} ({paint.formula})")
