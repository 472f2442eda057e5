"""Tensors that nobody measured, and the measured ones that say the same behind nodes that only convert."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import Ints
from errorflow.graph.model import Graph

Bools = NDArray[np.bool_]
# They round a value, or bring it into another type or layout; its elements stay what and where they are.
CONVERSIONS: Final = frozenset(
    (
        "QuantizeLinear",
        "DequantizeLinear",
        "FakeQuantize",
        "FakeQuant",
        "Quantize",
        "Dequantize",
        "AscendQuant",
        "AscendQuantV2",
        "AscendDequant",
        "AscendAntiQuant",
        "AscendRequant",
        "Quant",
        "Dequant",
        "Cast",
        "CastLike",
        "Identity",
        "TransData",
    )
)
# Between real types only: what becomes a whole number or a truth value there is another value.
_CASTS: Final = frozenset(("Cast", "CastLike"))
# A chain of conversions is never as long.
_DEEPEST = 64


def behind(graph: Graph, measured: Iterable[int]) -> dict[int, int]:
    """For tensors that were not measured the first one that was, where nothing but conversions lies between.

    Nobody may compute on what is passed over: a reader that gets the value as it was made has another one.
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
    """How that is told: `node` makes what was measured."""
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
    whole = np.array([bool(dtype) and "float" not in dtype.lower() for dtype in graph.dtypes.values], bool)
    if not casts.any() or not whole.any():
        return np.ones(len(nodes), bool)
    kept: Bools = ~(casts & whole[graph.dtypes.codes[_first(graph, nodes)[0]]])
    return kept


def _first(graph: Graph, nodes: Ints) -> tuple[Ints, Ints]:
    """What each makes first, and reads first."""
    made, read = graph.node_outputs, graph.node_inputs
    return made.values[made.starts[nodes]], read.values[read.starts[nodes]]


def _used(graph: Graph, nodes: Ints) -> Bools:
    """Tensors that somebody computes on or that leave the graph, and constants."""
    found = np.zeros(len(graph.tensor_names) + 1, bool)  # the last: what is left out
    beside = np.ones(len(graph.node_inputs.values), bool)
    beside[graph.node_inputs.starts[nodes]] = False
    found[graph.node_inputs.values[beside]] = True
    found[graph.outputs] = found[graph.constants] = True
    for body in graph.subgraphs:
        inner = (graph.tensor_index(name) for name in body.graph.tensor_names)
        found[[tensor for tensor in inner if tensor is not None]] = True
    return found[:-1]
