"""Boxes: flecks when far, rounded and bordered when near; the form says what sort of box it is."""

from collections.abc import Iterator
from itertools import pairwise
from math import floor

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QTransform

from errorflow.base.arrays import distinct
from errorflow.base.language import Verbatim
from errorflow.base.values import dataclass
from errorflow.layout.drawing import Floats, Kind
from errorflow.report.box_marks import BAR, BAR_ENDS, BAR_LEFT, BAR_ROOM, CLEAR, RING, RING_END
from errorflow.report.fold import BAR as FOLD_BAR
from errorflow.report.fold import BAR_ORDER, BELOW, BESIDE, LEAST, LINE, UNMEASURED, bar_widths
from errorflow.report.marks import mark
from errorflow_viewer.canvas.cells import Indices, at_least, frames, grown, moved, whole
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.scene import FOLD_TONE
from errorflow_viewer.canvas.sheet import DIM, Sheet
from errorflow_viewer.canvas.signs import NO_BAR, paint_states
from errorflow_viewer.canvas.texts import abbreviations, lines_below
from errorflow_viewer.kit.look import FAMILIES, LABEL
from errorflow_viewer.plots.shapes import paint_shapes

# Rings behind boxes: what a search has found, and softer what the front has come to.
_FOUND = 2.0
# So many have round corners, which are drawn one by one.
_ROUND = 1000
# Logical px of a box from which on there is room between boxes for the ring of a front; where it begins is always seen.
_RINGED = 4.0


def paint_rings(sheet: Sheet, seen: Indices, rects: Floats, radius: float) -> None:
    """Paints rings behind the boxes in sight; `radius` of their corners, 0 where they have none."""
    _paint_front(sheet, seen, rects, radius)
    matches = sheet.signs.matches
    if matches is None:
        return
    found = rects[matches[seen] > 0]
    rings = grown(at_least(found, 2 * sheet.hair), _FOUND * sheet.ratio)
    sheet.batch.smooth(bool(radius) and len(rings) < _ROUND)
    sheet.batch.fill(sheet.style.colors.found)
    if radius and len(rings) < _ROUND:
        sheet.batch.rounded(rings, radius + _FOUND * sheet.ratio)
        sheet.batch.smooth(False)
    else:
        sheet.batch.rects(rings)


def _paint_front(sheet: Sheet, seen: Indices, rects: Floats, radius: float) -> None:
    beside, colors = sheet.signs.beside, sheet.style.colors
    if beside is None or not beside.front.any():
        return
    ends = beside.ends[seen]
    room = np.minimum(rects[:, 2], rects[:, 3]) >= _RINGED * sheet.ratio
    _paint(sheet, rects[beside.front[seen] & ~ends & room], radius, RING, colors.front)
    _paint(sheet, at_least(rects[ends], 2 * sheet.hair), radius, RING_END, colors.box_text)


def _paint(sheet: Sheet, rects: Floats, radius: float, width: float, color: QColor) -> None:
    """Lines round boxes, some way off where they are large."""
    batch, wide, clear = sheet.batch, width * sheet.ratio, CLEAR * sheet.ratio
    if radius and len(rects) < _ROUND:
        batch.smooth(True)
        batch.stroke(color, wide)
        batch.rounded(grown(rects, clear + wide / 2), radius + clear)
        batch.smooth(False)
        return
    thick = max(round(wide / 2), 1)
    away = np.where(rects[:, 3] > 2 * clear, round(clear), 0)[:, None] + thick
    outer = np.column_stack([rects[:, :2] - away, rects[:, 2:] + 2 * away])
    batch.smooth(False)
    batch.fill(color)
    batch.rects(frames(outer, thick))


# The second mark of a box: a bar at its left edge, of what the fill does not tell.
# Logical px of a box that has room for a bar; in a lower one it would lie over the label, and stands before it instead,
# so narrow.
_FROM, _NARROW = 14.0, 2.0


