"""The QDQ model of a plan: its names, versions, files, and that ONNX Runtime's own tool finds the same scales."""

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from errorflow.base.errors import FileError
from errorflow.formats import read_model
from errorflow.quant import insert as inserting
from errorflow.quant.assign import assign
from errorflow.quant.coding import Coder, Coding, named
from errorflow.quant.insert import insert, write
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import CHOICES, Precision
from onnx_models import branching, graph, model, relu, value, weight
from rerun_nets import Case, case, every_tensor
from run_models import floats

PER_CHANNEL = Precision("int8", symmetric=True, per_channel=True)


def coding_of(net: Case, plan: Plan, unknown: tuple[str, ...] = ()) -> Coding:
    graph_ = read_model(net.path).graph
    floating = {name for name, array in net.runs[0].items() if array.dtype == np.float32}
    floating |= {name for name in graph_.weights.names() if graph_.weights.info(name).dtype == "float32"}
    known = np.array([name in floating for name in graph_.tensor_names])
    ranges = {name: where for name, where in net.calibration.ranges.items() if name not in unknown}
    return Coder(graph_.weights.read).coding(named(graph_, assign(graph_, plan, known)), ranges)


def written(net: Case, plan: Plan, target: Path) -> onnx.ModelProto:
    read = read_model(net.path).graph.weights.read
    found = insert(onnx.load(net.path, load_external_data=False), coding_of(net, plan), read)
    write(found, read, target)
    return onnx.load(target)


def saved(proto: onnx.ModelProto, folder: Path, *inputs: dict[str, np.ndarray]) -> Case:
    path = folder / "float.onnx"
    onnx.save(proto, path)
    return Case(path, inputs, tuple(sample | every_tensor(proto, sample) for sample in inputs))


def conv(opset: int = 17, **fields: object) -> onnx.ModelProto:
    """x → Conv with a bias → Relu → Gemm with a bias → y."""
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv"),
        relu("c", "r", "relu"),
        helper.make_node("Flatten", ["r"], ["f"], "flatten"),
        helper.make_node("Gemm", ["f", "v", "d"], ["y"], "gemm", transB=1),
    ]
    weights = [weight("w", floats(4, 3, 1, 1)), weight("b", floats(4, seed=1))]
    weights += [weight("v", floats(5, 16, seed=2)), weight("d", floats(5, seed=3))]
    main = graph(*nodes, inputs=[value("x", (1, 3, 2, 2))], outputs=[value("y", (1, 5))], weights=weights)
    return model(main, {"": opset}, **({"ir_version": 10} | fields))


def _older(proto: onnx.ModelProto) -> onnx.ModelProto:
    """In a version of the file that ONNX Runtime takes."""
    proto.ir_version = 10
    return proto


X = {"x": floats(1, 3, 2, 2, seed=9)}


@pytest.mark.parametrize("opset", [9, 10, 12, 13, 19, 21])
@pytest.mark.parametrize("dtype", CHOICES)
@pytest.mark.parametrize("per_channel", [False, True])
def test_codes_of_all_types_run_at_any_opset(opset: int, dtype: str, per_channel: bool, tmp_path: Path) -> None:
    net = saved(conv(opset, ir_version=6), tmp_path, X)
    plan = Plan(Precision(dtype), Precision(dtype, symmetric=True, per_channel=per_channel))
    found = every_tensor(written(net, plan, tmp_path / "qdq.onnx"), X)
    noise = np.abs(found["y"] - net.runs[0]["y"]).max() / np.abs(net.runs[0]["y"]).max()
    assert 0 < noise < (0.5 if "4" in dtype else 0.02 if "8" in dtype else 2e-4)


def test_weights_are_stored_as_codes_and_shared(tmp_path: Path) -> None:
    net = case("crossing", tmp_path)
    stored = {tensor.name: tensor for tensor in written(net, Plan(), tmp_path / "q.onnx").graph.initializer}
    kinds = {name: tensor.data_type for name, tensor in stored.items() if name.endswith("_quantized")}
    assert kinds["w_quantized"] == onnx.TensorProto.INT8
    # Both nodes add the same bias to the same weights; what they read has the same scale.
    assert [name for name in kinds if name.startswith("b_")] == ["b_quantized"]
    assert kinds["b_quantized"] == onnx.TensorProto.INT32
    assert "w" not in stored and "b" not in stored and "sizes" in stored


