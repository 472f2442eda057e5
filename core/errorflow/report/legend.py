"""The bar that says which colour stands for how bad."""

from collections.abc import Iterator
from html import escape

from errorflow.report.colors import DrawingColors
from errorflow.report.curves import number
from errorflow.report.frame import LABEL, TEXT_LEFT
from errorflow.report.paint import Paint
from errorflow.report.text import line, width

LEGEND_HEIGHT = 56.0
_STEPS, _STEP = 24, 8
# After the scale: where the swatch of what was not measured begins, and its text.
_SWATCH, _AFTER, _UNKNOWN = 16, 38, "not measured"


def legend_width(paint: Paint) -> float:
    """How wide it is, with room at both sides."""
    rows = width(_measure(paint), LABEL), _STEPS * _STEP + _AFTER + width(_UNKNOWN, LABEL)
    return max(rows) + 2 * TEXT_LEFT


def legend(paint: Paint, colors: DrawingColors, top: float) -> Iterator[str]:
    end = _STEPS * _STEP
    yield f'<g class="legend" transform="translate({number(TEXT_LEFT)} {number(top)})">'
    yield _text(0, 10, _measure(paint), colors)
    for step in range(_STEPS):
        color = colors.error.hex(step / (_STEPS - 1))
        yield f'<rect x="{step * _STEP}" y="16" width="{_STEP + 0.5}" height="10" fill="{color}"/>'
    yield _text(0, 40, paint.good, colors)
    yield _text(end, 40, paint.bad, colors, ' text-anchor="end"')
    yield f'<rect x="{end + _SWATCH}" y="16" width="16" height="10" fill="url(#unknown)" stroke="{colors.unknown[1]}"/>'
    yield f"{_text(end + _AFTER, 25, _UNKNOWN, colors)}</g>\n"


def _measure(paint: Paint) -> str:
    return line(f"{paint.measure} ({paint.formula})")


def _text(x: float, y: float, text: str, colors: DrawingColors, more: str = "") -> str:
    style = f'font-size="{LABEL}" style="fill:{colors.muted}"'
    return f'<text x="{number(x)}" y="{number(y)}" {style}{more}>{escape(line(text))}</text>'
