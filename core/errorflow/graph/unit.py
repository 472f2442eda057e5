"""The layer that a node belongs to, by the name that the user's own tool has for it.

AMCT makes three operators of one layer (`<layer>_quant_layer`, the layer, `<layer>_dequant_layer`) and folds BatchNorm
and Scale into it; a compiler joins what the original model has apart, and writes the originals down.
"""

import re

import numpy as np
from numpy.typing import NDArray

from errorflow.graph.model import Graph

# For Caffe, TensorFlow and ONNX.
_PART = re.compile(r"(.+?)(?:_(?:anti_|de)?quant_layer|/AscendQuant|/AscendDequant|\.(?:de)?quant)")
# What AMCT folds into the layer before it, in Caffe's words.
_FOLDED = frozenset({"BatchNorm", "Scale"})
_LAYERS = frozenset({"Convolution", "Deconvolution", "InnerProduct", "ConvolutionDepthwise"})


def unit(graph: Graph, node: int) -> str:
    """The name of the layer: its own, or the first of those that it was made of."""
    owner = _owner(graph, node)
    name, origins = graph.node_names[owner], graph.origins[owner]
    named = [each for each in (origins if origins else ()) if each]
    found = named[0] if len(named) > 1 else name
    part = _PART.fullmatch(found)
    return part[1] if part is not None else found


def unit_title(graph: Graph, node: int) -> str:
    """The layer, and behind it the operator where that is called in another way."""
    raw, name = graph.title(node), unit(graph, node)
    return raw if name in ("", raw) else f"{name} ({raw})"


def per_unit(graph: Graph, parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The shares of each layer's nodes added up, at the node with the largest of them; 0 at the others."""
    found = parts.copy()
    largest: dict[str, int] = {}
    for node in np.flatnonzero(parts > 0)[np.argsort(-parts[parts > 0], kind="stable")].tolist():
        name = unit(graph, node)
        first = largest.setdefault(name, node) if name else node
        if first != node:
            found[first] += found[node]
            found[node] = 0.0
    return found


def is_quantizer_of_layer(graph: Graph, node: int) -> bool:
    """Whether it quantizes what one layer reads, so that its scale is that layer's own."""
    name = graph.node_names[node]
    return _PART.fullmatch(name) is not None and unit(graph, node) != name


def _owner(graph: Graph, node: int) -> int:
    """The layer that a node was folded into; itself if it was not."""
    at = node
    while graph.op_types[at] in _FOLDED:
        inputs = graph.node_inputs[at]
        at = int(graph.producers[inputs[0]]) if len(inputs) and inputs[0] >= 0 else -1
        if at < 0:
            return node
    return at if graph.op_types[at] in _LAYERS else node
