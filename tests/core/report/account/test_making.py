"""The account of a case: what the page, the HTML and the paper all say."""

from dataclasses import replace
from datetime import datetime

import pytest

from core.report.cases import case_of
from errorflow.base.sample import SAMPLES, Sample
from errorflow.case.said import MADE_UP
from errorflow.case.session.model import Painting
from errorflow.explain.blame.model import Kind, Verdict
from errorflow.quant.plan import Plan
from errorflow.report.account.choosing import MOST, nodes_that_matter
from errorflow.report.account.making import account_of
from errorflow.report.account.model import (
    CHANGED,
    NODES,
    NOTED,
    NOTHING,
    RECOMMENDED,
    TRIED,
    UNMEASURED,
    VERDICT,
    Account,
    account_text,
)
from errorflow.report.content import Content, NodeEvidence
from errorflow.report.html.page import html_report
from errorflow.study.simulate.trial import Accuracy, Trial


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.key)
def test_the_planted_culprit_comes_first_unless_all_is_good(sample: Sample) -> None:
    account = account_of(case_of(sample.key))
    assert account.kind is not None and account.sentence and account.surety
    assert bool(account.cards) == (account.kind != "good") and len(account.cards) <= MOST
    assert all(card.numbers and card.why for card in account.cards)


def test_who_brings_the_error_comes_first_then_the_other_bad_ones() -> None:
    findings = case_of("node_fault").findings
    assert findings is not None and findings.blame is not None
    blame, chosen = findings.blame, nodes_that_matter(findings.blame)
    top = [each.node for each in blame.model.top]
    assert list(chosen[: len(top)]) == top and len(set(chosen)) == len(chosen)
    bad = {Verdict.ORIGIN, Verdict.AMPLIFIER, Verdict.NOT_MEASURED}
    assert {blame.verdict(node) for node in chosen[len(top) :]} <= bad


def test_each_number_names_its_measure_and_its_metric() -> None:
    [first, *_] = account_of(replace(case_of(), painting=Painting("cosine"))).cards
    labels = [fact.label for fact in first.numbers]
    assert labels[0] == "accumulated · relative error" and "accumulated · Cosine similarity" in labels
    assert all(fact.tip and fact.text for fact in first.numbers)


def test_how_it_is_known_is_told_apart_from_what_is_known() -> None:
    account = account_of(case_of("node_fault"))
    assert account.head == "Node error" and "(estimated)" not in account.sentence
    assert account.surety.startswith("Estimated")


def test_inputs_that_were_made_up_are_told_before_all_else() -> None:
    assert account_of(replace(case_of(), compared=("a.onnx", MADE_UP))).warnings == (MADE_UP,)
    assert account_of(case_of()).warnings == ()


def test_a_model_alone_has_a_name_and_no_verdict() -> None:
    case = case_of()
    account = account_of(Content("alone", case.graph, sides={"Model": "alone.onnx"}))
    assert account.kind is None and not account.cards and NOTHING in account_text(account)


def test_what_was_not_measured_stands_by_reason_with_the_way_out() -> None:
    found = case_of()
    assert found.findings is not None
    rows = [
        replace(row, values={}, note="only in the reference") if number < 8 else row
        for number, row in enumerate(found.findings.comparison.rows)
    ]
    comparison = replace(found.findings.comparison, rows=tuple(rows))
    [lack] = account_of(replace(found, findings=replace(found.findings, comparison=comparison))).lacks
    assert lack.count == 8 and len(lack.names) == 5 and "and 3 more" in lack.text and lack.hint


def test_what_was_switched_by_hand_is_told_with_or_without_numbers() -> None:
    plan = Plan().keeping_float("/stem/Conv").with_bits(16, "/head/Gemm")
    found = case_of(plan=plan)
    for case in (found, replace(found, findings=None)):
        account = account_of(case)
        assert account.changed.rows == (("/stem/Conv", "float"), ("/head/Gemm", "16 bit"))
        assert "/stem/Conv: float" in account_text(account)
        assert CHANGED in html_report(case, datetime(2026, 1, 2))
    assert not account_of(case_of(plan=Plan())).changed.rows


def test_of_very_many_switches_the_first_are_told() -> None:
    plan = Plan().keeping_float(*(f"node {number}" for number in range(100)))
    rows = account_of(case_of(plan=plan)).changed.rows
    assert len(rows) == 61 and rows[-1] == ("… and 40 more", "")


def test_what_was_tried_says_what_changed_and_what_was_counted() -> None:
    counted = Accuracy("somewhere", 300, {"top-1": 240}, {"top-1": 294})
    trials = (Trial("Run 1", Plan(), accuracy=counted), Trial("Run 2", Plan(), made_up=True, samples="3 samples"))
    account = account_of(replace(case_of(), trials=trials, shown="Run 1"))
    assert account.real == "top-1 80.00% (float 98.00%), of 300 samples"
    assert [row[0] for row in account.tried.rows] == ["Run 1 (on view)", "Run 2"]
    assert account.tried.rows[1][-1] == "3 samples (made up)"
    assert all(len(row) == len(account.tried.heads) for row in account.tried.rows)


def test_the_text_has_every_chapter_that_has_something_to_tell() -> None:
    case = replace(case_of(), trials=(Trial("Run 1", Plan()),), notes={"a": "b"}, problems=("odd",), note="of all")
    text = account_text(account_of(case))
    assert all(f"\n{title}\n" in text for title in (VERDICT, NODES, TRIED, RECOMMENDED, UNMEASURED, NOTED))
    assert "a: b" in text and "odd" in text and "of all" in text


def test_the_page_says_the_same_words() -> None:
    case = replace(case_of("node_fault"), evidence=(NodeEvidence(0, ""),))
    account, page = account_of(case), html_report(case, datetime(2026, 5, 4))
    assert account.sentence in page and account.surety in page
    assert all(card.why in page and card.title in page for card in account.cards)


@pytest.mark.parametrize(
    ("kind", "tone"),
    [
        ("node error", "loud"),
        ("inputs differ", "loud"),
        ("accumulated error", "warning"),
        ("good", "calm"),
        (None, "calm"),
    ],
)
def test_only_what_is_wrong_with_a_node_or_the_inputs_is_loud(kind: Kind | None, tone: str) -> None:
    assert Account("A case", 3, kind=kind).tone == tone
