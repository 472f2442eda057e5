"""Axis of a tensor's channels: the second one, but behind products of matrices the last one."""

from errorflow.graph.model import Graph
from errorflow.graph.order import run_order

# What they make has channels last.
_LAST = frozenset(
    ("MatMul", "Gemm", "LayerNormalization", "SkipLayerNormalization", "Attention", "MultiHeadAttention", "FusedMatMul")
)
# … and second.
_SECOND = frozenset(
    ("Conv", "ConvTranspose", "BatchNormalization", "InstanceNormalization", "GroupNormalization", "GlobalAveragePool")
)


def last_channels(graph: Graph) -> frozenset[str]:
    """The tensors whose channels are last; what is made value by value has them where its first input does."""
    last: set[int] = set()
    for node in run_order(graph).tolist():
        kind = graph.op_types[node]
        inputs = [tensor for tensor in graph.node_inputs[node].tolist() if tensor >= 0]
        inherits = any(tensor in last for tensor in inputs) and kind not in _SECOND
        if kind == "Transpose":
            inherits = _ends_as_it_did(graph, node) and inherits
        if kind in _LAST or inherits:
            last.update(tensor for tensor in graph.node_outputs[node].tolist() if tensor >= 0)
    return frozenset(graph.tensor_names[tensor] for tensor in last)


def _ends_as_it_did(graph: Graph, node: int) -> bool:
    perm = graph.attributes(node).get("perm", ())
    places = [int(place) for place in perm] if isinstance(perm, list | tuple) else []
    return bool(places) and places[-1] == len(places) - 1
