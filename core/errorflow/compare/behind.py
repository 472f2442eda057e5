"""Tensors that were not measured, and the measured ones that say the same behind nodes that only convert."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.graph.model import Graph
from errorflow.graph.quiet import CONVERSIONS

Bools = NDArray[np.bool_]
# Between real types only: what becomes a whole number or a truth value there is another value.
_CASTS: Final = frozenset(("Cast", "CastLike"))
# A chain of conversions is never as long.
_DEEPEST = 64


def behind(graph: Graph, measured: Iterable[int]) -> dict[int, int]:
    """Maps tensors that were not measured to the first one that was, where nothing but conversions lies between.

    No other node may compute on what is passed over: a reader that gets the value as it was made has another one.
    """
    nodes = _converting(graph)
    if not len(nodes):
        return {}
    made, read = _first(graph, nodes)
    open_ones = ~_used(graph, nodes)
    found = np.full(len(graph.tensor_names), -1, np.int32)
    known = np.fromiter(measured, np.int32)
    found[known] = known
    # The last first, so that of several readers the first in the file stays.
    passing = open_ones[read]
    read, made = read[passing][::-1], made[passing][::-1]
    for _ in range(_DEEPEST):
        fresh = (found[read] < 0) & (found[made] >= 0)
        if not fresh.any():
            break
        found[read[fresh]] = found[made[fresh]]
    found[known] = -1
    tensors = np.flatnonzero(found >= 0)
    return dict(zip(tensors.tolist(), found[tensors].tolist(), strict=True))


def behind_text(graph: Graph, node: int) -> str:
    """Says that `node` makes what was measured."""
    return f"measured behind its {graph.op_types[node]} {graph.title(node)}"


def _converting(graph: Graph) -> Ints:
    """Nodes that convert one tensor into one other."""
    kinds = np.array([value in CONVERSIONS for value in graph.op_types.values], bool)
    if not kinds.any():
        return np.zeros(0, np.int32)
    found = kinds[graph.op_types.codes]
    found &= (np.diff(graph.node_inputs.starts) > 0) & (np.diff(graph.node_outputs.starts) == 1)
    nodes = np.flatnonzero(found).astype(np.int32)
    made, read = _first(graph, nodes)
    nodes = nodes[(made >= 0) & (read >= 0)]
    return nodes[_keeps(graph, nodes)]


def _keeps(graph: Graph, nodes: Ints) -> Bools:
    """Whether the type that comes out can hold what went in, as far as types are known."""
    casts = np.array([value in _CASTS for value in graph.op_types.values], bool)[graph.op_types.codes[nodes]]
    kept: Bools = np.ones(len(nodes), bool)
    if not casts.any():
        return kept
    types = graph.dtypes.codes[_first(graph, nodes)[0]]
    kept[casts] = np.array([_is_real(dtype) for dtype in graph.dtypes.values], bool)[types[casts]]
    from errorflow.formats.onnx.dtypes import dtype_name  # a window is there before anything that reads is loaded

    unknown = np.array([not dtype for dtype in graph.dtypes.values], bool)[types]
    for place in np.flatnonzero(casts & unknown).tolist():  # few files leave the types of so many open
        asked = graph.attributes(int(nodes[place])).get("to")
        kept[place] = not isinstance(asked, int) or _is_real(dtype_name(asked))
    return kept


def _is_real(dtype: str) -> bool:
    return not dtype or "float" in dtype.lower()


def _first(graph: Graph, nodes: Ints) -> tuple[Ints, Ints]:
    """Finds what each node makes first, and reads first."""
    made, read = graph.node_outputs, graph.node_inputs
    return made.values[made.starts[nodes]], read.values[read.starts[nodes]]


def _used(graph: Graph, nodes: Ints) -> Bools:
    """Marks tensors that a node computes on or that leave the graph, and constants."""
    found = np.zeros(len(graph.tensor_names) + 1, bool)  # the last: what is left out
    beside = np.ones(len(graph.node_inputs.values), bool)
    beside[graph.node_inputs.starts[nodes]] = False
    found[graph.node_inputs.values[beside]] = True
    found[graph.outputs] = found[graph.constants] = True
    for body in (body for path, body in graph.walk() if path):  # one in another may read of all around it
        inner = (graph.tensor_index(name) for name in body.tensor_names)
        found[[tensor for tensor in inner if tensor is not None]] = True
    return found[:-1]
