"""How good a drawing is, in numbers that tests and benchmarks can hold it to."""

import numpy as np
from numpy.typing import NDArray

from errorflow.layout.drawing import Drawing, Floats

EDGE = 0.25  # closer than this to a border counts as touching, which is allowed
CHUNK = 2_000_000  # comparisons at a time


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
    """How often lines of different tensors cross; several lines on top of each other count once."""
    rows = np.column_stack([drawing.lines, drawing.line_tensors])
    rows = rows[np.lexsort(rows.T[::-1])]
    keep = np.ones(len(rows), bool)
    keep[1:] = np.any(rows[1:, :4] != rows[:-1, :4], axis=1)
    rows = rows[keep]
    rows = rows[np.argsort(rows[:, 1], kind="stable")]
    bent = rows[rows[:, 0] != rows[:, 2]]
    upright = rows[rows[:, 0] == rows[:, 2]]
    return _pairs(bent, bent) // 2 + _pairs(bent, upright)


def _pairs(some: Floats, others: Floats) -> int:
    """Crossings between two sets of lines sorted by where they begin."""
    if not len(some) or not len(others):
        return 0
    longest = float(np.abs(others[:, 3] - others[:, 1]).max())
    total = 0
    step = max(1, CHUNK // len(others))
    for start in range(0, len(some), step):
        part = some[start : start + step]
        low, high = part[:, [1, 3]].min(), part[:, [1, 3]].max()
        first = np.searchsorted(others[:, 1], low - longest)
        near = others[first : np.searchsorted(others[:, 1], high + longest, "right")]
        total += int(np.count_nonzero(_cross(part[:, None, :], near[None, :, :])))
    return total


def _cross(a: Floats, b: Floats) -> NDArray[np.bool_]:
    def side(line: Floats, x: Floats, y: Floats) -> Floats:
        turned: Floats = (line[..., 2] - line[..., 0]) * (y - line[..., 1])
        return turned - (line[..., 3] - line[..., 1]) * (x - line[..., 0])

    apart = side(a, b[..., 0], b[..., 1]) * side(a, b[..., 2], b[..., 3]) < 0
    split = side(b, a[..., 0], a[..., 1]) * side(b, a[..., 2], a[..., 3]) < 0
    crossing: NDArray[np.bool_] = apart & split & (a[..., 4] != b[..., 4])
    return crossing
