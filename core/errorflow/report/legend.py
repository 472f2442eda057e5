"""Legends: which colour stands for how bad, and what else is to be seen, of which only what is there has an entry."""

import math
from collections.abc import Iterator
from typing import Literal

from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale, are_limits, distance
from errorflow.draw.shapes import Gradient, Group, Pen, Rect, Shape, Text, checks, slanting
from errorflow.draw.text import CAPITAL, line, width
from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.change import Turn
from errorflow.explain.findings.model import State
from errorflow.quant.switching import Kept
from errorflow.report.box_marks import OUTLINE, STATE_GLYPHS, hatched, outline, sign
from errorflow.report.colors import DrawingColors
from errorflow.report.frame import LABEL, NOTE, TEXT_LEFT, TITLE, TITLE_BASE, Frame
from errorflow.report.paint import Paint

Sort = Literal["bar", "verdict", "state", "front", "edges", "turn", "kept"]

# What is told of the plan before stands behind this.
OLDER = "Plan before: "


@dataclass(frozen=True, slots=True)
class Entry:
    """One swatch and its words; `sign` says which verdict or state it is."""

    sort: Sort
    text: str
    sign: Verdict | State | Turn | Kept | None = None
    # What finds what became better or worse.
    asked: str = ""

    @property
    def query(self) -> str:
        """Query that finds the nodes that have it; "": none does."""
        if isinstance(self.sign, Turn):
            return self.asked
        if isinstance(self.sign, Kept):
            return f"switched:{self.sign.word}"
        if isinstance(self.sign, Verdict):
            return f"verdict:{self.sign.word}"
        return "" if self.sign is None else _QUERIES[self.sign]


_QUERIES = {
    State.MISSING: "measured:no",
    State.INCOMPARABLE: "incomparable:yes",
    State.NAN: "nan:yes",
    State.INF: "inf:yes",
    State.OVERFLOW: "overflow:yes",
    State.FLIPPED: "flipped:yes",
    State.ZERO: "zero:yes",
    State.CONSTANT: "constant:yes",
    State.SATURATED: "saturated:yes",
}
UNKNOWN = Entry("state", "not measured", State.MISSING)
# The order in which states are explained.
_STATES = (
    *(State.INCOMPARABLE, State.NAN, State.INF, State.OVERFLOW),
    *(State.FLIPPED, State.ZERO, State.CONSTANT, State.SATURATED),
)


def entries(paint: Paint) -> tuple[Entry, ...]:
    """First what is not measured, which is always told."""
    signs = paint.signs
    bar = [Entry("bar", f"bar: {paint.bar}")] if paint.bar else []
    if signs is None:
        broken = [Entry("state", State.NAN.words, State.NAN)] if paint.errors.broken.any() else []
        return (*bar, UNKNOWN, *broken)
    states = State(int(signs.known_states))
    if paint.errors.broken.any():
        states |= State.NAN
    return (
        *bar,
        *_turns(paint),
        *(Entry("kept", kept.text, kept) for kept in signs.known_kept),
        UNKNOWN,
        *(Entry("verdict", verdict.word, verdict) for verdict in signs.known_verdicts),
        *([Entry("front", "what the first fault explains")] if signs.front.any() else []),
        *(Entry("state", state.words, state) for state in _STATES if state in states),
    )


def _turns(paint: Paint) -> tuple[Entry, ...]:
    """Lists what became better or worse, and from what on that is told."""
    turns = () if paint.signs is None else paint.signs.known_turns
    words = {turn: f"{turn.word} by {paint.told_from} or more" for turn in turns}
    return tuple(Entry("turn", words[turn], turn, paint.queries.get(turn, "")) for turn in turns)


# What stands before words: the sign itself, small. What lies between the parts, and between groups of them.
SWATCH, HIGH, APART, GROUP = 14.0, 8.0, 6.0, 18.0
# On a page: the scale, a row, and the way from one to the next below the scale.
_SCALE, _ROW, LEGEND_ROW = 120.0, 16.0, 20.0
# Of a legend with nothing but a scale; each further row takes so much more.
LEGEND_HEIGHT = 56.0
# Further rows are broken there.
_WIDEST = 640.0
# Of a word in its swatch, in heights of that; of patterns in it, px.
_LETTER, _CHECK, _STRIPE, _HATCH = 0.72, 3.0, 8.0, 6.0
_STEPS = 32


