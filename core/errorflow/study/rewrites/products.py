"""Tensors that layers multiply by weights: those that steps are about."""

from collections.abc import Iterator

import numpy as np

from errorflow.quant.operators import PRODUCTS
from errorflow.study.rewrites.axes import TensorAxis
from errorflow.study.rewrites.edges import Doubles
from errorflow.study.rewrites.model import LEVEL
from errorflow.study.rewrites.net import Net

LAST = ("MatMul", "Gemm")


def multiplied(net: Net) -> Iterator[tuple[str, TensorAxis]]:
    """Tensors that flow and are multiplied by constants, in the order of running, and the axis of their channels."""
    found: dict[str, TensorAxis] = {}
    for number in net.order:
        node = net.nodes[number]
        product = PRODUCTS.get(node.op_type)
        if product is None or len(node.inputs) <= product.weight or node.domain not in ("", "ai.onnx"):
            continue
        name, source = node.inputs[0], net.source(node.inputs[product.weight])
        if source is not None and net.source(name) is None and name not in found:
            rank = len(net.graph.weights.info(source).shape) if node.op_type != "MatMul" else None
            index = -1 if node.op_type in LAST else 1
            found[name] = TensorAxis.of(index, net.shape(name), rank)
    yield from found.items()


def bits(sizes: Doubles) -> float:
    """Counts the bits that the channel in the middle loses to the loudest one; NaN where all are zero."""
    heard = sizes[sizes > 0]
    return float(np.log2(heard.max() / np.median(heard))) if len(heard) else float("nan")


def share(sizes: Doubles) -> float:
    """Computes the share of channels that lose three bits or more; what is always zero loses nothing."""
    if not len(sizes) or not sizes.max() > 0:
        return 0.0
    heard = sizes[sizes > 0]
    return float((np.log2(sizes.max() / heard) >= LEVEL).sum() / len(sizes))
