"""The channels of a model's weights: those that its convolutions and products make."""

import math
from collections.abc import Iterator

import numpy as np

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress
from errorflow.explain.outliers.axes import FEWEST
from errorflow.explain.outliers.maxima import Maxima
from errorflow.explain.outliers.model import Outliers
from errorflow.graph.model import Graph, Node
from errorflow.quant.operators import PRODUCTS


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
