"""How curves are told apart: by tones that are none of an error's, and by dashes beyond six."""

from dataclasses import dataclass

from errorflow.report.colors import DARK, DrawingColors
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


def tones(curves: Curves, colors: DrawingColors) -> tuple[Tone, ...]:
    """One for each curve; marks have that of the line before them."""
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


def baseline_color(colors: DrawingColors) -> str:
    """Of what the float model scores."""
    return (_DARK if colors.background == DARK.background else _LIGHT)[1]
