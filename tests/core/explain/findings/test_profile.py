"""A metric along the depth of a model."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.model import Blame, ModelVerdict, Verdict
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.profile import RELATIVE, Profile
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph

INFO = TensorInfo("", "float32", (1,), 4)
KEY = RELATIVE.key


def graph_of(*names: str) -> Graph:
    """A chain; each node makes a tensor of its own name."""
    builder = GraphBuilder()
    builder.input("x")
    for name, before in zip(names, ("x", *names), strict=False):
        builder.node("Conv", [before], [name], name=f"/{name}")
    builder.output(names[-1])
    return builder.build()


def comparison_of(values: Mapping[str, float]) -> Comparison:
    return Comparison(tuple(Row(name, INFO, INFO, {KEY: value}) for name, value in values.items()))


def profile_of(graph: Graph, values: Mapping[str, float]) -> Profile:
    found = Profile.of([("", Findings.of(graph, comparison_of(values)))], KEY, {})
    assert found is not None
    return found


def blame_of(graph: Graph, introduced: list[float], verdicts: list[Verdict]) -> Blame:
    numbers, nothing = np.array(introduced), np.zeros(len(graph), bool)
    return Blame(
        graph,
        np.array(verdicts, np.int8),
        numbers,
        numbers,
        numbers,
        numbers,
        numbers,
        nothing,
        {},
        ModelVerdict("nothing", "."),
        nothing,
    )


def test_nodes_stand_in_the_order_of_running() -> None:
    builder = GraphBuilder()
    builder.input("x")
    builder.node("B", ["a"], ["b"], name="second")
    builder.node("A", ["x"], ["a"], name="first")
    found = profile_of(builder.build(), {"a": 0.1, "b": 0.2})
    assert found.nodes.tolist() == [1, 0]
    assert found.curves[0].values.tolist() == [0.1, 0.2]
    assert found.titles(0) == ("first", "A")


def test_heights_are_zero_and_one_at_the_limits_and_gaps_elsewhere() -> None:
    found = profile_of(graph_of("a", "b", "c"), {"a": RELATIVE.good, "c": RELATIVE.bad})
    heights = found.curves[0].heights
    assert heights[[0, 2]].tolist() == pytest.approx([0.0, 1.0])
    assert np.isnan(heights[1])


def test_the_limits_of_the_user_count() -> None:
    findings = Findings.of(graph_of("a"), comparison_of({"a": 0.2}))
    found = Profile.of([("", findings)], KEY, {KEY: (0.02, 0.2)})
    assert found is not None
    assert found.curves[0].heights.tolist() == pytest.approx([1.0])


def test_what_was_measured_and_is_no_number_is_strange_and_no_gap() -> None:
    found = profile_of(graph_of("a", "b", "c"), {"a": 0.1, "b": float("nan"), "c": float("inf")})
    assert found.strange.tolist() == [False, True, True]
    assert found.measured.all()
    assert found.worst(0, 2) == 1


def test_nan_in_the_candidate_is_strange_though_the_metric_has_a_number() -> None:
    row = Row("a", INFO, INFO, {KEY: 0.1}, reference_side=Side(), candidate_side=Side(nan=1))
    found = Profile.of([("", Findings.of(graph_of("a"), Comparison((row,))))], KEY, {})
    assert found is not None
    assert found.strange.tolist() == [True]
    assert "NaN" in list(found.lines(0))


def test_other_runs_find_their_nodes_by_name() -> None:
    first = Findings.of(graph_of("a", "b", "c"), comparison_of({"a": 0.1, "b": 0.2, "c": 0.3}))
    other = Findings.of(graph_of("b", "a"), comparison_of({"a": 0.5, "b": 0.6}))
    found = Profile.of([("board", first), ("simulator", other)], KEY, {})
    assert found is not None
    assert [curve.name for curve in found.curves] == ["board", "simulator"]
    assert found.curves[1].values[:2].tolist() == [0.5, 0.6]
    assert found.curves[1].measured.tolist() == [True, True, False]
    assert [line for line in found.lines(0) if line.startswith("simulator: ")]


def test_what_nodes_add_and_who_is_an_origin_comes_from_blame() -> None:
    graph = graph_of("a", "b")
    findings = Findings.of(graph, comparison_of({"a": 0.1, "b": 0.2}))
    blamed = replace(findings, blame=blame_of(graph, [float("nan"), 0.2], [Verdict.CLEAN, Verdict.ORIGIN]))
    found = Profile.of([("", blamed)], KEY, {})
    assert found is not None and found.introduced is not None
    assert found.introduced.measured.tolist() == [False, True]
    assert list(found.lines(1)) == [
        "/b",
        "Conv · depth 1",
        "accumulated · Relative error 0.2000",
        "introduced · Relative error 0.2000",
        "origin",
    ]
    assert list(found.brief(1)) == ["/b", "Conv", "0.2000", "introduced 0.2000", "origin"]


def test_a_place_that_was_not_measured_says_so() -> None:
    found = profile_of(graph_of("a", "b"), {"a": 0.1})
    assert list(found.lines(1)) == ["/b", "Conv · depth 1", "not measured"]


def test_without_a_graph_rows_stand_in_their_order_without_inputs() -> None:
    rows = tuple(Row(name, INFO, INFO, {KEY: 0.1}) for name in ("x:input:0", "x:output:0", "y:output:0"))
    found = Profile.of_rows([("", Comparison(rows))], KEY, {})
    assert found is not None
    assert found.nodes.tolist() == [1, 2]
    assert found.titles(1) == ("y:output:0", "")


def test_nothing_measured_is_no_profile() -> None:
    nothing = Comparison((Row("a", INFO, None, note="only in the reference"),))
    assert Profile.of_rows([("", nothing)], KEY, {}) is None
    assert Profile.of([("", Findings.of(graph_of("a"), nothing))], KEY, {}) is None


def test_of_values_that_are_of_one_height_the_worst_is_the_worst() -> None:
    profile = profile_of(graph_of(*"ab"), {"a": 0.0, "b": 2e-35})
    heights = profile.curves[0].heights
    assert heights[0] == heights[1]
    assert profile.worst(0, 1) == 1


@given(st.lists(st.one_of(st.none(), st.floats(0, 100), st.just(float("nan"))), min_size=1, max_size=40), st.data())
def test_the_worst_of_a_part_is_as_bad_as_any_in_it(values: list[float | None], data: st.DataObject) -> None:
    names = [f"t{at}" for at in range(len(values))]
    some = {name: value for name, value in zip(names, values, strict=True) if value is not None}
    if not some:
        return
    found = profile_of(graph_of(*names), some)
    first = data.draw(st.integers(0, len(values) - 1))
    last = data.draw(st.integers(first, len(values) - 1))
    inside = [value for value in values[first : last + 1] if value is not None]
    worst = found.worst(first, last)
    assert (worst is None) == (not inside)
    if worst is not None:
        told = values[worst]
        assert first <= worst <= last and told is not None
        assert any(map(np.isnan, inside)) == bool(np.isnan(told))
        assert np.isnan(told) or told == max(inside)


@pytest.mark.parametrize(
    ("place", "step", "found"), [(0, 1, 3), (3, 1, 5), (5, 1, None), (5, -1, 3), (1, -1, None), (-1, 1, 1), (9, -1, 5)]
)
def test_steps_lead_from_one_measured_place_to_the_next(place: int, step: int, found: int | None) -> None:
    profile = profile_of(graph_of(*"abcdef"), {"b": 0.1, "d": 0.1, "f": 0.1} if place else {"d": 0.1, "f": 0.1})
    assert profile.beside(place, step) == found


@pytest.mark.parametrize(("place", "reach", "found"), [(2.4, 1, 3), (1.9, 1, 1), (1.9, 0.5, None), (4.1, 1, 5)])
def test_the_nearest_place_is_one_that_was_measured(place: float, reach: float, found: int | None) -> None:
    profile = profile_of(graph_of(*"abcdef"), {"b": 0.1, "d": 0.1, "f": 0.1})
    assert profile.nearest(place, reach) == found
