"""Results that are kept: what is opened again is not measured again."""

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from errorflow.compare.journal import NAME
from errorflow.scenarios.setup import Setup
from errorflow.session.file import read_session
from errorflow.session.results import beside
from errorflow_viewer.window import MainWindow


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    for run, error in (("golden", 0.0), ("mine", 0.1)):
        (tmp_path / run).mkdir()
        for name in ("a", "b", "c"):
            np.save(tmp_path / run / f"{name}.npy", np.arange(64.0, dtype=np.float32) + error)
    return Setup("runs", {"candidate": tmp_path / "mine", "reference": tmp_path / "golden"})


def compared(window: MainWindow, qtbot: QtBot, setup: Setup) -> None:
    window.comparisons.start(setup)
    settled(window, qtbot)


def settled(window: MainWindow, qtbot: QtBot) -> None:
    def complete() -> bool:
        found = window.document.state.compared
        return (
            found is not None and found.complete and not window.jobs.steps and not window.jobs.running("keep results")
        )

    qtbot.waitUntil(complete)


def test_what_was_measured_is_known_at_the_next_time(
    window: MainWindow, qtbot: QtBot, setup: Setup, tmp_path: Path
) -> None:
    compared(window, qtbot, setup)
    match = window.document.state.compared.match if window.document.state.compared is not None else None
    assert match is not None
    assert len(list((tmp_path / "results").glob(NAME.format("*")))) == 1
    assert len(window._remembering.recall(setup, match)) == 3


def test_beside_a_session_too(window: MainWindow, qtbot: QtBot, setup: Setup, tmp_path: Path) -> None:
    compared(window, qtbot, setup)
    file = tmp_path / "case.errorflow"
    window._sessions.save(file)
    qtbot.waitUntil(lambda: any(beside(file).glob(NAME.format("*"))) and not window.jobs.running("keep results"))
    assert read_session(file).session.setup == setup


def test_a_saved_comparison_is_opened_and_coloured_again(
    window: MainWindow, qtbot: QtBot, setup: Setup, tmp_path: Path
) -> None:
    compared(window, qtbot, setup)
    window.document.edit("Write a note", notes={"a": "look"})
    before = window.document.comparison
    file = tmp_path / "case.errorflow"
    window._sessions.save(file)
    qtbot.waitUntil(lambda: window._sessions.file == file)
    window.close_model()
    window.open(file)
    settled(window, qtbot)
    assert window.document.comparison == before
    assert window.document.session.notes == {"a": "look"}
    assert window._sessions.file == file
    assert not window._sessions.modified