def swatch(entry: Entry, x: float, y: float, colors: DrawingColors) -> tuple[Shape, ...]:
    """Draws a swatch with its corner at a point."""
    place, middle = [x, y, SWATCH, HIGH], (x + SWATCH / 2, y + HIGH / 2)
    match entry.sort, entry.sign:
        case "bar", _:
            box = Rect(x + 0.5, y + 0.5, SWATCH - 1, HIGH - 1, colors.error.hex(0.0), Pen(colors.box_border))
            return box, Rect(x + 2, y + 1, 3, HIGH - 2, colors.error.hex(1.0))
        case "front", _:
            return (outline(place, Pen(colors.front, OUTLINE)),)
        case _, Kept() as kept:
            return _kept(kept, x, y, colors)
        case _, Verdict() | Turn() as told:
            return (sign(told, *middle, colors.text, colors.background),)
        case _, State() as told if told in STATE_GLYPHS:
            return (sign(told, *middle, colors.text, colors.background),)
        case _, State.OVERFLOW:
            return (outline(place, Pen(colors.overflow, OUTLINE)),)
        case _, State.NAN:
            return (Rect(x, y, SWATCH, HIGH, checks("small-checks", _CHECK), crisp=True),)
        case _, State.INF:
            return (Rect(x, y, SWATCH, HIGH, slanting("small-stripes", _STRIPE, 0.5, "#FFF", "#000")),)
    crossed = entry.sign == State.INCOMPARABLE
    hatch = hatched("small-crossed" if crossed else "small-hatch", colors, crossed=crossed, side=_HATCH)
    return (Rect(x + 0.5, y + 0.5, SWATCH - 1, HIGH - 1, hatch, Pen(colors.unknown[1])),)


def _kept(kept: Kept, x: float, y: float, colors: DrawingColors) -> tuple[Shape, ...]:
    """The form of its mark with the first letter or digit of its word, for which there is room."""
    size, word = round(_LETTER * HIGH), kept.word if kept.word.isdigit() else kept.word[0]
    plate = Rect(x + 0.5, y + 0.5, SWATCH - 1, HIGH - 1, colors.text, Pen(colors.background), (HIGH - 1) / 2)
    base = y + HIGH / 2 + CAPITAL * size / 2
    return plate, Text(x + SWATCH / 2, base, word, colors.background, size, "middle")


def legend_width(paint: Paint) -> float:
    """Measures the legend, with room at both sides."""
    ends = width(paint.good, LABEL) + width(paint.bad, LABEL)
    rows = [width(_measure(paint), LABEL), ends + 2 * APART + _SCALE + GROUP + _width(UNKNOWN) - GROUP]
    rows += [sum(map(_width, row)) - GROUP for row in legend_rows(paint)]
    return max(rows) + 2 * TEXT_LEFT


def legend_height(paint: Paint) -> float:
    return LEGEND_HEIGHT + LEGEND_ROW * len(legend_rows(paint))


def legend_rows(paint: Paint) -> list[list[Entry]]:
    """Lists what stands below the scale."""
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


def legend(paint: Paint, colors: DrawingColors) -> Iterator[Shape]:
    """The name of the measure, below it the scale, and below that all else."""
    yield _text(0, 0, _measure(paint), colors.text)
    yield _text(0, _ROW, paint.good, colors.group_text)
    left = float(round(width(paint.good, LABEL) + APART))
    stops = tuple((step / (_STEPS - 1), colors.error.hex(step / (_STEPS - 1))) for step in range(_STEPS))
    yield Rect(left, _ROW + 4, _SCALE, HIGH, Gradient("scale", (left, 0), (left + _SCALE, 0), stops))
    left += _SCALE + APART
    yield _text(left, _ROW, paint.bad, colors.group_text)
    yield from _entry(UNKNOWN, round(left + width(paint.bad, LABEL) + GROUP), _ROW, colors)
    for number, row in enumerate(legend_rows(paint)):
        left = 0.0
        for entry in row:
            yield from _entry(entry, round(left), 2 * _ROW + LEGEND_ROW * number, colors)
            left += _width(entry)


def head(frame: Frame, colors: DrawingColors) -> Iterator[Shape]:
    """Above a drawing on its page: the title, and what was compared."""
    yield Text(TEXT_LEFT, TITLE_BASE, frame.title, colors.text, TITLE, strong=True, kind="title")
    for base, text in frame.lines_of_head():
        yield Text(TEXT_LEFT, base, text, colors.muted, NOTE, kind="note")


