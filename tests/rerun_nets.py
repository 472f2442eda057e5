"""Nets that plans are tried on, their samples, and ranges as a float run has them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper

from errorflow.quant.ranges import Calibration, Range
from errorflow.run.engine.engine import Engine
from onnx_models import graph, model, relu, value, weight
from planted_nets import planted_net
from run_models import floats

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A model in a file, samples, and the tensors of a float run of each."""

    path: Path
    samples: tuple[dict[str, Array], ...]
    runs: tuple[dict[str, Array], ...]

    @property
    def calibration(self) -> Calibration:
        return calibration(self.runs)


# A net by its name, with an engine that is open.
Opened = Callable[[str], tuple[Case, Engine]]


def every_tensor(model: onnx.ModelProto, inputs: Mapping[str, Array], folder: Path = Path()) -> dict[str, Array]:
    """All tensors of the main graph in ONNX Runtime, in one session with nothing optimised."""
    names = list(dict.fromkeys(name for node in model.graph.node for name in node.output if name))
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    del whole.graph.output[:]
    whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(folder))
    session = onnxruntime.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    values = session.run_with_ort_values(
        names, {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in inputs.items()}
    )
    # Codes of 4 bits are no arrays.
    return {
        name: value.numpy().copy()
        for name, value in zip(names, values, strict=True)
        if value.is_tensor() and "int4" not in value.data_type()
    }


def calibration(runs: tuple[dict[str, Array], ...]) -> Calibration:
    """The lowest and highest value of each tensor of floats."""
    found: dict[str, Range] = {}
    for run in runs:
        for name, array in run.items():
            if array.dtype == np.float32 and array.size:
                low, high = float(array.min()), float(array.max())
                known = found.get(name, Range(low, high))
                found[name] = Range(min(low, known.low), max(high, known.high))
    return Calibration("min-max", found, len(runs))


def case(name: str, folder: Path, samples: int = 2) -> Case:
    proto, make = MADE[name]() if name in MADE else _planted(name)
    path = folder / f"{name}.onnx"
    onnx.save(proto, path)
    given = tuple(make(number) for number in range(samples))
    return Case(path, given, tuple(inputs | every_tensor(proto, inputs) for inputs in given))


Made = tuple[onnx.ModelProto, Callable[[int], dict[str, Array]]]


def _planted(name: str) -> Made:
    proto = planted_net(name, 0).model
    return proto, lambda number: dict(planted_net(name, number).inputs)


