"""The lines between boxes."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from errorflow.layout.drawing import Floats
from errorflow.report.tints import shade_width
from errorflow_viewer.canvas.cells import Indices
from errorflow_viewer.canvas.colors import mixed
from errorflow_viewer.canvas.sheet import Sheet

# Rounds off what the layout hands over as short straight pieces, as far as the zoom shows it.
# Pieces of a curve are cut until the parts measure so many px or less, up to 2 to that many parts.
_PX, _HALVINGS = 7.0, 4


def rounded(lines: Floats, picked: Indices, scale: float, across: bool = False) -> Floats:
    """The picked pieces as smooth curves; a piece's neighbours in `lines` say which way it turns.

    A curve that ends leaves upright, or in a drawing `across` level, as the lines do that it meets.
    """
    pieces = lines[picked]
    chords = pieces[:, 2:] - pieces[:, :2]
    lengths = np.hypot(chords[:, 0], chords[:, 1])
    halvings = np.clip(np.ceil(np.log2(np.maximum(lengths * scale, 1e-9) / _PX)), 0, _HALVINGS).astype(int)
    if not halvings.any():
        return pieces
    upright = 1.5 * chords * ((1.0, 0.0) if across else (0.0, 1.0))
    before, after = np.maximum(picked - 1, 0), np.minimum(picked + 1, len(lines) - 1)
    leaving = _unit(pieces[:, 2:] - lines[before, :2]) * lengths[:, None]
    arriving = _unit(lines[after, 2:] - pieces[:, :2]) * lengths[:, None]
    leaving = np.where((_meet(lines[before], pieces) & (before < picked))[:, None], leaving, upright)
    arriving = np.where((_meet(pieces, lines[after]) & (after > picked))[:, None], arriving, upright)
    return _bent(pieces, leaving, arriving, 2**halvings)


def _meet(first: Floats, second: Floats) -> NDArray[np.bool_]:
    """Marks the pieces that end where the other ones begin, and go on in about the same direction."""
    ahead = ((first[:, 2:] - first[:, :2]) * (second[:, 2:] - second[:, :2])).sum(axis=1) > 0
    met: NDArray[np.bool_] = ahead & np.all(first[:, 2:] == second[:, :2], axis=1)
    return met


def _unit(vectors: Floats) -> Floats:
    lengths: Floats = np.maximum(np.hypot(vectors[:, 0], vectors[:, 1]), 1e-9)
    return np.divide(vectors, lengths[:, None])


def _bent(pieces: Floats, leaving: Floats, arriving: Floats, parts: NDArray[np.int_]) -> Floats:
    """Each piece as so many, along the cubic with these tangents at its ends."""
    of = np.repeat(np.arange(len(pieces)), parts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(parts) - parts, parts)
    start, end, leaving, arriving = pieces[of, :2], pieces[of, 2:], leaving[of], arriving[of]
    # As a polynomial: start + a t + b t² + c t³.
    across = end - start
    b, c = 3 * across - 2 * leaving - arriving, leaving + arriving - 2 * across
    begin, stop = (number / parts[of])[:, None], ((number + 1) / parts[of])[:, None]
    first = start + begin * (leaving + begin * (b + begin * c))
    last = start + stop * (leaving + stop * (b + stop * c))
    return np.concatenate([first, last], axis=1)


# Logical px of a line.
_WIDTH = 1.2
# Below this zoom lines fade, or they would cover what they connect.
_FADES = 0.35
# How much of the ground is mixed into them then, at most; on a dark ground thin lines are faint enough by themselves.
_FADED, _FADED_DARK = 0.45, 0.15
# How much of the ground is mixed into control edges.
_CONTROL = 0.6


def paint_edges(sheet: Sheet) -> None:
    """Paints all lines in sight; those along which nothing flows, but one waits for the other, are fainter."""
    colors = sheet.style.colors
    level = sheet.scene.lines.at(sheet.zoom)
    seen = level.cells.within(*sheet.clip)
    most = _FADED_DARK if colors.dark else _FADED
    fade = 0.0 if sheet.zoom >= _FADES else most * (1 - sheet.zoom / _FADES)
    tensors, tints = level.tensors[seen], sheet.signs.tints
    control = tensors < 0
    calm = ~control if tints is None else ~control & (tints[tensors] == 0)
    for picked, share in ((seen[control], _CONTROL), (seen[calm], fade)):
        if len(picked):
            stroke_lines(sheet, level.lines, picked, mixed(colors.edge, colors.groups[0], share), _WIDTH)
    if tints is not None:
        loud = ~control & ~calm
        _paint_tinted(sheet, level.lines, seen[loud], tints[tensors[loud]])


def _paint_tinted(sheet: Sheet, lines: Floats, picked: Indices, tints: NDArray[np.uint8]) -> None:
    """Paints lines by what they carry, the worst last; from afar no wider than others, or they would cover what they
    connect.
    """
    near = sheet.zoom >= _FADES
    for number, color in enumerate(sheet.style.colors.tints):
        some = picked[tints == number + 1]
        if len(some):
            stroke_lines(sheet, lines, some, color, shade_width(number + 1) if near else _WIDTH)


def stroke_lines(sheet: Sheet, lines: Floats, picked: Indices, color: QColor, width: float) -> None:
    """The picked ones of scene lines in one colour: upright and level ones crisp, the others smooth when near."""
    straight = (lines[picked, 0] == lines[picked, 2]) | (lines[picked, 1] == lines[picked, 3])
    bars, bent = lines[picked[straight]], picked[~straight]
    batch, thick = sheet.batch, max(width * sheet.ratio, 1.0)
    across = sheet.scene.drawing.across
    if sheet.vector:
        batch.smooth(True)
        batch.stroke(color, thick)
        curves = rounded(lines, bent, sheet.camera.scale, across)
        batch.lines(np.concatenate([_placed(sheet, bars), _placed(sheet, curves)]))
        return
    whole = max(round(thick), 1)
    batch.smooth(False)
    batch.fill(color)
    batch.rects(_bars(_placed(sheet, bars), whole))
    if sheet.readable:
        batch.smooth(True)
        batch.stroke(color, thick)
        # The middle of the pixel that a bar fills.
        batch.lines(_placed(sheet, rounded(lines, bent, sheet.camera.scale, across)) + (whole % 2) / 2)
        batch.smooth(False)
    else:
        batch.stroke(color, whole)
        batch.lines(np.floor(_placed(sheet, lines[bent])))


def _placed(sheet: Sheet, lines: Floats) -> Floats:
    camera = sheet.camera
    return np.subtract(lines * camera.scale, (camera.left, camera.top, camera.left, camera.top))


def _bars(lines: Floats, thick: int) -> Floats:
    """Upright and level lines as rectangles of whole pixels."""
    whole = np.floor(lines)
    low = np.minimum(whole[:, :2], whole[:, 2:])
    high = np.maximum(whole[:, :2], whole[:, 2:])
    upright = lines[:, 0] == lines[:, 2]
    bars = np.column_stack([low, high - low + 1])
    shift = (thick - 1) // 2
    bars[upright, 0] -= shift
    bars[upright, 2] = thick
    bars[~upright, 1] -= shift
    bars[~upright, 3] = thick
    return bars
