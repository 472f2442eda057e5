"""Menus that are open."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from viewer.models import branching_model


def opened(window: MainWindow, qtbot: QtBot, name: str) -> QMenu:
    """A menu, while the graph has the keyboard."""
    window.document.open(branching_model())
    window.show()
    window.activateWindow()
    window.view.setFocus()
    qtbot.waitUntil(window.view.hasFocus)
    menu = next(action.menu() for action in window.menuBar().actions() if action.text() == f"&{name}")
    assert isinstance(menu, QMenu)
    menu.popup(window.mapToGlobal(window.rect().center()))
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is menu)
    return menu


def test_a_letter_means_a_row_of_the_open_menu_and_not_what_it_does_in_the_graph(
    window: MainWindow, qtbot: QtBot
) -> None:
    menu = opened(window, qtbot, "Improve")
    before = window.switches.is_on("minimap")
    QTest.keyClick(menu, Qt.Key.Key_M)
    assert window.switches.is_on("minimap") == before
    menu.close()
    QTest.keyClick(window.view, Qt.Key.Key_M)
    assert window.switches.is_on("minimap") != before
    QTest.keyClick(window.view, Qt.Key.Key_M)


def test_a_letter_of_a_row_starts_it(window: MainWindow, qtbot: QtBot) -> None:
    menu = opened(window, qtbot, "Improve")
    QTest.keyClick(menu, Qt.Key.Key_O)
    assert not menu.isVisible()
    assert window.panels.by_key["outliers"].isVisible()


def test_what_changes_while_they_are_held_is_looked_at_at_the_end(window: MainWindow) -> None:
    fit = window.commands.made["fit"]  # one of the toolbar, which shows how it is at once
    with window.commands.held(), window.commands.held():
        window.document.open(branching_model())
        assert not fit.isEnabled()
    assert fit.isEnabled() and window.commands.made["reload"].isEnabled()


def test_they_are_looked_at_once_while_panels_find_their_places(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[None] = []
    early = window.commands._early
    monkeypatch.setattr(early, "look_again", lambda: looked.append(None))
    window.document.open(branching_model())
    assert len(looked) <= 3


def test_icons_of_a_menu_are_drawn_when_it_opens(window: MainWindow, qtbot: QtBot) -> None:
    with_icon = {row.key for row in ACTIONS if row.icon and not row.entries and "Improve" in row.menu}
    assert {key for key in with_icon if not window.commands.made[key].icon().isNull()} == set()
    opened(window, qtbot, "Improve").close()
    assert {key for key in with_icon if window.commands.made[key].icon().isNull()} == set() != with_icon


def test_a_key_asks_its_command_anew_whether_it_makes_sense(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.show()
    window.activateWindow()
    window.view.setFocus()
    qtbot.waitUntil(window.view.hasFocus)
    window.document.select(node=0)
    QTest.keyClick(window.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert QApplication.clipboard().text() == window.selection.name != ""
    window.document.select()
    assert not window.commands.made["copy_name"].isEnabled()


def test_an_open_menu_shows_its_commands_as_they_are(window: MainWindow, qtbot: QtBot) -> None:
    menu = opened(window, qtbot, "File")
    copy = next(action for action in menu.actions() if action.objectName() == "copy_name")
    assert not copy.isEnabled()
    menu.close()
    window.document.select(node=0)
    menu.popup(window.mapToGlobal(window.rect().center()))
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is menu)

    assert copy.isEnabled()
