"""How good a drawing is, in numbers that tests and benchmarks can hold it to."""

import numpy as np
from drawing_quality.crossings import crossed
from numpy.typing import NDArray

from errorflow.layout.drawing import Drawing, Floats

EDGE = 0.25  # closer than this to a border counts as touching, which is allowed


def overlaps(boxes: Floats) -> int:
    """How many pairs of boxes share room."""
    order = np.argsort(boxes[:, 1], kind="stable")
    x, y, width, height = boxes[order].T
    right, bottom = x + width - EDGE, y + height - EDGE
    last = np.searchsorted(y, bottom)  # boxes before this begin above the lower border
    total = 0
    for i in range(len(boxes)):
        others = slice(i + 1, last[i])
        total += int(np.count_nonzero((x[others] < right[i]) & (right[others] > x[i])))
    return total


def pierced(drawing: Drawing) -> int:
    """How many pairs of a line piece and a box there are where the line runs through the box."""
    return len(touched(drawing.lines, drawing.boxes))


def touched(lines: Floats, boxes: Floats) -> list[tuple[int, int]]:
    """Numbers of lines and of boxes whose inside they touch."""
    if not len(lines) or not len(boxes):
        return []
    order = np.argsort(boxes[:, 1], kind="stable")
    top = boxes[order, 1] + EDGE
    tallest = float(boxes[:, 3].max())
    found: list[tuple[int, int]] = []
    by_top = np.argsort(lines[:, 1:4:2].min(axis=1), kind="stable")
    step = 512
    for start in range(0, len(lines), step):
        part = by_top[start : start + step]
        low, high = lines[part][:, [1, 3]].min(), lines[part][:, [1, 3]].max()
        near = order[np.searchsorted(top, low - tallest) : np.searchsorted(top, high, "right")]
        rows, columns = np.nonzero(_cut(lines[part][:, None, :], boxes[near][None, :, :]))
        found.extend(zip(part[rows].tolist(), near[columns].tolist(), strict=True))
    return found


def _cut(line: Floats, box: Floats) -> NDArray[np.bool_]:
    """Whether a piece of the line lies inside the box, by clipping it at all four sides."""
    start = np.zeros(np.broadcast_shapes(line.shape[:-1], box.shape[:-1]))
    end = np.ones_like(start)
    outside = np.zeros(start.shape, bool)
    for axis in (0, 1):
        low, high = box[..., axis] + EDGE, box[..., axis] + box[..., axis + 2] - EDGE
        at, way = line[..., axis], line[..., axis + 2] - line[..., axis]
        flat = way == 0
        outside |= flat & ((at <= low) | (at >= high))
        safe = np.where(flat, 1.0, way)
        first, second = (low - at) / safe, (high - at) / safe
        start = np.maximum(start, np.where(flat, 0.0, np.minimum(first, second)))
        end = np.minimum(end, np.where(flat, 1.0, np.maximum(first, second)))
    return ~outside & (start < end)


def crossings(drawing: Drawing) -> int:
    """At how many places two lines cross; several lines on top of each other count once."""
    return crossed(drawing.lines, drawing.line_tensors)
