"""Groups of nodes that are switched as one."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper

from errorflow.formats import read_model
from errorflow.graph.build import GraphBuilder
from errorflow.quant.units import Units, units_of
from onnx_models import graph, model, relu, value, weight
from planted_nets import NETS, planted_net
from rerun_nets import MADE
from run_models import floats

node = helper.make_node
NUMBERS = ("three", "six", "half", "one", "root", "two", "tiny", "cube")


def names_of(folder: Path, *nodes: onnx.NodeProto, outputs: tuple[str, ...] = ("y",)) -> set[str]:
    """What the units of a graph from x are called."""
    constants = [weight("w", floats(4, 4, 1, 1)), weight("m", floats(4, 4)), weight("c", floats(4))]
    constants += [weight(name, np.float32(3)) for name in NUMBERS]
    made = [value(name, None) for name in outputs]
    path = folder / "net.onnx"
    onnx.save(model(graph(*nodes, inputs=[value("x", (1, 4, 4, 4))], outputs=made, weights=constants)), path)
    return set(units_of(read_model(path).graph).names)


CONV = node("Conv", ["x", "w"], ["a"])
NORM = node("BatchNormalization", ["a", "c", "c", "c", "c"], ["b"])


@pytest.mark.parametrize(
    ("nodes", "want"),
    [
        ([CONV, relu("a", "y")], {"Conv + Relu"}),
        ([CONV, NORM, relu("b", "y")], {"Conv + BatchNormalization + Relu"}),
        ([CONV, node("Add", ["a", "c"], ["b"]), relu("b", "y")], {"Conv + Add + Relu"}),
        ([CONV, node("Clip", ["a"], ["y"])], {"Conv + Clip"}),
        ([node("MatMul", ["x", "m"], ["a"]), node("Add", ["a", "c"], ["y"])], {"MatMul + Add"}),
        ([CONV, node("Add", ["a", "x"], ["b"]), relu("b", "y")], {"Conv", "Add", "Relu"}),
        ([CONV, relu("a", "b"), node("Sigmoid", ["a"], ["d"]), node("Add", ["b", "d"], ["y"])], None),
        ([CONV, node("Sigmoid", ["a"], ["b"]), node("Mul", ["a", "b"], ["y"])], {"Conv + Swish"}),
        ([node("Sigmoid", ["x"], ["b"]), node("Mul", ["x", "b"], ["y"])], {"Swish"}),
        ([CONV, node("HardSigmoid", ["a"], ["b"]), node("Mul", ["a", "b"], ["y"])], {"Conv + HardSwish"}),
        ([CONV, node("HardSigmoid", ["a"], ["b"]), node("Mul", ["x", "b"], ["y"])], {"Conv + HardSigmoid", "Mul"}),
    ],
)
def test_what_follows_a_product_alone_belongs_to_it(
    nodes: list[onnx.NodeProto], want: set[str] | None, tmp_path: Path
) -> None:
    assert names_of(tmp_path, *nodes) == ({"Conv", "Relu", "Sigmoid", "Add"} if want is None else want)


HARD = [node("Add", ["a", "three"], ["h"]), node("Clip", ["h"], ["i"])]


@pytest.mark.parametrize(
    "end",
    [
        [node("Mul", ["a", "i"], ["j"]), node("Div", ["j", "six"], ["y"])],
        [node("Div", ["i", "six"], ["j"]), node("Mul", ["j", "a"], ["y"])],
        [node("Mul", ["i", "six"], ["j"]), node("Mul", ["a", "j"], ["y"])],
    ],
)
def test_hard_swish_is_one_however_it_is_spelled(end: list[onnx.NodeProto], tmp_path: Path) -> None:
    assert names_of(tmp_path, CONV, *HARD, *end) == {"Conv + HardSwish"}
    assert names_of(tmp_path, relu("x", "a"), *HARD, *end) == {"Relu", "HardSwish"}


def test_gelu_is_one_with_either_function(tmp_path: Path) -> None:
    by_erf = [
        node("Div", ["x", "root"], ["a"]),
        node("Erf", ["a"], ["b"]),
        node("Add", ["b", "one"], ["c1"]),
        node("Mul", ["x", "c1"], ["d"]),
        node("Mul", ["d", "half"], ["y"]),
    ]
    by_tanh = [
        node("Pow", ["x", "three"], ["p"]),
        node("Mul", ["p", "cube"], ["q"]),
        node("Add", ["x", "q"], ["r"]),
        node("Mul", ["r", "root"], ["s"]),
        node("Tanh", ["s"], ["t"]),
        node("Add", ["t", "one"], ["u"]),
        node("Mul", ["x", "half"], ["v"]),
        node("Mul", ["v", "u"], ["y"]),
    ]
    assert names_of(tmp_path, *by_erf) == names_of(tmp_path, *by_tanh) == {"GELU"}


def test_a_norm_is_one_with_its_scale_and_shift(tmp_path: Path) -> None:
    nodes = [
        node("ReduceMean", ["x"], ["mu"], axes=[-1]),
        node("Sub", ["x", "mu"], ["d"]),
        node("Pow", ["d", "two"], ["sq"]),
        node("ReduceMean", ["sq"], ["var"], axes=[-1]),
        node("Add", ["var", "tiny"], ["v"]),
        node("Sqrt", ["v"], ["sd"]),
        node("Div", ["d", "sd"], ["n"]),
        node("Mul", ["n", "c"], ["s"]),
        node("Add", ["s", "c"], ["y"]),
    ]
    assert names_of(tmp_path, *nodes) == {"LayerNorm"}


def test_what_somebody_else_reads_ends_a_unit(tmp_path: Path) -> None:
    assert names_of(tmp_path, CONV, relu("a", "y"), outputs=("y", "a")) == {"Conv", "Relu"}
    inside = [CONV, *HARD, node("Mul", ["a", "i"], ["j"]), node("Div", ["j", "six"], ["y"])]
    assert "Conv + HardSwish" not in names_of(tmp_path, *inside, outputs=("y", "i"))


def test_constants_belong_to_who_alone_reads_them(tmp_path: Path) -> None:
    held = node("Constant", [], ["k"], value=weight("", floats(4)))
    turned = node("Reshape", ["k", "shape"], ["l"])
    shape = node("Constant", [], ["shape"], value=weight("", np.array([1, 4, 1, 1], np.int64)))
    assert names_of(tmp_path, held, shape, turned, CONV, node("Add", ["a", "l"], ["y"])) == {"Conv + Add"}


def test_who_passes_on_a_value_is_no_step(tmp_path: Path) -> None:
    nodes = [CONV, node("Identity", ["a"], ["b"]), relu("b", "d"), node("Identity", ["d"], ["y"])]
    assert names_of(tmp_path, *nodes) == {"Conv + Relu"}
    assert names_of(tmp_path, node("Identity", ["x"], ["d"]), relu("d", "y")) == {"Identity", "Relu"}


def check(units: Units, count: int) -> None:
    assert len(units.of) == count
    assert sorted(units.nodes.values.tolist()) == list(range(count))
    assert all(len(units.nodes[unit]) for unit in range(len(units)))


@pytest.mark.parametrize("name", [*NETS, *MADE])
def test_every_node_is_in_one_unit(name: str, tmp_path: Path) -> None:
    proto = MADE[name]()[0] if name in MADE else planted_net(name, 0).model
    onnx.save(proto, tmp_path / "net.onnx")
    net = read_model(tmp_path / "net.onnx").graph
    check(units_of(net), len(net))


KINDS = st.sampled_from(
    ("Conv", "Relu", "Add", "Mul", "Clip", "Div", "Sigmoid", "Erf", "Pow", "ReduceMean", "Sub", "Identity")
)


def test_a_node_that_reads_what_it_makes_is_a_unit_of_its_own() -> None:
    builder = GraphBuilder()
    builder.node("Conv", ["t0"], ["t0"], "n0")
    check(units_of(builder.build()), 1)


@given(st.lists(st.tuples(KINDS, st.lists(st.integers(0, 30), min_size=1, max_size=3)), max_size=30))
def test_of_any_graph_every_node_is_in_one_unit(rows: list[tuple[str, list[int]]]) -> None:
    """Cycles as well."""
    builder = GraphBuilder()
    builder.input("t30")
    for place, (kind, read) in enumerate(rows):
        builder.node(kind, [f"t{number}" for number in read], [f"t{place}"], f"n{place}")
    builder.output("t0")
    check(units_of(builder.build()), len(rows))
