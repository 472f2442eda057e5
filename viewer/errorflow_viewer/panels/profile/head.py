"""The line above the curves: what they show, and what is known of the node that is pointed at or selected."""

from PySide6.QtGui import QPainter

from errorflow.draw.shapes import Text
from errorflow.explain.findings.profile import Profile
from errorflow.report.profile_look import ProfileColors
from errorflow.report.profile_shapes import head_entries, head_shapes, head_width
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.plots.profile_room import HEAD
from errorflow_viewer.plots.shapes import WindowLetters, paint_shapes

_LEAST = 120.0


def paint_head(painter: QPainter, profile: Profile, colors: ProfileColors, width: float, told: str) -> None:
    """The legend at the left; what is told at the right, as far as there is room."""
    letters, entries = WindowLetters(), head_entries(profile)
    if head_width(entries, letters) > width - 2 * PADDING:  # the metric also stands in the legend of the graph
        entries = [(title.partition(" · ")[0], number) for title, number in entries]
    middle = px(HEAD) / 2
    paint_shapes(painter, head_shapes(entries, colors, PADDING, middle, letters))
    room = width - 2 * PADDING - head_width(entries, letters)
    if told and room >= _LEAST:
        base = middle + letters.ascent - letters.height / 2
        shown = letters.fitted(told, room)
        paint_shapes(painter, [Text(width - PADDING, base, shown, colors.text, letters.size, "end")])