def paint_second_mark(sheet: Sheet, seen: Indices, rects: Floats) -> Floats:
    """Paints the second mark with a line of the ground at the right: a bar may have the colour of the fill.

    Returns for each box how much of its width is taken.
    """
    taken, signs, ratio = np.zeros(len(seen)), sheet.signs, sheet.ratio
    wide = np.flatnonzero(rects[:, 2] >= _FROM * ratio)
    if signs.beside is None or not len(wide):
        return taken
    bars = signs.bars[seen[wide]]
    wide, bars = wide[bars != NO_BAR], bars[bars != NO_BAR]
    high = rects[wide, 3] >= _FROM * ratio
    taken[wide[high]] = BAR_ROOM * ratio
    x, y, _, height = rects[wide].T
    across = np.where(high, float(round(BAR * ratio)), float(round(_NARROW * ratio)))
    left, ends = np.where(high, BAR_LEFT * ratio, -across), high * BAR_ENDS * ratio
    places = np.column_stack([x + left, y + ends, across, height - 2 * ends])
    batch, colors = sheet.batch, sheet.style.colors
    batch.smooth(False)
    batch.fill(colors.background)
    batch.rects(np.add(places[high], [0.0, 0.0, sheet.hair, 0.0]))
    for number in distinct(bars).tolist():
        batch.fill(colors.error[number])
        batch.rects(places[bars == number])
    return taken


# Logical px of a box's height from which corners are round, and how many boxes may have them.
_ROUND_FROM, _ROUND_UP_TO = 10.0, 3000
_RADIUS = 4.0
# Logical px of the shorter side of a fleck from which on it can be hollow.
_HOLLOW_FROM = 3.0
# How far the sheets of a closed group or stack stick out, in scene units.
_OFFSET = 2.5
_SHEETS = {int(Kind.FOLD): 1, int(Kind.STACK): 2}
_PILLS = (int(Kind.INPUT), int(Kind.OUTPUT))


def paint_boxes(sheet: Sheet) -> tuple[Indices, Floats]:
    """Paints all boxes in sight, the loudest colours last; returns them and their places for what stands on their
    corners.
    """
    scene = sheet.scene
    seen = scene.cells.within(*sheet.clip)
    codes = sheet.fills.codes[seen]
    order = np.argsort(codes, kind="stable")
    seen, codes = seen[order], codes[order]
    rects = sheet.placed(scene.drawing.boxes[seen])
    if scene.box_height * sheet.zoom < _ROUND_FROM or len(seen) > _ROUND_UP_TO:
        paint_rings(sheet, seen, rects, 0.0)
        _paint_flecks(sheet, rects, codes)
    else:
        paint_rings(sheet, seen, rects, _RADIUS * min(sheet.zoom, 1.5) * sheet.ratio)
        _paint_round(sheet, seen, rects, codes)
    rest = _without(rects, paint_bars(sheet, seen, rects), (0, 0, 0, -1))
    aside = paint_second_mark(sheet, seen, rest)
    paint_states(sheet, seen, rest)
    paint_labels(sheet, seen, _without(rest, aside, (1, 0, -1, 0)), codes)
    return seen, rects


def _without(rects: Floats, taken: Floats, side: tuple[int, int, int, int]) -> Floats:
    """Cuts boxes of which something is taken at one side; from afar nothing is left."""
    return rects + np.outer(taken, side) if taken.any() else rects


def _runs(values: NDArray[np.integer]) -> Iterator[tuple[int, slice]]:
    """Each distinct value of a sorted array, and where it lies."""
    if not len(values):
        return
    starts = np.concatenate([[0], np.flatnonzero(np.diff(values)) + 1, [len(values)]]).tolist()
    for first, last in pairwise(starts):
        yield int(values[first]), slice(first, last)


def _paint_flecks(sheet: Sheet, rects: Floats, codes: NDArray[np.int16]) -> None:
    batch, fills = sheet.batch, sheet.fills
    batch.smooth(False)
    for code, span in _runs(codes):
        part = rects[span]
        if code >= fills.loud:
            part = np.maximum(part, (-np.inf, -np.inf, 2 * sheet.hair, 2 * sheet.hair))
        batch.fill(fills.flecks[code])
        batch.rects(part)
        if fills.is_blank(code):  # hollow: what is good has no border at that size
            batch.fill(fills.colors[code])
            batch.rects(grown(part[np.minimum(part[:, 2], part[:, 3]) >= _HOLLOW_FROM * sheet.ratio], -sheet.hair))


