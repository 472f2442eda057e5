"""The verdict on the model: how many nodes an output's error comes from, and which."""

import math
from dataclasses import replace

import numpy as np
import pytest

from blame_cases import Line, chain, compared, graph_of, row
from errorflow.base.progress import Cancelled
from errorflow.compare.metrics.distinct import DistinctValues
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.combine import concluded
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.flow import effective
from errorflow.explain.blame.model import Blame, OutputChoice
from errorflow.graph.dump import TensorInfo

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("parts", "count"),
    [([1.0], 1), ([0.5, 0.5], 2), ([0.2] * 5, 5), ([1.0, 0.0], 1), ([0.9, 0.1], 1 / 0.82), ([0.0], NAN), ([], NAN)],
)
def test_so_many_equal_ones_would_do_the_same(parts: list[float], count: float) -> None:
    assert effective(np.array(parts)) == pytest.approx(count, nan_ok=True)


def spread(*introduced: float) -> Blame:
    """A chain whose nodes introduce these errors, which add up."""
    errors = np.sqrt(np.cumsum(np.square((0.0, *introduced))))
    return blame(*chain(*errors.tolist()))


@pytest.mark.parametrize(
    ("introduced", "kind", "count"),
    [
        ((0.01, 0.3, 0.01), "node error", 1.0),
        ((0.2, 0.2), "node error", 2.0),
        ((0.1,) * 8, "accumulated error", 8.0),
        ((0.01,) * 8, "good", NAN),
    ],
)
def test_few_or_many(introduced: tuple[float, ...], kind: str, count: float) -> None:
    found = spread(*introduced).model

    assert found.kind == kind
    assert found.contributors == pytest.approx(count, rel=0.01, nan_ok=True)


def test_shares_are_those_of_the_powers() -> None:
    assert [each.share for each in spread(0.3, 0.4).model.top] == pytest.approx([0.64, 0.36])


def test_the_sentence_names_the_first_and_says_that_it_is_an_estimate() -> None:
    text = spread(0.1, 0.4).model.text

    assert text == "Node error (estimated): n1 is where the error at t1 begins."


def test_one_of_many_that_brings_more_than_half_is_named_with_what_is_left() -> None:
    found = spread(0.06, 0.06, 0.06, 0.14, 0.06, 0.06).model

    assert found.kind == "accumulated error"
    assert (
        found.text
        == "Accumulated error (estimated): n3 is where most of the error at t5 begins; 5 other nodes add to it."
    )
    assert [advice.key for advice in found.advice] == ["leading node", "accumulated error"]


def test_of_many_alike_the_largest_are_named() -> None:
    found = spread(0.2, 0.15, 0.1, 0.05, 0.05, 0.15).model

    assert found.text == (
        "Accumulated error (estimated): several nodes bring the error at t5; first of all n0, n5, n1."
    )
    assert [advice.key for advice in found.advice] == ["accumulated error"]


def test_what_arrives_with_the_inputs_is_no_nodes() -> None:
    graph, comparison = chain(0.3, 0.3, 0.3)
    found = blame(graph, comparison).model

    assert found.kind == "inputs differ"
    assert found.top == ()
    assert found.text.startswith("The inputs differ (estimated): x by 0.3")
    assert "inputs differ" in [advice.key for advice in found.advice]


def test_every_node_has_a_share_of_the_error_that_the_verdict_is_about() -> None:
    found = blame(*chain(0.03, 0.04, NAN, 0.5))

    assert found.blame_shares[1] == found.blame_shares[2], "one of them was not measured: nothing tells them apart"
    assert found.blame_shares[2] == found.model.top[0].share > found.blame_shares[0] > 0
    assert found.blamed_at == "t2" and found.share_of(found.model.output) == found.blame_shares[2]
    ((leaf, share),) = found.model.inputs
    assert found.share_of(leaf) == share == pytest.approx(1 - np.nansum(found.blame_shares))


@pytest.mark.parametrize("errors", [(0, 0.01, 0.6, 0.01), (NAN, NAN, NAN)])
def test_where_no_output_is_bad_there_is_no_share(errors: tuple[float, ...]) -> None:
    found = blame(*chain(*errors))

    assert np.isnan(found.blame_shares).all() and found.blamed_at == ""
    assert math.isnan(found.share_of(0))


def test_a_good_output_lets_bad_nodes_be() -> None:
    found = blame(*chain(0, 0.01, 0.6, 0.01)).model

    assert found.kind == "good"
    assert found.text == ("Good: the output, t2, is within the limit (relative error ≤ 0.05). 1 node inside is not.")
    assert [advice.key for advice in found.advice] == ["good output"]


