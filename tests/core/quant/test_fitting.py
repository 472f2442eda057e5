"""Ranges as ONNX Runtime's tool has them."""

from pathlib import Path

import onnx
import pytest
from onnx import helper, numpy_helper

from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.fitting import fitted
from errorflow.quant.presets import preset
from errorflow.quant.ranges import Range
from errorflow.run.engine.engine import Engine
from onnx_models import graph, model, relu, value
from readback_nets import quantized
from rerun_nets import case

WIDE, NARROW = Range(-3.0, 2.0), Range(0.0, 2.0)
PER_CHANNEL = "onnxruntime-x86"
# A constant, which has codes in the model, and what is moved for a node that is not quantized.
LACKING = {"crossing": {"k", "pooled"}}


def of(folder: Path, *nodes: onnx.NodeProto) -> Graph:
    path = folder / "m.onnx"
    onnx.save(model(graph(*nodes, inputs=[value("x")], outputs=[value("y")])), path)
    return read_model(path).graph


def scales(path: Path) -> dict[str, tuple[float, int]]:
    """Scale and zero point of each tensor that is coded, by its name in the float model."""
    proto = onnx.load(path)
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in proto.graph.initializer}
    found = {}
    for node in proto.graph.node:
        if node.op_type == "QuantizeLinear":
            name = node.input[0].removesuffix("_unquantized").removesuffix("_QuantizeLinear_Input")
            found[name] = float(constants[node.input[1]]), int(constants[node.input[2]])
    return found


@pytest.mark.parametrize("key", ["onnxruntime", PER_CHANNEL])
@pytest.mark.parametrize("name", ["residual", "crossing", "attention", "transformer", "locator"])
def test_scales_are_those_of_quantize_static(name: str, key: str, tmp_path: Path) -> None:
    net = case(name, tmp_path)
    plan = preset(key).plan
    kind = "int8" if key == "onnxruntime" else "uint8"
    theirs = scales(quantized(net, tmp_path, kind, per_channel=key == PER_CHANNEL))
    with Engine(net.path, list(net.samples), net.calibration) as engine:
        engine.export(plan, tmp_path / "ours.onnx")
    ours = scales(tmp_path / "ours.onnx")
    assert theirs.keys() - ours.keys() == LACKING.get(name, set())
    for tensor in ours.keys() & theirs.keys():
        assert ours[tensor] == theirs[tensor], tensor


def test_relu_sets_the_range_of_what_only_it_reads(tmp_path: Path) -> None:
    found = fitted(of(tmp_path, relu()), None, {"x": WIDE, "y": NARROW})
    assert found == {"x": NARROW, "y": NARROW}


def test_what_others_read_too_keeps_its_range(tmp_path: Path) -> None:
    nodes = (relu("x", "r"), helper.make_node("Add", ["x", "r"], ["y"]))
    found = fitted(of(tmp_path, *nodes), None, {"x": WIDE, "r": NARROW})
    assert found["x"] == WIDE


def test_softmax_makes_shares(tmp_path: Path) -> None:
    net = of(tmp_path, helper.make_node("Softmax", ["x"], ["y"]))
    assert fitted(net, None, {"y": Range(0.25, 0.5)}) == {"y": Range(0.0, 1.0)}


def test_what_is_not_quantized_changes_nothing(tmp_path: Path) -> None:
    assert fitted(of(tmp_path, relu()), ("Conv",), {"x": WIDE, "y": NARROW})["x"] == WIDE


def test_without_a_range_there_is_none_to_take(tmp_path: Path) -> None:
    assert fitted(of(tmp_path, relu()), None, {"x": WIDE}) == {"x": WIDE}