def _paint_round(sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16]) -> None:
    batch, fills, hair = sheet.batch, sheet.fills, sheet.hair
    radius = _RADIUS * min(sheet.zoom, 1.5) * sheet.ratio
    kinds = sheet.scene.drawing.kinds[seen]
    inner = grown(rects, -hair / 2)
    batch.smooth(True)
    for code, span in _runs(codes):
        border = sheet.style.colors.box_border
        batch.stroke(mixed(border, fills.colors[code], 0.6) if code < fills.bright else border, hair)
        batch.painter.setBrush(fills.colors[code])
        part, sorts = inner[span], kinds[span]
        for kind, sheets in _SHEETS.items():
            _paint_sheets(sheet, part[sorts == kind], sheets, radius)
        _paint_forms(sheet, part, sorts, radius)
        if fills.is_blank(code):
            # Patterns belong to the drawing: they move with it when the picture is shifted.
            batch.painter.setBrushOrigin(-sheet.camera.left, -sheet.camera.top)
            batch.painter.setBrush(hatch(sheet, code < fills.bright, fills.is_crossed(code)))
            _paint_forms(sheet, part, sorts, radius)
            batch.painter.setBrushOrigin(0, 0)
    batch.smooth(False)


def _paint_forms(sheet: Sheet, rects: Floats, kinds: NDArray[np.uint8], radius: float) -> None:
    pill = np.isin(kinds, _PILLS)
    sheet.batch.rounded(rects[~pill], radius)
    for height in distinct(rects[pill, 3]).tolist():
        sheet.batch.rounded(rects[pill & (rects[:, 3] == height)], height / 2)


def _paint_sheets(sheet: Sheet, rects: Floats, count: int, radius: float) -> None:
    """The sheets that lie under the top one, from the bottom up."""
    step = max(round(_OFFSET * sheet.camera.scale), 1)
    for number in range(count, 0, -1):
        sheet.batch.rounded(moved(rects, step * number, step * number), radius)


# What a box shows of its error beside the fill: a bar of all that it stands for; hatching where nothing is known.

# Logical px: the box that has room for a bar.
_WIDE, _HIGH = 24.0, 12.0
# Logical px: a hatched line and the gap to the next; how thick the line is.
_HATCH, _THICK = 6.0, 1.5
# How many times as fine it is in files that can be enlarged.
_FINE = 8.0


