"""Results that are kept: what is opened again is not measured again."""

import os
import shutil
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES, Sample
from errorflow.case import measuring
from errorflow.case.model import Case
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import read_session
from errorflow.case.session.known import NAME as KNOWN
from errorflow.case.session.results import beside
from errorflow.compare.journal import NAME
from errorflow.explain.blame.by_running import blame_by_running
from errorflow.explain.blame.model import Blame
from errorflow_viewer.commands.verdict_bar import VerdictBar
from errorflow_viewer.window.window import MainWindow


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
        found = window.document.state.case
        return (
            found is not None and found.complete and not window.jobs.steps and not window.jobs.running("keep results")
        )

    qtbot.waitUntil(complete)


def test_what_was_measured_is_known_at_the_next_time(
    window: MainWindow, qtbot: QtBot, setup: Setup, tmp_path: Path
) -> None:
    compared(window, qtbot, setup)
    match = window.document.state.case.match if window.document.state.case is not None else None
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


@pytest.fixture
def models(tmp_path: Path) -> Setup:
    """Two models that are run, which are no sample's."""
    return copied(SAMPLES[0], tmp_path / "models")


def copied(sample: Sample, folder: Path) -> Setup:
    folder.mkdir()
    copies = {"original": sample.model, "quantized": sample.candidate_model}
    return Setup("onnx", {need: Path(shutil.copy(path, folder)) for need, path in copies.items()})


def saved(window: MainWindow, qtbot: QtBot, file: Path) -> list[Path]:
    """What is kept beside a session that was just saved."""
    window._sessions.save(file)
    qtbot.waitUntil(lambda: window._sessions.file == file)
    qtbot.waitUntil(lambda: not window.jobs.running("keep results") and any(beside(file).glob(KNOWN.format("*"))))
    return sorted(beside(file).glob(".errorflow-*"))


def verdicts(window: MainWindow) -> list[str]:
    """Each verdict on the model that is on view from now on; "": there was none yet."""
    told: list[str] = []

    def listen(fields: object) -> None:
        compared = window.document.state.case
        if compared is not None and "case" in (fields if isinstance(fields, frozenset) else ()):
            told.append("" if compared.blame is None or not compared.complete else compared.blame.model.text)

    window.document.changed.connect(listen)
    return told


def now(window: MainWindow) -> Case:
    found = window.document.state.case
    assert found is not None
    return found


def test_of_two_models_that_were_run_all_is_there_before_they_run_again(
    window: MainWindow, qtbot: QtBot, models: Setup, tmp_path: Path
) -> None:
    compared(window, qtbot, models)
    before = now(window)
    assert before.blame is not None and before.blame.ran is not None
    file = tmp_path / "models" / "case.errorflow"
    (kept,) = saved(window, qtbot, file)
    window.close_model()
    os.utime(models.files["original"], (1, 1))
    told = verdicts(window)
    at_first = list[tuple[bool, bool]]()

    def look(_: object) -> None:
        if not at_first and window.document.comparison is not None:
            at_first.append((window.document.comparison == before.comparison, window.jobs.running("compare")))

    window.document.changed.connect(look)
    window.open(file)
    qtbot.waitUntil(lambda: bool(at_first))
    assert at_first == [(True, True)], "all is there, and they run again for their values"
    settled(window, qtbot)
    assert set(told) == {before.blame.model.text}
    match = now(window).match
    assert match is not None
    stored = next(pair.candidate for pair in match.pairs if pair.candidate is not None)
    assert stored.read().size
    assert saved(window, qtbot, file) == [kept]
    assert len(list((tmp_path / "results").glob(".errorflow-*"))) == 1


def test_of_other_models_nothing_is_known(window: MainWindow, qtbot: QtBot, models: Setup) -> None:
    compared(window, qtbot, models)
    blame = now(window).blame
    assert blame is not None
    window.close_model()
    told = verdicts(window)
    shutil.copy(SAMPLES[1].candidate_model, models.files["quantized"])
    compared(window, qtbot, models)
    assert told and blame.model.text not in told


def test_while_the_nodes_are_run_the_verdict_is_estimated_so_far(
    window: MainWindow, qtbot: QtBot, models: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    bar, told, seen = window.findChild(VerdictBar), list[str](), Event()
    assert isinstance(bar, VerdictBar)

    def look(_: object) -> None:
        told.append(bar.method.text())
        if told[-1] == "estimated so far":
            seen.set()

    def when_seen(*args: Any, **more: Any) -> tuple[Blame, str]:
        assert seen.wait(timeout=60), "the window says what is known before the nodes have been run"
        return blame_by_running(*args, **more)

    # A small model's nodes would all be run before a busy machine's window gets to see anything.
    monkeypatch.setattr(measuring, "blame_by_running", when_seen)
    window.document.changed.connect(look)
    compared(window, qtbot, models)
    assert bar.method.text() == "exact"
    assert "estimated so far" in told
    assert "estimated" not in told
