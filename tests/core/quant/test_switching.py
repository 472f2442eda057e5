"""Switching nodes to float, to other bits, and back."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper

from errorflow.formats import read_model
from errorflow.graph.model import Graph
from errorflow.quant.assign import assign
from errorflow.quant.plan import FLOAT, PLANNED, Plan, Rule
from errorflow.quant.plan_file import parse_plan, plan_text
from errorflow.quant.precision import Precision
from errorflow.quant.presets import PRESETS
from errorflow.quant.selecting import chosen
from errorflow.quant.steps import CorrectBiases
from errorflow.quant.switching import (
    SWITCHES,
    Part,
    Switch,
    in_units,
    overrides,
    planned,
    switched,
    switched_tensors,
    switched_where,
    toggled,
    toggled_tensor,
)
from onnx_models import graph, model, relu, value, weight
from run_models import floats

PARTS: tuple[Part, ...] = ("both", "activations", "weights")
WHERE = (
    Rule(types=("Conv",)),
    Rule(types=("Relu", "Add")),
    Rule(starts=("a",)),
    Rule(ends=("b",)),
    Rule(starts=("a",), ends=("s",)),
    Rule(names=("conv*",)),
)
WORDS, EVEN_WORDS = Precision("uint16"), Precision("int16", symmetric=True)


def net(folder: Path) -> Graph:
    """x → conv1 → relu1 → a → conv2 → relu2 → b; a + b → s → a reshape without a name → a product; two share a name."""
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], "conv1"),
        relu("c1", "a", "relu1"),
        helper.make_node("Conv", ["a", "w2"], ["c2"], "conv2"),
        relu("c2", "b", "relu2"),
        helper.make_node("Add", ["a", "b"], ["s"], "add"),
        helper.make_node("Reshape", ["s", "shape"], ["f"]),
        helper.make_node("Gemm", ["f", "w3"], ["g"], "twin", transB=1),
        helper.make_node("Softmax", ["g"], ["p"], "twin"),
        helper.make_node("Shape", ["s"], ["size"], "shape"),
    ]
    weights = [
        weight("w1", floats(4, 3, 1, 1)),
        weight("b1", floats(4)),
        weight("w2", floats(4, 4, 1, 1)),
        weight("w3", floats(5, 16)),
        weight("shape", np.array([1, 16], np.int64)),
    ]
    made = [value("p", (1, 5)), value("size", (4,), onnx.TensorProto.INT64)]
    path = folder / "net.onnx"
    onnx.save(model(graph(*nodes, inputs=[value("x", (1, 3, 2, 2))], outputs=made, weights=weights)), path)
    return read_model(path).graph


@pytest.fixture(name="net", scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return net(tmp_path_factory.mktemp("net"))


def numbers(graph: Graph, *names: str) -> list[int]:
    return [graph.node_names.index(name) if name else list(graph.op_types).index("Reshape") for name in names]


def activations(graph: Graph, plan: Plan) -> dict[str, Precision]:
    floating = np.array([name not in ("shape", "size") for name in graph.tensor_names])
    return {graph.tensor_names[t]: how for t, how in assign(graph, plan, floating).activations.items()}


def test_a_node_is_switched_with_its_norm_and_activation(net: Graph) -> None:
    assert in_units(net, numbers(net, "relu1")) == tuple(numbers(net, "conv1", "relu1"))


def test_nodes_in_float_are_one_rule_with_their_names_in_the_order_of_the_file(net: Graph) -> None:
    plan = switched(net, Plan(), numbers(net, "relu2", "conv1"), FLOAT)
    assert plan.rules == (Rule(FLOAT, FLOAT, names=("conv1", "relu2")),)
    more = switched(net, plan, numbers(net, "add"), FLOAT)
    assert more.rules == (Rule(FLOAT, FLOAT, names=("conv1", "relu2", "add")),)


def test_a_node_without_a_name_goes_by_what_it_makes(net: Graph) -> None:
    assert switched(net, Plan(), numbers(net, ""), FLOAT).rules == (Rule(FLOAT, FLOAT, names=("f",)),)


def test_of_two_with_one_name_each_goes_by_what_it_makes(net: Graph) -> None:
    assert switched(net, Plan(), numbers(net, "twin"), FLOAT).rules == (Rule(FLOAT, FLOAT, names=("g",)),)
    by_hand = Plan().keeping_float("twin")
    assert [net.op_types[node] for node, _ in overrides(net, by_hand)] == ["Gemm", "Softmax"]


def test_bits_change_weights_and_activations_apart(net: Graph) -> None:
    conv = numbers(net, "conv1")
    assert switched(net, Plan(), conv, 16).rules == (Rule(WORDS, EVEN_WORDS, names=("conv1",)),)
    assert switched(net, Plan(), conv, 16, "weights").rules == (Rule("keep", EVEN_WORDS, names=("conv1",)),)
    assert switched(net, Plan(), conv, 16, "activations").rules == (Rule(WORDS, "keep", names=("conv1",)),)


def test_of_weights_alone_nothing_is_said_of_a_node_without(net: Graph) -> None:
    assert switched(net, Plan(), numbers(net, "relu1", "add"), FLOAT, "weights") == Plan()


def test_so_many_bits_as_are_planned_are_no_switch(net: Graph) -> None:
    assert switched(net, Plan(), numbers(net, "conv1", "relu1"), 8) == Plan()


def test_what_cannot_be_quantized_is_left_out_of_a_plan(net: Graph) -> None:
    everything = range(len(net))
    assert "shape" not in switched(net, Plan(), everything, FLOAT).rules[0].names
    assert "shape" in switched(net, Plan(), numbers(net, "shape"), FLOAT).rules[0].names


def test_a_type_is_switched_in_the_words_of_the_user(net: Graph) -> None:
    plan = switched_where(net, Plan(), Rule(types=("Conv",)), FLOAT)
    assert plan.rules == (Rule(FLOAT, FLOAT, types=("Conv",)),)
    assert switched_where(net, plan, Rule(types=("Conv",)), PLANNED) == Plan()


def test_of_one_selection_only_the_last_wish_is_kept(net: Graph) -> None:
    where = Rule(starts=("a",))
    plan = switched_where(net, switched_where(net, Plan(), where, FLOAT), where, 16)
    assert plan.rules == (Rule(WORDS, EVEN_WORDS, starts=("a",)),)
    halves = switched_where(net, switched_where(net, Plan(), where, FLOAT, "weights"), where, 16, "activations")
    assert halves.rules == (Rule(WORDS, FLOAT, starts=("a",)),)


def test_one_node_of_a_switched_type_can_be_as_planned_again(net: Graph) -> None:
    types = switched_where(net, Plan(), Rule(types=("Conv",)), FLOAT)
    plan = switched(net, types, numbers(net, "conv2"), PLANNED)
    assert plan.rules[1:] == (Rule(PLANNED, PLANNED, names=("conv2",)),)
    assert [node for node, _ in overrides(net, plan)] == numbers(net, "conv1")
    assert switched(net, plan, numbers(net, "conv2"), FLOAT) == types


def test_a_node_that_moves_values_does_as_its_readers_again(net: Graph) -> None:
    wide = switched(net, Plan(), numbers(net, "twin"), 16)
    moved = switched_where(net, wide, Rule(types=("Reshape", "Conv")), FLOAT)
    assert "f" not in activations(net, moved)
    assert activations(net, switched(net, moved, numbers(net, ""), PLANNED))["f"] == WORDS


def test_weights_alone_leave_alone_who_moves_values(net: Graph) -> None:
    wide = switched(net, Plan(), numbers(net, "twin"), 16)
    plan = switched_where(net, wide, Rule(starts=("a",)), FLOAT, "weights")
    assert activations(net, plan) == activations(net, wide)


def test_a_rule_that_changes_nothing_any_more_is_gone(net: Graph) -> None:
    plan = switched_where(net, Plan(), Rule(starts=("b",)), FLOAT)
    assert switched_where(net, plan, Rule(starts=("a",)), FLOAT).rules == (Rule(FLOAT, FLOAT, starts=("a",)),)


def test_a_toggle_goes_to_float_and_back(net: Graph) -> None:
    unit = in_units(net, numbers(net, "conv1"))
    plan = toggled(net, Plan(), unit)
    assert plan == switched(net, Plan(), unit, FLOAT)
    assert toggled(net, plan, unit) == Plan()


def test_a_toggle_of_some_that_are_in_float_brings_all_there(net: Graph) -> None:
    plan = switched(net, Plan(), numbers(net, "conv1"), FLOAT)
    both = numbers(net, "conv1", "conv2")
    assert toggled(net, plan, both) == switched(net, Plan(), both, FLOAT)


def test_a_single_tensor_is_switched_and_back() -> None:
    plan = toggled_tensor(Plan(), "a")
    assert plan.tensors == (("a", FLOAT),)
    assert toggled_tensor(plan, "a") == Plan()
    assert switched_tensors(plan, ["a", "b"], 16).tensors == (("a", WORDS), ("b", WORDS))


def test_a_tensor_that_no_graph_has_means_no_node(net: Graph) -> None:
    assert not chosen(net, Rule(starts=("nowhere",))).any()
    assert not chosen(net, Rule(starts=("a",), ends=("nowhere",))).any()


def test_a_plan_without_switches_is_what_was_planned(net: Graph) -> None:
    plan = switched_tensors(switched(net, PRESETS[0].plan, numbers(net, "conv1"), FLOAT), ["a"], 16)
    assert planned(plan) == PRESETS[0].plan


def test_switches_are_kept_in_a_file(net: Graph) -> None:
    plan = switched(net, switched_where(net, Plan(), WHERE[0], FLOAT), numbers(net, "conv2"), PLANNED)
    assert parse_plan(plan_text(plan).encode()) == plan


nodes = st.sets(st.integers(0, 8))
Step = tuple[set[int] | Rule, Switch, Part]
whom = st.one_of(nodes, st.sampled_from(WHERE))
steps: st.SearchStrategy[Step] = st.tuples(whom, st.sampled_from(SWITCHES), st.sampled_from(PARTS))
bases = st.sampled_from([Plan(), *(each.plan for each in PRESETS)])
SAME_NET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def stepped(net: Graph, plan: Plan, step: Step) -> Plan:
    who, switch, part = step
    if isinstance(who, Rule):
        return switched_where(net, plan, who, switch, part)
    return switched(net, plan, who, switch, part)


@SAME_NET
@given(bases, st.lists(steps, max_size=4), nodes)
def test_on_and_off_again_is_an_equal_plan(net: Graph, base: Plan, before: list[Step], some: set[int]) -> None:
    plan = base
    for step in before:
        plan = stepped(net, plan, step)
    others = [node for node in some if node not in dict(overrides(net, plan))]
    assert switched(net, switched(net, plan, others, FLOAT), others, PLANNED) == plan


@SAME_NET
@given(bases, st.lists(steps, max_size=6))
def test_all_that_was_switched_can_be_taken_back(net: Graph, base: Plan, before: list[Step]) -> None:
    plan = base
    for step in before:
        plan = stepped(net, plan, step)
    for where in WHERE:
        plan = switched_where(net, plan, where, PLANNED)
    assert switched(net, plan, range(len(net)), PLANNED) == base


@SAME_NET
@given(bases, st.lists(steps, max_size=6))
def test_no_list_of_rules_grows(net: Graph, base: Plan, before: list[Step]) -> None:
    plan = base
    for step in before:
        plan = stepped(net, plan, step)
    again = plan
    for step in before[-1:] * 3:
        again = stepped(net, again, step)
    assert again == plan


@SAME_NET
@given(bases, st.lists(steps, max_size=5), steps)
def test_what_is_switched_last_is_so(net: Graph, base: Plan, before: list[Step], last: Step) -> None:
    plan = base
    for step in before:
        plan = stepped(net, plan, step)
    who, switch, part = last
    found = dict(overrides(net, stepped(net, plan, last)))
    meant = np.flatnonzero(chosen(net, who)).tolist() if isinstance(who, Rule) else sorted(who)
    for node in (node for node in meant if net.op_types[node] in ("Conv", "Gemm")):
        pair = found.get(node, (PLANNED, PLANNED))
        wish = (switch, switch) if isinstance(switch, str) else base.in_bits(switch)
        own = (base.activations, base.weights) if base.types is None or net.op_types[node] in base.types else ()
        for place, name in enumerate(("activations", "weights")):
            if part in ("both", name):
                assert pair[place] == (PLANNED if own and wish[place] == own[place] else wish[place])


def test_tensors_alone_keep_the_ranges_and_the_steps_of_the_whole_plan() -> None:
    whole = Plan(types=("Conv",), preset="amct", fitted=True, steps=(CorrectBiases(()),), rules=(Rule(FLOAT, FLOAT),))
    alone = whole.only({"b": WORDS, "a": EVEN_WORDS})
    assert (alone.activations, alone.weights, alone.rules) == (FLOAT, FLOAT, ())
    assert alone.tensors == (("a", EVEN_WORDS), ("b", WORDS))
    assert (alone.steps, alone.fitted, alone.types) == (whole.steps, whole.fitted, whole.types)
