"""Models that nobody would write, each read by us and by onnx: what both find must be the same."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from onnx import AttributeProto, GraphProto, NodeProto, helper, numpy_helper

from errorflow.base.files import Source
from errorflow.base.progress import SILENT
from errorflow.formats.onnx.read import ONNX
from errorflow.graph.model import Model
from onnx_compare import assert_same_graph

NAMES = st.sampled_from(["", "x", "y", "z", "/a/b", "ä", "weight"]) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=8
)
DTYPES = [np.float32, np.float16, np.float64, np.int64, np.int8, np.uint16, np.bool_]
ARRAYS = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
)
# Over and under the size up to which a tensor is kept with its values.
LARGE = st.sampled_from([500, 511, 512, 513, 700]).map(lambda count: np.arange(count, dtype=np.float32))
TENSORS = st.builds(lambda array, name: numpy_helper.from_array(array, name), ARRAYS | LARGE, NAMES)
DIMS = st.lists(st.integers(0, 2**40) | st.text("abc", min_size=1, max_size=3) | st.none(), max_size=4)
VALUES = st.builds(helper.make_tensor_value_info, NAMES, st.integers(1, 28), DIMS | st.none())
PLAIN = (
    st.integers(-(2**63), 2**63 - 1)
    | st.floats(width=32, allow_nan=False)
    | st.text(max_size=5)
    | st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5)
    | st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=5)
    | st.lists(st.text(max_size=5), min_size=1, max_size=3)
    | TENSORS
)


def attributes(bodies: st.SearchStrategy[GraphProto]) -> st.SearchStrategy[list[AttributeProto]]:
    made = st.builds(helper.make_attribute, st.text("abcdef", min_size=1, max_size=3), PLAIN | bodies)
    return st.lists(made, max_size=3, unique_by=lambda attribute: attribute.name)


def node(op: str, domain: str, name: str, ins: list[str], outs: list[str], values: list[AttributeProto]) -> NodeProto:
    return NodeProto(op_type=op, domain=domain, name=name, input=ins, output=outs, attribute=values)


def graphs(bodies: st.SearchStrategy[GraphProto]) -> st.SearchStrategy[GraphProto]:
    names = st.lists(NAMES, max_size=3)
    kinds = st.sampled_from(["Relu", "If", "Mine", ""])
    nodes = st.lists(
        st.builds(node, kinds, st.sampled_from(["", "a.b"]), NAMES, names, names, attributes(bodies)), max_size=5
    )
    values = st.lists(VALUES, max_size=3, unique_by=lambda info: info.name)
    weights = st.lists(TENSORS, max_size=4, unique_by=lambda tensor: tensor.name)
    return st.builds(graph, nodes, NAMES, values, values, weights)


def graph(
    nodes: Sequence[NodeProto],
    name: str,
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    weights: Sequence[onnx.TensorProto],
) -> GraphProto:
    taken = {value.name for value in inputs} | {tensor.name for tensor in weights}  # else two types for one name
    return helper.make_graph(nodes, name, inputs, [value for value in outputs if value.name not in taken], weights)


GRAPHS = st.recursive(graphs(st.nothing()), graphs, max_leaves=4)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(made=GRAPHS)
def test_any_model_is_read_like_onnx_reads_it(made: GraphProto, tmp_path_factory: pytest.TempPathFactory) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "random.onnx"
    proto = helper.make_model(made)
    path.write_bytes(proto.SerializeToString())

    with Source(path) as source:
        assert ONNX.claims(source)
        content = ONNX.read(source, SILENT)
    assert isinstance(content, Model)
    assert_same_graph(content.graph, proto.graph)
