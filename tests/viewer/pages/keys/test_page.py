"""The map of the keyboard in the window: found, changed, taken over, printed, and seen everywhere."""

from html import unescape
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow_viewer.pages.keys.page import KEYS, KeysPage, as_html, as_text
from errorflow_viewer.pages.keys.shortcuts import IN_GRAPH
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.palette import find
from errorflow_viewer.window.window import MainWindow

Key, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(window: MainWindow) -> KeysPage:
    window.commands.made["shortcuts"].trigger()
    return window.whole_pages.keys


def keys_of(page: KeysPage, key: str) -> str:
    return str(page.lines.place(key).siblingAtColumn(KEYS).data())


def press(page: KeysPage, key: str, *, instead: bool = True) -> None:
    page.lines.choose(key)
    page.asking.ask(instead=instead)


def test_it_is_a_page_and_lists_all_commands_with_their_keys(page: KeysPage, window: MainWindow) -> None:
    assert window.stack.currentWidget() is page
    assert all(keys_of(page, row.key) or not row.shortcuts for row in ACTIONS)
    assert keys_of(page, "reload") == "F5   Ctrl+R"


@pytest.mark.parametrize(
    ("text", "key"), [("ctrl+shift+p", "palette"), ("save session as", "session.save_as"), ("hotkeys", "shortcuts")]
)
def test_commands_are_found_by_name_by_keys_and_by_other_words(page: KeysPage, text: str, key: str) -> None:
    page.search.setText(text)
    assert page.lines.shows(key) and not page.lines.shows("quit")
    page.search.clear()
    assert page.lines.shows("quit")


def test_keys_that_are_pressed_are_the_commands_own_from_then_on(page: KeysPage, window: MainWindow) -> None:
    press(page, "manual")
    QTest.keyClick(page.asking.field, Key.Key_K, CTRL)
    made = window.commands.made["manual"]
    assert [keys.toString() for keys in made.shortcuts()] == ["Ctrl+K"]
    assert "(Ctrl+K)" in made.toolTip() and keys_of(page, "manual") == "Ctrl+K"
    assert next(item.hint for item in find("Manual", window) if item.text == "Manual") == "Ctrl+K"
    assert window.settings.keys_of("manual") == ("Ctrl+K",)


def test_a_key_works_as_soon_as_it_is_given(page: KeysPage, window: MainWindow, qtbot: QtBot) -> None:
    press(page, "settings", instead=False)
    QTest.keyClick(page.asking.field, Key.Key_F12)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(page.lines, Key.Key_F12)
    assert window.stack.currentWidget() is window.whole_pages.settings


def test_a_key_of_another_command_is_named_and_taken_over(page: KeysPage) -> None:
    press(page, "session.save")
    QTest.keyClick(page.asking.field, Key.Key_O, CTRL)
    assert (
        page.asking.note.text() == "Ctrl+O is “Open…” now. Enter takes it over."
        and keys_of(page, "session.save") == "Ctrl+S"
    )
    page.asking.take.click()
    assert (keys_of(page, "session.save"), keys_of(page, "open")) == ("Ctrl+O", "")
    assert page.asking.note.text() == "“Open…” has lost Ctrl+O."


def test_it_is_taken_over_without_the_mouse_too(page: KeysPage) -> None:
    press(page, "session.save")
    QTest.keyClick(page.asking.field, Key.Key_O, CTRL)
    QTest.keyClick(page.asking.field, Key.Key_Return)
    assert (keys_of(page, "session.save"), keys_of(page, "open")) == ("Ctrl+O", "")


def test_a_command_is_chosen_by_a_click(page: KeysPage) -> None:
    spot = page.lines.visualRect(page.lines.place("reload")).center()
    QTest.mouseClick(page.lines.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert page.asking.name.text() == "Reload" and page.asking.set.isVisibleTo(page)


def test_a_key_that_is_refused_says_why(page: KeysPage) -> None:
    press(page, "open")
    QTest.keyClick(page.asking.field, Key.Key_A)
    assert "A is needed where one writes" in page.asking.note.text() and keys_of(page, "open") == "Ctrl+O"


def test_esc_leaves_all_as_it_was(page: KeysPage, window: MainWindow) -> None:
    press(page, "open")
    QTest.keyClick(page.asking.field, Key.Key_Escape)
    assert page.asking.field.isHidden() and keys_of(page, "open") == "Ctrl+O"
    assert window.stack.currentWidget() is page


def test_one_key_of_several_is_taken_away(page: KeysPage) -> None:
    page.lines.choose("reload")
    page.asking._remove("F5")
    assert keys_of(page, "reload") == "Ctrl+R"
    page.asking.reset.click()
    assert keys_of(page, "reload") == "F5   Ctrl+R"


def test_a_reset_takes_the_keys_back_from_whoever_has_them(page: KeysPage) -> None:
    press(page, "session.save")
    page.asking._on_keys("Ctrl+O")
    page.asking.take.click()
    page.lines.choose("open")
    page.asking.reset.click()
    assert (keys_of(page, "open"), keys_of(page, "session.save")) == ("Ctrl+O", "")


def test_all_are_reset_and_that_is_taken_back(page: KeysPage) -> None:
    assert not page.all.isEnabled()
    press(page, "session.save")
    page.asking._on_keys("Ctrl+K")
    page.all.click()
    assert keys_of(page, "session.save") == "Ctrl+S" and page.all.text() == "Undo reset"
    page.all.click()
    assert keys_of(page, "session.save") == "Ctrl+K" and page.all.text() == "Reset all"


def test_what_opens_a_list_has_no_keys(page: KeysPage) -> None:
    page.lines.choose("recent")
    page.asking.ask(instead=True)
    assert page.asking.field.isHidden() and page.asking.set.isHidden() and "opens a list" in page.asking.note.text()


def test_the_printed_map_has_each_command_with_keys(window: MainWindow) -> None:
    made = unescape(as_html(window.commands.table))
    assert [row.key for row in ACTIONS if row.shortcuts and f"<td>{row.name}</td>" not in made] == []


def test_the_printed_map_has_the_keys_as_they_are(
    page: KeysPage, window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    press(page, "session.save")
    page.asking._on_keys("Ctrl+K")
    assert "<kbd>Ctrl+K</kbd>" in as_html(window.commands.table)
    assert "Ctrl+K" in as_text(window.commands.table) and "`" not in as_text(window.commands.table)
    page._write(tmp_path / "keys.html")
    qtbot.waitUntil((tmp_path / "keys.html").exists)
    assert (tmp_path / "keys.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_manual_has_the_keys_as_they_are(page: KeysPage, window: MainWindow) -> None:
    press(page, "session.save")
    page.asking._on_keys("Ctrl+K")
    assert "| Save session | `Ctrl+K` |" in window.support.manual.manual.text("shortcuts.md")


def shows_heading(page: KeysPage, title: str) -> bool:
    [row] = [at for at, part in enumerate(page.lines.lines.groups) if part.item.name == title]
    return not page.lines.isRowHidden(row, QModelIndex())


def test_a_heading_goes_with_its_last_line(page: KeysPage, window: MainWindow) -> None:
    page.search.setText("fit")
    assert shows_heading(page, IN_GRAPH)
    keymap, row = window.commands.table.keymap, next(row for row in ACTIONS if row.graph_only)
    keymap.give(row.key, row.shortcuts, ("F",))
    assert not shows_heading(page, IN_GRAPH)  # the graph has lost that key, and nothing else in it is meant
    keymap.reset(row.key)
    assert shows_heading(page, IN_GRAPH)
