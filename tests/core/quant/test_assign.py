"""What a plan makes of a graph."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned, Bias, assign, freed
from errorflow.quant.plan import FLOAT, Floating, Plan, Rule
from errorflow.quant.precision import Precision
from onnx_models import graph, model, relu, value, weight
from rerun_nets import ALL, case, passing
from run_models import floats

BYTES, WORDS = Precision("uint8"), Precision("uint16")
WEIGHTS = Precision("int8", symmetric=True)


@pytest.fixture
def net(tmp_path: Path) -> Graph:
    """x → conv (with bias) → relu → reshape → gemm → softmax → y; a constant is added to what relu makes → z."""
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c"], "conv"),
        relu("c", "r", "relu"),
        helper.make_node("Reshape", ["r", "shape"], ["f"], "reshape"),
        helper.make_node("Gemm", ["f", "w2"], ["g"], "gemm", transB=1),
        helper.make_node("Softmax", ["g"], ["y"], "softmax"),
        helper.make_node("Add", ["r", "k"], ["z"], "add"),
        helper.make_node("Shape", ["r"], ["s"], "shape"),
    ]
    weights = [
        weight("w1", floats(4, 3, 1, 1)),
        weight("b1", floats(4)),
        weight("w2", floats(5, 16)),
        weight("k", floats(1)),
        weight("shape", np.array([1, 16], np.int64)),
    ]
    made = [value("y", (1, 5)), value("z", (1, 4, 2, 2)), value("s", (4,), onnx.TensorProto.INT64)]
    main = graph(*nodes, inputs=[value("x", (1, 3, 2, 2))], outputs=made, weights=weights)
    path = tmp_path / "net.onnx"
    onnx.save(model(main), path)
    return read_model(path).graph


def assigned(net: Graph, plan: Plan) -> Assigned:
    return assign(net, plan, np.array([name not in ("shape", "s") for name in net.tensor_names]))


def activations(net: Graph, plan: Plan) -> dict[str, Precision]:
    return {net.tensor_names[tensor]: how for tensor, how in assigned(net, plan).activations.items()}


def constants(net: Graph, plan: Plan) -> dict[str, tuple[Precision, int | None]]:
    found = assigned(net, plan).constants.items()
    return {net.tensor_names[tensor]: (coded.precision, coded.axis) for tensor, coded in found}


def names(net: Graph, tensors: frozenset[int]) -> set[str]:
    return {net.tensor_names[tensor] for tensor in tensors}


def test_all_that_flows_is_coded_and_nothing_else(net: Graph) -> None:
    assert activations(net, Plan()) == dict.fromkeys(("x", "c", "r", "f", "g", "y", "z"), BYTES)


def test_constants_are_weights_for_who_multiplies_by_them_and_activations_for_others(net: Graph) -> None:
    assert constants(net, Plan()) == {"w1": (WEIGHTS, None), "w2": (WEIGHTS, None), "k": (BYTES, None)}


def test_weights_have_a_scale_for_each_channel_that_they_make(net: Graph) -> None:
    each = Precision("int8", symmetric=True, per_channel=True)
    found = constants(net, Plan(weights=each))
    assert (found["w1"], found["w2"]) == ((each, 0), (each, 0))


def test_a_bias_is_coded_where_what_it_is_added_to_is(net: Graph) -> None:
    number = net.tensor_index
    assert assigned(net, Plan()).biases == {0: Bias(number("b1"), number("x"), number("w1"))}  # type: ignore[arg-type]  # they are there
    assert not assigned(net, Plan(weights=FLOAT)).biases
    assert not assigned(net, Plan(biases=False)).biases


def test_only_the_types_that_are_listed_are_quantized_and_their_tensors_with_them(net: Graph) -> None:
    assert set(activations(net, Plan(types=("Conv",)))) == {"x", "c"}
    assert set(activations(net, Plan(types=("Gemm",)))) == {"r", "f", "g"}


def test_a_target_that_codes_only_what_is_read_leaves_outputs_in_float(net: Graph) -> None:
    assert set(activations(net, Plan(types=("Conv", "Gemm"), outputs=False))) == {"x", "r", "f"}


def test_a_node_in_float_frees_all_that_it_reads_and_makes(net: Graph) -> None:
    before, after = assigned(net, Plan()), assigned(net, Plan().keeping_float("gemm"))
    assert names(net, freed(before, after)) == {"r", "f", "g", "w2"}
    assert net.tensor_index("r") not in after.activations, "reshape only moves what gemm reads"


def test_one_that_moves_values_speaks_for_itself_when_it_is_named(net: Graph) -> None:
    after = assigned(net, Plan().keeping_float("reshape"))
    assert names(net, freed(assigned(net, Plan()), after)) == {"r", "f"}


@pytest.mark.parametrize(
    ("rule", "want"),
    [
        (Rule(WORDS, types=("Gemm",)), {"r": WORDS, "f": WORDS, "g": WORDS, "y": BYTES, "x": BYTES}),
        (Rule(FLOAT, starts=("g",)), dict.fromkeys("xcrfz", BYTES)),
        (Rule(FLOAT, ends=("r",)), {"f": BYTES, "g": BYTES, "y": BYTES, "z": BYTES}),
        (Rule(FLOAT, starts=("c",), ends=("f",)), {"x": BYTES, "g": BYTES, "y": BYTES, "z": BYTES}),
        (Rule(FLOAT, names=("re*",)), {"x": BYTES, "g": BYTES, "y": BYTES, "z": BYTES}),
    ],
)
def test_a_rule_changes_those_that_it_names(net: Graph, rule: Rule, want: dict[str, Precision]) -> None:
    found = activations(net, Plan().with_rule(rule))
    assert {name: found.get(name) for name in want} == want
    if rule.activations == FLOAT:
        assert set(found) == set(want)


def test_the_later_rule_counts(net: Graph) -> None:
    plan = Plan().with_rule(Rule(WORDS, names=("softmax",))).with_rule(Rule(BYTES, types=("Softmax",)))
    assert activations(net, plan)["y"] == BYTES


@pytest.mark.parametrize("wish", [FLOAT, WORDS])
def test_a_tensor_that_is_named_stands_above_all_rules(net: Graph, wish: Precision | Floating) -> None:
    plan = Plan().with_rule(Rule(FLOAT if wish != FLOAT else BYTES, names=("relu",))).with_tensor("r", wish)
    assert activations(net, plan).get("r", FLOAT) == wish


def test_weights_alone_can_be_left_in_float(net: Graph) -> None:
    found = assigned(net, Plan().with_rule(Rule(weights=FLOAT, names=("gemm",))))
    assert "g" in names(net, frozenset(found.activations))
    assert names(net, frozenset(found.constants)) == {"w1", "k"}


def test_what_was_only_moved_keeps_its_scale_and_needs_no_codes_of_its_own(net: Graph) -> None:
    found = assigned(net, Plan())
    assert names(net, found.moved) == {"f"}
    assert {net.tensor_names[to]: net.tensor_names[of] for to, of in found.scale_of.items()} == {"f": "r"}


def test_the_order_of_wishes_is_written_in_words() -> None:
    assert Rule(FLOAT, FLOAT, names=("a", "b")).text == "a, b → float"
    assert Rule(WORDS, types=("Conv",)).text == "Conv → activations uint16"
    assert Rule(weights=FLOAT, starts=("x",), ends=("y",)).text == "x … y → weights float"


def test_what_constant_nodes_make_is_coded_as_other_constants_are(tmp_path: Path) -> None:
    held = helper.make_node("Constant", [], ["w"], value=weight("", floats(4, 3, 1, 1)))
    conv = helper.make_node("Conv", ["x", "w"], ["y"])
    path = tmp_path / "held.onnx"
    onnx.save(model(graph(held, conv, inputs=[value("x", (1, 3, 2, 2))], outputs=[value("y", (1, 4, 2, 2))])), path)
    net = read_model(path).graph
    each = Precision("int8", symmetric=True, per_channel=True)
    found = assign(net, Plan(weights=each), np.ones(len(net.tensor_names), bool))
    names = {net.tensor_names[tensor]: coded for tensor, coded in found.constants.items()}
    assert (names["w"].precision, names["w"].axis) == (each, 0)
    assert {net.tensor_names[tensor] for tensor in found.activations} == {"x", "y"}


def test_exponents_stay_as_they_are(tmp_path: Path) -> None:
    power = helper.make_node("Pow", ["x", "two"], ["y"])
    path = tmp_path / "power.onnx"
    main = graph(power, inputs=[value("x")], outputs=[value("y")], weights=[weight("two", np.float32(2))])
    onnx.save(model(main), path)
    net = read_model(path).graph
    assert not assign(net, Plan(), np.ones(len(net.tensor_names), bool)).constants


def test_a_constant_that_goes_by_another_name_is_that_constant(tmp_path: Path) -> None:
    path = tmp_path / "passing.onnx"
    onnx.save(passing()[0], path)
    net = read_model(path).graph
    each = Precision("int8", symmetric=True, per_channel=True)
    found = assign(net, Plan(weights=each), np.ones(len(net.tensor_names), bool))
    constants = {net.tensor_names[tensor]: (coded.precision, coded.axis) for tensor, coded in found.constants.items()}
    assert constants == {"w": (each, 0), "k": (each, 0)}
    assert {net.tensor_names[bias.bias] for bias in found.biases.values()} == {"b"}
    assert {net.tensor_names[tensor] for tensor in found.activations} == {"x", "c", "r", "d", "y"}


NOBODY = Rule(BYTES, WEIGHTS, names=("nobody",))


def alike(one: Assigned, other: Assigned) -> bool:
    """The order counts too: what is written down follows it."""
    parts = ("activations", "constants", "biases", "scale_of", "moved", "wishes")
    return all(getattr(one, part) == getattr(other, part) for part in parts)


@pytest.mark.parametrize("net_name", ALL)
def test_single_tensors_are_coded_as_if_the_whole_graph_was_looked_at(net_name: str, tmp_path: Path) -> None:
    graph = read_model(case(net_name, tmp_path, samples=1).path).graph
    every = np.ones(len(graph.tensor_names), bool)
    dice = np.random.default_rng(7)
    for _ in range(60):
        chosen = dice.choice(len(graph.tensor_names), size=int(dice.integers(1, 5)), replace=False)
        wishes = tuple((graph.tensor_names[each], (BYTES, WORDS, FLOAT)[dice.integers(3)]) for each in chosen.tolist())
        types = None if dice.integers(2) else ("Conv", "MatMul", "Reshape")
        few = Plan(FLOAT, FLOAT, biases=bool(dice.integers(2)), types=types, tensors=wishes)
        # A rule about nobody changes nothing but that all of the graph is looked at.
        assert alike(assign(graph, few, every), assign(graph, few.with_rule(NOBODY), every))
