"""Which keys a command may have, and whose they are."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from errorflow_viewer.commands.api import Action, CommandTable
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.pages.keys.asking import losers, owners, pressed, refusal, take_over
from errorflow_viewer.pages.keys.page import KeyLines, as_text
from errorflow_viewer.pages.keys.shortcuts import IN_GRAPH, markdown
from errorflow_viewer.window.actions import ACTIONS

Key, Modifier = Qt.Key, Qt.KeyboardModifier
NONE, SHIFT, CTRL = Modifier.NoModifier, Modifier.ShiftModifier, Modifier.ControlModifier
ids = [row.key for row in ACTIONS]


def row_of(key: str) -> Action[Any]:
    return next(row for row in ACTIONS if row.key == key)


@pytest.mark.parametrize("row", ACTIONS, ids=ids)
def test_a_command_may_have_its_own_keys(row: Action[Any]) -> None:
    assert [refusal(row, keys) for keys in row.shortcuts] == [""] * len(row.shortcuts)


@pytest.mark.parametrize(
    "keys", ["A", "7", "Space", "Shift+G", "Backspace", "Del", "Tab", "Return", "Up", "Home", "Esc"]
)
def test_where_one_writes_and_moves_no_plain_key_is_taken(keys: str) -> None:
    assert "Add Ctrl or Alt" in refusal(row_of("open"), keys)


@pytest.mark.parametrize("keys", ["Ctrl+C", "Ctrl+V", "Ctrl+A", "Ctrl+X"])
def test_what_fields_need_is_not_taken(keys: str) -> None:
    assert "where one writes" in refusal(row_of("open"), keys)


@pytest.mark.parametrize("keys", ["F12", "Ctrl+K", "Alt+X", "Ctrl+Alt+A", "Shift+F7"])
def test_others_are_free(keys: str) -> None:
    assert refusal(row_of("open"), keys) == ""


def test_keys_of_menus_are_theirs() -> None:
    assert refusal(row_of("open"), "Alt+F") == "Alt+F opens the menu File. Press another key."


def test_letters_are_for_what_counts_in_the_graph_only() -> None:
    command = row_of("worst.next")
    assert refusal(command, "W") == "" == refusal(command, "F")
    assert "moves through" in refusal(command, "Down") and "where one writes" in refusal(row_of("open"), "F")


def test_what_the_graph_does_with_a_key_is_named_while_no_command_has_it(settings: Settings) -> None:
    table, command, other = CommandTable(ACTIONS, Keymap(settings)), row_of("worst.next"), row_of("worst.previous")
    assert losers(table, command, "F") == ["Fit graph"] and losers(table, command, "W") == []
    take_over(table, command, "F", instead=False)
    assert losers(table, command, "F") == [] and losers(table, other, "F") == [command.name]


def test_what_the_graph_does_with_a_key_is_listed_while_no_command_has_it(settings: Settings, qtbot: QtBot) -> None:
    table, command = CommandTable(ACTIONS, Keymap(settings)), row_of("worst.next")
    lines = KeyLines(table)
    qtbot.addWidget(lines)

    def listed() -> list[bool]:
        place = lines.lines.find(lambda line: (line.part, line.how) == (IN_GRAPH, "`F`"))
        shown = not lines.isRowHidden(place.row(), place.parent())
        texts = as_text(table), markdown(table)
        return [shown, *("Fit graph" in text.split(IN_GRAPH)[-1] for text in texts)]

    assert listed() == [True] * 3
    take_over(table, command, "F", instead=False)
    assert listed() == [False] * 3
    lines.narrow("")
    assert listed() == [False] * 3
    table.keymap.reset(command.key)
    assert listed() == [True] * 3


def test_whose_keys_they_are(settings: Settings) -> None:
    table = CommandTable(ACTIONS, Keymap(settings))
    assert [row.key for row in owners(table, row_of("session.save"), "Ctrl+O")] == ["open"]
    assert owners(table, row_of("open"), "Ctrl+O") == []


def test_what_is_taken_over_has_one_command_only(settings: Settings) -> None:
    table, reload, save = CommandTable(ACTIONS, Keymap(settings)), row_of("reload"), row_of("session.save")
    take_over(table, save, "F5", instead=False)
    assert table.keys(save) == ("Ctrl+S", "F5")
    assert table.keys(reload) == ("Ctrl+R",)
    take_over(table, save, "F12", instead=True)
    assert table.keys(save) == ("F12",)


@pytest.mark.parametrize(
    ("key", "modifiers", "text", "keys"),
    [
        (Key.Key_S, CTRL | SHIFT, "\x13", "Ctrl+Shift+S"),
        (Key.Key_N, SHIFT, "N", "Shift+N"),
        (Key.Key_Colon, SHIFT, ":", ":"),
        (Key.Key_5, Modifier.KeypadModifier, "5", "5"),
        (Key.Key_Shift, SHIFT, "", ""),
        (Key.Key_Control, CTRL, "", ""),
        (Key.Key_unknown, NONE, "", ""),
        (Key.Key_Space, SHIFT, " ", "Shift+Space"),
        (Key.Key_F5, NONE, "", "F5"),
    ],
)
def test_what_is_pressed_is_one_key(key: int, modifiers: Qt.KeyboardModifier, text: str, keys: str) -> None:
    assert pressed(key, modifiers, text) == keys