def test_scales_lie_along_the_axis_of_the_outputs(tmp_path: Path) -> None:
    proto = written(saved(conv(), tmp_path, X), Plan(weights=PER_CHANNEL), tmp_path / "q.onnx")
    axes = {node.output[0]: [a.i for a in node.attribute] for node in proto.graph.node if "Dequantize" in node.op_type}
    assert (axes["w"], axes["v"], axes["c"]) == ([0], [0], [])


def test_tensors_keep_their_names_for_what_is_read(tmp_path: Path) -> None:
    net = saved(conv(), tmp_path, X)
    read = read_model(net.path).graph.weights.read
    found = insert(onnx.load(net.path), coding_of(net, Plan()), read)
    makers = {name: node.op_type for node in found.model.graph.node for name in node.output}
    assert {makers[name] for name in ("c", "r", "y")} == {"DequantizeLinear"}
    assert makers["c_unquantized"] == "Conv"
    assert found.names == {"x": "x_DequantizeLinear_Output"}
    assert [value.name for value in found.model.graph.input] == ["x"]
    onnx.checker.check_model(found.model, full_check=True)


def test_names_that_are_taken_are_left_alone(tmp_path: Path) -> None:
    nodes = [
        relu("x", "x_DequantizeLinear_Output", "x_QuantizeLinear_Output"),
        helper.make_node("Add", ["x_DequantizeLinear_Output", "x_scale"], ["y_unquantized"]),
        helper.make_node("Add", ["y_unquantized", "x_scale_quantized"], ["y"]),
    ]
    weights = [weight("x_scale", floats(2)), weight("x_scale_quantized", floats(2, seed=1))]
    main = graph(*nodes, inputs=[value("x")], outputs=[value("y")], weights=weights)
    inputs = {"x": floats(2, seed=2)}
    net = saved(model(main, ir_version=10), tmp_path, inputs)
    proto = written(net, Plan(Precision("uint16")), tmp_path / "q.onnx")
    names = [name for node in proto.graph.node for name in node.output]
    names += [tensor.name for tensor in proto.graph.initializer]
    assert len(names) == len(set(names))
    assert every_tensor(proto, inputs)["y"] == pytest.approx(net.runs[0]["y"], abs=1e-3)


def test_bodies_stay_in_float_and_read_what_is_coded(tmp_path: Path) -> None:
    inputs = {"x": floats(2), "c": np.array(False)}
    net = saved(_older(branching()), tmp_path, inputs)
    proto = written(net, Plan(types=None).with_tensor("x", Precision("uint4")), tmp_path / "q.onnx")
    found = every_tensor(proto, inputs)
    assert np.array_equal(found["y"], -found["x_DequantizeLinear_Output"])


def test_constants_that_are_inputs_as_well_are_inputs_no_more(tmp_path: Path) -> None:
    proto = conv(9, ir_version=3)
    proto.graph.input.extend(value(tensor.name, list(tensor.dims)) for tensor in proto.graph.initializer)
    found = written(saved(proto, tmp_path, X), Plan(), tmp_path / "q.onnx")
    assert [value.name for value in found.graph.input] == ["x"]
    assert found.ir_version >= 4


@pytest.mark.parametrize("plan", [Plan(), Plan(FLOAT, FLOAT), Plan(FLOAT, PER_CHANNEL)])
def test_values_beside_the_model_are_taken_along(plan: Plan, tmp_path: Path) -> None:
    net = saved(conv(), tmp_path, X)
    onnx.save(onnx.load(net.path), net.path, save_as_external_data=True, location="w.bin", size_threshold=0)
    place = tmp_path / "other"
    place.mkdir()
    want = every_tensor(written(saved(conv(), place, X), plan, place / "inside.onnx"), X)
    written(net, plan, place / "q.onnx")
    (tmp_path / "w.bin").unlink()
    assert (place / "q.onnx.data").is_file() == (plan != Plan()), "codes are inside"
    found = every_tensor(onnx.load(place / "q.onnx", load_external_data=False), X, place)
    assert np.array_equal(found["y"], want["y"])


def test_what_no_file_can_hold_goes_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inserting, "LARGEST", 100)
    net = saved(conv(), tmp_path, X)
    want = every_tensor(written(net, Plan(), tmp_path / "q.onnx"), X)
    assert (tmp_path / "q.onnx.data").stat().st_size > 64
    found = every_tensor(onnx.load(tmp_path / "q.onnx", load_external_data=False), X, tmp_path)
    assert np.array_equal(found["y"], want["y"])


