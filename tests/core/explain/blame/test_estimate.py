"""Verdicts per node from what was measured before and behind each."""

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blame_cases import Line, chain, compared, graph_of, row
from errorflow.compare.comparer import Printed
from errorflow.compare.match.model import Listed
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.model import Blame, Verdict
from errorflow.graph.model import Graph

NAN, INF = math.nan, math.inf
TYPES = (
    "Conv",
    "Relu",
    "Add",
    "Concat",
    "MatMul",
    "QuantizeLinear",
    "DequantizeLinear",
    "Reshape",
    "ArgMax",
    "Softmax",
)
ERRORS = st.one_of(st.sampled_from((0.0, INF, 1e-12, 5e-324, 1e308, 0.05, 0.5)), st.floats(0, 3))


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Line], dict[str, float], list[str]]:
    """Any graph, circles and dangling inputs included, with errors of some of its tensors."""
    count = draw(st.integers(1, 12))
    names = [f"t{at}" for at in range(count)]
    tensors = st.sampled_from(["x", "w0", "w1", "nobody", "", *names])
    lines: list[Line] = []
    for at, name in enumerate(names):
        made = [name, f"{name}b"] if draw(st.booleans()) else [name]
        lines.append((f"n{at}", draw(st.sampled_from(TYPES)), draw(st.lists(tensors, max_size=3)), made))
    measured = draw(st.dictionaries(st.sampled_from(["x", *names, *(f"{name}b" for name in names)]), ERRORS))
    return lines, measured, draw(st.lists(st.sampled_from(names), unique=True, max_size=3))


def verdicts(found: Blame) -> list[str]:
    return [found.verdict(node).word for node in range(len(found.graph))]


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ((0, 0.01, 0.02), ["clean", "clean"]),
        ((0, 0.01, 0.8), ["clean", "origin"]),
        ((0, 0.2, 0.21), ["origin", "carrier"]),
        ((0, 0.3, 0.01), ["origin", "healer"]),
        ((0, 0.051, 0.049), ["origin", "clean"]),
        ((0, 0.02, 0.027, 0.036, 0.048, 0.06), ["clean", "clean", "clean", "clean", "carrier"]),
        ((0, 0.04, 0.055), ["origin", "carrier"]),
        ((0, 0.6, 1.2), ["origin", "amplifier"]),
        ((0, 0.2, 0.5), ["origin", "origin"]),
        ((0, NAN, 0.3, 0.3), ["not measured", "origin", "carrier"]),
        ((0, 0.3, NAN, 0.3), ["origin", "not measured", "carrier"]),
        ((NAN, 0.3, 0.3), ["origin", "carrier"]),
        ((0, 0.01, INF, INF), ["clean", "origin", "carrier"]),
        ((0, 0.3, INF), ["origin", "origin"]),
        ((0, 400, INF, INF), ["origin", "amplifier", "carrier"]),
        ((0.3, 0.3), ["carrier"]),
        ((NAN, NAN), ["not measured"]),
    ],
    ids=str,
)
def test_what_is_before_and_behind_a_node_decides(errors: tuple[float, ...], expected: list[str]) -> None:
    assert verdicts(blame(*chain(*errors))) == expected


@pytest.mark.parametrize(
    ("op_type", "before", "behind", "expected"),
    [
        ("Softmax", 0.1, 0.4, "amplifier"),
        ("Conv", 0.1, 0.4, "origin"),
        ("Sub", 0.01, 0.4, "origin"),
        ("Sub", 0.06, 0.9, "origin"),
        ("TransData", 0.02, 0.1, "carrier"),
        ("TransData", 0.01, 0.3, "origin"),
        ("TransData", 0.01, 1.3, "origin"),
    ],
)
def test_a_node_is_blamed_for_what_its_kind_can_do(op_type: str, before: float, behind: float, expected: str) -> None:
    reads = ["a", "w1"] if op_type == "Conv" else ["a"]
    graph = graph_of([("first", "Conv", ["x", "w0"], ["a"]), ("second", op_type, reads, ["b"])], outputs=["b"])

    assert verdicts(blame(graph, compared({"x": 0, "a": before, "b": behind})))[1] == expected


