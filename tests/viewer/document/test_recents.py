"""The last opened files: the window never waits for the disk they lie on."""

from pathlib import Path

from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

import run_folders
from errorflow.base.sample import SAMPLES
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from errorflow_viewer.document.recents import key_of
from errorflow_viewer.window.palette import find
from errorflow_viewer.window.window import MainWindow
from viewer.document.test_comparing import complete, npu_case


def looked(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.recents.is_looking)


def with_recents(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> tuple[Path, Path]:
    there, gone = tmp_path / "there.onnx", tmp_path / "gone.onnx"
    there.touch()
    for path in (there, gone):
        window.settings.add_recent(path)
    window.start.refresh()
    return there, gone


def names(window: MainWindow) -> list[str]:
    return [card.accessibleName() for card in window.start.recent_cards]


def test_a_file_that_is_gone_is_listed_and_marked_when_that_is_known(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    there, gone = with_recents(window, qtbot, tmp_path)
    assert names(window) == [f"Open {gone}", f"Open {there}"]
    assert window.recents.is_looking
    looked(window, qtbot)
    assert names(window) == [f"Open {gone}, not found", f"Open {there}"]
    assert recent_texts(window)[0] == "gone.onnx (not found)"


def test_the_menu_greys_it_and_the_palette_leaves_it_out(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    with_recents(window, qtbot, tmp_path)
    looked(window, qtbot)
    menu = next(menu for menu in window.commands.menus["File"].findChildren(QMenu) if menu.title() == "Open &recent")
    menu.aboutToShow.emit()
    enabled = {action.text(): action.isEnabled() for action in menu.actions()}
    assert enabled == {"gone.onnx": False, "there.onnx": True, "Clear recent files": True}
    assert [item.text for item in find("Open recent onnx", window)] == ["Open recent: there.onnx"]


def test_marking_keeps_the_keyboard_where_it_is(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    with_recents(window, qtbot, tmp_path)
    card = window.start.recent_cards[0]
    card.setFocus()
    looked(window, qtbot)
    assert window.focusWidget() is card


def test_a_file_that_is_there_again_is_marked_no_more(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    _, gone = with_recents(window, qtbot, tmp_path)
    looked(window, qtbot)
    gone.touch()
    window.start.refresh()
    looked(window, qtbot)
    assert not window.recents.is_missing(gone)


def test_looking_is_not_begun_twice(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    there, _ = with_recents(window, qtbot, tmp_path)
    job = window.jobs._running[key_of(there)]
    window.start.refresh()
    assert window.jobs._running[key_of(there)] is job
    looked(window, qtbot)


def recent_texts(window: MainWindow) -> list[str]:
    return [card.name.accessibleName() for card in window.start.recent_cards]


def test_a_comparison_is_one_entry_that_opens_all_of_it_again(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path / "case")
    window.comparisons.start(setup)
    complete(window, qtbot)
    assert window.settings.recents == (setup,)
    window.close_model()
    assert recent_texts(window) == ["net.json · golden ↔ npu"]
    window.start.recent_cards[0].chosen.emit()
    complete(window, qtbot)
    assert window.document.session.setup == setup
    assert window.settings.recents == (setup,)


def test_a_comparison_is_opened_from_the_palette(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path / "case")
    window.settings.add_recent(setup)
    (item,) = [item for item in find("golden npu", window) if item.text.startswith("Open recent")]
    assert (item.text, item.hint) == ("Open recent: net.json · golden ↔ npu", str(tmp_path / "case"))
    item.run()
    complete(window, qtbot)
    assert window.document.session.setup == setup


def test_a_comparison_of_the_model_on_view_is_remembered(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path / "case")
    model = setup.files["fusion"]
    window.open(model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    window.comparisons.start(setup)
    complete(window, qtbot)
    assert window.settings.recents == (setup, model)


def test_a_comparison_without_its_run_says_what_is_missing(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup = npu_case(tmp_path / "case")
    gone = Setup(setup.scenario, {**setup.files, "reference": tmp_path / "gone"})
    window.settings.add_recent(gone)
    window.start.refresh()
    looked(window, qtbot)
    assert recent_texts(window) == ["net.json · gone ↔ npu (not found)"]
    window.start.recent_cards[0].chosen.emit()
    qtbot.waitUntil(lambda: any(row.notice.kind == "error" for row in window.banners.rows))
    (said,) = [row.notice for row in window.banners.rows if row.notice.kind == "error"]
    assert str(tmp_path / "gone") in said.text and said.button == "Change…"


def test_a_comparison_that_is_all_there_is_not_marked(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    a, b = run_folders.npz(tmp_path / "a.npz", 2.0), run_folders.npz(tmp_path / "b.npz")
    setup = Setup("runs", {"candidate": a, "reference": b})
    window.settings.add_recent(setup)
    window.start.refresh()
    looked(window, qtbot)
    assert not window.recents.is_missing(setup)
    assert names(window) == ["Open b.npz ↔ a.npz"]


def test_what_comes_with_a_sample_is_not_remembered(window: MainWindow, qtbot: QtBot) -> None:
    sample = SAMPLES[0]
    files = {"candidate": sample.candidate_run, "reference": sample.reference_run, "model": sample.model}
    window.comparisons.start(Setup("runs", files))
    complete(window, qtbot)
    assert window.settings.recents == ()


def test_a_comparison_can_be_removed(window: MainWindow, tmp_path: Path) -> None:
    window.settings.add_recent(Setup("runs", {"candidate": tmp_path / "a", "reference": tmp_path / "b"}))
    window.start.refresh()
    remove = window.start.recent_cards[0].cross
    assert remove.accessibleName() == "Remove b ↔ a from the recent files"
    remove.click()
    assert window.settings.recents == () and window.start.recent_cards == ()


def test_a_comparison_in_a_session_is_there_as_the_session(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    setup, file = npu_case(tmp_path / "case"), tmp_path / "case.errorflow"
    write_session(Session(model=setup.files["fusion"], setup=setup), file)
    window.open(file)
    complete(window, qtbot)
    assert window.settings.recents == (file,)
