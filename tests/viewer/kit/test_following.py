"""Parts of the window are told of what they read, while they can be seen."""

import pytest
from PySide6.QtCore import QObject, Signal

from errorflow_viewer.kit.following import Follower, always, follow


class Source(QObject):
    """Signals as those of the document and of what is derived."""

    changed = Signal(object)
    named = Signal(str)
    done = Signal()


@pytest.fixture
def source(qapp: QObject) -> Source:
    return Source()


@pytest.fixture
def told() -> list[object]:
    return []


@pytest.fixture
def follower(source: Source, told: list[object]) -> Follower:
    return follow(source, source.changed, told.append, ("model", "case", "node"))


def test_it_is_told_of_what_it_reads_and_of_nothing_else(
    source: Source, follower: Follower, told: list[object]
) -> None:
    source.changed.emit(frozenset(("case", "search")))
    source.changed.emit(frozenset(("search",)))
    assert told == [frozenset(("case",))]


def test_what_cannot_be_seen_is_told_nothing(source: Source, follower: Follower, told: list[object]) -> None:
    follower.note_seen(False)
    source.changed.emit(frozenset(("case",)))
    assert told == []


def test_what_comes_to_be_seen_is_told_once_of_all_that_it_missed(
    source: Source, follower: Follower, told: list[object]
) -> None:
    follower.note_seen(False)
    for field in ("case", "node", "search"):
        source.changed.emit(frozenset((field,)))
    follower.note_seen(True)
    follower.note_seen(True)
    assert told == [frozenset(("case", "node"))]


def test_what_missed_nothing_is_told_nothing_when_it_is_seen(follower: Follower, told: list[object]) -> None:
    follower.note_seen(False)
    follower.note_seen(True)
    assert told == []


def test_another_model_is_told_at_once_with_what_was_missed(
    source: Source, follower: Follower, told: list[object]
) -> None:
    follower.note_seen(False)
    source.changed.emit(frozenset(("node",)))
    source.changed.emit(frozenset(("model",)))
    follower.note_seen(True)
    assert told == [frozenset(("model", "node"))]


def test_who_asks_for_it_has_it_catch_up(source: Source, follower: Follower, told: list[object]) -> None:
    follower.note_seen(False)
    source.changed.emit(frozenset(("node",)))
    follower.catch_up()
    source.changed.emit(frozenset(("case",)))
    assert told == [frozenset(("node",))]


def test_what_wakes_is_told_though_it_cannot_be_seen(source: Source, told: list[object]) -> None:
    follow(source, source.changed, told.append, ("case",), always).note_seen(False)
    source.changed.emit(frozenset(("case",)))
    assert told == [frozenset(("case",))]


def test_rows_of_what_is_derived_are_told_by_their_names(source: Source, told: list[object]) -> None:
    follower = follow(source, source.named, told.append, ("bench", "simulate"))
    follower.note_seen(False)
    for name in ("bench", "rank", "simulate"):
        source.named.emit(name)
    follower.note_seen(True)
    assert told == [frozenset(("bench", "simulate"))]


def test_of_a_signal_without_names_the_last_is_told(source: Source, told: list[object]) -> None:
    follower = follow(source, source.changed, told.append)
    follower.note_seen(False)
    source.changed.emit((1,))
    source.changed.emit((2,))
    follower.note_seen(True)
    assert told == [(2,)]


def test_of_a_signal_that_gives_nothing_it_is_told_once(source: Source, told: list[object]) -> None:
    follower = follow(source, source.done, lambda: told.append("done"))
    follower.note_seen(False)
    source.done.emit()
    source.done.emit()
    follower.note_seen(True)
    assert told == ["done"]
