"""Sessions with a simulation: saved, opened again, and simulated by themselves."""

from pathlib import Path
from shutil import copy

import pytest
from pytestqt.qtbot import QtBot

from errorflow.case.session.file import read_session
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.drafts import Drafts
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import CULPRIT, SAMPLE, open_model, seen_through, simulate, simulation


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a model and its samples."""
    found = tmp_path / "case"
    found.mkdir()
    assert SAMPLE.calibration is not None
    copy(SAMPLE.model, found / "net.onnx")
    copy(SAMPLE.calibration, found / "x.npz")
    return found


@pytest.fixture
def saved(window: MainWindow, qtbot: QtBot, folder: Path) -> Path:
    """A session of two trials that was saved, and closed."""
    open_model(window, qtbot, folder / "net.onnx")
    simulate(window, qtbot, Basis(SampleSpec((str(folder / "x.npz"),)), samples=12))
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    seen_through(window, qtbot)
    file = folder / "case.errorflow"
    window._sessions.save(file)
    qtbot.waitUntil(lambda: window._sessions.file == file)
    return file


def opened(window: MainWindow, qtbot: QtBot, file: Path) -> None:
    window.close_model()
    window.open(file)
    qtbot.waitUntil(lambda: window.document.session.simulation is not None, timeout=30_000)


def test_it_is_simulated_and_coloured_again(window: MainWindow, qtbot: QtBot, saved: Path) -> None:
    before = window.document.session
    found = seen_through(window, qtbot)
    opened(window, qtbot, saved)
    again = seen_through(window, qtbot)
    assert again is not found
    assert again.comparison == found.comparison
    assert window.document.session.simulation == before.simulation
    assert [trial.name for trial in window.document.session.trials] == ["Run 1", "Run 2"]
    assert not window._sessions.modified


def test_it_moves_with_its_files(window: MainWindow, qtbot: QtBot, saved: Path) -> None:
    window.close_model()
    folder = saved.parent.rename(saved.parent.with_name("elsewhere"))
    opened(window, qtbot, folder / saved.name)
    seen_through(window, qtbot)
    assert simulation(window).basis.asked.paths == (str(folder / "x.npz"),)


def test_a_draft_keeps_it(window: MainWindow, qtbot: QtBot, saved: Path, tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "drafts of another")
    drafts.write(window._sessions.captured(), saved)
    kept = read_session(drafts.own).session
    assert kept.simulation == simulation(window)
    assert [trial.plan for trial in kept.trials] == [trial.plan for trial in window.document.session.trials]


def test_samples_that_are_gone_are_named(window: MainWindow, qtbot: QtBot, saved: Path) -> None:
    window.close_model()
    (saved.parent / "x.npz").unlink()
    window.open(saved)
    qtbot.waitUntil(lambda: any("x.npz" in row.notice.text for row in window.banners.rows))