def crossing() -> Made:
    """Split, Concat, a weight and a bias that two nodes share, a branch that nobody reads, unnamed nodes, a constant
    in a node, HardSwish spelled out, and an output that is also read."""
    rng = np.random.default_rng(1)
    weights = [
        weight("w", rng.standard_normal((8, 4, 3, 3), np.float32) / 6),
        weight("b", rng.standard_normal(8, np.float32)),
        weight("v", rng.standard_normal((4, 16, 1, 1), np.float32) / 4),
        weight("three", np.float32(3)),
        weight("zero", np.float32(0)),
        weight("six", np.float32(6)),
        weight("sizes", np.array([4, 4], np.int64)),
    ]
    held = helper.make_node("Constant", [], ["k"], value=onnx.numpy_helper.from_array(floats(4, 1, 1, seed=5)))
    nodes = [
        held,
        helper.make_node("Split", ["x", "sizes"], ["left", "right"], axis=1),
        helper.make_node("Conv", ["left", "w", "b"], ["one"], pads=[1, 1, 1, 1]),
        helper.make_node("Conv", ["right", "w", "b"], ["two"], pads=[1, 1, 1, 1], strides=[1, 1]),
        helper.make_node("Add", ["one", "three"], ["h1"]),
        helper.make_node("Clip", ["h1", "zero", "six"], ["h2"]),
        helper.make_node("Mul", ["one", "h2"], ["h3"]),
        helper.make_node("Div", ["h3", "six"], ["swish"]),
        helper.make_node("Concat", ["swish", "two"], ["both"], axis=1),
        helper.make_node("Conv", ["both", "v"], ["small"]),
        helper.make_node("Mul", ["small", "k"], ["scaled"]),
        helper.make_node("Sigmoid", ["two"], ["unread"]),
        helper.make_node("MaxPool", ["scaled"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("AveragePool", ["scaled"], ["mean"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Sub", ["pooled", "mean"], ["y"]),
        relu("y", "z"),
    ]
    main = graph(
        *nodes, inputs=[value("x", (1, 8, 6, 6))], outputs=[value("y", None), value("z", None)], weights=weights
    )
    return model(main, ir_version=10), lambda number: {"x": floats(1, 8, 6, 6, seed=number)}


def attention(opset: int = 17) -> Made:
    """Products of flowing matrices, weights of rank two and three, GELU and LayerNormalization spelled out."""
    rng = np.random.default_rng(2)
    weights = [weight(f"w{place}", rng.standard_normal((16, 16), np.float32) / 4) for place in range(4)]
    weights += [
        weight("deep", rng.standard_normal((1, 16, 32), np.float32) / 4),
        weight("c", rng.standard_normal(32, np.float32)),
        weight("root", np.float32(np.sqrt(2))),
        weight("half", np.float32(0.5)),
        weight("one", np.float32(1)),
        weight("two", np.float32(2)),
        weight("tiny", np.float32(1e-5)),
    ]
    make = helper.make_node
    nodes = [
        make("MatMul", ["x", "w0"], ["q"], "q"),
        make("MatMul", ["x", "w1"], ["k"], "k"),
        make("MatMul", ["x", "w2"], ["v"], "v"),
        make("Transpose", ["k"], ["kt"], "turn", perm=[0, 2, 1]),
        make("MatMul", ["q", "kt"], ["scores"], "scores"),
        make("Softmax", ["scores"], ["p"], "softmax", axis=-1),
        make("MatMul", ["p", "v"], ["mixed"], "mix"),
        make("Add", ["mixed", "x"], ["r"], "residual"),
        make("ReduceMean", ["r"], ["mu"], "mu", axes=[-1]),
        make("Sub", ["r", "mu"], ["centred"], "sub"),
        make("Pow", ["centred", "two"], ["sq"], "pow"),
        make("ReduceMean", ["sq"], ["var"], "var", axes=[-1]),
        make("Add", ["var", "tiny"], ["vare"], "eps"),
        make("Sqrt", ["vare"], ["sd"], "sqrt"),
        make("Div", ["centred", "sd"], ["normed"], "norm"),
        make("MatMul", ["normed", "deep"], ["h"], "up"),
        make("Add", ["h", "c"], ["hc"], "bias"),
        make("Div", ["hc", "root"], ["g1"], "g1"),
        make("Erf", ["g1"], ["g2"], "g2"),
        make("Add", ["g2", "one"], ["g3"], "g3"),
        make("Mul", ["hc", "g3"], ["g4"], "g4"),
        make("Mul", ["g4", "half"], ["y"], "gelu"),
    ]
    main = graph(*nodes, inputs=[value("x", ("n", 5, 16))], outputs=[value("y", None)], weights=weights)
    return model(main, {"": opset}, ir_version=10), lambda number: {"x": floats(1 + number, 5, 16, seed=number)}


def deciding() -> Made:
    """An If whose bodies read tensors and weights of the graph around, which others read as well."""
    inner = [helper.make_node("MatMul", ["a", "w"], ["t"]), helper.make_node("Add", ["t", "x"], ["then"])]
    then = graph(*inner, outputs=[value("then", None)], name="then")
    other = graph(helper.make_node("Neg", ["a"], ["else"]), outputs=[value("else", None)], name="other")
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"]),
        helper.make_node("ReduceSum", ["x"], ["total"], keepdims=0),
        helper.make_node("Greater", ["total", "nil"], ["c"]),
        helper.make_node("If", ["c"], ["m"], then_branch=then, else_branch=other),
        helper.make_node("Relu", ["m"], ["n"]),
        helper.make_node("Add", ["n", "a"], ["y"]),
    ]
    weights = [weight("w", floats(6, 6, seed=4)), weight("nil", np.float32(0))]
    main = graph(*nodes, inputs=[value("x", (3, 6))], outputs=[value("y", None)], weights=weights)
    return model(main, ir_version=10), lambda number: {"x": floats(3, 6, seed=number)}


def passing() -> Made:
    """Weights and biases that are read through nodes that do nothing, one of them by two nodes."""
    weights = [weight("w", floats(4, 3, 3, 3)), weight("b", floats(4, seed=1)), weight("k", floats(4, 4, 1, 1, seed=2))]
    nodes = [
        helper.make_node("Identity", ["w"], ["w2"]),
        helper.make_node("Identity", ["w2"], ["w3"]),
        helper.make_node("Identity", ["b"], ["b2"]),
        helper.make_node("Identity", ["k"], ["k2"]),
        helper.make_node("Conv", ["x", "w3", "b2"], ["c"], "conv"),
        relu("c", "r", "relu"),
        helper.make_node("Conv", ["r", "k2", "b"], ["d"], "one"),
        helper.make_node("Conv", ["d", "k"], ["y"], "two"),
    ]
    main = graph(*nodes, inputs=[value("x", (1, 3, 6, 6))], outputs=[value("y", None)], weights=weights)
    return model(main, ir_version=10), lambda number: {"x": floats(1, 3, 6, 6, seed=number)}


def listing() -> Made:
    """A list of tensors, half precision, doubles, whole numbers, truths, and a body that runs several times."""
    body = graph(
        helper.make_node("Mul", ["kept", "w"], ["next"]),
        helper.make_node("Identity", ["go"], ["on"]),
        inputs=[value("i", (), onnx.TensorProto.INT64), value("go", (), onnx.TensorProto.BOOL), value("kept", (4,))],
        outputs=[value("on", (), onnx.TensorProto.BOOL), value("next", (4,))],
        name="body",
    )
    nodes = [
        relu("x", "r"),
        helper.make_node("SequenceConstruct", ["x", "r"], ["list"]),
        helper.make_node("SequenceAt", ["list", "first"], ["a"]),
        helper.make_node("Loop", ["three", "", "a"], ["l"], body=body),
        helper.make_node("Cast", ["l"], ["h"], to=onnx.TensorProto.FLOAT16),
        helper.make_node("Neg", ["h"], ["hn"]),
        helper.make_node("Cast", ["hn"], ["d"], to=onnx.TensorProto.DOUBLE),
        helper.make_node("Exp", ["d"], ["de"]),
        helper.make_node("Cast", ["de"], ["s"], to=onnx.TensorProto.FLOAT),
        helper.make_node("Greater", ["s", "r"], ["truth"]),
        helper.make_node("Where", ["truth", "s", "r"], ["chosen"]),
        helper.make_node("ArgMax", ["chosen"], ["best"], keepdims=0),
        helper.make_node("Mul", ["chosen", "w"], ["y"]),
    ]
    weights = [weight("w", floats(4, seed=6)), weight("first", np.int64(0)), weight("three", np.int64(3))]
    made = [value("y", None), value("best", None, onnx.TensorProto.INT64)]
    main = graph(*nodes, inputs=[value("x", (4,))], outputs=made, weights=weights)
    return model(main, ir_version=10), lambda number: {"x": floats(4, seed=number)}


MADE: Mapping[str, Callable[[], Made]] = {
    "crossing": crossing,
    "attention": attention,
    "deciding": deciding,
    "passing": passing,
    "listing": listing,
}
ALL = (*MADE, "residual", "branches", "transformer", "locator")
