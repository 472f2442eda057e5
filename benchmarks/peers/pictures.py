"""What an engine drew, in the form that is measured: boxes, and lines as straight pieces."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from peers.tangles import Setting

from errorflow.base.arrays import Ints
from errorflow.layout.drawing import Floats

PIECES = 8  # straight pieces that stand for one Bézier curve
DIGITS = 3  # of a pixel; what is closer is the same place


@dataclass(frozen=True, eq=False)
class Picture:
    boxes: Floats  # (b, 4)
    shown_by: Ints  # (n,) the box that shows each box of the setting
    pieces: Floats  # (k, 4)
    tensors: Ints  # (k,) what each piece carries
    lines: Ints  # (k,) which line it is of: peers draw one per edge, we draw one per tensor
    edge_lines: Ints  # (m,) the line that draws each edge of the setting

    @property
    def size(self) -> tuple[float, float]:
        corners = np.concatenate([self.boxes, np.column_stack([self.boxes[:, :2], self.boxes[:, :2]])])
        corners[: len(self.boxes), 2:] += corners[: len(self.boxes), :2]
        points = np.concatenate([corners, self.pieces]).reshape(-1, 2)
        width, height = np.ptp(points, axis=0).tolist()
        return width, height


def picture(drawn: dict[str, Any], asked: Setting) -> Picture:
    boxes = np.round(np.array(drawn["boxes"], np.float64).reshape(-1, 4), DIGITS)
    if "pieces" in drawn:
        return _ours(drawn, asked, boxes)
    paths = [_path(line, curved=bool(drawn.get("curved"))) for line in drawn["lines"]]
    pieces = [np.column_stack([path[:-1], path[1:]]) for path in paths]
    lines = np.repeat(np.arange(len(paths), dtype=np.int32), [len(part) for part in pieces])
    return Picture(
        boxes=boxes,
        shown_by=np.arange(len(boxes), dtype=np.int32),
        pieces=np.concatenate([np.zeros((0, 4)), *pieces]),
        tensors=asked.tensors[lines],
        lines=lines,
        edge_lines=np.arange(len(paths), dtype=np.int32),
    )


def _ours(drawn: dict[str, Any], asked: Setting, boxes: Floats) -> Picture:
    tensors = np.array(drawn["tensors"], np.int32)
    return Picture(
        boxes=boxes,
        shown_by=np.array(drawn["shown_by"], np.int32),
        pieces=np.round(np.array(drawn["pieces"], np.float64).reshape(-1, 4), DIGITS),
        tensors=tensors,
        lines=tensors,
        edge_lines=asked.tensors,
    )


def _path(line: list[list[float]], *, curved: bool) -> Floats:
    """The points of a line, without those that lie on the way between their neighbours."""
    points: Floats = np.array(line, np.float64).reshape(-1, 2)
    points = np.round(_sampled(points) if curved else points, DIGITS)
    moved = np.any(np.diff(points, axis=0) != 0, axis=1)
    points = np.concatenate([points[:1], points[1:][moved]])
    if len(points) < 3:
        return points
    way = np.diff(points, axis=0)
    before, after = way[:-1], way[1:]
    bends = before[:, 0] * after[:, 1] != before[:, 1] * after[:, 0]
    bends |= np.sum(before * after, axis=1) <= 0
    return np.concatenate([points[:1], points[1:-1][bends], points[-1:]])


def _sampled(controls: Floats) -> Floats:
    """Points on Bézier curves, each of which begins where the one before ends."""
    curves = np.stack([controls[i : len(controls) - 3 + i : 3] for i in range(4)], axis=1)
    t = np.linspace(0.0, 1.0, PIECES + 1)[1:, None]
    weights = np.concatenate([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3], axis=1)
    return np.concatenate([controls[:1], (weights @ curves).reshape(-1, 2)])
