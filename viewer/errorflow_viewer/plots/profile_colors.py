"""The colours of the profile: those of the graph's picture in the same theme and palette."""

from dataclasses import dataclass

from PySide6.QtGui import QColor

from errorflow.case.session.model import Palette
from errorflow.report.colors import DARK, LIGHT, mixed, painted_in
from errorflow.report.scale import Scale
from errorflow_viewer.kit.look import Theme

# How much of the ground shows through the area below the curve.
_AREA = 0.55
# Of a third run, on light and dark ground: no hue of error, of a selection, or of overflow.
_THIRD = ("#2E8B76", "#5CC4AC")
# In how many steps badness is painted.
SHADES = 32


@dataclass(frozen=True, slots=True)
class ProfileColors:
    """Everything that the profile is made of."""

    ground: QColor
    text: QColor
    muted: QColor
    grid: QColor
    # The curves, the first run's first.
    lines: tuple[QColor, ...]
    bridge: QColor
    bar_border: QColor
    unknown: QColor
    selection: QColor
    overflow: QColor
    # Of badness in `SHADES` steps: of bars, and of the area.
    bars: tuple[QColor, ...]
    area: tuple[QColor, ...]


def profile_colors(theme: Theme, palette: Palette) -> ProfileColors:
    colors = painted_in(DARK if theme.dark else LIGHT, palette)
    steps = [step / (SHADES - 1) for step in range(SHADES)]
    return ProfileColors(
        ground=QColor(theme.canvas),
        text=QColor(theme.text),
        muted=QColor(theme.muted),
        grid=QColor(theme.hairline),
        lines=(QColor(colors.edge_strong), QColor(theme.accent), QColor(_THIRD[theme.dark])),
        bridge=QColor(colors.edge),
        bar_border=QColor(colors.box_border),
        unknown=QColor(colors.unknown[1]),
        selection=QColor(theme.selection),
        overflow=QColor(theme.overflow),
        bars=tuple(QColor(_bar(colors.error, step, colors.box_border)) for step in steps),
        area=tuple(QColor(mixed(colors.error.hex(step), theme.canvas, _AREA)) for step in steps),
    )


def _bar(scale: Scale, badness: float, border: str) -> str:
    """What is good must still be seen as a bar."""
    return mixed(scale.hex(badness), border, 0.5 * max(0.0, 1 - 4 * badness))
