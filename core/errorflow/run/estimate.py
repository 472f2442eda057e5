"""What a run needs at the least, as far as the shapes in a model tell: more than there may be is refused before."""

from math import prod

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.workers import MEMORY_BYTES
from errorflow.graph.model import Graph

_GB = 1e9
# Of types that numpy does not have.
_BYTES = 1


def check_memory(graph: Graph, name: str, most: int = MEMORY_BYTES) -> None:
    """`name`: of the model."""
    needed, node = least_bytes(graph)
    if needed > most:
        raise UsageError(
            f"Running {name} needs {needed / _GB:.1f} GB of memory or more, at {graph.title(node)}; "
            f"{most / _GB:.1f} GB is the limit.",
            "Give the model smaller inputs.",
        )


def least_bytes(graph: Graph) -> tuple[int, int]:
    """What the largest node reads and makes together, and which one that is; unknown shapes count nothing."""
    constants = frozenset(graph.constants.tolist())
    sizes: dict[int, int] = {}
    best = (0, -1)
    for node in range(len(graph)):
        tensors = {*graph.node_inputs[node].tolist(), *graph.node_outputs[node].tolist()} - constants - {-1}
        for tensor in tensors - sizes.keys():
            sizes[tensor] = _size(graph, tensor)
        best = max(best, (sum(sizes[tensor] for tensor in tensors), node), key=lambda each: each[0])
    return best


def _size(graph: Graph, number: int) -> int:
    tensor = graph.tensor(number)
    if tensor.shape is None or not all(isinstance(size, int) for size in tensor.shape):
        return 0
    return prod(size for size in tensor.shape if isinstance(size, int)) * _item_bytes(tensor.dtype)


def _item_bytes(dtype: str) -> int:
    try:
        return np.dtype(dtype).itemsize if dtype else _BYTES
    except TypeError:
        return _BYTES