def test_a_good_output_tells_of_nan_inside_and_asks_for_nothing_there() -> None:
    found = blame(*chain(0, 0.01, INF, 0.01)).model

    assert found.text.endswith("1 node inside is not, 1 of them with NaN or infinite values.")
    assert [advice.key for advice in found.advice] == ["good output"]


def test_an_output_whose_reference_is_all_zero_is_not_judged_good() -> None:
    graph, comparison = chain(0, 0.001, 0.5)
    lost = replace(row("t1", 0.5), values={"relative_l2": INF})
    found = blame(graph, Comparison((*comparison.rows[:-1], lost))).model

    assert (found.kind, found.top) == ("beyond limits", ())
    assert found.text.startswith("Not judged: the reference of ")


def test_an_output_that_nobody_dumped_is_not_good() -> None:
    found = blame(*chain(0, 0.001, 0.01, NAN)).model

    assert (found.kind, [advice.key for advice in found.advice]) == ("beyond limits", ["nothing"])
    good = "the last tensor that was measured, t1, is within the limit (relative error ≤ 0.05)"
    assert found.text == f"Not judged: no output of the model was compared; {good}. Dump up to the output."
    text = blame(*chain(0, 0.6, 0.01, NAN)).model.text
    assert "t1, is within the limit" in text and "1 node inside is not. Dump up to the output." in text


def test_what_changes_the_form_of_a_good_tensor_only_makes_a_good_output() -> None:
    graph = graph_of([("n", "Conv", ["x", "w"], ["t"]), ("f", "Flatten", ["t"], ["y"])], outputs=["y"])

    assert blame(graph, compared({"x": 0, "t": 0.01})).model.kind == "good"


def test_of_many_good_outputs_the_first_are_named() -> None:
    names = ["p", "q", "r", "s"]
    graph = graph_of([(name, "Conv", ["x", f"w{name}"], [name]) for name in names], outputs=names)
    found = blame(graph, compared({"x": 0, **dict.fromkeys(names, 0.01)})).model

    assert found.text.startswith("Good: all 4 outputs (p, q, r and 1 more) are within the limit")


def test_nothing_measured_is_no_verdict() -> None:
    found = blame(*chain(NAN, NAN)).model

    assert (found.kind, [advice.key for advice in found.advice]) == ("nothing", ["nothing"])


def test_where_no_operator_was_dumped_the_model_is_probably_another() -> None:
    graph, _ = chain(0, 0)
    found = blame(graph, Comparison((Row("t0", None, None, note="the candidate has no dump of it"),))).model

    assert found.kind == "nothing"
    assert found.text.endswith("operators is in the dump: probably the JSON of another model.")


def test_each_output_has_its_own() -> None:
    lines: list[Line] = [("a", "Conv", ["x", "w0"], ["p"]), ("b", "Conv", ["x", "w1"], ["q"])]
    graph = graph_of(lines, outputs=["p", "q"])
    found = blame(graph, compared({"x": 0, "p": 0.01, "q": 0.8})).model

    assert {graph.tensor_names[tensor]: verdict.kind for tensor, verdict in found.outputs} == {
        "p": "good",
        "q": "node error",
    }
    assert "1 of 2 outputs is bad" in found.text
    assert "other outputs" in [advice.key for advice in found.advice]


def knowing(found: Blame, **chosen: OutputChoice) -> Blame:
    """The same where it is known what is chosen by outputs."""
    assert found.evidence is not None
    numbers = {found.graph.tensor_names.index(name): each for name, each in chosen.items()}
    return concluded(replace(found, evidence=replace(found.evidence, chosen=numbers)))


SURE = OutputChoice(
    "16 of 16 answers are the same", "all 16 answers are the same, and none is less sure by more than 0.02", True
)


def test_an_output_by_which_the_same_is_chosen_is_good_and_its_error_is_told() -> None:
    found = knowing(spread(*(0.1,) * 8), t7=SURE).model

    assert found.kind == "good"
    assert found.text.startswith(f"Good: of t7 {SURE.kept}, though its relative error is 0.28. 8 nodes inside are not")
    assert [verdict.kind for _, verdict in found.outputs] == ["good"]
    assert [advice.key for advice in found.advice] == ["good output"]


def test_beside_another_output_that_is_bad_it_is_good() -> None:
    lines: list[Line] = [("a", "Conv", ["x", "w0"], ["p"]), ("b", "Conv", ["x", "w1"], ["q"])]
    found = knowing(blame(graph_of(lines, outputs=["p", "q"]), compared({"x": 0, "p": 0.9, "q": 0.8})), p=SURE).model

    assert found.kind == "node error"
    assert "b is where the error at q begins." in found.text
    assert "1 of 2 outputs is bad" in found.text


