"""The last opened files: the window never waits for the disk they lie on."""

from pathlib import Path

from PySide6.QtWidgets import QAbstractButton, QMenu
from pytestqt.qtbot import QtBot

from errorflow_viewer.palette import find
from errorflow_viewer.recents import KEY
from errorflow_viewer.window import MainWindow


def looked(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.jobs.running(KEY))


def with_recents(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> tuple[Path, Path]:
    there, gone = tmp_path / "there.onnx", tmp_path / "gone.onnx"
    there.touch()
    for path in (there, gone):
        window.settings.add_recent(path)
    window.start.refresh()
    return there, gone


def names(window: MainWindow) -> list[str]:
    rows = [row.findChildren(QAbstractButton) for row in window.start.recent_rows]
    return [button.accessibleName() for row in rows for button in row if button.accessibleName().startswith("Open ")]


def test_a_file_that_is_gone_is_listed_and_marked_when_that_is_known(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    there, gone = with_recents(window, qtbot, tmp_path)
    assert names(window) == [f"Open {gone}", f"Open {there}"]
    assert window.jobs.running(KEY)
    looked(window, qtbot)
    assert names(window) == [f"Open {gone}, not found", f"Open {there}"]
    assert window.start.recent_rows[0].findChildren(QAbstractButton)[0].text() == "gone.onnx (not found)"


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
    button = window.start.recent_rows[0].findChildren(QAbstractButton)[0]
    button.setFocus()
    looked(window, qtbot)
    assert window.focusWidget() is button


def test_a_file_that_is_there_again_is_marked_no_more(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    _, gone = with_recents(window, qtbot, tmp_path)
    looked(window, qtbot)
    gone.touch()
    window.start.refresh()
    looked(window, qtbot)
    assert not window.recents.is_missing(gone)


def test_looking_is_not_begun_twice(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    with_recents(window, qtbot, tmp_path)
    job = window.jobs._running[KEY]
    window.start.refresh()
    assert window.jobs._running[KEY] is job
    looked(window, qtbot)
