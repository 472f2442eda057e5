"""int8 in simulation: QuantizeLinear and DequantizeLinear around what an NPU would hold in 8 bits.

A tensor keeps its name for the value that its readers get, after the round trip through 8 bits; what the node gave
before that is `…_unquantized`. So the tensors of both runs compare by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

from make_sample.model import constant, model, node
from make_sample.net import Floats, Net, Step

Ranges = Mapping[str, tuple[float, float]]
# Weight and bias are quantized for these; all else that is trained (norms, positions) stays in float.
WITH_WEIGHTS = {"Conv": 0, "Gemm": 0, "MatMul": 1}
# They move values and make none: what was quantized before still is.
MOVES = ("Flatten", "Reshape", "Transpose")
TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True, slots=True)
class Plan:
    """Plan of quantization: all, but the weights of `float_nodes` and the tensors `float_tensors`."""

    per_channel: bool = False
    float_nodes: tuple[str, ...] = ()
    float_tensors: tuple[str, ...] = ()


ALL_QUANTIZED = Plan()


def quantized_tensors(net: Net) -> tuple[str, ...]:
    """The tensors that 8 bits hold: the input and whatever leaves a group of steps that run as one."""
    made = (step.output for step in net.steps if not step.inner and step.op not in MOVES)
    return (net.input, *made)


def activation_params(low: float, high: float) -> tuple[np.float32, np.uint8]:
    """uint8, asymmetric: the range is widened to hold zero, which then has a code of its own."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / 255
    if scale < TINY:
        return np.float32(1), np.uint8(0)
    return np.float32(scale), np.uint8(np.clip(np.rint(-low / scale), 0, 255))


def weight_params(weight: Floats, axis: int | None) -> Floats:
    """int8, symmetric, −127 … 127: one scale, or one per output channel."""
    others = None if axis is None else tuple(i for i in range(weight.ndim) if i != axis)
    scale = np.abs(weight.astype(np.float64)).max(axis=others) * 2 / 254
    return np.where(scale < TINY, 1.0, scale).astype(np.float32)


def quantized_model(net: Net, weights: Mapping[str, Floats], ranges: Ranges, plan: Plan) -> onnx.ModelProto:
    """The QDQ model of the plan."""
    work = _Work(net, weights, ranges, plan)
    held = [name for name in quantized_tensors(net) if name not in plan.float_tensors]
    if net.input in held:
        work.round_trip(net.input, net.input, f"{net.input}_DequantizeLinear_Output")
    for step in net.steps:
        work.weigh(step)
        proto = node(step)
        if net.input in held:
            proto.input[:] = [work.read(name) for name in proto.input]
        if step.output in held:
            proto.output[:] = [f"{step.output}_unquantized"]
        work.nodes.append(proto)
        if step.output in held:
            work.round_trip(step.output, f"{step.output}_unquantized", step.output)
    return model(net, work.nodes, [constant(name, value) for name, value in work.constants.items()])


class _Work:
    """Nodes and constants of the quantized model as they come together."""

    def __init__(self, net: Net, weights: Mapping[str, Floats], ranges: Ranges, plan: Plan) -> None:
        self.net, self.plan, self.ranges = net, plan, ranges
        self.weights = {name: weights[name].astype(np.float32) for name in net.shapes}
        self.constants: dict[str, NDArray[np.generic]] = dict(net.constants)
        self.nodes: list[onnx.NodeProto] = []
        self.moved = {step.output: step.inputs[0] for step in net.steps if step.op in MOVES}

    def read(self, name: str) -> str:
        return f"{name}_DequantizeLinear_Output" if name == self.net.input else name

    def round_trip(self, tensor: str, before: str, after: str) -> None:
        scale, zero = activation_params(*self.ranges[tensor])
        self.constants |= {f"{tensor}_scale": np.array(scale), f"{tensor}_zero_point": np.array(zero)}
        params = [f"{tensor}_scale", f"{tensor}_zero_point"]
        codes = f"{tensor}_QuantizeLinear_Output"
        self.nodes += [
            helper.make_node("QuantizeLinear", [before, *params], [codes], f"{tensor}_QuantizeLinear"),
            helper.make_node("DequantizeLinear", [codes, *params], [after], f"{tensor}_DequantizeLinear"),
        ]

    def weigh(self, step: Step) -> None:
        """Put the step's weights in place, in 8 bits where the plan says so."""
        trained = [name for name in step.weights if name in self.weights]
        if step.op not in WITH_WEIGHTS or step.name in self.plan.float_nodes or not trained:
            self.constants |= {name: self.weights[name] for name in trained}
            return
        axis = WITH_WEIGHTS[step.op] if self.plan.per_channel else None
        weight = self.weights[trained[0]]
        scale = weight_params(weight, axis)
        shaped = scale if axis is None else np.expand_dims(scale, [i for i in range(weight.ndim) if i != axis])
        codes = np.clip(np.rint(weight / shaped), -127, 127).astype(np.int8)
        self._stored(trained[0], codes, scale, axis)
        if len(trained) > 1:
            self._bias(step, trained[1], scale, axis)

    def _bias(self, step: Step, name: str, weight_scale: Floats, axis: int | None) -> None:
        """int32 with the scale of the products that it is added to."""
        source = self.source(step.inputs[0])
        if source in self.plan.float_tensors:
            self.constants[name] = self.weights[name]
            return
        scale = (activation_params(*self.ranges[source])[0] * weight_scale).astype(np.float32)
        limit = np.iinfo(np.int32).max
        codes = np.clip(np.rint(self.weights[name].astype(np.float64) / scale), -limit, limit).astype(np.int32)
        self._stored(name, codes, scale, None if axis is None else 0)

    def source(self, name: str) -> str:
        """The quantized tensor whose values `name` only moved."""
        while name in self.moved:
            name = self.moved[name]
        return name

    def _stored(self, name: str, codes: NDArray[np.generic], scale: Floats, axis: int | None) -> None:
        zero = np.zeros(scale.shape, codes.dtype)
        params = {f"{name}_quantized": codes, f"{name}_scale": scale, f"{name}_zero_point": zero}
        self.constants |= params
        proto = helper.make_node("DequantizeLinear", list(params), [name], f"{name}_DequantizeLinear")
        if axis is not None:
            proto.attribute.append(helper.make_attribute("axis", axis))
        self.nodes.append(proto)