def test_bodies_with_values_elsewhere_are_refused(tmp_path: Path) -> None:
    proto = branching()
    body = proto.graph.node[0].attribute[0].g
    tensor = weight("far", floats(2))
    tensor.ClearField("raw_data")
    tensor.data_location = tensor.EXTERNAL
    tensor.external_data.add(key="location", value="far.bin")
    body.initializer.append(tensor)
    found = insert(proto, Coding(), lambda name: floats(2))
    with pytest.raises(FileError, match="body of If or Loop"):
        write(found, lambda name: floats(2), tmp_path / "q.onnx")


def test_a_scale_is_raised_until_the_bias_fits(tmp_path: Path) -> None:
    """A channel of almost nothing but its bias would need codes beyond 32 bits."""
    proto = conv()
    tiny = numpy_helper.to_array(proto.graph.initializer[0]).copy()
    tiny[2] *= 1e-9
    proto.graph.initializer[0].CopyFrom(weight("w", tiny))
    net = saved(proto, tmp_path, X)
    found = every_tensor(written(net, Plan(weights=PER_CHANNEL), tmp_path / "q.onnx"), X)
    assert found["b_DequantizeLinear_Output"] == pytest.approx(floats(4, seed=1), rel=0.01, abs=1e-6)


def test_what_has_no_range_or_an_endless_one_stays_in_float(tmp_path: Path) -> None:
    proto = conv()
    values = numpy_helper.to_array(proto.graph.initializer[2]).copy()
    values[0, 0] = np.inf
    proto.graph.initializer[2].CopyFrom(weight("v", values))
    net = saved(proto, tmp_path, X)
    found = coding_of(net, Plan(), unknown=("r",))
    assert dict(found.notes) == {
        "r": "its range is not known",
        "f": "its range is not known",
        "v": "its range ends at NaN or infinity",
        "y": "its range ends at NaN or infinity",
    }
    assert set(found.biases) == {"c"}


class _Reader:
    """What ONNX Runtime's tool asks for samples."""

    def __init__(self, samples: tuple[dict[str, np.ndarray], ...]) -> None:
        self._left: Iterator[dict[str, np.ndarray]] = iter(samples)

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self._left, None)


@pytest.mark.parametrize("name", ["residual", "branches", "plain", "digits", "locator", "transformer"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_scales_are_those_of_onnx_runtimes_tool(name: str, per_channel: bool, tmp_path: Path) -> None:
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    CalibrationDataReader.register(_Reader)
    logging.getLogger().setLevel(logging.ERROR)
    net = case(name, tmp_path)
    quantize_static(
        str(net.path),
        str(tmp_path / "theirs.onnx"),
        _Reader(net.samples),
        quant_format=QuantFormat.QDQ,
        per_channel=per_channel,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        extra_options={"QDQKeepRemovableActivations": True, "ActivationSymmetric": False},
    )
    theirs = _scales(onnx.load(tmp_path / "theirs.onnx"))
    net = Case(net.path, net.samples, tuple(_as_their_tool(net, run) for run in net.runs))
    mine = _scales(written(net, Plan(weights=PER_CHANNEL if per_channel else Plan().weights), tmp_path / "q.onnx"))
    both = {tensor for tensor in theirs if tensor in mine and len(theirs[tensor][0]) == len(mine[tensor][0])}
    assert len(both) > 0.6 * len(theirs)
    different = {tensor: (theirs[tensor], mine[tensor]) for tensor in both if theirs[tensor] != mine[tensor]}
    assert not different


def _as_their_tool(net: Case, run: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """It takes the range of Relu's and Clip's output for its input as well, and 0 to 1 for that of Softmax."""
    found = dict(run)
    nodes = onnx.load(net.path).graph.node
    read = [name for node in nodes for name in node.input]
    for node in reversed(nodes):
        if node.op_type in ("Relu", "Clip") and read.count(node.input[0]) == 1:
            found[node.input[0]] = found[node.output[0]]
        if node.op_type == "Softmax":
            found[node.output[0]] = np.array([0, 1], np.float32)
    return found


def _scales(proto: onnx.ModelProto) -> dict[str, tuple[tuple[float, ...], tuple[int, ...]]]:
    """Scale and zero point by the tensor whose values are coded; biases are worked out from the others."""
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in proto.graph.initializer if tensor.dims != [0]}
    found = {}
    for node in proto.graph.node:
        if node.op_type == "DequantizeLinear":
            name = node.output[0].removesuffix("_DequantizeLinear_Output")
            scale, zero = (stored[part].reshape(-1) for part in node.input[1:])
            found[name] = tuple(scale.tolist()), tuple(zero.tolist())
    return found
