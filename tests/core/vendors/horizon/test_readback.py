"""Models with HzCalibration nodes, which no runtime but the vendor's has."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.graph.qparams import QParams
from errorflow.quant.fake import fake_quantize
from errorflow.quant.precision import Precision
from onnx_models import graph, model, value, weight
from readback_nets import opened, simulated
from rerun_nets import every_tensor

RNG = np.random.default_rng(5)
WEIGHT = RNG.normal(size=(4, 3, 1, 1)).astype(np.float32)
EACH = np.abs(WEIGHT).max(axis=(1, 2, 3)) / 127
X = {"x": RNG.normal(size=(1, 3, 4, 4)).astype(np.float32)}


def calibration(source: str, **said: Any) -> onnx.NodeProto:
    """As the toolchain writes it; ON and 8 bits where nothing is said."""
    said = {"switch": "ON", "qtype": "int8", "tensor_type": "feature", "granularity": "per-tensor"} | said
    target = f"{source}_HzCalibration"
    return helper.make_node("HzCalibration", [source], [target], target, domain="horizon", **said)


def net(
    folder: Path, feature: onnx.NodeProto, of_weight: onnx.NodeProto, *more: onnx.NodeProto, output: str = "c"
) -> Path:
    conv = helper.make_node("Conv", [feature.output[0], of_weight.output[0]], ["c"], "conv")
    main = graph(
        feature,
        of_weight,
        conv,
        *more,
        inputs=[value("x", (1, 3, 4, 4))],
        outputs=[value(output, (1, 4, 4, 4))],
        weights=[weight("w", WEIGHT)],
    )
    path = folder / "m_calibrated_model.onnx"
    onnx.save(model(main, {"": 11, "horizon": 1}, ir_version=7), path)
    return path


def of_weight(**said: Any) -> onnx.NodeProto:
    said = {"scales": EACH.tolist(), "axis": 0, "tensor_type": "weight", "granularity": "per-channel"} | said
    return calibration("w", **said)


def conv(x: Any, w: Any) -> Any:
    node = helper.make_node("Conv", ["x", "w"], ["c"])
    main = graph(node, inputs=[value("x", x.shape)], outputs=[value("c", None)], weights=[weight("w", w)])
    return every_tensor(model(main, {"": 11}, ir_version=7), {"x": x})["c"]


def coded(array: Any, scales: Any, bits: int = 8, zero: int = 0, axis: int | None = None) -> Any:
    singles = tuple(np.asarray(scales, np.float32).reshape(-1).tolist())
    return fake_quantize(array, QParams(singles, (zero,), bits, zero == 0, axis))


def test_switched_on_nodes_are_the_plan_and_floats_the_reference(tmp_path: Path) -> None:
    found = opened(net(tmp_path, calibration("x", scales=[0.02]), of_weight()), tmp_path)
    assert (
        simulated(found, X, found.plan)["c"].tobytes()
        == conv(coded(X["x"], 0.02), coded(WEIGHT, EACH, axis=0)).tobytes()
    )
    reference = simulated(found, X, found.plan.keeping_float("conv"))
    assert reference["c"].tobytes() == conv(X["x"], WEIGHT).tobytes()
    assert found.plan.weights == Precision("int8", symmetric=True, per_channel=True)
    assert not found.notes


@pytest.mark.parametrize(
    ("said", "want"),
    [
        ({"qtype": "int8", "scales": [0.02]}, (0.02, 8, 0)),
        ({"qtype": "int8", "thresholds": [2.54]}, (2.54 / 127, 8, 0)),
        ({"qtype": "uint8", "scales": [0.02]}, (0.02, 8, 128)),
        ({"qtype": "int16", "scales": [0.02]}, (0.02 * 127 / 32767, 16, 0)),
        ({"qtype": "uint16", "scales": [0.02]}, (0.02 * 127 / 32767, 16, 32768)),
        ({"bits": 16, "qtype": "int16", "scales": [0.02]}, (0.02 * 127 / 32767, 16, 0)),
    ],
)
def test_scales_are_those_of_8_bits_whatever_the_type(said: dict[str, Any], want: Any, tmp_path: Path) -> None:
    found = opened(net(tmp_path, calibration("x", **said), of_weight(switch="OFF")), tmp_path)
    scale, bits, zero = want
    assert np.array_equal(simulated(found, X)["x"], coded(X["x"], scale, bits, zero))


@pytest.mark.parametrize("said", [{"switch": "OFF"}, {"qtype": "float16"}, {"qtype": "float32"}, {"qtype": "int32"}])
def test_what_is_off_or_has_no_codes_is_in_float(said: dict[str, Any], tmp_path: Path) -> None:
    found = opened(net(tmp_path, calibration("x", scales=[0.02], **said), of_weight()), tmp_path)
    assert np.array_equal(simulated(found, X)["x"], X["x"])
    assert len(found.notes) == ("qtype" in said)


def test_older_models_say_bits(tmp_path: Path) -> None:
    node = calibration("x", scales=[0.02], bits=16)
    del node.attribute[next(at for at, each in enumerate(node.attribute) if each.name == "qtype")]
    found = opened(net(tmp_path, node, of_weight()), tmp_path)
    assert found.calibration.given["x"].bits == 16


def test_a_filter_passes_on_what_it_reads(tmp_path: Path) -> None:
    last = helper.make_node("HzFilter", ["c"], ["y"], "filter", domain="horizon")
    found = opened(net(tmp_path, calibration("x", scales=[0.02]), of_weight(), last, output="y"), tmp_path)
    proto = onnx.load(found.path)
    assert [node.op_type for node in proto.graph.node] == ["Conv"]
    assert [entry.domain for entry in proto.opset_import] == [""]
    assert simulated(found, X)["y"].shape == (1, 4, 4, 4)
