"""A node that is quantized alone gives the same bits as with ONNX Runtime's own tool, also where it reads constants."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from errorflow.quant.plan import ACTIVATIONS, FLOAT, WEIGHTS, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.ranges import Calibration, Range
from errorflow.run.engine.engine import Engine
from onnx_models import graph, model, value, weight
from rerun_nets import every_tensor
from run_models import floats

X = {"x": floats(1, 3, 8, 8)}
MOVED = {
    "nothing": ([], (1, 8, 1, 1)),
    "Identity": ([helper.make_node("Identity", ["k"], ["m"])], (1, 8, 1, 1)),
    "Reshape": ([helper.make_node("Reshape", ["k", "shape"], ["m"])], (8,)),
    "Transpose": ([helper.make_node("Transpose", ["k"], ["m"], perm=[0, 3, 1, 2])], (1, 1, 1, 8)),
    "Unsqueeze": ([helper.make_node("Unsqueeze", ["k", "axes"], ["m"])], (8, 1, 1)),
    "Identity, Reshape": (
        [helper.make_node("Identity", ["k"], ["i"]), helper.make_node("Reshape", ["i", "shape"], ["m"])],
        (8,),
    ),
    "Reshape, Identity": (
        [helper.make_node("Reshape", ["k", "shape"], ["i"]), helper.make_node("Identity", ["i"], ["m"])],
        (8,),
    ),
}
NORMS = {
    "BatchNormalization": ["c", "g", "e", "mean", "var"],
    "InstanceNormalization": ["c", "g", "e"],
    "LayerNormalization": ["c", "g", "e"],
}


def net(name: str) -> onnx.ModelProto:
    """x → conv → the node, named `node` → y."""
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv", pads=[1, 1, 1, 1])]
    weights = [weight("w", floats(8, 3, 3, 3)), weight("b", floats(8, seed=1))]
    one, added = 1 + floats(8, seed=2) / 4, floats(8, seed=3)
    if name in MOVED:
        moves, shape = MOVED[name]
        weights += [weight("k", one.reshape(shape)), weight("shape", np.array([1, 8, 1, 1], np.int64))]
        weights.append(weight("axes", np.array([0], np.int64)))
        nodes += [*moves, helper.make_node("Mul", ["c", "m" if moves else "k"], ["n"], "node")]
    else:
        weights += [weight("g", one), weight("e", added), weight("mean", added / 2), weight("var", one * one)]
        nodes.append(helper.make_node(name, NORMS[name], ["n"], "node"))
    nodes.append(helper.make_node("Sigmoid", ["n"], ["y"], "last"))
    main = graph(*nodes, inputs=[value("x", (1, 3, 8, 8))], outputs=[value("y", None)], weights=weights)
    return model(main, {"": 17}, ir_version=8)


def tool(proto: onnx.ModelProto, ranges: dict[str, tuple[float, float]], only: list[str]) -> onnx.ModelProto:
    from onnxruntime.quantization import QuantType
    from onnxruntime.quantization.calibrate import CalibrationMethod, TensorsData
    from onnxruntime.quantization.qdq_quantizer import QDQQuantizer
    from onnxruntime.quantization.registry import QDQRegistry, QLinearOpsRegistry

    ends = {name: (np.float32(low), np.float32(high)) for name, (low, high) in ranges.items()}
    options = {"QDQKeepRemovableActivations": True, "ForceQuantizeNoInputCheck": True}
    data = TensorsData(CalibrationMethod.MinMax, ends)
    types = list({*QDQRegistry, *QLinearOpsRegistry})
    work = QDQQuantizer(
        onnx.ModelProto.FromString(proto.SerializeToString()),
        *(False, False, QuantType.QInt8, QuantType.QUInt8, data, only, [], types, options),
    )
    work.quantize_model()
    found: onnx.ModelProto = work.model.model
    return found


def plan_of(theirs: onnx.ModelProto) -> Plan:
    """The same tensors in the same codes, one by one."""
    stored = {tensor.name: tensor.data_type for tensor in theirs.graph.initializer}
    kinds = {TensorProto.UINT8: ACTIVATIONS, TensorProto.INT8: WEIGHTS}
    wished: dict[str, Precision] = {}
    for node in theirs.graph.node:
        name = node.input[0]
        if node.op_type == "QuantizeLinear":
            wished[name] = ACTIVATIONS
        elif node.op_type == "DequantizeLinear" and stored.get(name) in kinds:
            wished[name.removesuffix("_quantized")] = kinds[stored[name]]
    return Plan(FLOAT, FLOAT, TensorProto.INT32 in stored.values(), tensors=tuple(sorted(wished.items())))


@pytest.mark.parametrize("name", [*MOVED, *NORMS])
@pytest.mark.parametrize("alone", [True, False])
def test_what_a_node_reads_is_coded_as_the_tool_does(name: str, alone: bool, tmp_path: Path) -> None:
    proto = net(name)
    path = tmp_path / "net.onnx"
    onnx.save(proto, path)
    known = X | every_tensor(proto, X)
    ranges = {tensor: (float(array.min()), float(array.max())) for tensor, array in known.items()}
    theirs = tool(proto, ranges, ["node"] if alone else [])
    plan = plan_of(theirs) if alone else Plan()
    want = every_tensor(theirs, X)
    calibration = Calibration("min-max", {tensor: Range(*ends) for tensor, ends in ranges.items()})
    with Engine(path, [X], calibration) as engine:
        found = engine.values(plan, ["m", "n", "y"] if name in MOVED and MOVED[name][0] else ["n", "y"])
    for tensor, array in found.items():
        # Of what is coded the tool goes by another name.
        coded = f"{tensor}_DequantizeLinear_Output"
        assert np.array_equal(array, want.get(coded, want[tensor])), tensor


def test_a_constant_is_known_under_its_other_names_too(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(net("Identity"), path)
    ranges = Calibration("min-max", {})
    with Engine(path, [X], ranges) as engine:
        of_alias = Plan(FLOAT, FLOAT).with_tensor("m", ACTIVATIONS)
        for each in (of_alias, of_alias.with_tensor("k", ACTIVATIONS).with_tensor("m", FLOAT)):
            coded = engine.assigned(each)
            assert [engine.graph.tensor_names[tensor] for tensor in coded.constants] == ["k"]
        plan = Plan().with_tensor("m", FLOAT)
        assert engine.graph.tensor_index("k") not in engine.assigned(plan).constants
