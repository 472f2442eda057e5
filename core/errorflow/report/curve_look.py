"""Look of curves: tones that are none of an error's, and dashes beyond six."""

from errorflow.base.values import dataclass
from errorflow.report.colors import DARK, THEMES, DrawingColors, ThemeName
from errorflow.report.figure_shapes import DARK_LOOK, LIGHT_LOOK
from errorflow.study.rank.curves import Curves

# The main one, and those beside it.
_LIGHT = ("#1B232C", "#2C6CB0", "#1F8A7D", "#7B5EA7", "#8A7A3D", "#5A6672")
_DARK = ("#E2E7EC", "#86B7E8", "#6CC5B8", "#B9A2E3", "#CDBE7A", "#9CA7B3")
_DASHES = ("", "6 3", "2 3", "8 3 2 3")
# Curves of the whole plan.
MAIN = ("weights and activations", "everything")
# More than these are lines without a name, those that end worst excepted.
MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Tone:
    color: str
    dash: str = ""
    # It lies below the others, and is to be seen where they hide it.
    wide: bool = False

    @property
    def dashes(self) -> tuple[float, ...]:
        return tuple(map(float, self.dash.split()))


@dataclass(frozen=True, slots=True)
class CurveLook:
    """The colours of curves in a theme; tones of the curves themselves are made of `drawing`."""

    ground: str
    text: str
    muted: str
    grid: str
    rule: str
    selection: str
    baseline: str
    drawing: DrawingColors


def curve_look(theme: ThemeName) -> CurveLook:
    colors, dark = THEMES[theme], theme == "dark"
    look = DARK_LOOK if dark else LIGHT_LOOK
    base, selection = (_DARK if dark else _LIGHT)[1], look.roles["candidate"]
    return CurveLook(colors.background, colors.text, colors.muted, look.grid, look.border, selection, base, colors)


def tones(curves: Curves, colors: DrawingColors) -> tuple[Tone, ...]:
    """Chooses one tone for each curve; marks have that of the line before them."""
    palette = _DARK if colors.background == DARK.background else _LIGHT
    lines = [curve for curve in curves.curves if curve.look == "line"]
    found: list[Tone] = []
    at = 0
    for curve in curves.curves:
        if curve.look == "marks" and found:
            found.append(Tone(palette[1 + (at - 1) % (len(palette) - 1)] if at else palette[1]))
        elif curve.label in MAIN or len(lines) == 1:
            found.append(Tone(palette[0], wide=len(lines) > 1))
        else:
            rest = palette[1:] if any(line.label in MAIN for line in lines) else palette
            found.append(Tone(rest[at % len(rest)], _DASHES[at // len(rest) % len(_DASHES)]))
            at += 1
    return tuple(found)
