"""Pulsar2's output folder of a small net."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper

from onnx_models import graph, model, value
from run_models import floats, net

X = {"x": floats(1, 3, 4, 4)}
W1 = onnx.numpy_helper.to_array(net().graph.initializer[0])
WEIGHT_STEPS = np.abs(W1).max(axis=(1, 2, 3)) / 127
# Operators as Pulsar2 calls them, by those of the float model.
TYPES = {"Conv": "AxQuantizedConv", "Add": "AxQuantizedAdd", "Flatten": "AxReshape", "Gemm": "AxFullyConnected"}


def config(number: int, **fields: Any) -> dict[str, Any]:
    return {"bit_width": 8, "quant_min": 0, "quant_max": 255, "state": "ACTIVATED", "hash": number} | fields


CONFIGS: dict[str, dict[str, Any]] = {
    "conv1": {
        "x": config(1, quant_min=-128, quant_max=127),
        "w1": config(2, quant_min=-128, quant_max=127, channel_axis=0),
        "r1": config(3),
    },
    "conv2": {"r1": config(9, state="OVERLAPPED", dominator=3), "c2": config(4, bit_width=16, quant_max=65535)},
    "add": {"s": config(5), "bias": config(6, bit_width=32, quant_min=-(1 << 31)), "y": config(99)},
}
VALUES: dict[str, dict[str, Any]] = {
    "1": {"scale": 0.02, "zero_point": -3},
    "2": {"scale": WEIGHT_STEPS.tolist(), "zero_point": [0, 0, 0, 0]},
    "3": {"scale": 0.01, "zero_point": 0},
    "4": {"scale": 1e-4, "zero_point": 32768},
    "5": {"scale": 0.03, "zero_point": 100},
    "6": {"scale": 1e-3, "zero_point": 0},
}


def output_folder(
    top: Path, scales: Mapping[str, Any] | None = None, *more: onnx.NodeProto, floating: bool = True
) -> Path:
    """As Pulsar2 leaves it: the quantized model, its scales, and the float one in another folder."""
    for name in ("quant", "frontend"):
        (top / name).mkdir()
    proto = net()
    if floating:
        onnx.save(proto, top / "frontend" / "optimized.onnx")
    nodes = [
        helper.make_node(
            TYPES[node.op_type], node.input[:1], [f"{node.output[0]}"], node.name, domain="com.axera", some=1
        )
        for node in proto.graph.node
        if node.op_type in TYPES
    ]
    for node in nodes:  # what Relu makes is made by the convolution
        if node.name == "conv1":
            node.output[0] = "r1"
    main = graph(*nodes, *more, inputs=[value("x", (1, 3, 4, 4))], outputs=[value("y", (1, 5))])
    path = top / "quant" / "quant_axmodel.onnx"
    onnx.save(model(main, {"": 16, "com.axera": 1}), path)
    text = {"tensor_configs": CONFIGS, "values": VALUES} if scales is None else scales
    (top / "quant" / "quant_axmodel.json").write_text(json.dumps(text))
    return path
