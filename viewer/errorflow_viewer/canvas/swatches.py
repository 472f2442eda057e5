"""What stands before the words of a legend: the sign itself, small."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.states import State
from errorflow.quant.kept import Kept
from errorflow.report.glyphs import SIZE, STATE_GLYPHS
from errorflow.report.legend_entries import Entry
from errorflow.report.switch_marks import HIGH
from errorflow_viewer.canvas.bars import hatching
from errorflow_viewer.canvas.colors import CanvasColors
from errorflow_viewer.canvas.glyphs import paint_glyph
from errorflow_viewer.canvas.signs import check, stripes
from errorflow_viewer.canvas.switch_marks import draw_mark

# Logical px: a square of the check, a stripe.
_CHECK, _STRIPE = 3, 4


def paint_swatch(painter: QPainter, entry: Entry, place: QRectF, colors: CanvasColors, ratio: float) -> None:
    """Within a place as high as a line is."""
    hair = max(1.0, float(round(ratio)))
    middle = place.center()
    glyph = QRectF(middle.x() - SIZE * ratio / 2, middle.y() - SIZE * ratio / 2, SIZE * ratio, SIZE * ratio)
    match entry.sort, entry.sign:
        case "bar", _:
            painter.fillRect(place, colors.box_border)
            painter.fillRect(place.adjusted(hair, hair, -hair, -hair), colors.error[0])
            painter.fillRect(
                QRectF(place.x() + 2 * hair, place.y() + hair, 3 * hair, place.height() - 2 * hair), colors.error[-1]
            )
        case "front", _:
            _outline(painter, place, colors.front, 2 * hair)
        case _, Kept() as kept:
            _kept(painter, kept, place, colors, ratio)
        case _, Verdict() | Turn() as verdict:
            paint_glyph(painter, verdict, glyph, colors)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        case _, State() as state if state in STATE_GLYPHS:
            paint_glyph(painter, state, glyph, colors)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        case _, State.OVERFLOW:
            _outline(painter, place, colors.overflow, 2 * hair)
        case _, State.NAN:
            _patterned(painter, place, check(round(_CHECK * ratio)))
        case _, State.INF:
            _patterned(painter, place, stripes(round(_STRIPE * ratio)))
        case _:
            painter.fillRect(place, colors.unmeasured)
            painter.fillRect(place.adjusted(hair, hair, -hair, -hair), colors.blank)
            crossed = entry.sign == State.INCOMPARABLE
            painter.fillRect(place, hatching(colors.crossed if crossed else colors.unmeasured, ratio, crossed))


def _kept(painter: QPainter, kept: Kept, place: QRectF, colors: CanvasColors, ratio: float) -> None:
    """Its form with the first letter or digit of its word, for which there is room."""
    height = min(HIGH * ratio, place.height())
    mark = QRectF(place.x(), place.center().y() - height / 2, place.width(), height)
    draw_mark(painter, mark, colors, ratio)
    font = painter.font()
    letters = QFont(font)
    letters.setPixelSize(max(round(0.72 * height), 1))
    painter.setFont(letters)
    painter.setPen(colors.background)
    painter.drawText(mark, Qt.AlignmentFlag.AlignCenter, kept.word if kept.word.isdigit() else kept.word[0])
    painter.setFont(font)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _outline(painter: QPainter, place: QRectF, color: QColor, width: float) -> None:
    pen = QPen(color, width)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(width / 2, width / 2, -width / 2, -width / 2))
    painter.setPen(Qt.PenStyle.NoPen)


def _patterned(painter: QPainter, place: QRectF, brush: QBrush) -> None:
    painter.setBrushOrigin(place.topLeft())
    painter.fillRect(place, brush)
    painter.setBrushOrigin(0, 0)
