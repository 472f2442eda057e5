"""Decisions that can be taken back."""

from hypothesis import given
from hypothesis import strategies as st

from errorflow.case.session.model import Session
from errorflow_viewer.document.document import MOST, Document


def searched(text: str) -> Session:
    return Session(search=text)


@given(st.lists(st.sampled_from(["a", "b", "c", "undo", "redo"]), max_size=30))
def test_undo_and_redo_walk_along_what_was_decided(steps: list[str]) -> None:
    document, line, at = Document(), [Session()], 0
    for step in steps:
        if step == "undo":
            document.undo()
            at = max(at - 1, 0)
        elif step == "redo":
            document.redo()
            at = min(at + 1, len(line) - 1)
        elif line[at] != searched(step):
            document.edit(f"Search for {step}", search=step)
            line, at = [*line[: at + 1], searched(step)], at + 1
        assert document.session == line[at]
        assert bool(document.undo_text) == (at > 0)
        assert bool(document.redo_text) == (at < len(line) - 1)


def test_what_is_decided_already_is_no_step() -> None:
    document = Document()
    document.edit("Search", search="")
    assert document.undo_text == ""


def test_the_moves_of_one_drag_are_one_step() -> None:
    document = Document()
    for text in ("a", "b", "c"):
        document.edit("Move", merge=True, search=text)
    document.end_merging()
    document.edit("Move", merge=True, search="d")
    document.undo()
    assert document.session.search == "c"
    document.undo()
    assert document.session.search == ""


def test_changes_name_the_fields_that_differ() -> None:
    document = Document()
    told: list[frozenset[str]] = []
    document.changed.connect(told.append)
    document.edit("Write a note", notes={"a": "b"})
    assert told == [{"session", "session.notes"}]


def test_opening_a_model_forgets_the_steps() -> None:
    document = Document()
    document.edit("Search", search="a")
    document.close()
    assert document.undo_text == ""


def test_only_so_many_steps_are_kept() -> None:
    document = Document()
    for number in range(MOST + 5):
        document.edit("Search", search=str(number))
    for _ in range(MOST + 5):
        document.undo()
    assert document.session.search == "4"
