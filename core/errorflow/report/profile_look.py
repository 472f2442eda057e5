"""The colours of the profile: those of the graph's picture in the same theme and palette."""

from errorflow.base.values import dataclass
from errorflow.case.session.model import Palette
from errorflow.report.colors import THEMES, ThemeName, mixed, painted_in
from errorflow.report.figure_shapes import DARK_LOOK, LIGHT_LOOK
from errorflow.report.scale import ColorScale

# How much of the ground shows through the area below the curve.
_AREA = 0.55
# Of a second and a third run, on light and dark ground: no hue of error, of a selection, or of overflow.
_SECOND, _THIRD = ("#2C5A86", "#86B7E8"), ("#2E8B76", "#5CC4AC")
# In how many steps badness is drawn.
SHADES = 32


@dataclass(frozen=True, slots=True)
class ProfileColors:
    """Colours of everything in the profile."""

    ground: str
    text: str
    muted: str
    grid: str
    # The curves, the first run's first.
    lines: tuple[str, ...]
    bridge: str
    bar_border: str
    unknown: str
    selection: str
    overflow: str
    # Of badness in `SHADES` steps: of bars, and of the area.
    bars: tuple[str, ...]
    area: tuple[str, ...]

    def line(self, number: int) -> str:
        return self.lines[min(number, len(self.lines) - 1)]


def profile_colors(theme: ThemeName, palette: Palette) -> ProfileColors:
    dark = theme == "dark"
    colors, look = painted_in(THEMES[theme], palette), DARK_LOOK if dark else LIGHT_LOOK
    steps = [step / (SHADES - 1) for step in range(SHADES)]
    return ProfileColors(
        ground=colors.background,
        text=colors.text,
        muted=colors.muted,
        grid=look.grid,
        lines=(colors.edge_strong, _SECOND[dark], _THIRD[dark]),
        bridge=colors.edge,
        bar_border=colors.box_border,
        unknown=colors.unknown[1],
        selection=look.roles["candidate"],
        overflow=colors.overflow,
        bars=tuple(_bar(colors.error, step, colors.box_border) for step in steps),
        area=tuple(mixed(colors.error.hex(step), colors.background, _AREA) for step in steps),
    )


def _bar(scale: ColorScale, badness: float, border: str) -> str:
    """Chooses a colour in which what is good is still seen as a bar."""
    return mixed(scale.hex(badness), border, 0.5 * max(0.0, 1 - 4 * badness))
