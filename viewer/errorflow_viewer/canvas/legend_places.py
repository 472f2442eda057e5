"""Places of the parts of a legend in the strip below the graph."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF

from errorflow.base.values import dataclass, field
from errorflow.report.legend import APART, GROUP, SWATCH
from errorflow.report.legend_entries import Entry, entries
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.scaling import factor

if TYPE_CHECKING:
    from errorflow.report.paint import Paint

# Logical px: how high the strip is, a further row of it, and its margin.
STRIP, ROW, MARGIN = 26, 20, 12.0
# The scale.
SCALE = 120.0
# Of the scale, where there is little room: beside its name, and even less.
SHORT, LEAST = 80.0, 48.0
# The least room of a limit's number: a strip must not jump while one is moved.
NUMBER = 52.0
# More rows would take too much from the graph, where text is large as well; of what has no room, the last entry tells
# how much it is.
_ROWS, _LARGE_ROWS, _LARGE = 3, 2, 1.5


@dataclass(frozen=True, slots=True)
class Places:
    """Places in device pixels from the left upper corner of the strip."""

    height: int
    # Empty where there is no room.
    measure: QRectF
    good: QRectF
    scale: QRectF
    bad: QRectF
    entries: tuple[tuple[Entry, QRectF], ...]
    # What has no room, and where that is told.
    hidden: tuple[Entry, ...] = ()
    more: QRectF = field(default_factory=QRectF)

    @property
    def more_text(self) -> str:
        return _more(len(self.hidden))


def places(paint: "Paint", width: int, ratio: float, style: Style) -> Places:
    """Places parts from left to right; what is explained beside the scale goes on in a second row."""
    pixels = round(LABEL * ratio)
    row, margin, group = round(STRIP * ratio), MARGIN * ratio, GROUP * ratio
    good, bad = (max(style.width(text, pixels), NUMBER * ratio) for text in (paint.good, paint.bad))
    room, measure = width - 2 * margin, style.width(paint.measure, pixels)
    left = room - good - bad - 2 * APART * ratio
    scale = min(SCALE * ratio, max(left - group - measure, SHORT * ratio), max(left, LEAST * ratio))
    fixed = good + bad + scale + 2 * APART * ratio
    measure = min(measure, max(room - fixed - group, 0.0))
    left = margin + (measure + group if measure else 0.0)
    rects = []
    for wide in (good, scale, bad):
        rects.append(QRectF(round(left), 0, round(wide), row))
        left += wide + APART * ratio
    told, hidden, more = _flow(paint, left - APART * ratio + group, width - margin, ratio, style)
    spots = (*(rect for _, rect in told), more)
    rows = 1 + max(round(rect.top() / (ROW * ratio)) for rect in spots)
    first = QRectF(margin, 0, measure, row)
    return Places(strip(rows, ratio), first, rects[0], rects[1], rects[2], told, hidden, more)


def strip(rows: int, ratio: float) -> int:
    """Computes how high so many rows are, in device pixels."""
    return round(STRIP * ratio) + round((rows - 1) * ROW * ratio)


def _flow(
    paint: "Paint", left: float, right: float, ratio: float, style: Style
) -> tuple[tuple[tuple[Entry, QRectF], ...], tuple[Entry, ...], QRectF]:
    """Places entries one after the other, as long as there are rows; then what is left over, and where that is told."""
    pixels, margin, high = round(LABEL * ratio), MARGIN * ratio, round(STRIP * ratio)
    every, row, found = entries(paint), 0, []
    most = _ROWS if factor() < _LARGE else _LARGE_ROWS
    for entry in every:
        wide = (SWATCH + APART) * ratio + style.width(entry.text, pixels)
        if left + wide > right and left > margin:
            left, row = margin, row + 1
        if row == most:
            break
        found.append((entry, QRectF(round(left), round(row * ROW * ratio), wide, high)))
        left += wide + GROUP * ratio
    if len(found) == len(every):
        return tuple(found), (), QRectF()
    last = round((most - 1) * ROW * ratio)
    while True:
        wide = style.width(_more(len(every) - len(found)), pixels)
        ends = [rect.right() + GROUP * ratio for _, rect in found if rect.top() == last]
        left = max(ends, default=margin)
        if left + wide <= right or not ends:
            return tuple(found), every[len(found) :], QRectF(round(left), last, wide, high)
        found.pop()


def _more(count: int) -> str:
    return f"… {count} more"
