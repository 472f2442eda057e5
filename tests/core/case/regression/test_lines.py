"""What became worse, what better, and what only moved."""

import math
from dataclasses import replace

import pytest

from errorflow.base.errors import UsageError
from errorflow.case.regression.lines import (
    KINDS,
    Since,
    counts_text,
    doubt_text,
    output_texts,
    tolerance_text,
    unnoticed,
    verdict_text,
)
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.model import Comparison
from errorflow.explain.findings.model import Findings
from since_cases import beside, chain, run

NAMES = ("a", "b", "c", "d", "e")
BY_KEY = {scale.key: scale for scale in MEASURES}


def since(now: dict[str, float], before: dict[str, float], broken: tuple[str, ...] = ()) -> Since:
    graph = chain(*NAMES)
    return Since.of(beside(run(graph, now, broken), run(graph, before)), "cosine", {})


def kinds(found: Since) -> dict[str, str]:
    return {line.name: line.kind for line in found.lines}


def test_each_tensor_has_a_line_and_the_worst_is_first() -> None:
    found = since({"a": 0.95, "b": 0.5, "c": 0.9999, "d": 0.9}, {"a": 0.99, "b": 0.9, "c": 0.9998, "d": 0.5})
    assert [line.name for line in found.lines if line.kind == "worse"] == ["a", "b"]
    assert kinds(found) == {"a": "worse", "b": "worse", "c": "same", "d": "better"}


def test_what_crosses_the_limits_comes_before_what_was_bad_already() -> None:
    found = since({"a": 0.05, "b": 0.9}, {"a": 0.4, "b": 0.9999})
    assert [line.name for line in found.lines] == ["b", "a"]


def test_a_number_that_turned_nan_is_worse_however_the_rest_is() -> None:
    found = since({"a": math.nan, "b": 0.999}, {"a": 0.999, "b": 0.999}, broken=("a", "b"))
    assert kinds(found) == {"a": "worse", "b": "worse"}
    assert all(line.broke and line.notes == ("now NaN",) for line in found.lines)


def test_two_models_have_no_tensor_in_common() -> None:
    findings = beside(run(chain("a", "b"), {"a": 0.9}), run(chain("x", "y", "z"), {"z": 0.9}))
    with pytest.raises(UsageError, match="no tensor in common"):
        Since.of(findings, "cosine", {})


def test_what_is_measured_in_one_only_is_said_to_be_so() -> None:
    found = since({"a": 0.9}, {"b": 0.9})
    assert kinds(found) == {"a": "new", "b": "gone"}
    assert [line.notes for line in found.lines if line.kind == "gone"] == [("not measured now",)]


def test_noise_far_below_what_anybody_notices_is_the_same() -> None:
    def by_error(value: float) -> Findings:
        found = run(chain("a"), {"a": 1.0})
        row = replace(found.comparison.rows[0], values={"relative_l2": value})
        return Findings.of(found.graph, Comparison((row,)))

    quiet = Since.of(beside(by_error(1e-6), by_error(1e-9)), "relative_l2", {})
    loud = Since.of(beside(by_error(1e-2), by_error(1e-5)), "relative_l2", {})
    assert (kinds(quiet)["a"], kinds(loud)["a"]) == ("same", "worse")
    assert unnoticed(BY_KEY["relative_l2"]) == "0.0005" and "below 0.0005" in tolerance_text(loud)


@pytest.mark.parametrize("metric", MEASURES, ids=lambda metric: metric.key)
def test_every_metric_says_what_is_too_good_to_count(metric: object) -> None:
    assert "nan" not in unnoticed(metric).lower()  # type: ignore[arg-type]  # each row of the table


def test_the_summary_counts_and_names_the_outputs() -> None:
    found = since({"a": 0.5, "e": 0.9}, {"a": 0.9999, "e": 0.99999, "b": 1.0})
    assert counts_text(found) == "2 tensors got worse, 0 better, 0 the same, 1 not measured any more."
    assert list(output_texts(found)) == ["e: Cosine similarity 0.999990 → 0.900000"]
    assert verdict_text(found) == ""


def test_two_models_that_share_little_raise_a_doubt() -> None:
    assert doubt_text(since({"a": 0.9, "b": 0.9}, {"a": 0.9, "b": 0.9, "c": 0.9})) == ""
    assert "Only 1 of 3 tensors" in doubt_text(since({"a": 0.9}, {"a": 0.9, "b": 0.9, "c": 0.9}))


def test_two_measures_are_not_compared() -> None:
    graph = chain(*NAMES)
    now, before = run(graph, {"a": 0.9}), run(graph, {"a": 0.9})
    other = Findings.of(graph, replace(before.comparison, measure="node"))
    with pytest.raises(UsageError, match="node, the other accumulated"):
        Since.of(beside(now, other), "cosine", {})


def test_two_runs_on_one_graph_are_listed_as_well() -> None:
    graph = chain(*NAMES)
    now, before = run(graph, {"a": 0.5, "b": 0.9}), run(graph, {"a": 0.9, "c": 0.9})
    found = Since.of(now.beside("Run 2", before.beside("Run 1", None)), "cosine", {})
    assert kinds(found) == {"a": "worse", "b": "new", "c": "gone"}
    assert found.change.title == "Run 2 against Run 1" and found.lines[0].verdict_before == ""


def test_every_kind_is_explained() -> None:
    assert all(words.label and words.why.endswith(".") for words in KINDS.values())
