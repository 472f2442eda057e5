from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorflow.base.sample import SAMPLES, Sample
from errorflow.compare.match.model import Match
from errorflow.explain.difference.link import is_candidate, link
from errorflow.explain.difference.model import NodeGroup
from errorflow.formats import read
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph, Model, Origin
from graph_pairs import CHAIN, graph, linked, rule_of
from stored_tensors import made_pair


def test_nodes_of_the_same_name_that_do_the_same_are_partners() -> None:
    assert linked(link(CHAIN, CHAIN)) == {name: {name} for name in CHAIN.node_names}


def test_nodes_that_a_compiler_fused_belong_to_what_it_wrote_down() -> None:
    fused = graph(
        ("Conv2D", "conv_fused", "x w1", "c", ("conv", "bn", "relu")),
        ("Pooling", "pool", "c", "d", ("pool",)),
        ("MatMul", "fc", "d w3", "y", ("fc",)),
    )

    links = link(CHAIN, fused)

    assert links.groups == (NodeGroup((0, 1, 2), (0,)),)
    assert links.groups[0].kind == "merged"
    assert rule_of(CHAIN, fused, "bn", "conv_fused") == "origin"


def test_two_builds_meet_in_the_originals_that_both_recorded() -> None:
    unfused = graph(
        ("Conv2D", "a", "x w1", "t1", ("conv",)), ("BNInference", "b", "t1 w2", "t2", ("bn",)), ("Relu", "c", "t2", "y")
    )
    fused = graph(("Conv2D", "one", "x w1", "t", ("conv", "bn")), ("Relu", "c", "t", "y"))

    assert linked(link(unfused, fused)) == {"a": {"one"}, "b": {"one"}, "c": {"c"}}


def test_one_original_in_several_nodes_is_split() -> None:
    split = graph(("SliceD", "s1", "x", "a", ("s",)), ("SliceD", "s2", "x", "b", ("s",)), outputs=("a", "b"))

    links = link(graph(("Split", "s", "x", "a b"), outputs=("a", "b")), split)

    assert [group.kind for group in links.groups] == ["split"]


def test_what_shares_several_originals_is_regrouped() -> None:
    mixed = graph(("Mul", "m1", "x w1", "a", ("p", "q")), ("Add", "m2", "a w2", "y", ("p", "q")))

    links = link(graph(("Mul", "p", "x w1", "a"), ("Add", "q", "a w2", "y")), mixed)

    assert [(group.kind, group.reference, group.candidate) for group in links.groups] == [("regrouped", (0, 1), (0, 1))]


def test_quantize_and_dequantize_are_inserted_and_cut_no_line() -> None:
    quantized = graph(
        ("QuantizeLinear", "q", "x w9", "xq"),
        ("DequantizeLinear", "dq", "xq w9", "xd"),
        ("Conv", "n1", "xd w1", "p"),
        ("BatchNormalization", "n2", "p w2", "q1"),
        ("Relu", "n3", "q1", "r"),
        ("MaxPool", "n4", "r", "s"),
        ("Gemm", "n5", "s w3", "z"),
    )

    links = link(CHAIN, quantized)

    assert linked(links) == {"conv": {"n1"}, "bn": {"n2"}, "relu": {"n3"}, "pool": {"n4"}, "fc": {"n5"}}
    assert links.unmatched("candidate").tolist() == [True, True, False, False, False, False, False]
    assert not links.unmatched("reference").any()


def test_what_an_input_or_a_constant_stands_for_lacks_no_partner() -> None:
    compiled = graph(
        ("Data", "x", "", "x0"),
        ("Const", "k", "", "k0"),
        ("Relu", "r", "x0", "y"),
        ("NetOutput", "o", "y", "o0"),
        inputs=(),
    )

    assert not link(graph(("Relu", "r", "x", "y")), compiled).unmatched("candidate").any()


def test_a_compiled_graph_is_followed_from_the_node_that_stands_for_the_input() -> None:
    compiled = graph(("Data", "x", "", "x0"), ("Relu", "other", "x0", "y"), inputs=())

    assert rule_of(graph(("Relu", "r", "x", "y1")), compiled, "r", "other") == "structure"


def test_a_name_that_is_given_anew_means_nothing() -> None:
    shifted = graph(
        ("Transpose", "conv", "x", "t"),
        ("Conv", "bn", "t w1", "a1"),
        ("BatchNormalization", "relu", "a1 w2", "b1"),
        ("Relu", "pool", "b1", "c1"),
        ("MaxPool", "fc", "c1", "d1"),
        ("Gemm", "new", "d1 w3", "y1"),
    )

    found = linked(link(CHAIN, shifted))

    assert found == {"conv": {"bn"}, "bn": {"relu"}, "relu": {"pool"}, "pool": {"fc"}, "fc": {"new"}}


