"""Sessions in the window: saved, opened, reopened exactly, kept and recovered."""

from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import read_session, write_session
from errorflow.case.session.model import Painting, Session
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.window.window import MainWindow


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return Path(copy(SAMPLES[0].model, tmp_path / "model.onnx"))


def settled(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)


def opened(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    before = window.document.model
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not before)
    settled(window, qtbot)


def saved(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    window._sessions.save(path)
    qtbot.waitUntil(lambda: window._sessions.file == path)


def decide(window: MainWindow) -> None:
    window.document.edit("Write a note", notes={"conv1": "ask"})
    window.document.edit("Paint by cosine", painting=Painting(metric="cosine", limits={"cosine": (0.99, 0.5)}))


def choose(monkeypatch: pytest.MonkeyPatch, method: str, answer: object) -> None:
    """The system's dialog is answered by the user."""
    monkeypatch.setattr(QFileDialog, method, lambda *_args, **_more: answer)


def notices(window: MainWindow) -> list[Notice]:
    return [row.notice for row in window.banners.rows]


def test_saving_asks_where_and_then_no_more(
    window: MainWindow, qtbot: QtBot, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(window, qtbot, model)
    decide(window)
    file = model.with_name("case.errorflow")
    choose(monkeypatch, "getSaveFileName", (str(file.with_suffix("")), ""))
    window.commands.made["session.save"].trigger()
    qtbot.waitUntil(lambda: window._sessions.file == file)
    assert read_session(file).session.notes == {"conv1": "ask"}
    choose(monkeypatch, "getSaveFileName", ("", ""))
    window.document.edit("Write a note", notes={})
    window.commands.made["session.save"].trigger()
    qtbot.waitUntil(lambda: not window._sessions.modified)
    assert read_session(file).session.notes == {}


@pytest.mark.parametrize("built_in", [True, False])
def test_saving_begins_beside_the_model_wherever_one_looked_last(
    window: MainWindow, qtbot: QtBot, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, built_in: bool
) -> None:
    opened(window, qtbot, SAMPLES[0].model if built_in else model)
    other = tmp_path / "other"
    other.mkdir()
    window.settings.add_recent(other / "m.onnx")
    begun: list[str] = []

    def ask(_window: object, _title: str, begin: str, *_args: object, **_more: object) -> tuple[str, str]:
        begun.append(begin)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    window.commands.made["session.save"].trigger()
    assert Path(begun[0]).parent == (Path.home() if built_in else model.parent)


def test_the_title_names_the_session_and_says_when_it_is_not_saved(
    window: MainWindow, qtbot: QtBot, model: Path
) -> None:
    opened(window, qtbot, model)
    assert window.windowTitle().startswith("model.onnx")
    assert not window.isWindowModified()
    decide(window)
    assert window.isWindowModified()
    saved(window, qtbot, model.with_name("case.errorflow"))
    assert window.windowTitle().startswith("case.errorflow")
    assert not window.isWindowModified()
    window.commands.made["undo"].trigger()
    assert window.isWindowModified()
    window.commands.made["redo"].trigger()
    assert not window.isWindowModified()


def test_nothing_is_decided_where_two_models_are_shown_by_themselves(window: MainWindow, qtbot: QtBot) -> None:
    sample = SAMPLES[0]
    setup = Setup("onnx", {"original": sample.model, "quantized": sample.candidate_model})
    window.comparisons.start(setup)
    qtbot.waitUntil(lambda: window.document.session.pairing == "side")
    assert not window.isWindowModified()
    decide(window)
    assert window.isWindowModified()


def test_a_session_is_reopened_as_it_was(window: MainWindow, qtbot: QtBot, model: Path) -> None:
    opened(window, qtbot, model)
    decide(window)
    window.folds.close_all()
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.folds.open_all()
    qtbot.waitUntil(lambda: not window.jobs.steps)
    window.document.show(5)
    window.view.zoom_to(1.5)
    window.document.search_for("Conv")
    before = window._sessions.captured()
    file = model.with_name("case.errorflow")
    saved(window, qtbot, file)
    window.close_model()
    opened(window, qtbot, file)
    after = window._sessions.captured()
    assert replace(after, sights=before.sights) == before
    assert after.sights.open_groups == before.sights.open_groups
    assert after.sights.zoom == pytest.approx(before.sights.zoom)
    assert (after.sights.x, after.sights.y) == pytest.approx((before.sights.x, before.sights.y), abs=1.0)
    assert not window._sessions.modified


def test_more_that_is_known_of_a_model_is_not_the_session_that_is_being_opened(
    window: MainWindow, qtbot: QtBot, model: Path, tmp_path: Path
) -> None:
    other = Path(copy(SAMPLES[1].model, tmp_path / "other.onnx"))
    opened(window, qtbot, other)
    decide(window)
    file = other.with_name("case.errorflow")
    saved(window, qtbot, file)
    opened(window, qtbot, model)
    decide(window)
    said = list[object]()

    def learn_more(*_: object) -> None:
        """The file was read, and what it is about is being opened: over before one could wait for it."""
        assert window.document.model is not None
        window.document.refine(replace(window.document.model))
        said.append(window.session_files.unsaved())

    window._sessions.opened.connect(learn_more)
    window._sessions.open(file)
    qtbot.waitUntil(lambda: bool(said))
    settled(window, qtbot)
    assert said == [()]
    assert window.document.model is not None and window.document.model.path == other
    assert window._sessions.file == file
    assert not window._sessions.modified


def test_undo_and_redo_name_what_they_change(window: MainWindow, qtbot: QtBot, model: Path) -> None:
    opened(window, qtbot, model)
    assert not window.commands.made["undo"].isEnabled()
    decide(window)
    undo = window.commands.made["undo"]
    assert undo.isEnabled() and "Paint by cosine" in undo.text()
    undo.trigger()
    assert window.document.session.painting == Painting()
    assert window.status.currentMessage() == "Undone: Paint by cosine"
    window.commands.made["redo"].trigger()
    assert window.document.session.painting != Painting()
    assert window.status.currentMessage() == "Done again: Paint by cosine"


def test_what_was_not_saved_is_set_aside_when_another_model_is_opened(
    window: MainWindow, qtbot: QtBot, model: Path, tmp_path: Path
) -> None:
    other = Path(copy(SAMPLES[1].model, tmp_path / "other.onnx"))
    opened(window, qtbot, model)
    decide(window)
    opened(window, qtbot, other)
    (draft,) = window.session_files.unsaved()
    assert draft.text.startswith("model.onnx")
    window.session_files.open_unsaved(draft.path)
    qtbot.waitUntil(lambda: window.document.session.notes == {"conv1": "ask"})
    assert window.session_files.unsaved() == ()
    assert window._sessions.modified


def test_nothing_is_set_aside_where_nothing_was_decided(
    window: MainWindow, qtbot: QtBot, model: Path, tmp_path: Path
) -> None:
    other = Path(copy(SAMPLES[1].model, tmp_path / "other.onnx"))
    opened(window, qtbot, model)
    opened(window, qtbot, other)
    assert window.session_files.unsaved() == ()


def test_a_draft_is_written_while_one_works(window: MainWindow, qtbot: QtBot, model: Path) -> None:
    opened(window, qtbot, model)
    decide(window)
    own = window._sessions._drafts.own
    qtbot.waitUntil(lambda: own.exists() and read_session(own).session.notes == {"conv1": "ask"}, timeout=8000)


def test_files_that_have_moved_are_looked_for(
    window: MainWindow, qtbot: QtBot, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "case.errorflow"
    write_session(Session(model=model, notes={"a": "b"}), file)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    model.rename(elsewhere / model.name)
    window.open(file)
    qtbot.waitUntil(lambda: any("not where they were" in notice.text for notice in notices(window)))
    (notice,) = [notice for notice in notices(window) if notice.button.startswith("Look")]
    choose(monkeypatch, "getExistingDirectory", str(elsewhere))
    assert notice.pressed is not None
    notice.pressed()
    settled(window, qtbot)
    assert window.document.session.notes == {"a": "b"}
    assert window.document.model is not None and window.document.model.path == elsewhere / model.name


@pytest.mark.parametrize("data", ["", "{}", '{"errorflow-session": 99}'])
def test_a_broken_session_is_a_message_and_what_is_on_view_stays(
    window: MainWindow, qtbot: QtBot, model: Path, tmp_path: Path, data: str
) -> None:
    opened(window, qtbot, model)
    file = tmp_path / "bad.errorflow"
    file.write_text(data)
    window.open(file)
    qtbot.waitUntil(lambda: bool(notices(window)))
    assert window.document.model is not None
    assert notices(window)[-1].hint


@pytest.mark.parametrize("way", ["session", "draft"])
def test_what_is_said_of_a_sample_goes_when_a_session_is_opened(
    window: MainWindow, qtbot: QtBot, model: Path, way: str
) -> None:
    opened(window, qtbot, SAMPLES[0].model)
    assert notices(window)
    file = model.with_name("case.errorflow")
    write_session(Session(model=model), file)
    start = window._sessions.open if way == "session" else window._sessions.open_draft
    start(file)
    qtbot.waitUntil(lambda: window.document.session.model == model)
    assert notices(window) == []


def test_lost_files_are_no_matter_any_more_when_something_else_is_opened(
    window: MainWindow, qtbot: QtBot, model: Path
) -> None:
    file = model.with_name("case.errorflow")
    write_session(Session(model=model.with_name("gone.onnx")), file)
    window.open(file)
    qtbot.waitUntil(lambda: bool(notices(window)))
    opened(window, qtbot, model)
    assert notices(window) == []


def outside(window: MainWindow, qtbot: QtBot, model: Path) -> tuple[Path, Notice]:
    """A session that was changed both here and by somebody else, and what is said when it is saved."""
    file = model.with_name("case.errorflow")
    write_session(Session(model=model), file)
    opened(window, qtbot, file)
    decide(window)
    write_session(Session(model=model, notes={"conv1": "theirs"}), file)
    window.commands.made["session.save"].trigger()
    qtbot.waitUntil(lambda: bool(notices(window)))
    (notice,) = notices(window)
    return file, notice


def test_what_somebody_else_wrote_is_not_saved_over(window: MainWindow, qtbot: QtBot, model: Path) -> None:
    file, notice = outside(window, qtbot, model)
    assert notice.text == "case.errorflow was changed on disk since it was opened."
    assert read_session(file).session.notes == {"conv1": "theirs"} and window._sessions.modified


def test_it_is_overwritten_where_the_user_says_so(window: MainWindow, qtbot: QtBot, model: Path) -> None:
    file, notice = outside(window, qtbot, model)
    dict(notice.ways)["Overwrite"]()
    qtbot.waitUntil(lambda: not window._sessions.modified)
    assert read_session(file).session.notes == {"conv1": "ask"} and notices(window) == []
    window.document.edit("Write a note", notes={})
    window.commands.made["session.save"].trigger()
    qtbot.waitUntil(lambda: not window._sessions.modified)


def test_a_reload_shows_theirs_and_sets_aside_what_was_decided(window: MainWindow, qtbot: QtBot, model: Path) -> None:
    _, notice = outside(window, qtbot, model)
    dict(notice.ways)["Reload"]()
    qtbot.waitUntil(lambda: window.document.session.notes == {"conv1": "theirs"})
    (draft,) = window._sessions.unsaved()
    assert read_session(draft).session.notes == {"conv1": "ask"}


def test_a_node_without_a_name_stays_selected(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "nameless.onnxtxt"
    body = "g (float[2] x) => (float[2] y) { a = Neg(x) b = Abs(a) y = Exp(b) }"
    path.write_text(f'<ir_version: 8, opset_import: ["": 17]> {body}')
    opened(window, qtbot, path)
    window.document.show(2)
    file = tmp_path / "case.errorflow"
    saved(window, qtbot, file)
    window.close_model()
    opened(window, qtbot, file)
    assert window.document.state.node == 2
