"""Keys that the user gives commands: kept, marked, taken back; rubbish among them is no wish."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.keymap import MOST_KEYS, Keymap, portable, tell_keys
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.panels.node_table import NodeTable
from errorflow_viewer.panels.node_view import NEXT, PREVIOUS, SWITCH, SWITCH_ALL, NodeView
from errorflow_viewer.panels.ranking.view import SWITCH as SWITCH_RANKED
from errorflow_viewer.window.actions import ACTIONS

OWN = ("Ctrl+S",)


@pytest.fixture
def keymap(settings: Settings) -> Keymap:
    return Keymap(settings)


def test_a_command_has_its_own_keys_until_it_is_given_others(keymap: Keymap, settings: Settings) -> None:
    assert keymap.keys("save", OWN) == OWN and not keymap.is_changed("save", OWN)
    keymap.give("save", OWN, ["Ctrl+Shift+X", "F12"])
    assert keymap.keys("save", OWN) == ("Ctrl+Shift+X", "F12") and keymap.is_changed("save", OWN)
    assert Keymap(settings).keys("save", OWN) == ("Ctrl+Shift+X", "F12")


def test_a_command_may_have_none(keymap: Keymap, settings: Settings) -> None:
    keymap.give("save", OWN, [])
    assert keymap.keys("save", OWN) == () and Keymap(settings).keys("save", OWN) == ()
    assert keymap.is_changed("save", OWN)


def test_its_own_keys_given_again_are_no_change(keymap: Keymap, settings: Settings) -> None:
    keymap.give("save", OWN, ["F12"])
    keymap.give("save", OWN, OWN)
    assert not keymap.is_changed("save", OWN) and settings.keys_of("save") is None


def test_a_reset_is_told(keymap: Keymap) -> None:
    told: list[bool] = []
    keymap.changed.connect(lambda: told.append(True))
    keymap.give("save", OWN, ["F12"])
    keymap.reset("save")
    assert keymap.keys("save", OWN) == OWN and len(told) == 2


@pytest.mark.parametrize(
    "text", ["", "[", "3", '{"a": 1}', "[3]", '"F5"', '["Hyper+Q"]', '["", "nonsense"]', "[" * 9999]
)
def test_rubbish_is_no_wish(settings: Settings, tmp_path: Path, text: str) -> None:
    QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat).setValue("keys/save", text)
    settings.flush()
    assert Keymap(settings).keys("save", OWN) == OWN


def test_of_several_keys_those_that_are_none_are_left_out(keymap: Keymap, settings: Settings) -> None:
    settings.set_keys_of("save", ["Ctrl+Foo", "F12", *(f"Ctrl+{number}" for number in range(10))])
    found = keymap.keys("save", OWN)
    assert found[0] == "F12" and len(found) == MOST_KEYS


def test_keys_are_kept_as_every_platform_writes_them() -> None:
    assert portable("ctrl+shift+x") == "Ctrl+Shift+X" and portable("Space") == "Space" and portable("Ctrl+") == ""


def test_the_tip_of_a_button_has_the_keys_of_its_command_as_they_are(settings: Settings, qtbot: QtBot) -> None:
    button = QPushButton()
    qtbot.addWidget(button)
    tell_keys(button, settings, "Save it", "save", OWN)
    assert button.toolTip() == "Save it (Ctrl+S)"
    Keymap.of(settings).give("save", OWN, ["F12"])
    assert button.toolTip() == "Save it (F12)"
    Keymap.of(settings).give("save", OWN, [])
    assert button.toolTip() == "Save it"


def test_keys_in_tips_are_those_of_the_rows() -> None:
    own = {row.key: row.shortcuts for row in ACTIONS}
    texts = (path.read_text(encoding="utf-8") for path in (Path(__file__).parents[3] / "viewer").rglob("*.py"))
    said = [found for text in texts for found in re.findall(r'tell_keys\(.*?"([\w.]+)", \("([^"]+)",\)\)', text)]
    assert said and [(command, keys) for command, keys in said if own[command][:1] != (keys,)] == []


def pressed(keys: str) -> QKeyEvent:
    combination = QKeySequence(keys)[0]  # type: ignore[index]  # the stubs do not know that it is
    return QKeyEvent(QEvent.Type.KeyPress, combination.key(), combination.keyboardModifiers())


def test_a_key_in_a_panel_means_a_command_as_long_as_it_is_the_commands(keymap: Keymap) -> None:
    assert keymap.means(pressed("N"), "worst.next", ("N",)) and not keymap.means(
        pressed("Shift+N"), "worst.next", ("N",)
    )
    keymap.give("worst.next", ("N",), ["J"])
    assert keymap.means(pressed("J"), "worst.next", ("N",)) and not keymap.means(pressed("N"), "worst.next", ("N",))


def test_keys_that_panels_take_are_those_of_the_table() -> None:
    own = {row.key: row.shortcuts for row in ACTIONS}
    for command, keys in (NEXT, PREVIOUS, SWITCH, SWITCH_ALL, SWITCH_RANKED):
        assert own[command] == keys


def test_the_list_of_nodes_follows_other_keys(keymap: Keymap, qtbot: QtBot) -> None:
    view = NodeView(NodeTable(), keymap)
    qtbot.addWidget(view)
    steps: list[int] = []
    view.worst_wanted.connect(steps.append)
    keymap.give("worst.previous", ("Shift+N",), ["K"])
    for keys in ("N", "Shift+N", "K"):
        view.keyPressEvent(pressed(keys))
    assert steps == [1, -1]
