"""A ticket bundle in a fresh profile: the same case, without any of its files."""

import shutil
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from bundles import changed
from errorflow.base.sample import SAMPLES
from errorflow.case.model import Case
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import read_session
from errorflow.case.session.model import Session, Simulation
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Graph
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.bundles import NOTICE
from errorflow_viewer.document.simulation_work import computed
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow
from viewer.conftest import PatientBot
from viewer.opened import said

CULPRIT = "/block2/project/conv/Conv"
SAMPLE = SAMPLES[0]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return _copied(tmp_path / "there")


def _copied(folder: Path) -> Path:
    """The files of a case, all in one folder."""
    folder.mkdir()
    for path in (SAMPLE.model, SAMPLE.candidate_model, SAMPLE.reference_run, SAMPLE.candidate_run):
        shutil.copy(path, folder)
    return folder


def _setup(home: Path) -> Setup:
    files = {"model": SAMPLE.model, "reference": SAMPLE.reference_run, "candidate": SAMPLE.candidate_run}
    return Setup("runs", {need: home / path.name for need, path in files.items()})


@pytest.fixture(scope="module")
def sent(
    request: pytest.FixtureRequest, appearance: Appearance, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Findings, Case]:
    """What a window wrote, and what was to be seen there; one for all tests."""
    folder, qtbot = tmp_path_factory.mktemp("sender"), PatientBot(request)
    home, path = _copied(folder / "there"), folder / "case.zip"
    window = _window(folder / "profile", appearance, qtbot)
    window.comparisons.start(_setup(home))
    _settled(window, qtbot)
    window.document.edit("Write a note", notes={CULPRIT: "look here"})
    window.document.edit("Show both", second=home / SAMPLE.candidate_model.name, pairing="stacked")
    qtbot.waitUntil(lambda: window.pair.second.links is not None and not window.jobs.steps)
    graph = window.document.graph
    assert graph is not None
    window.document.show(cast(int, graph.node_index(CULPRIT)))
    page = window.whole_pages.ticket
    window.whole_pages.show_ticket()
    qtbot.waitUntil(lambda: page.plan is not None)
    page.nodes._chosen = {CULPRIT: None}
    page.write(path)
    qtbot.waitUntil(lambda: path.exists() and not window.jobs.steps)
    findings, compared = window.document.state.findings, window.document.state.case
    assert findings is not None and compared is not None
    window.close()
    window.deleteLater()
    shutil.rmtree(home)
    return path, findings, compared


@pytest.fixture
def known(sent: tuple[Path, Findings, Case], home: Path, tmp_path: Path) -> tuple[Path, Findings, Case]:
    """A bundle that came from elsewhere; its files are in another place, of which it knows nothing."""
    home.rename(tmp_path / "moved")
    return Path(shutil.copy(sent[0], tmp_path)), *sent[1:]


def _window(folder: Path, appearance: Appearance, qtbot: QtBot) -> MainWindow:
    folder.mkdir()
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    settings.switch("still", True)
    window = MainWindow(settings, appearance, folder / "errorflow.log")
    window.show()
    qtbot.waitExposed(window)
    return window


def _settled(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)


