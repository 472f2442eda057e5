"""The verdict in words: what it is made of, and what is copied."""

from dataclasses import replace

import pytest

from errorflow.base.language import say
from errorflow.compare.match.model import Match
from errorflow.compare.model import PENDING, Comparison, Row
from errorflow.explain.blame.model import Kind
from errorflow.explain.stages.model import Stages
from errorflow.report.blame import blame_lines
from errorflow_viewer.document.verdict_words import NO_VERDICT, TABLE, headline, pieces_of, ticket_text
from viewer.cases import case_with
from viewer.verdicts import compared, judged, node_error


def test_names_of_nodes_and_outputs_lead_to_them() -> None:
    found = headline(compared(node_error()), False)
    assert found.text == "Node error: relu1 brings 98 % of the error at t5."
    assert [
        (piece.text, piece.href.partition(":")[0]) for piece in pieces_of(found.text, found.links) if piece.href
    ] == [("relu1", "node"), ("t5", "tensor")]
    assert next(piece.href for piece in pieces_of(found.text, found.links) if piece.text == "relu1") == "node:1"


def test_a_word_that_is_a_name_too_leads_nowhere() -> None:
    found = headline(compared(judged("good", say("Good: t5 is not {}.", "t5"))), False)
    assert [piece.text for piece in pieces_of(found.text, found.links)] == ["Good: t5 is not ", "t5", "."]


@pytest.mark.parametrize(("exact", "method"), [(True, "exact"), (False, "estimated")])
def test_how_it_was_found_is_said_beside_the_sentence(exact: bool, method: str) -> None:
    found = headline(compared(node_error(exact=exact)), False)
    assert found.method == method and "estimated" not in found.text


def test_why_it_is_no_exact_one_is_said() -> None:
    found = headline(compared(node_error("ONNX Runtime is not installed.")), False)
    assert found.method_tip == "Estimated, since no node could be run: ONNX Runtime is not installed."


def test_it_says_how_many_nodes_were_run_if_not_all_were() -> None:
    found = node_error()
    assert found.blame is not None
    some = found.blame.exact.copy()
    some[1] = True
    blame = replace(found.blame, exact=some)
    assert headline(case_with(found.comparison, Match(()), blame), False).method_tip.startswith("1 of 4 nodes")


def test_estimates_beside_an_exact_verdict_are_counted() -> None:
    found = node_error(exact=True)
    assert found.blame is not None
    some = found.blame.exact.copy()
    some[2] = False
    blame = replace(found.blame, exact=some)
    assert headline(case_with(found.comparison, Match(()), blame), False).method == "exact (1 node estimated)"


@pytest.mark.parametrize(
    ("kind", "sign"),
    [
        ("good", "good"),
        ("node error", "node"),
        ("accumulated error", "accumulated"),
        ("inputs differ", "inputs"),
        ("nothing", "nothing"),
    ],
)
def test_each_kind_has_a_sign_of_its_own(kind: Kind, sign: str) -> None:
    assert headline(compared(judged(kind, "It is so.")), False).sign == sign


@pytest.mark.parametrize("kind", ["good", "nothing"])
def test_what_needs_no_proof_is_neither_exact_nor_estimated(kind: Kind) -> None:
    assert headline(compared(judged(kind, "It is so.")), False).method == ""


@pytest.mark.parametrize(
    ("running", "text"), [(True, "Measuring: 1 of 2 tensors…"), (False, "Not all is measured: 1 of 2 tensors.")]
)
def test_while_it_is_measured_it_says_how_far_it_is(running: bool, text: str) -> None:
    rows = (Row("a", None, None, {"cosine": 1.0}), Row("b", None, None, note=PENDING))
    found = headline(case_with(Comparison(rows), Match(()), complete=False), running)
    assert (found.text, found.sign, found.waits) == (text, "measuring", True)


@pytest.mark.parametrize(("match", "text"), [(None, TABLE), (Match(()), NO_VERDICT)])
def test_without_a_verdict_it_says_why(match: Match | None, text: str) -> None:
    found = headline(case_with(Comparison(()), match), False)
    assert (found.text, found.sign, found.waits) == (text, "nothing", False)


def test_what_is_copied_is_what_the_command_line_prints() -> None:
    found = node_error("No model.")
    assert found.blame is not None
    stages = Stages((), "quantization", "Quantization is at fault.")
    text = ticket_text(case_with(found.comparison, Match(()), found.blame, stages=stages)).splitlines()
    lines = list(blame_lines(found.blame))
    assert text[0] == stages.text
    assert text[-1] == "Estimated, since no node could be run: No model."
    assert text[1:-1] == lines and "What to do:" in lines
