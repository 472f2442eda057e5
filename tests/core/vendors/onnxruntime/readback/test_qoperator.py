"""Models whose operators work on codes: kernels of integers may round to the next code."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnxruntime.quantization import QuantFormat

from errorflow.vendors.onnxruntime.readback.qoperator import FORMS
from onnx_models import graph, model, value, weight
from readback_nets import in_onnxruntime, opened, quantized, simulated
from rerun_nets import case

# Tensors between may be a step apart each, and nodes pass that on.
STEPS = 1.001


def near(path: Path, folder: Path, inputs: dict[str, Any], steps: float = STEPS) -> list[str]:
    """Whether each tensor is within so many steps of its own scale; the types that are left."""
    found = opened(path, folder)
    want, have = in_onnxruntime(path, found, inputs), simulated(found, inputs)
    codes = 0
    for name, qparams in found.calibration.given.items():
        if name in have and name in want:
            codes += 1
            assert np.abs(have[name] - want[name]).max() <= steps * max(qparams.scales), name
    assert codes
    return [node.op_type for node in onnx.load(found.path).graph.node]


def made(folder: Path, *nodes: onnx.NodeProto, weights: list[Any], outputs: list[Any], dims: Any = (2, 3)) -> Path:
    main = graph(*nodes, inputs=[value("x", dims)], outputs=outputs, weights=weights)
    path = folder / "made.onnx"
    onnx.save(model(main, {"": 17, "com.microsoft": 1}, ir_version=10), path)
    return path


SCALE = [
    weight("s", np.float32(0.02)),
    weight("z", np.uint8(100)),
    weight("t", np.float32(0.03)),
    weight("u", np.uint8(90)),
]
BEGIN = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["a"])
END = helper.make_node("DequantizeLinear", ["b", "t", "u"], ["y"])
OWN = {"domain": "com.microsoft"}
ONE = ["a", "s", "z", "t", "u"]
TWO = ["a", "s", "z", "a", "s", "z", "t", "u"]


@pytest.mark.parametrize(
    ("node", "dims"),
    [
        (helper.make_node("QLinearAdd", TWO, ["b"], **OWN), (2, 3)),
        (helper.make_node("QLinearMul", TWO, ["b"], **OWN), (2, 3)),
        (helper.make_node("QLinearSigmoid", ONE, ["b"], **OWN), (2, 3)),
        (helper.make_node("QLinearLeakyRelu", ONE, ["b"], alpha=0.2, **OWN), (2, 3)),
        (helper.make_node("QLinearSoftmax", ONE, ["b"], axis=-1, opset=13, **OWN), (2, 3)),
        (helper.make_node("QLinearGlobalAveragePool", ONE, ["b"], channels_last=0, **OWN), (1, 2, 3, 3)),
        (helper.make_node("QLinearAveragePool", ONE, ["b"], kernel_shape=[2, 2], **OWN), (1, 2, 3, 3)),
        (helper.make_node("QLinearConcat", ["t", "u", "a", "s", "z", "a", "s", "z"], ["b"], axis=0, **OWN), (2, 3)),
    ],
    ids=lambda found: found.op_type if isinstance(found, onnx.NodeProto) else "",
)
def test_an_operator_does_as_its_kernel(node: onnx.NodeProto, dims: tuple[int, ...], tmp_path: Path) -> None:
    path = made(tmp_path, BEGIN, node, END, weights=SCALE, outputs=[value("y", None)], dims=dims)
    x = np.random.default_rng(1).uniform(-2, 3, dims).astype(np.float32)
    kind = FORMS[node.op_type].kind if node.op_type in FORMS else "Concat"
    assert near(path, tmp_path, {"x": x}) == [kind]


def test_gemm_has_its_bias_in_steps_of_the_product(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    weights = [
        *SCALE,
        weight("w", rng.integers(-90, 90, (3, 4)).astype(np.int8)),
        weight("ws", rng.uniform(0.01, 0.02, 4).astype(np.float32)),
        weight("wz", np.zeros(4, np.int8)),
        weight("c", rng.integers(-2000, 2000, 4).astype(np.int32)),
    ]
    node = helper.make_node("QGemm", ["a", "s", "z", "w", "ws", "wz", "c", "t", "u"], ["b"], alpha=0.7, **OWN)
    path = made(tmp_path, BEGIN, node, END, weights=weights, outputs=[value("y", None)])
    assert near(path, tmp_path, {"x": rng.uniform(-2, 3, (2, 3)).astype(np.float32)}) == ["Gemm"]


def test_a_choice_of_codes(tmp_path: Path) -> None:
    node = helper.make_node("QLinearWhere", ["w", "a", "s", "z", "a", "s", "z", "t", "u"], ["b"], **OWN)
    path = made(
        tmp_path,
        BEGIN,
        node,
        END,
        weights=[*SCALE, weight("w", np.array([True, False, True]))],
        outputs=[value("y", None)],
    )
    assert near(path, tmp_path, {"x": np.ones((2, 3), np.float32)}) == ["Where"]


def test_channels_that_are_last_stay_with_their_codes(tmp_path: Path) -> None:
    node = helper.make_node("QLinearGlobalAveragePool", ONE, ["b"], "pool", channels_last=1, **OWN)
    path = made(tmp_path, BEGIN, node, END, weights=SCALE, outputs=[value("y", None)], dims=(1, 3, 3, 2))
    found = opened(path, tmp_path)
    assert found.notes[0] == "pool stays as it is: its channels are last."
    x = {"x": np.random.default_rng(3).uniform(-2, 3, (1, 3, 3, 2)).astype(np.float32)}
    want = in_onnxruntime(path, found, x)["y"]
    assert np.array_equal(simulated(found, x)["y"], want)


# ONNX Runtime cannot run what its own tool makes of attention per channel.
@pytest.mark.parametrize(
    ("name", "per_channel"),
    [("residual", False), ("residual", True), ("crossing", False), ("crossing", True), ("attention", False)],
)
def test_what_onnxruntime_makes_is_read_back(name: str, per_channel: bool, tmp_path: Path) -> None:
    net = case(name, tmp_path)
    path = quantized(net, tmp_path, form=QuantFormat.QOperator, per_channel=per_channel)
    types = near(path, tmp_path, net.samples[0], steps=3.0)
    assert not any(kind.startswith("QLinear") for kind in types)


def test_padding_is_a_value_too(tmp_path: Path) -> None:
    pad = helper.make_node("Pad", ["a", "pads", "around"], ["p"])
    end = helper.make_node("DequantizeLinear", ["p", "s", "z"], ["y"])
    weights = [*SCALE, weight("pads", np.array([0, 1, 0, 2])), weight("around", np.uint8(130))]
    path = made(tmp_path, BEGIN, pad, end, weights=weights, outputs=[value("y", None, TensorProto.FLOAT)])
    assert near(path, tmp_path, {"x": np.ones((2, 3), np.float32)}, steps=0.0) == ["Pad"]
