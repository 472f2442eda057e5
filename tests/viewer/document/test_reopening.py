"""The model of the last time at the next start."""

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copy

import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.session.file import read_session
from errorflow.case.session.model import Session
from errorflow_viewer.document.reopening import KEY, Last
from errorflow_viewer.document.state import Place
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow

Start = Callable[[], MainWindow]


@pytest.fixture
def start(qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path) -> Iterator[Start]:
    """Opens a window with the settings that the last one left."""
    made: list[MainWindow] = []

    def make() -> MainWindow:
        window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
        window.view.set_reduced_motion(True)
        made.append(window)
        window.show()
        window.reopen_last()
        return window

    yield make
    for window in made:
        window.close()
        window.deleteLater()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(copy(SAMPLES[0].model, tmp_path / "model.onnx"))


def wait(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)


def looked(window: MainWindow, qtbot: QtBot) -> MainWindow:
    """When it is known whether the last file is there."""
    qtbot.waitUntil(lambda: not window.jobs.running(KEY))
    return window


def leave_open(start: Start, qtbot: QtBot, file: Path) -> None:
    """One run that ends while the file is on view and its fourth node selected."""
    window = start()
    window.open(file)
    wait(window, qtbot)
    window.document.select(node=3)
    window.close()


def test_the_last_model_comes_back_with_its_selection(start: Start, qtbot: QtBot, file: Path) -> None:
    leave_open(start, qtbot, file)
    window = start()
    wait(window, qtbot)
    assert window.document.model is not None and window.document.model.path == file
    assert window.document.state.node == 3


def test_after_the_start_page_comes_the_start_page(start: Start, qtbot: QtBot, file: Path) -> None:
    leave_open(start, qtbot, file)
    window = start()
    wait(window, qtbot)
    window.close_model()
    window.close()
    assert not looked(start(), qtbot).jobs.steps


def test_it_can_be_switched_off(start: Start, qtbot: QtBot, file: Path) -> None:
    leave_open(start, qtbot, file)
    window = start()
    wait(window, qtbot)
    window.commands.made["reopen"].trigger()
    window.close()
    assert not looked(start(), qtbot).jobs.steps


def test_a_file_that_is_gone_is_not_missed(start: Start, qtbot: QtBot, file: Path) -> None:
    leave_open(start, qtbot, file)
    file.unlink()
    window = looked(start(), qtbot)
    assert not window.jobs.steps and window.banners.rows == [] and window.settings.on_trial == ""


def test_a_model_that_brought_the_app_down_is_not_opened_again(
    start: Start, qtbot: QtBot, file: Path, settings: Settings
) -> None:
    leave_open(start, qtbot, file)
    start()
    assert settings.on_trial == str(file)  # what is left behind when the app dies now
    window = looked(start(), qtbot)
    assert not window.jobs.steps and settings.on_trial == ""
    (row,) = window.banners.rows
    assert file.name in row.notice.text


def test_a_model_that_brought_the_app_down_can_be_opened_all_the_same(
    start: Start, qtbot: QtBot, file: Path, settings: Settings
) -> None:
    leave_open(start, qtbot, file)
    settings.on_trial = str(file)
    window = looked(start(), qtbot)
    pressed = window.banners.rows[0].notice.pressed
    assert pressed is not None
    pressed()
    assert settings.on_trial == str(file)
    wait(window, qtbot)
    assert window.document.model is not None and window.document.model.path == file
    assert window.document.state.node == 3


def test_who_closes_before_it_came_finds_it_the_next_time(start: Start, qtbot: QtBot, file: Path) -> None:
    leave_open(start, qtbot, file)
    hasty = start()
    assert hasty.document.model is None
    hasty.close()
    window = start()
    wait(window, qtbot)
    assert window.document.model is not None and window.document.model.path == file
    assert window.document.state.node == 3


# What was decided and not saved


def decide(start: Start, qtbot: QtBot, file: Path) -> None:
    """One run that ends with a note that is not saved."""
    window = start()
    window.open(file)
    wait(window, qtbot)
    window.document.edit("Write a note", notes={"a": "mine"})
    window.close()


def unsaved(window: MainWindow) -> list[Session]:
    return [read_session(path).session for path in window.session_files._sessions.unsaved()]