def test_a_node_that_does_other_work_under_its_name_is_its_partner_when_nothing_else_is() -> None:
    other = graph(("Conv", "conv", "x w1", "a"), ("Softmax", "act", "a", "b1"), ("Abs", "last", "b1", "y"))
    before = graph(("Conv", "conv", "x w1", "a"), ("Relu", "act", "a", "b"), ("Neg", "end", "b", "z"))

    assert rule_of(before, other, "act", "act") == "own-name"


def test_what_makes_a_tensor_of_the_same_name_is_a_partner() -> None:
    renamed = graph(*((op, f"new_{name}", reads, makes) for op, name, reads, makes in _lines(CHAIN)))

    assert rule_of(CHAIN, renamed, "bn", "new_bn") == "tensor-name"


def test_a_recorded_original_tensor_names_the_partner() -> None:
    builder = GraphBuilder()
    builder.input("data")
    builder.tensor("t:0", origin=Origin("relu"))
    builder.node("Relu", ["data"], ["t:0"], name="compiled", origins=())
    builder.output("t:0")

    assert rule_of(graph(("Relu", "relu", "x w1", "y")), builder.build(), "relu", "compiled") == "tensor-name"


def test_nodes_whose_tensors_are_compared_are_partners() -> None:
    mine = graph(("Relu", "b", "p q", "made"), inputs=("p", "q"))
    pair = replace(made_pair(1), node="b")
    assert pair.reference is not None

    there = graph(("Neg", "a", "x", pair.reference.info.name))
    links = link(there, mine, Match((pair,)))

    assert linked(links) == {"a": {"b"}}


def test_what_makes_the_outputs_is_followed_upwards() -> None:
    there = graph(("Conv", "a", "x w1", "p"), ("Relu", "b", "p", "q"), inputs=("x", "more"))
    here = graph(("Neg", "new", "z", "t"), ("Conv", "c", "t w1", "u"), ("Relu", "d", "u", "v"), inputs=("z",))

    assert linked(link(there, here)) == {"a": {"c"}, "b": {"d"}}


def test_branches_are_told_apart_by_what_they_do() -> None:
    lines = (("Conv", "l1", "x w1", "a"), ("MaxPool", "l2", "x", "b"), ("Add", "l3", "a b", "y"))
    turned = (("MaxPool", "m1", "x", "p"), ("Conv", "m2", "x w1", "q"), ("Add", "m3", "q p", "z"))

    assert linked(link(graph(*lines), graph(*turned))) == {"l1": {"m2"}, "l2": {"m1"}, "l3": {"m3"}}


def test_equal_branches_are_told_apart_by_their_order() -> None:
    lines = [("Conv", f"l{n}", "x w1", f"a{n}") for n in range(3)]
    there = graph(*lines, ("Concat", "c", "a0 a1 a2", "y"))
    here = graph(
        *((op, f"m{n}", reads, f"b{n}") for n, (op, _, reads, _) in enumerate(lines)), ("Concat", "d", "b0 b1 b2", "z")
    )

    assert linked(link(there, here)) == {"l0": {"m0"}, "l1": {"m1"}, "l2": {"m2"}, "c": {"d"}}


def test_a_folded_batch_normalization_and_a_relu_are_absorbed_by_the_convolution() -> None:
    folded = graph(("Conv", "conv", "x w1", "c1"), ("MaxPool", "pool", "c1", "d1"), ("Gemm", "fc", "d1 w3", "y1"))

    links = link(CHAIN, folded)

    assert links.groups == (NodeGroup((0, 1, 2), (0,)),)
    assert rule_of(CHAIN, folded, "relu", "conv") == "absorbed"


def test_padding_is_absorbed_by_what_reads_it() -> None:
    padded = graph(("Relu", "r", "x", "a"), ("Pad", "pad", "a", "b"), ("Conv", "c", "b w1", "y"))
    without = graph(("Relu", "r", "x", "a1"), ("Conv", "c", "a1 w1", "y1"))

    assert rule_of(padded, without, "pad", "c") == "absorbed"


def test_nothing_is_absorbed_where_something_else_stands_in_its_place() -> None:
    replaced = graph(
        ("Conv", "conv", "x w1", "a1"),
        ("BatchNormalization", "bn", "a1 w2", "b1"),
        ("HardSwish", "hs", "b1", "c1"),
        ("MaxPool", "pool", "c1", "d1"),
        ("Gemm", "fc", "d1 w3", "y1"),
    )

    assert rule_of(CHAIN, replaced, "relu", "hs") == "replaced"
    assert rule_of(CHAIN, replaced, "relu", "bn") == ""


