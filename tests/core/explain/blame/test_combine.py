"""Exact results of some nodes in the place of their estimates."""

from dataclasses import replace

import numpy as np
import pytest

from blame_cases import Line, chain, channels, graph_of, row
from errorflow.compare.model import Comparison
from errorflow.explain.blame.combine import combine
from errorflow.explain.blame.estimate import blame
from errorflow.explain.blame.model import Blame, ExactParts, Floats, Switched, Verdict
from errorflow.explain.blame.notes import HIDDEN


def parts(found: Blame, shares: dict[int, float], gained: dict[int, Floats] | None = None) -> ExactParts:
    """Exact results that agree with the estimate but for these shares."""
    exact = np.zeros(len(found.graph), bool)
    exact[list(shares)] = True
    share = found.shares.copy()
    share[list(shares)] = list(shares.values())
    error = found.accumulated
    return ExactParts(
        exact,
        error,
        error * np.sqrt(share),
        error * np.sqrt(1 - share),
        share,
        dict.fromkeys(shares, "ran"),
        {} if gained is None else {output: Switched(dict(enumerate(each.tolist()))) for output, each in gained.items()},
    )


def test_exact_nodes_are_judged_by_what_they_introduced() -> None:
    estimated = blame(*chain(0, 0.1, 0.4))
    found = combine(estimated, parts(estimated, {1: 0.05}))

    assert estimated.verdict(1) is Verdict.ORIGIN
    assert found.verdict(1) is Verdict.AMPLIFIER
    assert (found.method(0), found.method(1)) == ("estimated", "exact")
    assert found.notes[1].startswith("ran")


def test_the_estimate_stays_as_it_was() -> None:
    estimated = blame(*chain(0, 0.1, 0.4))
    before = estimated.verdicts.copy()
    combine(estimated, parts(estimated, {1: 0.05}))

    assert np.array_equal(estimated.verdicts, before)


def test_the_verdict_on_the_model_is_found_anew() -> None:
    estimated = blame(*chain(0, 0.1, 0.4))
    found = combine(estimated, parts(estimated, {0: 1.0, 1: 0.05}))

    assert [each.node for each in found.model.top] == [0, 1]
    assert found.model.top[0].share == pytest.approx(0.95)
    assert "estimated" not in found.model.text


def test_without_exact_nodes_nothing_changes() -> None:
    estimated = blame(*chain(0, 0.1, 0.4))
    found = combine(estimated, parts(estimated, {}))

    assert np.array_equal(found.verdicts, estimated.verdicts)
    assert found.model == estimated.model


def test_a_small_error_that_others_make_large_has_its_origin_where_it_was_introduced() -> None:
    lines: list[Line] = [("norm", "Norm", ["x", "w0"], ["a"]), ("q", "MatMul", ["a", "w1"], ["b"])]
    rows = (row("x", 0), row("a", 0.03), row("b", 0.4))
    estimated = blame(graph_of(lines, outputs=["b"]), Comparison(rows))
    found = combine(estimated, parts(estimated, {0: 0.98, 1: 0.02}))

    assert estimated.verdict(0) is Verdict.CLEAN
    assert found.verdict(0) is Verdict.ORIGIN
    assert "small as a whole" in found.notes[0]


def test_a_reader_that_was_run_and_did_it_itself_clears_its_producer() -> None:
    lines: list[Line] = [("relu", "Relu", ["x"], ["a"]), ("next", "Conv", ["a", "w1"], ["b"])]
    rows = (row("x", 0), row("a", 0.003, channels=channels(0.2)), row("b", 1.0))
    estimated = blame(graph_of(lines, outputs=["b"]), Comparison(rows))
    found = combine(estimated, parts(estimated, {1: 0.97}))

    assert estimated.verdict(0) is Verdict.ORIGIN
    assert (found.verdict(0), found.verdict(1)) == (Verdict.CLEAN, Verdict.ORIGIN)


def test_what_was_gained_counts_more_than_what_was_followed() -> None:
    estimated = blame(*chain(0, 0.1, 0.4))
    output = int(estimated.graph.outputs[0])
    found = combine(estimated, parts(estimated, {0: 1.0}, {output: np.array([0.75, 0.2])}))

    assert [(each.node, each.share) for each in found.model.top] == [(0, 0.75), (1, 0.2)]
    assert found.blame_shares.tolist() == [0.75, 0.2] and found.blamed_at == "t1"


def test_a_node_that_gains_much_is_an_origin_whatever_its_own_tensor_says() -> None:
    estimated = blame(*chain(0, 0.04, 0.4, 0.41))
    output = int(estimated.graph.outputs[0])
    found = combine(estimated, parts(estimated, {0: 0.1, 1: 0.1, 2: 0.1}, {output: np.array([0.9, 0.08, 0.02])}))

    assert found.verdict(0) is Verdict.ORIGIN
    assert "nodes behind it make it large" in found.notes[0]
    assert Verdict.ORIGIN not in (found.verdict(1), found.verdict(2))


def test_a_loud_channel_is_not_advised_on_where_a_run_found_the_reader_itself() -> None:
    lines: list[Line] = [("conv", "Conv", ["x", "w0"], ["b"]), ("next", "Conv", ["b", "w1"], ["c"])]
    rows = (row("x", 0), row("b", 0.003, channels=channels(0.2)), row("c", 1.0))
    estimated = blame(graph_of(lines, outputs=["c"]), Comparison(rows))
    found = combine(estimated, parts(estimated, {1: 1.0}))

    assert "loud channel" in [advice.key for advice in estimated.model.advice]
    assert [each.node for each in found.model.top] == [1]
    assert [advice.key for advice in found.model.advice] == ["node error"]


@pytest.mark.parametrize(("ran", "stays"), [({0: 1.0, 1: 0.05}, False), ({0: 1.0}, True)])
def test_what_two_dumps_cannot_tell_is_told_by_running(ran: dict[int, float], stays: bool) -> None:
    estimated = replace(blame(*chain(0, 0.1, 0.4)), notes={0: f"first; {HIDDEN}", 1: HIDDEN})
    found = combine(estimated, parts(estimated, ran))

    assert any(HIDDEN in note for note in found.notes.values()) == stays
    assert "first" in found.notes[0]