def test_beside_another_one_within_the_limit_both_are_told() -> None:
    lines: list[Line] = [("a", "Conv", ["x", "w0"], ["p"]), ("b", "Conv", ["x", "w1"], ["q"])]
    found = knowing(blame(graph_of(lines, outputs=["p", "q"]), compared({"x": 0, "p": 0.3, "q": 0.01})), p=SURE).model

    assert found.kind == "good"
    assert "(relative error ≤ 0.05)" in found.text
    assert f"of p {SURE.kept}, though its relative error is 0.3" in found.text


@pytest.mark.parametrize(
    ("each", "mostly", "advised"),
    [(0.03, False, True), (0.05, False, False), (0.05, True, True)],
    ids=["at most twice the limit", "more", "more, and most answers are the same"],
)
def test_a_slight_error_of_many_is_measured_by_the_task_first(each: float, mostly: bool, advised: bool) -> None:
    found = knowing(spread(*(each,) * 8), t7=OutputChoice("15 of 16 answers are the same", mostly=mostly)).model

    assert found.kind == "accumulated error"
    assert found.text.endswith("15 of 16 answers are the same.")
    keys = [advice.key for advice in found.advice]
    assert ("slight error" in keys) == advised
    assert not advised or keys[0] == "slight error"


def test_where_no_output_was_measured_the_last_tensors_stand_for_them() -> None:
    graph, _ = chain(0, 0.01, 0.6, 0.6, NAN)
    end = graph_of([("a", "Conv", ["x", "w0"], ["p"]), ("b", "Sink", ["p"], [])])

    assert blame(graph, compared({"x": 0, "t1": 0.6, "t2": 0.6})).model.kind == "node error"
    assert blame(end, compared({"p": 0.6})).model.outputs[0][0] == end.tensor_index("p")


def test_an_output_that_was_not_measured_is_not_called_good() -> None:
    graph, comparison = chain(0, 0.01, 0.01, NAN)
    found = blame(graph, comparison).model

    assert found.kind == "beyond limits"
    assert [graph.tensor_names[tensor] for tensor, _ in found.outputs] == ["t1"]


def test_nan_is_born_somewhere() -> None:
    found = blame(*chain(0, 0.4, INF, INF))

    assert found.model.text.startswith("Node error (estimated): n1 is where NaN or infinite values at t2 begin.")
    assert "overflow" in [advice.key for advice in found.model.advice]


def test_a_flipped_sign_calls_for_advice() -> None:
    graph, _ = chain(0, 0)
    found = blame(graph, Comparison((row("x", 0), row("t0", 2.0, values={"relative_l2": 2.0, "cosine": -1.0}))))

    assert "sign flipped" in [advice.key for advice in found.model.advice]
    assert "the sign is flipped" in found.notes[0]


def test_a_sign_that_turned_behind_lost_values_is_not_the_operators() -> None:
    graph, _ = chain(0, 0, 0)
    lost = row("t0", 2.0, values={"relative_l2": 2.0, "cosine": 0.1})
    found = blame(graph, Comparison((row("x", 0), lost, row("t1", 2.0, values={"relative_l2": 2.0, "cosine": -0.8}))))

    assert "sign flipped" not in [advice.key for advice in found.model.advice]
    assert "the sign is flipped" in found.notes[1]


@pytest.mark.parametrize(("before", "advised"), [(0.0, True), (2.0, False)])
def test_one_code_for_all_values_calls_for_other_data_where_it_begins(before: float, advised: bool) -> None:
    graph, _ = chain(0, 0, 0)
    flushed = row("t1", 1.0, candidate_side=Side(low=0.0, high=0.0))
    found = blame(graph, Comparison((row("x", 0), row("t0", before), flushed)))

    assert ("one code" in [advice.key for advice in found.model.advice]) == advised


def test_vendors_advice_is_given_for_their_graphs() -> None:
    graph = graph_of([("t", "TransData", ["x"], ["a"]), ("c", "Conv2D", ["a", "w0"], ["b"])], outputs=["b"])
    found = blame(graph, compared({"x": 0, "a": 0.001, "b": 0.8})).model

    assert {advice.vendor for advice in found.advice} == {"", "Ascend"}


def test_it_can_be_cancelled() -> None:
    class Cancel:
        def step(self, done: int, total: int, text: str) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        blame(*chain(0, 0.5), progress=Cancel())


def _fed(rule: str, *errors: float) -> Blame:
    """A chain whose input was brought together by this rule."""
    graph, comparison = chain(*errors)
    first, *rest = comparison.rows
    return blame(graph, Comparison((replace(first, rule=rule), *rest)))


def test_what_the_candidate_rounds_of_its_input_is_no_other_input() -> None:
    found = _fed("dequantized", 0.3, 0.3, 0.3).model

    assert found.kind == "node error"
    assert found.text == ("Node error (estimated): the error at t1 begins where the candidate quantizes its input x.")
    assert "inputs differ" not in [advice.key for advice in found.advice]
    assert _fed("tensor-name", 0.3, 0.3, 0.3).model.kind == "inputs differ"