def _opened(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    window.open_all([path])
    _settled(window, qtbot)


def test_a_fresh_profile_shows_the_same_painting_verdict_and_table(
    known: tuple[Path, Findings, Case], window: MainWindow, qtbot: QtBot
) -> None:
    path, findings, compared = known
    _opened(window, qtbot, path)
    found, now = window.document.state.findings, window.document.state.case
    assert found is not None and now is not None and now.blame is not None and compared.blame is not None
    for scale in findings.scales:
        np.testing.assert_array_equal(found.measured(scale).places, findings.measured(scale).places)
    assert now.blame.model == compared.blame.model
    np.testing.assert_array_equal(now.blame.verdicts, compared.blame.verdicts)
    np.testing.assert_array_equal(now.blame.introduced, compared.blame.introduced)
    assert [row.values for row in now.comparison.rows] == [row.values for row in compared.comparison.rows]
    assert window.document.session.notes == {CULPRIT: "look here"}


def test_both_graphs_and_what_was_selected_come_back(
    known: tuple[Path, Findings, Case], window: MainWindow, qtbot: QtBot
) -> None:
    _opened(window, qtbot, known[0])
    second, graph, session = window.pair.second, window.document.graph, window.document.session
    qtbot.waitUntil(lambda: second.links is not None and not window.jobs.steps)
    assert graph is not None and window.document.state.node == graph.node_index(CULPRIT)
    assert session.pairing == "stacked" and second.model is not None and second.linked
    assert second.model.path.name == SAMPLE.candidate_model.name and not second.model.path.exists()


def test_a_banner_says_what_it_is_and_what_is_not_in_it(
    known: tuple[Path, Findings, Case], window: MainWindow, qtbot: QtBot
) -> None:
    _opened(window, qtbot, known[0])
    notice = next(each for each in said(window) if each.key == NOTICE)
    assert notice.text.startswith("This is the ticket bundle of node_fault.onnx, made on ")
    assert "The tensors of 30 of 31 nodes are not in it." in notice.hint
    assert notice.button == "Look for the files…"


def test_tensors_that_came_along_can_be_read(
    known: tuple[Path, Findings, Case], window: MainWindow, qtbot: QtBot
) -> None:
    _opened(window, qtbot, known[0])
    compared = window.document.state.case
    assert compared is not None and compared.match is not None
    candidate = compared.match.pairs[12].candidate
    assert candidate is not None and candidate.read().shape == candidate.info.shape


def test_it_is_remembered_as_one_file_and_not_saved_over(
    known: tuple[Path, Findings, Case],
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = known[0]
    _opened(window, qtbot, path)
    assert window.recents.entries == (path,)
    assert window._sessions.file is None and not window._sessions.modified
    asked: list[str] = []

    def ask(_window: object, _title: str, begin: str, *_args: object, **_more: object) -> tuple[str, str]:
        asked.append(begin)
        return str(tmp_path / "mine.errorflow"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    window.document.edit("Write a note", notes={CULPRIT: "mine"})
    window.commands.made["session.save"].trigger()
    qtbot.waitUntil(lambda: window._sessions.file == tmp_path / "mine.errorflow")
    assert asked == [str(path.with_suffix(".errorflow"))]
    assert read_session(tmp_path / "mine.errorflow").session.bundle == path


def test_a_session_that_was_saved_of_it_opens_it_again(
    known: tuple[Path, Findings, Case], window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    _opened(window, qtbot, known[0])
    window.document.edit("Write a note", notes={CULPRIT: "mine"})
    window._sessions.save(tmp_path / "mine.errorflow")
    qtbot.waitUntil(lambda: window._sessions.file is not None)
    window.close_model()
    _opened(window, qtbot, tmp_path / "mine.errorflow")
    assert window.document.session.notes == {CULPRIT: "mine"}
    assert window.document.session.bundle == known[0] and not window._sessions.modified


def test_the_next_start_shows_it_again(
    known: tuple[Path, Findings, Case], tmp_path: Path, appearance: Appearance, qtbot: QtBot
) -> None:
    first = _window(tmp_path / "profile", appearance, qtbot)
    _opened(first, qtbot, known[0])
    first.close()
    first.deleteLater()
    settings = Settings(QSettings(str(tmp_path / "profile" / "settings.ini"), QSettings.Format.IniFormat))
    window = MainWindow(settings, appearance, tmp_path / "profile" / "errorflow.log")
    window.show()
    window.reopen_last()
    _settled(window, qtbot)
    assert window.document.session.bundle == known[0] and not window._sessions.modified
    window.close()
    window.deleteLater()


def test_nothing_is_run_and_that_is_said(known: tuple[Path, Findings, Case], window: MainWindow, qtbot: QtBot) -> None:
    _opened(window, qtbot, known[0])
    window.studies.simulating.start(Basis(SampleSpec(seed=1)))
    notice = next(each for each in said(window) if each.key == NOTICE)
    assert notice.text == "Nothing can be run in a ticket bundle."
    assert window.document.session.simulation is None and not window.jobs.steps


def test_where_its_files_are_it_opens_as_a_session_that_is_compared(
    known: tuple[Path, Findings, Case],
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _opened(window, qtbot, known[0])
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args, **_more: str(tmp_path / "moved"))
    window.commands.made["session.look"].trigger()
    qtbot.waitUntil(lambda: window.document.session.bundle is None)
    _settled(window, qtbot)
    assert window.document.session.model == tmp_path / "moved" / SAMPLE.model.name
    assert window.document.session.notes == {CULPRIT: "look here"}
    assert not window.commands.made["session.look"].isEnabled()


def test_reading_it_again_shows_it_again(known: tuple[Path, Findings, Case], window: MainWindow, qtbot: QtBot) -> None:
    _opened(window, qtbot, known[0])
    model = window.document.model
    window.reload()
    qtbot.waitUntil(lambda: window.document.model is not model)
    _settled(window, qtbot)
    assert window.document.session.bundle == known[0]


def test_a_checksum_that_is_wrong_is_a_warning(
    known: tuple[Path, Findings, Case], window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = changed(known[0], tmp_path / "other.zip", {"ticket.md": b"x"})
    _opened(window, qtbot, path)
    notice = next(each for each in said(window) if each.key == NOTICE)
    assert notice.kind == "warning" and "ticket.md is not as it was written" in notice.details


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"nothing"])
def test_a_zip_that_is_none_is_a_sentence_with_a_way_out(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "other.zip").write_bytes(data)
    window.open_all([tmp_path / "other.zip"])
    qtbot.waitUntil(lambda: bool(said(window)))
    notice = cast(object, said(window)[0])
    assert said(window)[0].kind == "error" and said(window)[0].hint, notice
    assert window.document.model is None


def test_a_simulation_shows_what_was_simulated(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, appearance: Appearance
) -> None:
    from datetime import datetime

    from errorflow.case.examine import examine
    from errorflow.quant.presets import preset
    from errorflow.report.bundle.draft import draft_of
    from errorflow.report.bundle.model import BundleChoice
    from errorflow.report.bundle.writing import write_bundle

    model, samples = (Path(shutil.copy(path, tmp_path)) for path in (SAMPLE.model, SAMPLE.calibration))
    session = Session(
        model,
        simulation=Simulation(
            Basis(SampleSpec((str(samples),)), samples=6), preset("onnxruntime").plan.keeping_float(CULPRIT)
        ),
    )
    with examine(session) as case:
        verdict = case.blame
        write_bundle(draft_of(case, datetime(2026, 1, 2)), BundleChoice((CULPRIT,)), tmp_path / "case.zip")
    model.unlink()
    samples.unlink()
    _opened(window, qtbot, tmp_path / "case.zip")
    compared = window.document.state.case
    assert verdict is not None and compared is not None and compared.blame is not None
    assert compared.blame.model == verdict.model
    assert window.document.state.simulated is None and not window.jobs.steps
    paint = window._graph_view.errors.paint
    assert paint is not None and paint.signs is not None and paint.signs.kept is not None
    assert "wished: float" in paint.note(int(np.flatnonzero(paint.signs.kept)[0]))
    known = computed(window.document)
    assert known is not None and known.kept[cast(Graph, window.document.graph).node_index(CULPRIT)]
    window.studies.simulating.edit("Another plan", preset("pulsar2-u8").plan)
    assert window.document.session.simulation == session.simulation or window.document.session.simulation is not None


def session_of(window: MainWindow) -> Session:
    return window.document.session


def test_a_second_graph_that_did_not_come_along_is_said_in_a_sentence(
    window: MainWindow, qtbot: QtBot, home: Path
) -> None:
    """Where somebody asks for it: by itself it is not shown."""
    files = {"fusion": home / SAMPLE.model.name, "original": home / "gone.onnx"}
    session = Session(model=files["fusion"], setup=Setup("npu", files), bundle=home / "case.zip", pairing="side")
    window._workings.opening.open(files["fusion"], session=session)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    beside = window.pair.beside
    assert beside is not None
    assert beside.nothing.sentence.text() == "The second model is not in this ticket bundle."
