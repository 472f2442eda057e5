"""Models with QuantizeLinear and DequantizeLinear."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from errorflow.base.sample import SAMPLES
from errorflow.formats import read_model
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import CHOICES, Precision
from errorflow.quant.readback.reading import kind_of, read_back
from errorflow.run.engine.engine import Engine
from onnx_models import graph, model, value, weight
from readback_nets import check, in_onnxruntime, opened, quantized, simulated
from rerun_nets import Case, case, every_tensor

WISHES = st.builds(Precision, st.sampled_from(CHOICES), st.booleans(), st.just(False), st.booleans())
WEIGHTS = st.builds(Precision, st.sampled_from(CHOICES), st.booleans(), st.booleans(), st.booleans())


def plans(net: Case) -> st.SearchStrategy[Plan]:
    """Any wishes for all, and for some tensors others."""
    tensors = [name for node in onnx.load(net.path).graph.node for name in node.output if name]
    single = st.dictionaries(st.sampled_from(tensors), WISHES | st.just(FLOAT), max_size=3)
    return st.builds(
        Plan, WISHES, WEIGHTS, st.booleans(), tensors=single.map(lambda found: tuple(sorted(found.items())))
    )


def params(name: str, scale: float, zero: int = 0, dtype: str = "uint8") -> list[onnx.TensorProto]:
    return [weight(f"{name}_s", np.float32(scale)), weight(f"{name}_z", np.array(zero, dtype))]


def pair(source: str, target: str, by: str) -> list[onnx.NodeProto]:
    quantize = helper.make_node("QuantizeLinear", [source, f"{by}_s", f"{by}_z"], [f"{target}_codes"])
    return [quantize, helper.make_node("DequantizeLinear", [f"{target}_codes", f"{by}_s", f"{by}_z"], [target])]


def written(folder: Path, *nodes: onnx.NodeProto, weights: Any, outputs: Any, opset: int = 17) -> Path:
    made = graph(*nodes, inputs=[value("x", (2, 3))], outputs=outputs, weights=weights)
    path = folder / "made.onnx"
    onnx.save(model(made, {"": opset}, ir_version=10), path)
    return path


def x() -> dict[str, Any]:
    return {"x": np.linspace(-1.3, 1.7, 6, dtype=np.float32).reshape(2, 3)}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_every_tensor_of_the_samples_has_the_same_bits(sample: Any, tmp_path: Path) -> None:
    inputs = {name: array[:1] for name, array in np.load(sample.evaluation).items()}
    found = check(sample.candidate_model, tmp_path, inputs)
    types = {node.op_type for node in onnx.load(found.path).graph.node}
    assert types.isdisjoint({"QuantizeLinear", "DequantizeLinear", "Identity"})


@pytest.mark.parametrize("name", ["crossing", "attention", "residual"])
@pytest.mark.parametrize("activations", ["uint8", "int8", "int16"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_every_tensor_of_what_onnxruntime_makes(name: str, activations: str, per_channel: bool, tmp_path: Path) -> None:
    net = case(name, tmp_path)
    check(quantized(net, tmp_path, activations, per_channel=per_channel), tmp_path, net.samples[0])


def test_weights_that_are_floats_still_stay_what_they_were(tmp_path: Path) -> None:
    values = np.array([[0.31, -0.2, 1.1]], np.float32)
    nodes = [*pair("w", "w_coded", "w"), *pair("x", "x_coded", "x")]
    nodes.append(helper.make_node("Add", ["x_coded", "w_coded"], ["y"]))
    constants = [weight("w", values), *params("w", 0.01, 0, "int8"), *params("x", 0.02, 120)]
    path = written(tmp_path, *nodes, weights=constants, outputs=[value("y", (2, 3))])
    found = check(path, tmp_path, x())
    floats = simulated(found, x(), found.plan.keeping_float("y"))
    assert np.array_equal(floats["y"], x()["x"] + values)
    assert not found.notes


def test_a_tensor_that_is_read_in_float_too_keeps_both(tmp_path: Path) -> None:
    nodes = [helper.make_node("Neg", ["x"], ["n"]), *pair("n", "c", "n"), helper.make_node("Sub", ["n", "c"], ["y"])]
    path = written(tmp_path, *nodes, weights=params("n", 0.5, 128), outputs=[value("y", (2, 3))])
    found = check(path, tmp_path, x())
    assert simulated(found, x())["y"].any()


def test_pairs_of_their_own_for_each_reader_are_one_tensor(tmp_path: Path) -> None:
    nodes = [helper.make_node("Neg", ["x"], ["n"]), *pair("n", "a", "n"), *pair("n", "b", "n")]
    nodes.append(helper.make_node("Mul", ["a", "b"], ["y"]))
    path = written(tmp_path, *nodes, weights=params("n", 0.5, 128), outputs=[value("y", (2, 3))])
    found = check(path, tmp_path, x())
    assert [node.op_type for node in onnx.load(found.path).graph.node] == ["Neg", "Mul"]


def test_codes_that_are_moved_widened_or_named_again_are_followed(tmp_path: Path) -> None:
    quantize, dequantize = pair("x", "c", "x")
    between = [
        helper.make_node("Transpose", ["c_codes"], ["t"]),
        helper.make_node("Identity", ["t"], ["i"]),
        helper.make_node("Cast", ["i"], ["wide"], to=TensorProto.INT32),
    ]
    dequantize.input[:] = ["wide", "x_s"]
    nodes = [quantize, *between, dequantize]
    path = written(tmp_path, *nodes, weights=params("x", 0.02, 0, "int8"), outputs=[value("c", (3, 2))])
    found = check(path, tmp_path, x())
    assert [node.op_type for node in onnx.load(found.path).graph.node] == ["Transpose"]


def test_codes_that_others_read_are_made_for_them(tmp_path: Path) -> None:
    nodes = [*pair("x", "y", "x"), helper.make_node("BitShift", ["y_codes", "one"], ["z"], direction="RIGHT")]
    constants = [*params("x", 0.02, 120), weight("one", np.uint8(1))]
    outputs = [value("y", (2, 3)), value("z", (2, 3), TensorProto.UINT8)]
    found = check(written(tmp_path, *nodes, weights=constants, outputs=outputs), tmp_path, x())
    assert found.notes == ("z stays as it is: BitShift works on codes.",)


def test_a_model_may_give_codes(tmp_path: Path) -> None:
    nodes = pair("x", "y", "x")[:1]
    outputs = [value("y_codes", (2, 3), TensorProto.UINT8)]
    check(written(tmp_path, *nodes, weights=params("x", 0.02, 120), outputs=outputs), tmp_path, x())


def test_one_value_may_be_given_twice(tmp_path: Path) -> None:
    quantize, first = pair("x", "y", "x")
    second = helper.make_node("DequantizeLinear", ["y_codes", "x_s", "x_z"], ["z"])
    outputs = [value("y", (2, 3)), value("z", (2, 3))]
    check(written(tmp_path, quantize, first, second, weights=params("x", 0.02, 9), outputs=outputs), tmp_path, x())


def test_codes_of_other_types_stay_as_they_are(tmp_path: Path) -> None:
    nodes = [helper.make_node("Neg", ["x"], ["n"]), *pair("n", "y", "n")]
    zero = helper.make_tensor("n_z", TensorProto.FLOAT8E4M3FN, [], [0.0])
    constants = [weight("n_s", np.float32(0.02)), zero]
    path = written(tmp_path, *nodes, weights=constants, outputs=[value("y", (2, 3))], opset=19)
    found = opened(path, tmp_path)
    assert found.plan.activations == FLOAT
    assert len(found.notes) == 2
    assert np.array_equal(simulated(found, x())["y"], every_tensor(onnx.load(path), x())["y"])


def test_scales_for_blocks_of_weights_become_floats(tmp_path: Path) -> None:
    codes = helper.make_tensor("w", TensorProto.INT4, [2, 6], [-8, 7, 3, 0, 1, -2, 5, 6, -7, 4, 2, -1])
    scale = weight("s", np.array([[0.5, 0.25], [0.125, 1.0]], np.float32))
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s"], ["v"], block_size=3, axis=1),
        helper.make_node("MatMul", ["t", "v"], ["y"]),
        helper.make_node("Slice", ["x", "first", "last"], ["t"]),
    ]
    nodes = [nodes[0], nodes[2], nodes[1]]
    ends = [weight("first", np.array([0, 0])), weight("last", np.array([2, 2]))]
    path = written(tmp_path, *nodes, weights=[codes, scale, *ends], outputs=[value("y", (2, 6))], opset=21)
    check(path, tmp_path, x())


def test_values_beside_the_model_are_read(tmp_path: Path) -> None:
    net = case("residual", tmp_path)
    path = quantized(net, tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    onnx.save(onnx.load(path), outside / "m.onnx", save_as_external_data=True, size_threshold=0)
    check(outside / "m.onnx", tmp_path, net.samples[0])


def test_the_plan_names_the_types_that_the_model_has(tmp_path: Path) -> None:
    sample = SAMPLES[0]
    found = opened(sample.candidate_model, tmp_path)
    assert found.plan.weights == Precision("int8", symmetric=True)
    assert isinstance(found.plan.activations, Precision)
    assert found.plan.activations.dtype == "uint8"


def test_a_node_that_is_kept_in_float_frees_what_it_reads_and_makes(tmp_path: Path) -> None:
    sample = SAMPLES[0]
    found = opened(sample.candidate_model, tmp_path)
    inputs = {name: array[:1] for name, array in np.load(sample.evaluation).items()}
    with Engine(found.path, [inputs], found.calibration) as engine:
        before = engine.assigned(found.plan).coded
        after = engine.assigned(found.plan.keeping_float("/block2/project/conv/Conv")).coded
        wider = engine.assigned(found.plan.with_bits(16, "/block2/project/conv/Conv"))
    names = {engine.graph.tensor_names[tensor] for tensor in before - after}
    assert "block2.project.conv.weight" in names
    assert after < before
    assert wider.coded == before
    assert "uint16" in {how.dtype for how in wider.activations.values()}


@pytest.mark.parametrize("name", ["crossing", "residual", "branches", "deciding", "passing"])
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_a_plan_makes_of_a_model_is_read_back(name: str, data: st.DataObject, tmp_path: Path) -> None:
    net = case(name, tmp_path)
    with Engine(net.path, list(net.samples), net.calibration) as engine:
        engine.export(data.draw(plans(net)), tmp_path / "qdq.onnx")
    if kind_of(read_model(tmp_path / "qdq.onnx").graph) is not None:
        check(tmp_path / "qdq.onnx", tmp_path, net.samples[0])


@pytest.mark.parametrize(
    "broken",
    [
        helper.make_node("QuantizeLinear", ["x"], ["y"]),
        helper.make_node("DequantizeLinear", ["x"], ["y"]),
        helper.make_node("QuantizeLinear", [], ["y"]),
        helper.make_node("DequantizeLinear", ["w", "missing"], ["y"]),
        helper.make_node("DequantizeLinear", ["w", "many"], ["y"], axis=7),
        helper.make_node("DequantizeLinear", ["w", "many"], ["y"], axis=0),
        helper.make_node("DequantizeLinear", ["w", "many"], ["y"], block_size=2),
        helper.make_node("DequantizeLinear", ["w"], ["y"], block_size=2),
        helper.make_node("DequantizeLinear", ["w", "many"], ["y"], block_size=-3),
        helper.make_node("DequantizeLinear", ["w", "nothing"], ["y"]),
        helper.make_node("QLinearConv", ["x", "many"], ["y"]),
        helper.make_node("QLinearConcat", ["many"], ["y"], domain="com.microsoft"),
        helper.make_node("QLinearConcat", ["many", "", "x"], ["y"], domain="com.microsoft"),
        helper.make_node("QGemm", ["x"] * 9, ["y"], domain="com.microsoft"),
        helper.make_node("HzFilter", ["x"], ["y", "z"], domain="horizon"),
    ],
    ids=str,
)
def test_what_is_broken_stays_and_is_named(broken: onnx.NodeProto, tmp_path: Path) -> None:
    nodes = [*pair("x", "c", "x"), broken]
    numbers = [weight("w", np.ones((3, 2), np.int8)), weight("many", np.ones(4, np.float32))]
    numbers.append(weight("nothing", np.zeros((), np.float32)))
    path = written(tmp_path, *nodes, weights=[*params("x", 0.1), *numbers], outputs=[value("c", (2, 3)), value("y")])
    found = opened(path, tmp_path)
    assert broken.op_type in {node.op_type for node in onnx.load(found.path).graph.node}


def test_with_the_float_model_the_bits_are_the_same_and_the_reference_is_its_own(tmp_path: Path) -> None:
    sample = next(sample for sample in SAMPLES if sample.key == "clean")
    inputs = {name: array[:1] for name, array in np.load(sample.evaluation).items()}
    kind = kind_of(read_model(sample.candidate_model).graph)
    assert kind is not None
    found = read_back(sample.candidate_model, kind, tmp_path / "float.onnx", reference=sample.model)
    want, have = in_onnxruntime(sample.candidate_model, found, inputs), simulated(found, inputs)
    for name, array in have.items():
        assert np.array_equal(array, want[name]), name
    weights = {tensor.name: tensor for tensor in onnx.load(found.path).graph.initializer}
    first = next(tensor for tensor in onnx.load(sample.model).graph.initializer if len(tensor.dims) == 4)
    assert np.array_equal(numpy_helper.to_array(weights[first.name]), numpy_helper.to_array(first))


def test_weights_of_another_model_are_left(tmp_path: Path) -> None:
    sample = next(sample for sample in SAMPLES if sample.key == "clean")
    proto = onnx.load(sample.model)
    for tensor in proto.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * 2, tensor.name))
    onnx.save(proto, tmp_path / "other.onnx")
    kind = kind_of(read_model(sample.candidate_model).graph)
    assert kind is not None
    found = read_back(sample.candidate_model, kind, tmp_path / "float.onnx", reference=tmp_path / "other.onnx")
    assert "rounded ones" in found.notes[0]
    assert found.notes[1].startswith("0 of 15 coded constants")