def paint_bars(sheet: Sheet, seen: Indices, rects: Floats) -> Floats:
    """Paints along the bottom of closed groups and stacks how bad how many of their nodes are, the worst at the right.

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
            _bars_paint(sheet, rects[boxes[some]], errors.bands[rows[some]], share)
    return taken


def _sizes(sheet: Sheet) -> tuple[float, float]:
    """Computes how high a bar is, and the line above it."""
    if sheet.vector:
        return FOLD_BAR, LINE
    return max(round(FOLD_BAR * min(sheet.zoom, 1.5) * sheet.ratio), 2 * sheet.hair), LINE * sheet.hair


def _bars_paint(sheet: Sheet, rects: Floats, bands: "np.typing.NDArray[np.int64]", faint: float) -> None:
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


# What is written on boxes: operator type with its family's mark; where there is room the name, type and shape.

# Room beside the text, and beside mark and text, in text heights.
_BESIDE, _BESIDE_MARK = 0.35, 0.2
# Logical px of a text that one reads with ease, and of the smallest that can be read at all. Where a box is shown
# smaller than it was laid out, its label shrinks less: to the first if that has room, at most to the second.
_EASY, _SMALLEST = 9.0, 7.0
# What a text takes of a box's height, in text heights; how many letters are left at least of a name that is cut.
_LABELS_HIGH, _LETTERS = 1.2, 4
# Zoom from which there are labels: then short types have room, too, and not only those whose boxes happen to be wide.
_LABELLED = 0.37
# Room beside the smallest text, in text heights.
_TIGHT = 0.08
# The mark's size and its distance from the text, in text heights.
_MARK, _APART = 0.62, 0.38
# Lines below the label: how many, and their distance, in text heights; what stays free above and below, in logical px.
_BELOW, _LINE, _FREE = 2, 1.4, 6.0


# Sides of a box in px are told apart up to that.
_SIDES = 1 << 13


# For a box, lines from the most important on, each in forms from long to short.
_Below = dict[int, tuple[tuple[str, ...], ...]]


def paint_labels(sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16]) -> None:
    """Paints everything written on the boxes in sight."""
    if sheet.zoom < _LABELLED:
        return
    pixels = int(sheet.text_size * sheet.ratio + 0.3)
    small = int(LABEL * sheet.ratio)
    below = _below(sheet, seen, (rects[:, 3] - 1.3 * pixels - _FREE * sheet.ratio) / (_LINE * small))
    counts = np.array([len(below.get(box, ())) for box in seen.tolist()]) if below else np.zeros(len(seen), int)
    middles = rects[:, 1] + (rects[:, 3] - counts * _LINE * small) / 2
    if sheet.vector:
        _write_labels(sheet, seen, rects, codes, middles, pixels)
    else:
        _paste_labels(sheet, seen, rects, codes, middles, pixels)
    if below:
        some = counts > 0
        _write_below(sheet, seen[some], rects[some], codes[some], middles[some] + 0.62 * pixels, below, small)


def _below(sheet: Sheet, seen: Indices, room: Floats) -> _Below:
    """Chooses what to write below the labels of the boxes that have room for so many lines."""
    drawing, graph = sheet.scene.drawing, sheet.scene.graph
    roomy = room >= 1
    rows = zip(seen[roomy].tolist(), np.minimum(room[roomy], _BELOW).astype(int).tolist(), strict=True)
    return {box: lines_below(drawing, graph, box)[:count] for box, count in rows}


def _paste_labels(
    sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16], middles: Floats, pixels: int
) -> None:
    """Equal labels are painted once and then copied."""
    scene = sheet.scene
    tones = scene.tones[seen].astype(np.int64)
    labels = scene.label_codes[seen].astype(np.int64)
    widths, heights = np.minimum(rects[:, 2:].astype(np.int64), (_SIDES - 1)).T
    # One number per distinct picture: label, tone (which mark), colour (which ink), and the room there is.
    keys = (((labels << 8 | tones) << 8 | codes) * _SIDES + widths) * _SIDES + heights
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    sizes = zip(widths[first].tolist(), heights[first].tolist(), strict=True)
    made = [
        _Label(sheet, int(seen[i]), int(codes[i]), room, pixels) for i, room in zip(first.tolist(), sizes, strict=True)
    ]
    shown = np.array([label.shown for label in made], bool)[which]
    if not shown.any():
        return
    which, rects, middles = which[shown], rects[shown], middles[shown]
    tiles = np.array([_tile(sheet, label) if label.shown else 0 for label in made])
    atlas = sheet.style.atlas
    sizes = np.array([atlas.size(tile) for tile in tiles.tolist()], np.float64).reshape(-1, 2)[which]
    lefts = rects[:, 0] + np.floor((rects[:, 2] - sizes[:, 0]) / 2)
    atlas.draw(sheet.batch, tiles.astype(np.intp)[which], lefts, np.floor(middles - sizes[:, 1] / 2))


def _tile(sheet: Sheet, label: "_Label") -> int:
    def paint(painter: QPainter) -> None:
        label.paint(painter, 1.0, label.height / 2)

    return sheet.style.atlas.tile(label.key, label.size, paint)


def _write_labels(
    sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16], middles: Floats, pixels: int
) -> None:
    """Writes labels as text, which a file can enlarge."""
    rows = zip(seen.tolist(), rects.tolist(), codes.tolist(), middles.tolist(), strict=True)
    for box, (x, _, width, height), code, middle in rows:
        label = _Label(sheet, box, code, (width, height), pixels)
        if label.shown:
            label.paint(sheet.batch.painter, x + (width - label.width) / 2, middle)
            sheet.batch.counts.texts += 1


class _Label:
    """A mark if there is room, and the text, cut off where it must be."""

    def __init__(self, sheet: Sheet, box: int, code: int, room: tuple[float, float], pixels: int) -> None:
        scene = sheet.scene
        self._tone = int(scene.tones[box])
        self._ink = sheet.fills.inks[code]
        full = scene.drawing.labels[box]
        written = _Written(full, self._tone == FOLD_TONE, bool(scene.drawing.kinds[box] == Kind.OPERATOR))
        self.pixels, self.text, self.marked = _fitted(sheet, written, room, pixels)
        pixels, marked = self.pixels, self.marked
        self._font, self._metrics = sheet.style.text(pixels)
        self._mark = _MARK * pixels if marked else 0.0
        self._before = (_MARK + _APART) * pixels if marked else 0.0
        # Otherwise it could not be read.
        self.shown = marked or bool(self.text)
        self.width = sheet.style.width(self.text, pixels) + self._before
        self.height = self._metrics.height()
        self.key = ("label", self.text, self._tone, self._ink.rgba(), pixels, marked)

    def size(self) -> tuple[int, int]:
        return int(self.width) + 3, int(self.height) + 1

    def paint(self, painter: QPainter, left: float, middle: float) -> None:
        capital = self._metrics.capHeight()
        if self._mark:
            place = QRectF(left, middle - self._mark / 2, self._mark, self._mark)
            paint_mark(painter, self._tone, place, self._ink)
        painter.setFont(self._font)
        painter.setPen(self._ink)
        painter.drawText(QPointF(left + self._before, middle + capital / 2), Verbatim(self.text))


@dataclass(frozen=True, slots=True)
class _Written:
    """Words of a label; whether it is that of something that can be opened, or an operator's type."""

    text: str
    opens: bool
    is_type: bool

    def cut(self, sheet: Sheet, room: float, pixels: int) -> str:
        """Cuts a label to the room: of a type the beginnings of its words, of a name its beginning and its end."""
        if self.is_type and not self.opens:
            forms = abbreviations(self.text)
            return next((form for form in forms if sheet.style.width(form, pixels) <= room), "")
        text = _uncounted(self.text) if self.opens else self.text
        found = sheet.style.text(pixels)[1].elidedText(Verbatim(text), Qt.TextElideMode.ElideMiddle, room)
        return found if len(found) > _LETTERS or found == text else ""


