"""A node whose output was measured behind its QuantizeLinear and DequantizeLinear, wherever it is told of."""

import numpy as np
import pytest

from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.explain.findings.columns import COLUMNS, Sheet
from errorflow.explain.findings.model import Findings, State
from errorflow.explain.findings.select import select
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph, Shape

INFO = TensorInfo("", "float32", (1,), 4)
NAMES = ("conv", "q", "dq", "relu")


def graph() -> Graph:
    builder = GraphBuilder()
    builder.input("x")
    types = ("Conv", "QuantizeLinear", "DequantizeLinear", "Relu")
    for at, (name, op_type) in enumerate(zip(NAMES, types, strict=True)):
        builder.node(op_type, [f"{NAMES[at - 1]}_out" if at else "x"], [f"{name}_out"], name=name)
    builder.output("relu_out")
    return builder.build()


@pytest.fixture
def found() -> Findings:
    values = {"cosine": 0.9, "relative_l2": 0.4}
    sides = Side(low=0, high=1), Side(nan=1, low=0, high=1)
    rows = (
        Row("conv_out", None, INFO, note="only in the candidate"),
        Row("dq_out", INFO, INFO, values, "", *sides, rule="dequantized"),
    )
    return Findings.of(graph(), Comparison(rows))


def test_it_is_as_bad_as_what_is_behind(found: Findings) -> None:
    scale = found.scale("relative_l2", {})
    assert scale is not None
    tensors, values = found.worst(scale)
    assert values.tolist()[:3] == [0.4, 0.4, 0.4] and np.isnan(values[3])
    assert [found.graph.tensor_names[tensor] for tensor in tensors[:3]] == ["conv_out", "q_out", "dq_out"]


@pytest.mark.parametrize(
    ("known", "shown"), [(None, (1,)), (("N",), (1,)), ((7,), (7,)), (("N", 3), ("N", 3)), ((None, 1), (None, 1))]
)
def test_sizes_that_the_model_leaves_open_are_those_of_the_run(known: Shape, shown: Shape) -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.tensor("x", dtype="float32", shape=known)
    builder.node("Relu", ["x"], ["y"])
    findings = Findings.of(builder.build(), Comparison((Row("x", INFO, None), Row("z", None, None))))
    assert findings.shape(0) == shown and findings.shape(1) is None


def test_queries_find_it(found: Findings) -> None:
    assert [NAMES[node] for node in select(found, "measured:yes")] == ["conv", "q", "dq"]
    assert [NAMES[node] for node in select(found, "rel>0.3")] == ["conv", "q", "dq"]
    assert [NAMES[node] for node in select(found, "unmatched:yes")] == ["relu"]
    assert [NAMES[node] for node in select(found, "missing:yes")] == []


def test_it_has_the_states_and_the_rule_of_what_is_behind(found: Findings) -> None:
    assert [State(int(state)) for state in found.node_states] == [State.NAN, State.NAN, State.NAN, State(0)]
    rule = next(column for column in COLUMNS if column.key == "rule")
    texts = [rule.text(Sheet(found, "cosine", {}), node) for node in range(4)]
    assert texts[0] == texts[1] == texts[2] != "" and texts[3] == ""


def test_it_says_where_it_was_measured(found: Findings) -> None:
    assert found.told_behind(0) == "measured behind its DequantizeLinear dq"
    assert found.told_behind(2) == found.told_behind(3) == ""
