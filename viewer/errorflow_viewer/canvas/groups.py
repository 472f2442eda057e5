"""Open groups: opaque sheets, deeper ones darker."""

import numpy as np

from errorflow.base.arrays import distinct
from errorflow.layout.drawing import Floats
from errorflow_viewer.canvas.cells import Indices, frames, grown, whole
from errorflow_viewer.canvas.sheet import Sheet

# Logical px: smaller groups are left out, smaller ones get no border, fewer get round corners.
_LEAST, _BORDERED, _ROUND = 2.0, 6.0, 400
_RADIUS = 6.0


def paint_groups(sheet: Sheet) -> None:
    """Paints all groups in sight, the outer ones first."""
    seen, rects = in_sight(sheet)
    depths = sheet.scene.drawing.group_depths[seen]
    round_corners = sheet.readable and len(seen) <= _ROUND
    for depth in distinct(depths).tolist():
        paint = _paint_round if round_corners else _paint_square
        paint(sheet, rects[depths == depth], depth)


def in_sight(sheet: Sheet) -> tuple[Indices, Floats]:
    """Groups, the outer ones first, and where they are."""
    seen = sheet.scene.groups_within(*sheet.clip)
    rects = _placed(sheet, sheet.scene.drawing.group_boxes[seen])
    large = np.minimum(rects[:, 2], rects[:, 3]) >= _LEAST * sheet.ratio
    return seen[large], rects[large]


def _placed(sheet: Sheet, boxes: Floats) -> Floats:
    """Whole pixels, edge by edge, so that neighbours stay as far apart as they are."""
    camera = sheet.camera
    edges = np.column_stack([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]) * camera.scale
    edges -= (camera.left, camera.top, camera.left, camera.top)
    if not sheet.vector:
        edges = whole(edges)
    edges[:, 2:] -= edges[:, :2]
    return edges


def _paint_round(sheet: Sheet, rects: Floats, depth: int) -> None:
    batch, colors, hair = sheet.batch, sheet.style.colors, sheet.hair
    batch.smooth(True)
    batch.stroke(colors.group_border, hair)
    batch.painter.setBrush(colors.group(depth))
    batch.rounded(grown(rects, -hair / 2), _RADIUS * min(sheet.zoom, 1.0) * sheet.ratio)
    batch.smooth(False)


def _paint_square(sheet: Sheet, rects: Floats, depth: int) -> None:
    batch, colors, hair = sheet.batch, sheet.style.colors, sheet.hair
    batch.smooth(False)
    batch.fill(colors.group(depth))
    batch.rects(rects)
    bordered = rects[np.minimum(rects[:, 2], rects[:, 3]) >= _BORDERED * sheet.ratio]
    batch.fill(colors.group_border)
    batch.rects(frames(bordered, hair))
