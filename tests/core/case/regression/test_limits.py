"""Limits for a build server."""

import math

import pytest

from errorflow.base.errors import UsageError
from errorflow.case.regression.limits import Held, held, parse_limit
from errorflow.case.regression.lines import Since
from since_cases import beside, chain, run

NOW = {"a": 0.95, "b": 0.80, "c": 0.9999, "e": 0.97}
BEFORE = {"a": 0.999, "b": 0.85, "c": 0.9999, "d": 0.999, "e": 0.999}


def ask(text: str, now: dict[str, float] = NOW, broken: tuple[str, ...] = ()) -> Held:
    graph = chain("a", "b", "c", "d", "e")
    findings = beside(run(graph, now, broken), run(graph, BEFORE))
    return held(findings, [parse_limit(text)], Since.of(findings, "cosine", {}), {})[0]


def names(found: Held) -> set[str]:
    return {case.name for case in found.broken}


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("cosine=0.99", {"a", "e"}),
        ("cos=0.99", {"a", "e"}),
        ("cosine:always=0.99", {"a", "b", "e"}),
        ("cosine:drop=0.04", {"a", "b"}),
        ("cosine:drop=0.06", set()),
        ("output:cosine=0.99", {"e"}),
        ("output:cosine=0.9", set()),
    ],
)
def test_a_limit_is_broken_by_these(text: str, broken: set[str]) -> None:
    found = ask(text)
    assert names(found) == broken
    assert ("is broken by" in found.text) == bool(broken)


@pytest.mark.parametrize(
    ("text", "holds"),
    [("worse=3", True), ("worse=2", False), ("worse=75%", True), ("worse=50%", False), ("gone=0", False)],
)
def test_counts_may_be_shares_of_what_was_measured_in_both(text: str, holds: bool) -> None:
    assert bool(ask(text).broken) != holds


def test_what_was_beyond_it_before_is_skipped_with_the_reason() -> None:
    skipped = {case.name: case.skipped for case in ask("cosine=0.99").cases if case.skipped}
    assert skipped == {"b": "was beyond 0.99 before", "d": "not measured now"}


def test_a_tensor_that_turned_nan_breaks_every_limit() -> None:
    now = {**NOW, "c": math.nan}
    for text in ("cosine=0.5", "cosine:drop=1"):
        assert "c" in names(ask(text, now, broken=("c",)))
    found = ask("nan=0", now, broken=("c",))
    assert found.text == "limit nan=0 is broken: 1 tensor turned NaN or infinite, where 0 may"
    assert found.broken[0].details == ("c 0.999900 → NaN",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cosine", "is no limit"),
        ("cosine=", "is no limit"),
        ("cosine=x", "is no number"),
        ("cosine=nan", "is no number"),
        ("cosine=1%", "only counts"),
        ("cosine:grop=1", "neither drop nor always"),
        ("cosine:drop=-1", "no less than 0"),
        ("kosine=1", "no metric kosine"),
        ("worse=1.5", "counts nothing"),
        ("worse=101%", "counts nothing"),
        ("worse:drop=1", "counts have neither"),
    ],
)
def test_what_is_no_limit_is_said(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        parse_limit(text)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "now", "said"),
    [
        ("output:cosine=0.9", {"a": 0.9}, "no output of the model was measured"),
        ("cosine:drop=0.9", {"c": 0.9}, "no tensor in common"),
    ],
)
def test_a_limit_that_nothing_could_break_is_refused(text: str, now: dict[str, float], said: str) -> None:
    graph = chain("a", "b", "c", "d", "e")
    findings = beside(run(graph, now), run(graph, {"a": 0.9} if "output" in text else {"b": 0.9}))
    with pytest.raises(UsageError, match=said):
        held(findings, [parse_limit(text)], Since.of(findings, "cosine", {}), {})


def test_a_metric_that_one_lacks_is_refused() -> None:
    with pytest.raises(UsageError, match="was not measured in both") as caught:
        ask("sqnr=20")
    assert "cosine" in caught.value.hint
