"""The line above the curves: what they show, and what is known of the node that is pointed at or selected."""

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from errorflow.explain.findings.profile import Profile
from errorflow_viewer.kit.look import LABEL, PADDING
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font
from errorflow_viewer.plots.profile_colors import SHADES, ProfileColors
from errorflow_viewer.plots.profile_room import HEAD

_SWATCH, _GAP, _LEAST = 14.0, 16.0, 120.0


def paint_head(painter: QPainter, profile: Profile, colors: ProfileColors, width: float, told: str) -> None:
    """The legend at the left; what is told at the right, as far as there is room."""
    painter.setFont(font(LABEL))
    metrics = QFontMetricsF(painter.font())
    x = float(PADDING)
    entries = [(curve.title, number) for number, curve in enumerate(profile.curves)]
    if profile.introduced is not None:
        entries.append((profile.introduced.title, -1))
    needed = sum(metrics.horizontalAdvance(title) + _SWATCH + 6 + _GAP for title, _ in entries)
    if needed > width - 2 * PADDING:  # the metric also stands in the legend of the graph
        entries = [(title.partition(" · ")[0], number) for title, number in entries]
    for title, number in entries:
        _swatch(painter, colors, x, number)
        across = metrics.horizontalAdvance(title)
        painter.setPen(colors.muted)
        painter.drawText(QRectF(x + _SWATCH + 6, 0, across + 1, px(HEAD)), Qt.AlignmentFlag.AlignVCenter, title)
        x += _SWATCH + 6 + across + _GAP
    room = width - PADDING - x
    if told and room >= _LEAST:
        painter.setPen(colors.text)
        text = metrics.elidedText(told, Qt.TextElideMode.ElideRight, room)
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(x, 0, room, px(HEAD)), right, text)


def _swatch(painter: QPainter, colors: ProfileColors, x: float, number: int) -> None:
    """A line over its area for the first run, a line for others, a bar for what is introduced (-1)."""
    middle = px(HEAD) / 2
    if number < 0:
        painter.setPen(QPen(colors.bar_border, 1.0))
        painter.setBrush(colors.bars[SHADES // 2])
        painter.drawRect(QRectF(x + _SWATCH / 2 - 2.5, middle - 5, 5, 10))
        return
    if number == 0:
        painter.fillRect(QRectF(x, middle, _SWATCH, 5), colors.area[SHADES // 3])
    painter.setPen(QPen(colors.lines[min(number, len(colors.lines) - 1)], 1.5))
    painter.drawLine(QLineF(x, middle, x + _SWATCH, middle))
