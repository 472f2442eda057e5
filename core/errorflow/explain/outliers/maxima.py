"""The largest size that a value has in each channel, sample after sample, without a copy of a large tensor."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, ErrorflowError, Progress
from errorflow.explain.outliers.axes import FEWEST
from errorflow.explain.outliers.levels import Doubles
from errorflow.explain.outliers.model import Outliers
from errorflow.graph.model import Graph, Node
from errorflow.quant.operators import PRODUCTS

# Values that are looked at together: a megabyte or a few, whatever their type.
PIECE = 1 << 18


class Maxima:
    """Takes one sample after another; NaN and infinite values are left out and counted."""

    def __init__(self, axis: int) -> None:
        self.axis = axis
        self.found: Doubles | None = None
        self.not_finite = 0

    def see(self, values: NDArray[Any], progress: Progress = SILENT) -> bool:
        """False: it has other channels than those before, and is not taken."""
        count = values.shape[self.axis]
        if self.found is None:
            self.found = np.zeros(count)
        if len(self.found) != count:
            return False
        shaped = values.reshape(math.prod(values.shape[: self.axis]), count, -1)
        for piece in _pieces(shaped, progress):
            np.maximum(self.found, self._largest(piece), out=self.found)
        return True

    def _largest(self, piece: NDArray[Any]) -> Doubles:
        low, high = (end.astype(np.float64) for end in (piece.min(axis=(0, 2)), piece.max(axis=(0, 2))))
        largest: Doubles = np.maximum(np.abs(low), np.abs(high))
        if np.isfinite(largest).all():
            return largest
        sizes = np.abs(piece.astype(np.float64))
        finite = np.isfinite(sizes)
        self.not_finite += int(sizes.size - np.count_nonzero(finite))
        found: Doubles = np.where(finite, sizes, 0.0).max(axis=(0, 2))
        return found


def _pieces(shaped: NDArray[Any], progress: Progress) -> Iterator[NDArray[Any]]:
    """Parts with all channels: some samples of a batch whole, or a stretch of the places of one."""
    batch, count, inner = shaped.shape
    together = max(1, PIECE // max(count * inner, 1))
    stretch = max(1, PIECE // max(count, 1)) if together == 1 else max(inner, 1)
    for start in range(0, batch, together):
        for place in range(0, inner, stretch):
            progress.step(0, 0, "Looking at the channels")
            yield shaped[start : start + together, :, place : place + stretch]


# The channels of a model's weights: those that its convolutions and products make.


def of_weights(graph: Graph, progress: Progress = SILENT) -> Iterator[Outliers]:
    """Yields outliers of each constant that an operator multiplies by, once; one is in memory at a time."""
    seen: set[str] = set()
    held = frozenset(graph.weights.names())
    for number, node in enumerate(graph.nodes()):
        progress.step(number, len(graph), "Looking at the weights")
        row = PRODUCTS.get(node.op_type)
        name = node.inputs[row.weight] if row is not None and row.weight < len(node.inputs) else ""
        if row is None or name in seen or name not in held:
            continue
        seen.add(name)
        found = _of_weight(graph, node, name, row.axis_of(node), progress)
        if found is not None:
            yield found


def _of_weight(graph: Graph, node: Node, name: str, axis: int, progress: Progress) -> Outliers | None:
    shape = graph.weights.info(name).shape
    if len(shape) < FEWEST or not math.prod(shape) or shape[axis] < FEWEST:
        return None
    try:
        values = graph.weights.read(name)
    except ErrorflowError:  # the file that it lies in is gone, which opening the model has told
        return None
    if values.dtype.kind not in "iuf" and values.dtype.itemsize > np.dtype(np.float64).itemsize:
        return None
    maxima = Maxima(axis % len(shape))
    maxima.see(values, progress)
    assert maxima.found is not None
    return Outliers(name, "weight", maxima.axis, maxima.found, node.title, node.op_type, left_out(maxima.not_finite))


def left_out(count: int) -> str:
    """Says how many values have no size."""
    return f"{count:,} values that are NaN or infinite are left out." if count else ""