def test_what_was_decided_comes_back_and_is_not_set_aside(start: Start, qtbot: QtBot, file: Path) -> None:
    decide(start, qtbot, file)
    window = start()
    wait(window, qtbot)
    assert window.document.session.notes == {"a": "mine"}
    window.close()
    assert unsaved(window) == []


@pytest.mark.parametrize("reopens", [True, False])
def test_what_was_decided_is_set_aside_where_something_else_takes_its_place(
    start: Start, qtbot: QtBot, file: Path, tmp_path: Path, settings: Settings, reopens: bool
) -> None:
    decide(start, qtbot, file)
    settings.reopens = reopens
    window = start()
    window.open(Path(copy(file, tmp_path / "other.onnx")))
    wait(window, qtbot)
    window.close()
    (left,) = unsaved(window)
    assert left.model == file and left.notes == {"a": "mine"}


def test_two_windows_that_are_closed_one_after_the_other_lose_nothing(
    start: Start, qtbot: QtBot, file: Path, tmp_path: Path
) -> None:
    first = start()
    first.open(Path(copy(file, tmp_path / "other.onnx")))
    wait(first, qtbot)
    decide(start, qtbot, file)
    first.document.edit("Write a note", notes={"b": "other"})
    first.close()
    assert [left.notes for left in unsaved(first)] == [{"a": "mine"}]
    window = start()
    wait(window, qtbot)
    assert window.document.session.notes == {"b": "other"}


def test_where_nothing_was_decided_nothing_is_set_aside(
    start: Start, qtbot: QtBot, file: Path, tmp_path: Path, settings: Settings
) -> None:
    leave_open(start, qtbot, file)
    settings.reopens = False
    window = start()
    window.open(Path(copy(file, tmp_path / "other.onnx")))
    wait(window, qtbot)
    window.close()
    assert unsaved(window) == []


# Screens


def test_a_window_of_a_screen_that_is_gone_is_brought_back(start: Start, settings: Settings) -> None:
    window = start()
    window.setGeometry(9000, 7000, 1100, 700)
    settings.geometry = window.saveGeometry()
    window.hide()
    again = start()
    room = again.screen().availableGeometry()
    assert room.contains(again.geometry().center()) and again.width() <= room.width()


def test_a_failure_is_told_and_ends_the_trial(start: Start, qtbot: QtBot, file: Path, settings: Settings) -> None:
    leave_open(start, qtbot, file)
    file.write_bytes(b"rubbish")
    window = start()
    qtbot.waitUntil(lambda: bool(window.banners.rows))
    assert settings.on_trial == ""


def test_another_model_that_comes_first_ends_the_trial(
    start: Start, qtbot: QtBot, file: Path, settings: Settings, tmp_path: Path
) -> None:
    leave_open(start, qtbot, file)
    window = start()
    window.open(Path(copy(file, tmp_path / "other.onnx")))
    wait(window, qtbot)
    assert settings.on_trial == ""


def test_a_model_that_is_opened_while_the_last_is_looked_for_stays(
    start: Start, qtbot: QtBot, file: Path, tmp_path: Path
) -> None:
    leave_open(start, qtbot, file)
    window, other = start(), Path(copy(file, tmp_path / "other.onnx"))
    window.open(other)
    looked(window, qtbot)
    wait(window, qtbot)
    assert window.document.model is not None and window.document.model.path == other


def test_back_does_not_lead_to_before_the_start(start: Start, qtbot: QtBot, file: Path) -> None:
    leave_open(start, qtbot, file)
    window = start()
    wait(window, qtbot)
    assert window.document.state.node == 3 and window.document.state.back == ()


def test_what_is_written_is_read() -> None:
    last = Last(Path("/a b/ü.onnx"), Place((1, 0), 2), 7, "n")
    assert Last.parse(last.text()) == last


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "3",
        "[" * 100_000,
        '{"file": "a", "bodies": [-1], "function": 0, "number": 0, "node": ""}',
        '{"file": "a", "bodies": [], "function": 0, "number": true, "node": ""}',
        '{"file": "a", "bodies": ["x"], "function": 0, "number": 0, "node": ""}',
        '{"file": "a", "bodies": 3, "function": 0}',
    ],
)
def test_rubbish_is_nothing(text: str) -> None:
    assert Last.parse(text) is None
