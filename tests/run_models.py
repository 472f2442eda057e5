"""What tests that run models share."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper
from onnx.reference import ReferenceEvaluator

from errorflow.graph.dump import Dump
from errorflow.run.model import Ran
from onnx_models import graph, model, relu, value, weight

# Saves a model, runs it on arrays and opens what it left behind.
RunIt = Callable[..., tuple[Ran, Dump]]


def floats(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def savez(path: Path, arrays: Mapping[str, NDArray[Any]]) -> Path:
    """numpy.savez for names that a type checker takes for its options."""
    store: Any = np.savez
    store(path, **arrays)
    return path


def net() -> onnx.ModelProto:
    """x → Conv → Relu → Conv → Add (with the Relu) → Flatten → Gemm → y."""
    rng = np.random.default_rng(3)
    weights = [
        weight("w1", rng.standard_normal((4, 3, 3, 3), np.float32) / 5),
        weight("w2", rng.standard_normal((4, 4, 3, 3), np.float32) / 6),
        weight("w3", rng.standard_normal((64, 5), np.float32) / 8),
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], "conv1", pads=[1, 1, 1, 1]),
        relu("c1", "r1", "relu1"),
        helper.make_node("Conv", ["r1", "w2"], ["c2"], "conv2", pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c2", "r1"], ["s"], "add"),
        helper.make_node("Flatten", ["s"], ["f"], "flatten"),
        helper.make_node("Gemm", ["f", "w3"], ["y"], "gemm"),
    ]
    main = graph(*nodes, inputs=[value("x", (1, 3, 4, 4))], outputs=[value("y", (1, 5))], weights=weights)
    return model(main, ir_version=10)


def one_node(
    proto: onnx.ModelProto, node: onnx.NodeProto, run: Mapping[str, NDArray[np.float32]]
) -> NDArray[np.float32]:
    """What ONNX's own reference makes of a node's inputs."""
    weights = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in proto.graph.initializer}
    have = {name: run[name] if name in run else weights[name] for name in node.input}
    inputs = [value(name, array.shape) for name, array in have.items()]
    single = model(graph(node, inputs=inputs, outputs=[value(node.output[0], None)]))
    found: Any = ReferenceEvaluator(single).run(None, have)
    made: NDArray[np.float32] = found[0]
    return made
