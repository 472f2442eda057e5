"""What a box shows of its error beside the fill: a bar of all that it stands for; hatching where nothing is known."""

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QTransform

from errorflow.layout.drawing import Floats
from errorflow.report.fold import BAR, BAR_ORDER, BELOW, BESIDE, LEAST, LINE, UNMEASURED, bar_widths
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.rects import whole
from errorflow_viewer.canvas.sheet import DIM, Sheet

# Logical px: the box that has room for a bar.
_WIDE, _HIGH = 24.0, 12.0
# Logical px: a hatched line and the gap to the next; how thick the line is.
_HATCH, _THICK = 6.0, 1.5
# How many times as fine it is in files that can be enlarged.
_FINE = 8.0


def paint_bars(sheet: Sheet, seen: Indices, rects: Floats) -> Floats:
    """Along the bottom of closed groups and stacks how bad how many of their nodes are, the worst at the right.

    Returns for each box how much of its height is taken.
    """
    taken = np.zeros(len(seen))
    errors, ratio = sheet.signs.errors, sheet.ratio
    if errors is None or not len(errors.folds):
        return taken
    large = np.flatnonzero((rects[:, 2] >= _WIDE * ratio) & (rects[:, 3] >= _HIGH * ratio))
    rows = errors.rows_of(seen[large])
    told = (rows >= 0) & errors.measured[seen[large]]
    rows, boxes = rows[told], large[told]
    height, line = _sizes(sheet)
    taken[boxes] = height + line
    faint = sheet.fills.codes[seen[boxes]] < sheet.fills.bright
    sheet.batch.smooth(False)
    for some, share in ((faint, DIM), (~faint, 0.0)):
        if some.any():
            _paint(sheet, rects[boxes[some]], errors.bands[rows[some]], share)
    return taken


def _sizes(sheet: Sheet) -> tuple[float, float]:
    """How high a bar is, and the line above it."""
    if sheet.vector:
        return BAR, LINE
    return max(round(BAR * min(sheet.zoom, 1.5) * sheet.ratio), 2 * sheet.hair), LINE * sheet.hair


def _paint(sheet: Sheet, rects: Floats, bands: "np.typing.NDArray[np.int64]", faint: float) -> None:
    hair, colors, batch = sheet.hair, sheet.style.colors, sheet.batch
    height, line = _sizes(sheet)
    left, room = rects[:, 0] + BESIDE * hair, rects[:, 2] - 2 * BESIDE * hair
    top = rects[:, 1] + rects[:, 3] - BELOW * hair - height
    ends = left[:, None] + np.cumsum(bar_widths(bands, room, LEAST * hair), axis=1)
    edges = np.column_stack([left, ends if sheet.vector else whole(ends)])
    ground = colors.groups[0]
    batch.fill(mixed(colors.background, ground, faint))
    batch.rects(np.column_stack([left, top - line, room, np.full(len(left), line)]))
    for part, band in enumerate(BAR_ORDER):
        width = edges[:, part + 1] - edges[:, part]
        some = width > 0
        batch.fill(mixed(colors.unmeasured if band == UNMEASURED else colors.bands[band], ground, faint))
        batch.rects(np.column_stack([edges[some, part], top[some], width[some], np.full(int(some.sum()), height)]))


def hatch(sheet: Sheet, faint: bool, crossed: bool = False) -> QBrush:
    """Slanting lines that join from tile to tile; `crossed`: both ways."""
    color = sheet.style.colors.crossed if crossed else sheet.style.colors.unmeasured
    if faint:
        color = mixed(color, sheet.style.colors.groups[0], DIM)
    if not sheet.vector:
        return hatching(color, sheet.ratio, crossed)
    brush = hatching(color, _FINE, crossed)
    brush.setTransform(QTransform.fromScale(1 / _FINE, 1 / _FINE))
    return brush


def hatching(color: QColor, ratio: float, crossed: bool = False) -> QBrush:
    """The same for any ground."""
    side = max(round(_HATCH * ratio), 4)
    picture = QPixmap(side, side)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(color, max(ratio * _THICK, 1.0)))
    for shift in (-side, 0, side):
        painter.drawLine(QPointF(shift - 1, side + 1), QPointF(shift + side + 1, -1))
        if crossed:
            painter.drawLine(QPointF(shift - 1, -1), QPointF(shift + side + 1, side + 1))
    painter.end()
    return QBrush(picture)
