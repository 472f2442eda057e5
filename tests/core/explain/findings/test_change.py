"""What one run is better or worse than another one."""

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale, are_limits, places
from errorflow.compare.model import Comparison, Row
from errorflow.explain.findings.change import (
    SQNR,
    MetricChange,
    Turn,
    change_scale,
    changes_of,
    even,
    ranked,
    signs_of,
    sqnr_changes,
)
from errorflow.explain.findings.model import Findings
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph

NAN, INF = math.nan, math.inf
INFO = TensorInfo("t", "float32", (1,), 4)
BY_KEY = {scale.key: scale for scale in MEASURES}


def graph_of(*names: str) -> Graph:
    """A chain; each node makes a tensor of its own name."""
    builder = GraphBuilder()
    builder.input("x")
    for name, before in zip(names, ("x", *names), strict=False):
        builder.node("Conv", [before], [name], name=f"/{name}")
    builder.output(names[-1])
    return builder.build()


def run(graph: Graph, values: Mapping[str, float], name: str, against: Findings | None = None) -> Findings:
    rows = tuple(Row(tensor, INFO, INFO, {"sqnr": value, "cosine": value / 100}) for tensor, value in values.items())
    found = Findings.of(graph, Comparison(rows))
    return Findings(graph, found.comparison, found.placed, name=name, against=against)


def two(now: Mapping[str, float], before: Mapping[str, float]) -> Findings:
    graph = graph_of("a", "b", "c", "d", "e")
    return run(graph, now, "Run 2", run(graph, before, "Run 1"))


def change(key: str = "sqnr") -> MetricChange:
    now = {"a": 20.0, "b": 10.0, "c": 30.0, "d": 20.5}
    found = MetricChange.of(two(now, dict.fromkeys("abcd", 20.0)), key, {})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("key", "now", "before", "found"),
    [
        ("sqnr", 17.0, 20.0, -3.0),
        ("sqnr", INF, INF, 0.0),
        ("sqnr", INF, 20.0, INF),
        ("sqnr", NAN, 20.0, -INF),
        ("sqnr", 20.0, NAN, INF),
        ("sqnr", NAN, NAN, 0.0),
        ("relative_l2", 0.2, 0.1, 20 * math.log10(2)),
        ("relative_l2", 0.0, 0.0, 0.0),
        ("relative_l2", 0.0, 0.1, -INF),
        ("relative_l2", 0.1, 0.0, INF),
        ("relative_l2", NAN, 0.1, INF),
        ("cosine", 0.9, 0.95, -0.05),
        ("min_channel_sqnr", -3.0, 3.0, -6.0),
    ],
)
def test_a_change_is_told_in_the_sense_of_its_metric(key: str, now: float, before: float, found: float) -> None:
    assert changes_of(BY_KEY[key], np.array([now]), np.array([before]))[0] == pytest.approx(found)


@pytest.mark.parametrize("metric", MEASURES, ids=lambda scale: scale.key)
def test_limits_of_a_change_lie_as_far_to_both_sides(metric: Scale) -> None:
    scale = change_scale(metric)
    assert are_limits(scale, scale.good, scale.bad)
    assert places(scale, np.array([scale.good, 0.0, scale.bad])).tolist() == [0.0, 0.5, 1.0]
    assert scale.higher_is_better == metric.higher_is_better
    moved = even(scale, (scale.good * 2, scale.bad))
    assert moved == (scale.good * 2, -scale.good * 2)
    assert even(scale, (scale.good, scale.bad / 2)) == (-scale.bad / 2, scale.bad / 2)
    # The hand went beyond the middle.
    assert are_limits(scale, *even(scale, (-scale.good, scale.bad)))


@given(some.floats(1e-9, 1e9), some.floats(1e-9, 1e9))
def test_the_relative_error_says_the_same_as_decibels(now: float, before: float) -> None:
    ratio = changes_of(BY_KEY["relative_l2"], np.array([now]), np.array([before]))[0]
    sqnr = changes_of(SQNR, np.array([-20 * math.log10(now)]), np.array([-20 * math.log10(before)]))[0]
    assert ratio == pytest.approx(-sqnr, abs=1e-9)


@given(some.lists(some.floats(-3, 4) | some.just(-INF), min_size=2))
def test_worse_comes_before_better_before_the_same(values: list[float]) -> None:
    found = np.array(values)
    order = sorted(range(len(found)), key=lambda at: -ranked(found)[at])
    turns = [int(signs_of(found)[at]) for at in order]
    rank = {1: 0, -1: 1, 0: 2}
    assert [rank[turn] for turn in turns] == sorted(rank[turn] for turn in turns)
    assert all(values[at] == -INF for at in order[np.count_nonzero(found > -INF) :])


def test_what_changed_most_is_walked_worse_first() -> None:
    found = change()
    assert found.now.graph.node_names[int(found.most_first[0])] == "/b"
    assert [found.now.graph.node_names[node] for node in found.most_first.tolist()] == ["/b", "/c"]
    assert found.signs.tolist() == [Turn.SAME, Turn.WORSE, Turn.BETTER, Turn.SAME, Turn.SAME]


def test_both_numbers_are_told() -> None:
    found = change()
    b, e = (found.now.graph.tensor_index(name) for name in ("b", "e"))
    assert b is not None and e is not None
    assert found.told(b) == "SQNR 10.00 dB, before 20.00 dB: −10.00 dB"
    assert found.told(e) == "", "not measured"
    assert found.title == "Run 2 against Run 1"
    assert found.text(3.0) == "+3.00 dB"


def test_a_search_finds_what_is_marked() -> None:
    assert change().query(Turn.WORSE) == "change<=-1"
    assert change().query(Turn.BETTER) == "change>=1"
    assert change("cosine").query(Turn.WORSE) == ""


def test_limits_of_the_user_count() -> None:
    findings = two({"a": 18.0}, {"a": 20.0})
    wide = MetricChange.of(findings, "sqnr", {"change_sqnr": (24.0, -24.0)})
    odd = MetricChange.of(findings, "sqnr", {"change_sqnr": (24.0, -3.0)})
    assert wide is not None and odd is not None
    assert (wide.signs[0], odd.signs[0]) == (Turn.SAME, Turn.WORSE)
    assert (wide.told_from, odd.told_from) == ("4 dB", "1 dB")


def test_without_another_run_there_is_no_change() -> None:
    graph = graph_of("a")
    assert MetricChange.of(run(graph, {"a": 1.0}, ""), "sqnr", {}) is None
    assert np.isnan(sqnr_changes(run(graph, {"a": 1.0}, ""))).all()
    assert sqnr_changes(two({"a": 1.0}, {"a": 3.0}))[0] == -2.0


def test_what_only_one_run_measured_has_no_change() -> None:
    found = MetricChange.of(two({"a": 1.0, "b": 2.0}, {"a": 1.0}), "sqnr", {})
    assert found is not None
    assert found.nodes[0].tolist()[1] == -1 and np.isnan(found.nodes[1][1])
