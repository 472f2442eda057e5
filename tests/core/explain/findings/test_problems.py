"""What could not be measured, grouped by why."""

import pytest

from core.explain.findings.test_select import NODES, findings
from errorflow.compare.match import reasons
from errorflow.compare.model import PENDING, Comparison, Row
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.problem_count import count
from errorflow.explain.findings.problems import WAYS_OUT, WayOut, about_runs, as_text, hint_of, parted, unmeasured
from errorflow.graph.model import Problem


def found(*notes: str) -> Findings:
    rows = tuple(Row(f"t{place}", None, None, note=note) for place, note in enumerate(notes))
    return Findings.of(findings().graph, Comparison(rows))


def test_tensors_that_share_a_reason_are_one_group_the_largest_first() -> None:
    on = found("The shapes differ: 1 and 2.", "only in the candidate", "The shapes differ: 3 and 4.")
    groups = unmeasured(on.comparison, on)
    assert [(group.title, len(group.items)) for group in groups] == [
        ("The shapes differ", 2),
        ("Only in the candidate", 1),
    ]
    assert [item.text for item in groups[0].items] == ["t0: 1 and 2.", "t2: 3 and 4."]
    assert [item.node for item in groups[0].items] == [0, 2]


def test_what_was_measured_or_has_its_turn_to_come_is_no_problem() -> None:
    rows = (Row("t0", None, None, {"cosine": 1.0}, note="done"), Row("t1", None, None, note=PENDING))
    assert unmeasured(Comparison(rows), None) == ()


def test_without_a_graph_there_are_no_nodes_to_go_to() -> None:
    on = found("only in the candidate")
    assert unmeasured(on.comparison, None)[0].items[0].node is None


def test_an_operator_without_a_tensor_is_found_by_its_name() -> None:
    comparison = Comparison((Row("conv2", None, None, note=reasons.NO_DUMP, node="conv2"),))
    group = unmeasured(comparison, Findings.of(findings().graph, comparison))[0]
    assert group.items[0].node == NODES.index("conv2") and "dump_mode" in group.hint


@pytest.mark.parametrize("note", [reasons.NO_DUMP, reasons.NOTHING, reasons.BETWEEN, reasons.NO_PLACE])
def test_every_reason_of_matching_has_a_way_out(note: str) -> None:
    assert hint_of(parted(note)[0]).endswith(".")


@pytest.mark.parametrize("way", WAYS_OUT, ids=lambda way: way.note)
def test_every_way_out_is_reached_by_its_note(way: WayOut) -> None:
    for note in way.note.split("|"):
        assert hint_of(note) == way.hint


def test_a_mistake_of_ours_is_grouped_whatever_it_was() -> None:
    kind, detail = parted("measuring it failed inside Errorflow (KeyError: 'x'); please report it")
    assert kind == "measuring it failed inside Errorflow" and "KeyError" in kind + detail


def test_problems_of_the_runs_are_told_once() -> None:
    problems = (Problem("Several files are of one tensor.", "conv1"), Problem("It is odd."), Problem("It is odd."))
    group = about_runs(problems, findings().graph)[0]
    assert [(item.text, item.node) for item in group.items] == [
        ("conv1: Several files are of one tensor.", 0),
        ("It is odd.", None),
    ]
    assert about_runs((), None) == ()


def test_as_text_it_says_the_same() -> None:
    on = found("only in the candidate")
    text = as_text(unmeasured(on.comparison, on))
    assert text.splitlines()[0] == "Only in the candidate (1)" and text.endswith("  t0\n")


@pytest.mark.parametrize(
    ("note", "title"),
    [
        ("the shapes differ: 1 and 2", "The shapes differ"),
        ("fc1.0.1700.npy is cut off: 3 bytes", "fc1.0.1700.npy is cut off"),
    ],
)
def test_a_title_begins_large_unless_it_begins_with_the_name_of_a_file(note: str, title: str) -> None:
    on = found(note)
    assert unmeasured(on.comparison, on)[0].title == title


@pytest.mark.parametrize(
    ("in_file", "notes", "text"),
    [
        (0, [], ""),
        (1, [], "1 problem"),
        (2, ["only in the candidate"], "2 problems, 1 tensor not measured"),
        (0, ["only in the candidate", PENDING, "The shapes differ."], "2 tensors not measured"),
    ],
)
def test_problems_and_tensors_are_counted_apart(in_file: int, notes: list[str], text: str) -> None:
    assert count(in_file, (), found(*notes).comparison).text == text


def test_a_problem_of_both_runs_is_counted_once_as_it_is_listed() -> None:
    twice = (Problem("odd", "a"), Problem("odd", "a"))
    assert count(0, twice).problems == len(about_runs(twice, None)[0].items) == 1
