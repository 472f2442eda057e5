"""What a box that stands for several nodes shows beside its fill: how bad how many of them are."""

import numpy as np

from errorflow.layout.drawing import Drawing
from errorflow.report.colors import DrawingColors
from errorflow.report.curves import number
from errorflow.report.fold import (
    BAND_BADNESS,
    BAR,
    BAR_ORDER,
    BELOW,
    BESIDE,
    LEAST,
    LINE,
    UNMEASURED,
    BoxErrors,
    bar_widths,
)


def bars(drawing: Drawing, colors: DrawingColors, errors: BoxErrors) -> dict[int, str]:
    """For each box that stands for several nodes, how bad how many of them are; the worst at the right."""
    told = errors.measured[errors.folds]
    folds, bands = errors.folds[told], errors.bands[told]
    x, y, w, h = drawing.boxes[folds].T
    room = np.maximum(w - 2 * BESIDE, 0.0)
    widths = bar_widths(bands, room, LEAST)
    lefts = (x + BESIDE)[:, None] + np.cumsum(widths, axis=1) - widths
    tops = y + h - BELOW - BAR
    fills = [colors.unknown[1] if band == UNMEASURED else colors.error.hex(BAND_BADNESS[band]) for band in BAR_ORDER]
    found = {}
    for row, box in enumerate(folds.tolist()):
        top = float(tops[row])
        parts = [_bar(float(lefts[row, 0]), top - LINE, float(room[row]), LINE, colors.background)]
        for left, across, fill in zip(lefts[row].tolist(), widths[row].tolist(), fills, strict=True):
            if across > 0:
                parts.append(_bar(left, top, across, BAR, fill))
        found[box] = "".join(parts)
    return found


def _bar(x: float, y: float, width: float, height: float, fill: str) -> str:
    size = f'width="{number(width)}" height="{number(height)}"'
    return f'<rect x="{number(x)}" y="{number(y)}" {size} fill="{fill}"/>'
