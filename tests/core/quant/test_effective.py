"""What was asked of nodes, what they compute in, and what a switch frees."""

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned, assign
from errorflow.quant.effective import NodeState, PlannedPrecisions, frees, listed, short
from errorflow.quant.plan import FLOAT, PLANNED, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.switching import Kept, Pair, kept_of, switched, switched_tensors
from onnx_models import graph, model, relu, value, weight
from run_models import floats


@pytest.fixture(name="net", scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """x → conv (with bias) → c → relu → r → reshape → f → gemm → y; relu2 reads c too; shape reads r."""
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c"], "conv"),
        relu("c", "r", "relu"),
        relu("c", "d", "relu2"),
        helper.make_node("Reshape", ["r", "shape"], ["f"], "reshape"),
        helper.make_node("Gemm", ["f", "w2"], ["y"], "gemm", transB=1),
        helper.make_node("Shape", ["r"], ["s"], "shape"),
    ]
    weights = [
        weight("w1", floats(4, 3, 1, 1)),
        weight("b1", floats(4)),
        weight("w2", floats(5, 16)),
        weight("shape", np.array([1, 16], np.int64)),
    ]
    outputs = [value("y", (1, 5)), value("d", (1, 4, 2, 2)), value("s", (4,), onnx.TensorProto.INT64)]
    path = tmp_path_factory.mktemp("net") / "net.onnx"
    onnx.save(model(graph(*nodes, inputs=[value("x", (1, 3, 2, 2))], outputs=outputs, weights=weights)), path)
    return read_model(path).graph


def assigned(net: Graph, plan: Plan) -> Assigned:
    return assign(net, plan, np.array([name not in ("shape", "s") for name in net.tensor_names]))


def state(net: Graph, plan: Plan, name: str) -> NodeState:
    return PlannedPrecisions(net, plan, assigned(net, plan)).state(net.node_names.index(name))


def switch(net: Graph, *names: str, plan: Plan | None = None, to: str = FLOAT) -> Plan:
    numbers = [net.node_names.index(name) for name in names]
    return switched(net, Plan() if plan is None else plan, numbers, FLOAT if to == FLOAT else 16)


def test_as_planned_both_are_the_same(net: Graph) -> None:
    found = state(net, Plan(), "relu")
    assert (found.requested, found.effective, found.why, found.switched) == ("uint8", "uint8", (), False)


def test_weights_are_named_where_they_differ_in_bits(net: Graph) -> None:
    found = state(net, Plan(), "conv")
    assert found.requested == "uint8, weights int8 symmetric"
    assert found.effective == "uint8"
    wide = state(net, Plan(activations=Precision("uint16")), "conv")
    assert wide.effective == "uint16, weights int8"


def test_a_bias_of_32_bits_is_told(net: Graph) -> None:
    assert state(net, Plan(), "conv").why == ("Its bias b1 has codes of 32 bits.",)


def test_a_neighbour_that_wants_float_is_named(net: Graph) -> None:
    found = state(net, switch(net, "relu"), "conv")
    assert found.effective == "uint8 → float, weights int8"
    assert "relu wants float, and c is theirs too." in found.why


def test_a_neighbour_that_wants_more_bits_is_named(net: Graph) -> None:
    found = state(net, switch(net, "relu", "relu2", to="16"), "conv")
    assert found.effective == "uint8 → uint16, weights int8"
    assert "relu and relu2 want uint16, and c is theirs too." in found.why


def test_who_only_moves_values_says_so(net: Graph) -> None:
    found = state(net, switch(net, "gemm", to="16"), "reshape")
    assert (found.requested, found.effective) == ("as those that read it", "uint16")
    assert found.why == ("It only moves values, and does as those that read them.",)


def test_what_was_switched_says_so(net: Graph) -> None:
    found = state(net, switch(net, "conv"), "conv")
    assert (found.requested, found.effective, found.switched) == ("float (switched)", "float", True)


def test_a_single_tensor_is_the_reason(net: Graph) -> None:
    plan = switched_tensors(Plan(), ["c"], FLOAT)
    assert "The plan sets c apart." in state(net, plan, "conv").why


def test_an_operator_that_is_left_out_says_so(net: Graph) -> None:
    found = state(net, Plan(types=("Conv",)), "gemm")
    assert found.requested == "float: the plan leaves it out"


def test_what_cannot_be_quantized_says_so(net: Graph) -> None:
    found = state(net, Plan(), "shape")
    assert found.effective == "nothing of it can be quantized"


def test_all_nodes_at_once_are_as_each_alone(net: Graph) -> None:
    plan = switch(net, "relu")
    found = PlannedPrecisions(net, plan, assigned(net, plan))
    assert found.texts == ("uint8 → float, weights int8", "float", "float → uint8", "float → uint8", "uint8", "")
    assert found.kept.tolist() == [0, Kept.FLOAT, 0, 0, 0, 0]


@pytest.mark.parametrize(("names", "marked"), [(("c", "r", "d", "f"), {"relu", "relu2", "reshape"}), (("c",), set())])
def test_nodes_whose_tensors_are_all_kept_in_float_are_marked(
    net: Graph, names: tuple[str, ...], marked: set[str]
) -> None:
    plan = switched_tensors(Plan(), names, FLOAT)
    found = PlannedPrecisions(net, plan, assigned(net, plan))
    assert {net.node_names[node] for node in np.flatnonzero(found.kept == Kept.FLOAT)} == marked
    assert set(np.unique(found.kept)) <= {0, Kept.FLOAT}


def test_a_switch_says_which_tensors_it_frees(net: Graph) -> None:
    before, after = (assigned(net, plan) for plan in (Plan(), switch(net, "conv")))
    assert frees(net, before, after) == "Frees 2 tensors: x and c; 1 weight."
    assert frees(net, after, before) == "Codes 2 tensors: x and c; 1 weight."


def test_other_bits_change_tensors(net: Graph) -> None:
    before, after = (assigned(net, plan) for plan in (Plan(), switch(net, "gemm", to="16")))
    assert frees(net, before, after) == "Changes 3 tensors: r, f and y; 1 weight."


def test_a_switch_that_does_nothing_says_so(net: Graph) -> None:
    assert frees(net, assigned(net, Plan()), assigned(net, Plan())).startswith("Changes nothing")


def test_long_lists_and_names_are_cut() -> None:
    assert listed(["a", "b", "c", "d", "e"], "nodes") == "a, b, c and 2 other nodes"
    assert short("x" * 60 + "end") == "…" + "x" * 44 + "end"


@pytest.mark.parametrize(
    ("pair", "kept", "word", "text"),
    [
        ((FLOAT, FLOAT), Kept.FLOAT, "float", "kept in float"),
        (Plan().in_bits(16), Kept.BITS_16, "16", "switched to 16 bits"),
        (Plan().in_bits(4), Kept.BITS_4, "4", "switched to 4 bits"),
        ((FLOAT, PLANNED), Kept.PART, "part", "switched in part"),
        ((Plan().in_bits(8)[0], Plan().in_bits(16)[1]), Kept.PART, "part", "switched in part"),
    ],
)
def test_what_a_node_was_switched_to_is_a_word(pair: Pair, kept: Kept, word: str, text: str) -> None:
    found = kept_of(pair)
    assert found == kept
    assert (kept.word, kept.text) == (word, text)


def test_what_is_as_planned_is_no_word() -> None:
    assert kept_of((PLANNED, PLANNED)) is None
