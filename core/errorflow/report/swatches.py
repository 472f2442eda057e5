"""What stands before the words of a legend in an SVG: the sign itself, small."""

from errorflow.blame.model import Verdict
from errorflow.findings.change import Turn
from errorflow.findings.states import State
from errorflow.quant.kept import Kept
from errorflow.report.box_marks import overflow, pattern_of, ring, second_mark, state_tile, verdict_glyph
from errorflow.report.colors import DrawingColors
from errorflow.report.curves import number
from errorflow.report.glyphs import STATE_GLYPHS
from errorflow.report.legend_entries import Entry
from errorflow.report.switch_marks import HIGH as TALL
from errorflow.report.switch_marks import kept_mark, mark_width

WIDE, HIGH = 16.0, 10.0


def swatch(entry: Entry, x: float, y: float, colors: DrawingColors) -> str:
    """With its corner at a point."""
    place = [x, y, WIDE, HIGH]
    match entry.sort, entry.sign:
        case "bar", _:
            box = _box(place, colors.error.hex(0.0), colors.box_border)
            return box + second_mark([x, y - 3, WIDE, HIGH + 6], 1.0, colors)
        case "front", _:
            return ring([x + 4, y + 4, WIDE - 8, HIGH - 8], 0.0, False, colors)
        case _, Kept() as kept:
            return kept_mark(kept, x + (WIDE + mark_width(kept)) / 2, y + (HIGH + TALL) / 2, colors)
        case _, Verdict() | Turn() as verdict:
            return verdict_glyph(verdict, x + WIDE / 2, y + HIGH / 2, colors)
        case _, State() as state if state in STATE_GLYPHS:
            return state_tile(state, x + WIDE / 2, y + HIGH / 2, colors)
        case _, State.OVERFLOW:
            return overflow(place, 0.0, colors)
        case _, State() as state if state in (State.NAN, State.INF):
            return _box(place, pattern_of(state), colors.text)
    return _box(place, "url(#crossed)" if entry.sign == State.INCOMPARABLE else "url(#unknown)", colors.unknown[1])


def _box(place: list[float], fill: str, border: str) -> str:
    x, y, w, h = map(number, place)
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="{fill}" stroke="{border}"/>'
