"""Compares a model as we read it with the same model as onnx reads it."""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from errorflow.formats.onnx.attributes import GraphValue, TensorValue
from errorflow.graph.model import Graph


def assert_same_graph(graph: Graph, proto: onnx.GraphProto, main: bool = True) -> None:
    assert graph.name == proto.name
    constants = {tensor.name for tensor in proto.initializer}
    assert names(graph, graph.inputs) == [value.name for value in proto.input if value.name not in constants]
    assert names(graph, graph.outputs) == [value.name for value in proto.output]
    assert names(graph, graph.constants) == [tensor.name for tensor in proto.initializer]
    for node, other in zip(graph.nodes(), proto.node, strict=True):
        assert (node.name, node.op_type, node.domain) == (other.name, other.op_type, other.domain)
        assert (node.inputs, node.outputs) == (tuple(other.input), tuple(other.output))
        assert list(node.attributes) == [attribute.name for attribute in other.attribute]
        for attribute in other.attribute:
            assert_same_value(node.attributes[attribute.name], attribute)
    for tensor in proto.initializer:
        expected = numpy_helper.to_array(tensor)
        values = graph.weights.read(tensor.name)
        assert values.dtype == expected.dtype
        assert np.array_equal(values, expected, equal_nan=expected.dtype.kind == "f")
    for value in (*proto.input, *proto.output, *proto.value_info):
        assert_same_type(graph, value, main)
    bodies = [a.g for n in proto.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]
    for body, other_body in zip(graph.subgraphs, bodies, strict=True):
        assert_same_graph(body.graph, other_body, main=False)


def assert_same_value(value: object, attribute: onnx.AttributeProto) -> None:
    expected = helper.get_attribute_value(attribute)
    if isinstance(value, GraphValue):
        assert (value.name, value.nodes) == (expected.name, len(expected.node))
    elif isinstance(value, TensorValue):
        array = numpy_helper.to_array(expected)
        assert value.shape == array.shape
        if value.values is not None:
            np.testing.assert_array_equal(np.array(value.values, array.dtype), array.ravel())  # NaN equals NaN
    elif isinstance(value, float):
        assert np.float32(value) == np.float32(expected)
    elif isinstance(value, tuple):
        assert [plain(item) for item in value] == [plain(item) for item in expected]
    else:
        assert plain(value) == plain(expected)


def plain(value: object) -> object:
    if isinstance(value, float):
        return np.float32(value)
    return value.decode() if isinstance(value, bytes) else value


def assert_same_type(graph: Graph, value: onnx.ValueInfoProto, main: bool) -> None:
    index = graph.tensor_index(value.name)
    if index is None or not value.type.HasField("tensor_type"):
        return
    tensor, kind = graph.tensor(index), value.type.tensor_type
    assert tensor.dtype == dtype(kind.elem_type)
    if kind.HasField("shape"):
        assert tensor.shape == tuple(dim(d) for d in kind.shape.dim)
    elif main and value.name not in graph.weights.names():  # a body may know more from the graphs around it
        assert tensor.shape is None


def dtype(number: int) -> str:
    name: str = onnx.TensorProto.DataType.Name(number)
    return {"FLOAT": "float32", "DOUBLE": "float64"}.get(name, name.lower())


def dim(value: onnx.TensorShapeProto.Dimension) -> int | str | None:
    if value.HasField("dim_value"):
        return value.dim_value
    return value.dim_param if value.dim_param else None


def names(graph: Graph, tensors: object) -> list[str]:
    return [graph.tensor_names[i] for i in np.asarray(tensors).tolist()]