def _fitted(sheet: Sheet, written: _Written, room: tuple[float, float], pixels: int) -> tuple[int, str, bool]:
    """The size at which a label is written, as much of it as has room then, and whether its mark has.

    Written larger than laid out, only what can be opened keeps its mark: some with and some without would look like
    two sorts.
    """
    text, opens = written.text, written.opens
    width, height = room
    easy, smallest = max(pixels, round(_EASY * sheet.ratio)), round(_SMALLEST * sheet.ratio)
    for size in range(easy, max(pixels, smallest) - 1, -1):
        advance = sheet.style.width(text, size)
        if size > pixels and _LABELS_HIGH * size > height:
            continue
        marked = size == pixels or opens
        if marked and advance + (_MARK + _APART) * size <= width - 2 * _BESIDE_MARK * size:
            return size, text, True
        if advance <= width - 2 * (_BESIDE if size == pixels else _BESIDE_MARK) * size:
            return size, text, False
    size = max(pixels, smallest)
    if size == pixels:
        return size, written.cut(sheet, width - 2 * _BESIDE * size, size), False
    if _LABELS_HIGH * size > height:
        return size, "", False
    rest = width - 2 * _TIGHT * size
    for form in (text, _uncounted(text)) if opens else (text,):
        if sheet.style.width(form, size) <= rest:
            return size, form, False
    return size, written.cut(sheet, rest, size), False


def _uncounted(text: str) -> str:
    """Names a folded group without how many nodes are in it."""
    name, _, count = text.rpartition(" (")
    return name if name and count.endswith(")") else text


def _write_below(
    sheet: Sheet, seen: Indices, rects: Floats, codes: NDArray[np.int16], tops: Floats, below: _Below, pixels: int
) -> None:
    """Name, type and shape, smaller and quieter than the label; each is different, so they are drawn one by one."""
    font, metrics = sheet.style.text(pixels)
    sheet.batch.painter.setFont(font)
    inset = _BESIDE * pixels * 1.5
    rows = zip(seen.tolist(), rects.tolist(), codes.tolist(), tops.tolist(), strict=True)
    for box, (x, _, width, _), code, top in rows:
        sheet.batch.painter.setPen(mixed(sheet.fills.inks[code], sheet.fills.colors[code], 0.3))
        for number, forms in enumerate(below[box]):
            shown = _fitting(sheet, forms, width - 2 * inset, pixels)
            left = x + (width - sheet.style.width(shown, pixels)) / 2
            baseline = top + number * _LINE * pixels + metrics.ascent()
            sheet.batch.text(floor(left + 0.5), floor(baseline + 0.5), shown)


def _fitting(sheet: Sheet, forms: tuple[str, ...], room: float, pixels: int) -> str:
    """The longest form that has room, or the end of the shortest."""
    for form in forms:
        if sheet.style.width(form, pixels) <= room:
            return form
    _, metrics = sheet.style.text(pixels)
    return metrics.elidedText(Verbatim(forms[-1]), Qt.TextElideMode.ElideLeft, room)


def paint_mark(painter: QPainter, tone: int, place: QRectF, ink: QColor) -> None:
    """The mark of a tone of `scene.Scene.tones`, filling a square."""
    family = (*FAMILIES, "constant", "fold")[tone]
    paint_shapes(painter, [mark(family, place.width(), ink.name())], at=place.topLeft())