def foot(frame: Frame, colors: DrawingColors, paint: Paint | None) -> Iterator[Shape]:
    """Yields what is below it: the legend, then date and versions."""
    if paint is not None:
        yield Group(tuple(legend(paint, colors)), TEXT_LEFT, frame.below, kind="legend")
    for base, text in frame.lines_of_foot():
        yield Text(TEXT_LEFT, base, text, colors.muted, LABEL, kind="foot")


def _entry(entry: Entry, left: float, top: float, colors: DrawingColors) -> tuple[Shape, ...]:
    words = _text(left + SWATCH + APART, top, entry.text, colors.group_text)
    return (*swatch(entry, left, top + 4, colors), words)


def _width(entry: Entry) -> float:
    return SWATCH + APART + width(entry.text, LABEL) + GROUP


def _measure(paint: Paint) -> str:
    return line(f"{paint.measure} ({paint.formula})")


def _text(x: float, top: float, text: str, color: str) -> Text:
    """Writes a text in the middle of a row."""
    return Text(x, top + _ROW / 2 + CAPITAL * LABEL / 2, line(text), color, LABEL)


# The line along which limits are moved: wider than the limits, in the metric's own sense of distance.

# How far the line goes beyond both limits, as a share of the way between them.
_BEYOND = 0.75
# How near to each other limits may come, as a share of the line.
_APART = 0.02
# So many digits of what is set by hand are kept.
_DIGITS = 2
# One press of a key, as a share of the line.
STEP = 0.01


@dataclass(frozen=True, slots=True)
class LimitAxis:
    """Axis from its left end, where all is good, to its right end. A place on it is a number from 0 to 1."""

    scale: Scale
    # In the metric's distance.
    left: float
    right: float

    @classmethod
    def of(cls, scale: Scale) -> "LimitAxis":
        """Makes an axis so long that the metric's own limits lie on it, too."""
        usual = next((each for each in MEASURES if each.key == scale.key), scale)
        ends = [distance(each, value) for each in (scale, usual) for value in (each.good, each.bad)]
        good, bad = ends[2:]
        beyond = (bad - good) * _BEYOND
        ends = [*ends, good - beyond, bad + beyond]
        outer = (min(ends), max(ends)) if bad > good else (max(ends), min(ends))
        return cls(scale, *outer)

    def with_limits(self, scale: Scale) -> "LimitAxis":
        """The same line with the limits elsewhere on it."""
        return replace(self, scale=scale)

    def place(self, value: float) -> float:
        """Within the line, where a value lies."""
        share = (distance(self.scale, value) - self.left) / (self.right - self.left)
        return min(max(share, 0.0), 1.0)

    @property
    def good(self) -> float:
        return self.place(self.scale.good)

    @property
    def bad(self) -> float:
        return self.place(self.scale.bad)

    def value(self, place: float) -> float:
        """The round value nearest to a place."""
        return _round(self.scale, self.left + (self.right - self.left) * min(max(place, 0.0), 1.0))

    def moved(self, which: str, place: float) -> tuple[float, float]:
        """Moves both limits after the one ("good" or "bad") was put somewhere; it stops in front of the other."""
        if which == "good":
            return self.value(min(place, self.bad - _APART)), self.scale.bad
        return self.scale.good, self.value(max(place, self.good + _APART))


def typed(scale: Scale, which: str, text: str) -> tuple[float, float] | None:
    """Parses both limits after one was typed; None: that is no number, or beyond the other one."""
    try:
        value = float(text.replace("−", "-").replace(",", ".").removesuffix(scale.unit).strip())
    except ValueError:
        return None
    limits = (value, scale.bad) if which == "good" else (scale.good, value)
    return limits if are_limits(scale, *limits) else None


def _round(scale: Scale, distance: float) -> float:
    if scale.scale == "linear":
        return _short(distance, abs(scale.good - scale.bad))
    away = float(f"{10**distance:.{_DIGITS}g}")
    # As text: 1 − 0.001 is to be 0.999 and nothing beside it.
    return float(f"{scale.best - away if scale.higher_is_better else scale.best + away:.12g}")


def _short(value: float, span: float) -> float:
    """Rounds to as many decimals as tell hundredths of the span."""
    return round(value, max(0, _DIGITS - math.floor(math.log10(span))) if span > 0 else _DIGITS)
