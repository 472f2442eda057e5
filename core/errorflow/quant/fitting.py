"""Ranges as ONNX Runtime's tool changes them between calibrating and quantizing."""

from collections.abc import Collection, Mapping

from errorflow.graph.model import Graph
from errorflow.quant.ranges import Range

LIMITING = frozenset(("Relu", "Clip"))
_SOFTMAX = "Softmax"
_SHARES = Range(0.0, 1.0)


def fitted(graph: Graph, types: Collection[str] | None, ranges: Mapping[str, Range]) -> dict[str, Range]:
    """Fits ranges: what only Relu or Clip read has the range of what they make, and Softmax makes 0 to 1.

    `types`: of the nodes that are quantized, for others nothing changes; None: all.
    """
    found = dict(ranges)
    names = graph.tensor_names
    for node, kind in enumerate(graph.op_types):
        if (kind not in LIMITING and kind != _SOFTMAX) or (types is not None and kind not in types):
            continue
        source, target = int(graph.node_inputs[node][0]), int(graph.node_outputs[node][0])
        if target < 0 or names[target] not in found:
            continue
        if kind == _SOFTMAX:
            found[names[target]] = _SHARES
        elif source >= 0 and names[source] in found and len(graph.consumers[source]) == 1:
            found[names[source]] = found[names[target]]
    return found