def test_a_node_is_named_beside_a_rounded_input() -> None:
    found = _fed("dequantized", 0.06, 0.06, 0.6).model

    assert found.text.startswith("Node error (estimated): n1 is where the error at t1 begins")


def _advice_on(op_type: str, rule: str = "") -> list[str]:
    """A compiled graph with a bad convolution behind an operator."""
    graph = graph_of([("t", op_type, ["x"], ["a"]), ("c", "TransData", ["a"], ["b"])], outputs=["b"])
    rows = (row("x", 0), row("a", 0.001), row("b", 0.8, rule=rule))
    return [advice.key for advice in blame(graph, Comparison(rows)).model.advice]


def test_nothing_is_advised_on_quantization_where_nothing_is_quantized() -> None:
    assert _advice_on("Conv2D") == ["float node error", "float node error: Ascend"]
    assert _advice_on("AscendQuant") == _advice_on("Conv2D", "quantization")
    assert _advice_on("AscendQuant")[0] == "node error"


@pytest.mark.parametrize(("op_type", "advised"), [("AscendQuant", True), ("Conv2D", False)])
def test_one_code_for_all_values_is_of_no_graph_without_codes(op_type: str, advised: bool) -> None:
    graph = graph_of([("t", op_type, ["x"], ["a"]), ("c", "TransData", ["a"], ["b"])], outputs=["b"])
    flushed = row("b", 0.8, candidate_side=Side(low=0.0, high=0.0))
    found = blame(graph, Comparison((row("x", 0), row("a", 0.001), flushed))).model.advice
    assert ("one code" in [advice.key for advice in found]) is advised


def test_a_float_graph_may_stand_for_quantized_runs() -> None:
    assert spread(0.01, 0.3, 0.01).model.advice[0].key == "node error"


# Of large tensors that were measured, how many values each holds.
@pytest.mark.parametrize(
    ("counts", "quantized"),
    [
        ((4000, 3900), False),
        ((4000, 2), False),
        ((4000, 3900, 4096, 4000, 4000, 4000, 4000, 3), False),
        ((4000, 200, 250, 4096), True),
        ((200, 250), True),
        ((2,), True),
    ],
)
def test_a_few_tensors_of_few_values_make_no_quantized_run(counts: tuple[int, ...], quantized: bool) -> None:
    net, _ = chain(*range(len(counts) + 1))
    large = TensorInfo("t", "float32", (1, 64, 64), 16384)
    rows = [row(f"t{at}", 0.3, unique=DistinctValues(count)) for at, count in enumerate(counts)]
    found = blame(net, Comparison(tuple(replace(each, reference=large, candidate=large) for each in rows)))

    assert found.evidence is not None and found.evidence.may_be_quantized is quantized


@pytest.mark.parametrize(("golden", "mine", "error"), [("bool", "float32", 0.3), ("float32", "float32", 0.0)])
def test_what_holds_as_few_values_in_the_reference_tells_nothing(golden: str, mine: str, error: float) -> None:
    net, _ = chain(0, 0, 0)
    few = row("t0", error, unique=DistinctValues(20))
    infos = [TensorInfo("t", dtype, (1, 64, 64), 16384) for dtype in (golden, mine)]
    many = replace(row("t1", 0.3, unique=DistinctValues(4000)), reference=infos[1], candidate=infos[1])
    found = blame(net, Comparison((replace(few, reference=infos[0], candidate=infos[1]), many)))

    assert found.evidence is not None and not found.evidence.may_be_quantized


def test_codes_of_16_bits_are_codes() -> None:
    net, _ = chain(0, 0)
    mine, golden = (TensorInfo("t", dtype, (1, 64, 64), 16384) for dtype in ("int16", "float32"))
    codes = replace(row("t0", 0.3, unique=DistinctValues(4096, more=True)), reference=golden, candidate=mine)
    found = blame(net, Comparison((codes,)))

    assert found.evidence is not None and found.evidence.may_be_quantized


@pytest.mark.parametrize(("values", "key"), [(256, "node error"), (4097, "float node error")])
def test_values_that_are_too_many_for_codes_are_not_quantized(values: int, key: str) -> None:
    graph = graph_of([("n", "Conv", ["x", "w0"], ["a"]), ("m", "Conv", ["a", "w1"], ["b"])], outputs=["b"])
    large = TensorInfo("t", "float32", (1, 64, 64), 16384)
    seen = DistinctValues(min(values, 4096), values > 4096)
    rows = [row("x", 0), row("a", 0.01, unique=seen), row("b", 0.4, unique=DistinctValues(4000))]
    comparison = Comparison(tuple(replace(each, reference=large, candidate=large) for each in rows))

    assert blame(graph, comparison).model.advice[0].key == key