def test_errors_of_two_factors_add_up() -> None:
    lines = [("l", "Conv", ["x", "w0"], ["a"]), ("r", "Conv", ["x", "w1"], ["b"]), ("m", "MatMul", ["a", "b"], ["c"])]
    found = blame(graph_of(lines), compared({"x": 0, "a": 0.3, "b": 0.4, "c": 0.5}))

    assert found.gains[2] == pytest.approx(1.0)
    assert found.inherited[2] == pytest.approx(0.5)


def test_of_several_outputs_the_worst_counts() -> None:
    graph = graph_of([("split", "Split", ["x"], ["a", "b"])])

    assert blame(graph, compared({"x": 0, "a": 0.01, "b": 0.7})).accumulated[0] == 0.7


def test_weights_have_no_error_even_through_nodes_that_unpack_them() -> None:
    lines: list[Line] = [("dq", "DequantizeLinear", ["w0", "w1"], ["v"]), ("conv", "Conv", ["x", "v"], ["y"])]
    found = blame(graph_of(lines, outputs=["y"]), compared({"x": 0.001, "v": 0.9, "y": 0.4}))

    assert found.verdict(1) is Verdict.ORIGIN


def test_codes_that_cannot_be_measured_are_seen_behind_what_dequantizes_them() -> None:
    lines: list[Line] = [("conv", "Conv2D", ["x", "w0"], ["codes"]), ("dq", "AscendDequant", ["codes"], ["y"])]
    found = blame(graph_of(lines, outputs=["y"]), compared({"x": 0.001, "y": 0.3}))

    assert verdicts(found) == ["origin", "carrier"]
    assert "measured behind its AscendDequant dq" in found.notes[0]


def test_behind_several_conversions_it_is_told_which_one_made_what_was_measured() -> None:
    lines: list[Line] = [
        ("conv", "Conv", ["x", "w0"], ["c"]),
        ("q", "QuantizeLinear", ["c", "w1"], ["codes"]),
        ("dq", "DequantizeLinear", ["codes", "w1"], ["y"]),
    ]
    found = blame(graph_of(lines, outputs=["y"]), compared({"x": 0.001, "y": 0.3}))

    assert "measured behind its DequantizeLinear dq" in found.notes[0]


def test_it_is_said_to_be_measured_behind_a_node_only_where_it_is_shown_as_such() -> None:
    """A Reshape is passed to find out who is to blame; the picture has no number there."""
    lines: list[Line] = [("conv", "Conv", ["x", "w0"], ["c"]), ("form", "Reshape", ["c"], ["y"])]
    graph, comparison = graph_of(lines, outputs=["y"]), compared({"x": 0.001, "y": 0.3})
    found = blame(graph, comparison)

    assert found.verdict(0) is Verdict.ORIGIN
    assert found.notes[0] == "judged by what its Reshape form makes"
    assert not Placed.of(graph, comparison).behind


def test_nan_in_the_reference_has_words_of_its_own_and_no_verdict() -> None:
    graph, _ = chain(0, 0)
    lost = row("t0", 0, reference_side=Side(nan=1, low=0, high=1), values={"relative_l2": NAN})
    found = blame(graph, Comparison((row("x", 0), lost)))

    assert found.notes[0] == "NaN in the reference itself"
    assert found.verdict(0) is Verdict.NOT_MEASURED


def test_a_loss_in_quantizing_is_laid_at_the_door_of_who_made_the_values() -> None:
    lines: list[Line] = [("add", "Conv", ["x", "w0"], ["a"]), ("q", "QuantizeLinear", ["a", "w1"], ["b"])]
    found = blame(graph_of(lines, outputs=["b"]), compared({"x": 0.001, "a": 0.002, "b": 0.3}))

    assert verdicts(found) == ["origin", "carrier"]
    assert "lost where they are quantized, at q" in found.notes[0]


