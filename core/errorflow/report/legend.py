"""The bar that says which colour stands for how bad, and what else is to be seen."""

from collections.abc import Iterator
from html import escape

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.states import State
from errorflow.quant.kept import Kept
from errorflow.report.box_marks import overflow, pattern_of, ring, second_mark, state_tile, verdict_glyph
from errorflow.report.colors import DrawingColors
from errorflow.report.curves import number
from errorflow.report.frame import LABEL, TEXT_LEFT
from errorflow.report.glyphs import STATE_GLYPHS
from errorflow.report.legend_entries import UNKNOWN, Entry, entries
from errorflow.report.paint import Paint
from errorflow.report.switch_marks import HIGH as TALL
from errorflow.report.switch_marks import kept_mark, mark_width
from errorflow.report.text import line, width

# What stands before the words of a legend in an SVG: the sign itself, small.
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


# Of a legend with nothing but a scale; each further row takes so much more.
LEGEND_HEIGHT, LEGEND_ROW = 56.0, 20.0
_STEPS, _STEP = 24, 8
# After the scale: where the swatch of what was not measured begins, and its text; the way from a text to the next one.
_SWATCH, _AFTER, _APART = 16, 38, 20.0
# From a swatch to its text.
_TEXT = 22.0
# Further rows are broken there.
_WIDEST = 640.0


def legend_width(paint: Paint) -> float:
    """How wide it is, with room at both sides."""
    rows = [width(_measure(paint), LABEL), _STEPS * _STEP + _AFTER + width(UNKNOWN.text, LABEL)]
    rows += [sum(_width(entry) for entry in row) - _APART for row in legend_rows(paint)]
    return max(rows) + 2 * TEXT_LEFT


def legend_height(paint: Paint) -> float:
    return LEGEND_HEIGHT + LEGEND_ROW * len(legend_rows(paint))


def legend_rows(paint: Paint) -> list[list[Entry]]:
    """What stands below the scale."""
    rows: list[list[Entry]] = []
    taken = 0.0
    for entry in entries(paint):
        if entry == UNKNOWN:
            continue
        if not rows or taken + _width(entry) > _WIDEST:
            rows.append([])
            taken = 0.0
        rows[-1].append(entry)
        taken += _width(entry)
    return rows


def legend(paint: Paint, colors: DrawingColors, top: float) -> Iterator[str]:
    end = _STEPS * _STEP
    yield f'<g class="legend" transform="translate({number(TEXT_LEFT)} {number(top)})">'
    yield _text(0, 10, _measure(paint), colors)
    for step in range(_STEPS):
        color = colors.error.hex(step / (_STEPS - 1))
        yield f'<rect x="{step * _STEP}" y="16" width="{_STEP + 0.5}" height="10" fill="{color}"/>'
    yield _text(0, 40, paint.good, colors)
    yield _text(end, 40, paint.bad, colors, ' text-anchor="end"')
    yield swatch(UNKNOWN, end + _SWATCH, 16, colors)
    yield _text(end + _AFTER, 25, UNKNOWN.text, colors)
    for number_, row in enumerate(legend_rows(paint)):
        left, base = 0.0, 40 + LEGEND_ROW * (number_ + 1)
        for entry in row:
            yield swatch(entry, left, base - 9, colors)
            yield _text(left + _TEXT, base, entry.text, colors)
            left += _width(entry)
    yield "</g>\n"


def _width(entry: Entry) -> float:
    return _TEXT + width(entry.text, LABEL) + _APART


def _measure(paint: Paint) -> str:
    return line(f"{paint.measure} ({paint.formula})")


def _text(x: float, y: float, text: str, colors: DrawingColors, more: str = "") -> str:
    style = f'font-size="{LABEL}" style="fill:{colors.muted}"'
    return f'<text x="{number(x)}" y="{number(y)}" {style}{more}>{escape(line(text))}</text>'
