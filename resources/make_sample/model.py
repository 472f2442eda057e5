"""A net and its weights as an ONNX model."""

from collections.abc import Mapping

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from make_sample.net import Net, Step

OPSET = 17
# The oldest file version that goes with the opset: more runtimes read it.
IR_VERSION = 8
PRODUCER = "errorflow sample"


def float_model(net: Net, weights: Mapping[str, NDArray[np.generic]]) -> onnx.ModelProto:
    """The net with float32 weights and the shapes of all tensors."""
    values = {**{name: weights[name].astype(np.float32) for name in net.shapes}, **net.constants}
    return model(net, [node(step) for step in net.steps], [constant(name, value) for name, value in values.items()])


def model(net: Net, nodes: list[onnx.NodeProto], constants: list[onnx.TensorProto]) -> onnx.ModelProto:
    inputs = [helper.make_tensor_value_info(net.input, TensorProto.FLOAT, net.input_shape)]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in net.outputs.items()]
    graph = helper.make_graph(nodes, net.name, inputs, outputs, constants)
    result = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name=PRODUCER)
    result.ir_version = IR_VERSION
    result = onnx.shape_inference.infer_shapes(result, strict_mode=True, data_prop=True)
    onnx.checker.check_model(result, full_check=True)
    return result


def node(step: Step) -> onnx.NodeProto:
    names = [*step.inputs, *step.weights]
    proto = helper.make_node(step.op, names, [step.output], step.name)
    proto.attribute.extend(helper.make_attribute(name, value) for name, value in sorted(step.attributes.items()))
    return proto


def constant(name: str, value: NDArray[np.generic]) -> onnx.TensorProto:
    return numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)


def serialized(proto: onnx.ModelProto) -> bytes:
    return bytes(proto.SerializeToString(deterministic=True))