@pytest.mark.parametrize(
    ("op_type", "before", "dtype", "expected"),
    [("ArgMax", 0.001, "int64", "amplifier"), ("ArgMax", 0.0, "int64", "origin"), ("Neg", 0.001, "float32", "origin")],
)
def test_whole_numbers_jump_by_themselves(op_type: str, before: float, dtype: str, expected: str) -> None:
    graph = graph_of([("first", "Conv", ["x", "w0"], ["a"]), ("second", op_type, ["a"], ["b"])])
    last = row("b", 0.9)
    assert last.reference is not None
    rows = (row("x", 0), row("a", before), replace(last, reference=replace(last.reference, dtype=dtype)))

    assert verdicts(blame(graph, Comparison(rows)))[1] == expected


def test_a_reference_of_zeros_has_no_relative_error() -> None:
    graph, _ = chain(0, 0.0)
    zero = row("t0", 0, reference_side=Side(low=0, high=0), values={"relative_l2": INF})
    found = blame(graph, Comparison((row("x", 0), zero)))

    assert verdicts(found) == ["not measured"]
    assert "all zero" in found.notes[0]


def test_a_table_without_relative_errors_will_do() -> None:
    graph, _ = chain(0, 0, 0)
    rows = (row("t0", 0, values={"sqnr": 60.0}), row("t1", 0, values={"cosine": 0.5}))
    found = blame(graph, Comparison(rows))

    assert found.accumulated.tolist() == pytest.approx([0.001, 1.0])
    assert verdicts(found) == ["clean", "origin"]


def test_what_the_npu_read_counts_more_than_what_was_made() -> None:
    graph = graph_of([("a", "Relu", ["x"], ["a:0"]), ("b", "Relu", ["a:0"], ["b:0"])])
    rows = [row("x", 0), row("a:output:0", 0.001), row("b:input:0", 0.8), row("b:output:0", 0.8)]
    found = blame(graph, Comparison(tuple(rows)))

    assert verdicts(found) == ["clean", "carrier"]
    assert "what it read as input 0 is not what a:0 was when made" in found.notes[1]


def test_constants_that_differ_are_named() -> None:
    graph = graph_of([("c", "Const", [], ["c:0"]), ("g", "Gather", ["x", "c:0"], ["g:0"])])
    rows = [row("x", 0), row("g:input:1", 4.0), row("g:output:0", 0.9)]
    found = blame(graph, Comparison(tuple(rows)))

    assert "constant" in found.notes[0]
    assert "the constant that it reads as input 1 is not the same" in found.notes[1]
    assert "constants differ" in [advice.key for advice in found.model.advice]


def test_the_vendors_rules_are_said_of_the_node_that_they_point_at_first() -> None:
    graph = graph_of([("a", "Conv2D", ["x", "w0"], ["a:0"]), ("b", "Relu", ["a:0"], ["b:0"])])
    listed = Listed(0, "Conv2D", "a", "a", "a:output:0")
    rows = (
        row("x", 0),
        row("a:output:0", 0.3, printed=Printed(listed, {"CosineSimilarity": "0.95"})),
        row("b:output:0", 0.3, printed=Printed(listed, {"CosineSimilarity": "0.95"})),
    )
    found = blame(graph, Comparison(rows))

    assert "“CosineSimilarity < 0.99” points here first" in found.notes[0]
    assert 1 not in found.notes


def test_msprobes_rule_is_said_of_every_node_that_breaks_it() -> None:
    graph, _ = chain(0, 0, 0)
    rows = tuple(row(name, 1, values={"cosine": cosine}) for name, cosine in (("x", 1.0), ("t0", 0.99), ("t1", 0.8)))

    assert "cosine falls from 0.99 to 0.80" in blame(graph, Comparison(rows)).notes[1]