def test_a_part_of_a_node_has_its_name_with_an_ending() -> None:
    parts = graph(
        ("Conv", "conv", "x w1", "a"),
        ("BatchNormalization", "bn", "a w2", "b"),
        ("Relu", "relu", "b", "c"),
        ("MaxPool", "pool", "c", "d"),
        ("MatMul", "fc", "d w3", "e"),
        ("Add", "fc/bias", "e w4", "f"),
    )

    assert linked(link(CHAIN, parts))["fc"] == {"fc", "fc/bias"}


def test_a_name_that_everything_has_links_nothing() -> None:
    many = graph(*(("Relu", "same", "x", f"t{n}") for n in range(200)), outputs=[f"t{n}" for n in range(200)])
    other = graph(*(("Relu", "same", "x", f"u{n}") for n in range(199)), outputs=[f"u{n}" for n in range(199)])

    assert len(link(many, other).sources) == 0


def test_conversions_that_both_have_are_partners() -> None:
    both = (("Cast", "l1", "x", "a"), ("Relu", "l2", "a", "y"))
    other = (("Cast", "m1", "x", "p"), ("Relu", "m2", "p", "q"))

    assert linked(link(graph(*both), graph(*other))) == {"l1": {"m1"}, "l2": {"m2"}}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_every_node_of_a_sample_finds_its_own_in_the_quantized_model(sample: Sample) -> None:
    reference, candidate = _graph(sample.model), _graph(sample.candidate_model)

    links = link(reference, candidate)

    assert linked(links) == {name: {name} for name in reference.node_names}
    inserted = [candidate.op_types[node] for node in np.flatnonzero(links.unmatched("candidate")).tolist()]
    assert set(inserted) == {"QuantizeLinear", "DequantizeLinear"}


def test_the_candidate_is_the_one_that_more_was_done_to() -> None:
    sample = SAMPLES[0]
    reference, candidate = _graph(sample.model), _graph(sample.candidate_model)

    assert is_candidate(candidate, reference)
    assert not is_candidate(reference, candidate)


@pytest.mark.parametrize(
    ("one", "other"), list(permutations([graph(("Relu", "", "x", "y")), GraphBuilder().build()], 2))
)
def test_an_empty_graph_has_no_partners(one: Graph, other: Graph) -> None:
    assert len(link(one, other).sources) == 0


_OPERATORS = st.sampled_from(("Conv", "Relu", "Add", "Cast", "QuantizeLinear", "Pad", "Const"))


@st.composite
def _graphs(draw: st.DrawFn) -> Graph:
    builder = GraphBuilder()
    names = st.sampled_from(("a", "b", "c", "a/b", ""))
    builder.input("x")
    made = ["x"]
    for number in range(draw(st.integers(0, 12))):
        reads = draw(st.lists(st.sampled_from([*made, "t99", ""]), max_size=3))
        origins = draw(st.none() | st.lists(names, max_size=3).map(tuple))
        builder.node(draw(_OPERATORS), reads, [f"t{number}"], name=draw(names), origins=origins)
        made.append(f"t{number}")
    builder.output(made[-1])
    return builder.build()


@settings(max_examples=150, deadline=None)
@given(_graphs(), _graphs())
def test_every_node_is_in_one_pair_or_group_or_alone(one: Graph, other: Graph) -> None:
    links = link(one, other)

    ours = [*links.pairs[0].tolist(), *(node for group in links.groups for node in group.reference)]
    others = [*links.pairs[1].tolist(), *(node for group in links.groups for node in group.candidate)]
    assert len(ours) == len(set(ours))
    assert len(others) == len(set(others))
    assert set(ours) == set(links.sources.tolist())
    assert set(others) == set(links.targets.tolist())
    assert not links.unmatched("reference")[ours].any()


@settings(max_examples=50, deadline=None)
@given(_graphs())
def test_the_links_of_a_graph_with_itself_never_change_what_a_node_does(one: Graph) -> None:
    links = link(one, one)

    for source, target in zip(*(column.tolist() for column in links.pairs), strict=True):
        rule = links.rule(source, target)
        assert rule is not None
        if rule.key == "own-name":
            assert one.node_names[source] == one.node_names[target]


def _graph(path: object) -> Graph:
    model = read(str(path))
    assert isinstance(model, Model)
    return model.graph


def _lines(one: Graph) -> list[tuple[str, str, str, str]]:
    return [(node.op_type, node.name, " ".join(node.inputs), " ".join(node.outputs)) for node in one.nodes()]