@settings(deadline=None)
@given(cases())
def test_any_graph_and_any_rows_have_verdicts(case: tuple[list[Line], dict[str, float], list[str]]) -> None:
    lines, errors, outputs = case
    found = blame(graph_of(lines, outputs=outputs), compared(errors))

    assert found.model.text
    assert len(found.verdicts) == len(found.front) == len(lines)
    for node in range(len(lines)):
        assert (found.verdict(node) is Verdict.NOT_MEASURED) == math.isnan(found.accumulated[node])


@settings(deadline=None)
@given(cases())
def test_parts_make_up_the_error(case: tuple[list[Line], dict[str, float], list[str]]) -> None:
    lines, errors, outputs = case
    found = blame(graph_of(lines, outputs=outputs), compared(errors))
    known = np.isfinite(found.accumulated) & (found.accumulated > 0)

    assert np.allclose(np.hypot(found.introduced, found.inherited)[known], found.accumulated[known])
    assert ((found.shares[known] >= 0) & (found.shares[known] <= 1)).all()
    assert np.allclose((found.introduced[known] / found.accumulated[known]) ** 2, found.shares[known])


@settings(deadline=None)
@given(cases())
def test_contributions_sum_to_one_at_most(case: tuple[list[Line], dict[str, float], list[str]]) -> None:
    lines, errors, outputs = case
    found = blame(graph_of(lines, outputs=outputs), compared(errors))

    for verdict in (found.model, *(verdict for _, verdict in found.model.outputs)):
        shares = [each.share for each in verdict.top]
        assert sum(shares) <= 1 + 1e-9
        assert shares == sorted(shares, reverse=True)


@settings(deadline=None)
@given(st.lists(st.floats(0, 2), min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_nodes_in_the_file_makes_no_difference(errors: list[float], random: Random) -> None:
    graph, comparison = chain(*errors)
    order = list(range(len(graph)))
    random.shuffle(order)
    nodes = [graph.node(at) for at in order]
    lines: list[Line] = [(node.name, node.op_type, node.inputs, node.outputs) for node in nodes]
    other = graph_of(lines, outputs=[graph.tensor_names[at] for at in graph.outputs.tolist()])

    assert _by_name(blame(other, comparison)) == _by_name(blame(graph, comparison))


def _by_name(found: Blame) -> dict[str, tuple[str, float, bool]]:
    graph: Graph = found.graph
    return {
        graph.node_names[at]: (found.verdict(at).word, float(found.introduced[at]), bool(found.front[at]))
        for at in range(len(graph))
    }


def test_without_known_edges_a_tensor_is_good_or_bad_and_no_more() -> None:
    graph, comparison = chain(0, 0.01, 0.3, INF, NAN)
    found = blame(graph, comparison, leads_on=False)

    assert [found.word(node) for node in range(4)] == ["clean", "not judged", "not judged", "not measured"]
    assert found.notes[1] == "beyond the limit; what flows into it is not known"
    assert found.notes[2].startswith("NaN or infinite values; ")
    assert not found.front.any() and np.isnan(found.shares).all()
    assert (found.model.top, found.method(0)) == ((), "")


def test_what_was_measured_and_has_no_verdict_is_not_called_unmeasured() -> None:
    graph, _ = chain(0, 0, 0)
    zero = row("t0", 0, reference_side=Side(low=0, high=0), values={"relative_l2": INF})
    found = blame(graph, Comparison((row("x", 0), zero)))

    assert [found.word(node) for node in range(2)] == ["not judged", "not measured"]


def test_a_bad_tensor_that_leads_to_a_good_output_is_no_end() -> None:
    lines = [
        ("A", "Conv", ["x"], ["a"]),
        ("B", "Conv", ["a"], ["b"]),
        ("Y", "Relu", ["b"], ["y"]),
        ("Z", "Shape", ["x"], ["z"]),
    ]
    net = graph_of(lines, outputs=["y", "z"])
    found = blame(net, compared({"x": 0, "a": 0.3, "y": 0.01})).model

    assert found.kind == "good"
    assert found.text.startswith("Good: the output, y, is within the limit")
