"""The table of commands: each row is tested by being there."""

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QMenu

import errorflow_viewer
from errorflow_viewer.commands.api import MENUS, Action
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.panels import PANELS
from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow

# A command that is run by its key.
RUN = re.compile(r'\b(?:run|turn_on)\("([a-z_.]+)"\)')
ids = [row.key for row in ACTIONS]
# These show a dialog of the system or end the app; tests of their own cover them.
LEAVES = ("open", "second.open", "quit", "log", "log_folder", "session.save", "session.save_as")


@pytest.mark.parametrize("row", ACTIONS, ids=ids)
def test_a_command_has_a_text_in_sentence_case_and_a_menu(row: Action[Any]) -> None:
    assert re.fullmatch(r"[A-Z].*", row.name)
    assert row.menu in MENUS
    assert row.text.count("&") == 1


@pytest.mark.parametrize("row", [row for row in ACTIONS if row.icon], ids=lambda row: row.key)
def test_the_icon_of_a_command_is_drawn(row: Action[Any]) -> None:
    assert (files("errorflow_resources") / "icons" / "line" / f"{row.icon}.svg").is_file()


@pytest.mark.parametrize("row", [row for row in ACTIONS if row.shortcuts], ids=lambda row: row.key)
def test_shortcuts_are_keys_that_exist(row: Action[Any]) -> None:
    for keys in row.shortcuts:
        assert QKeySequence(keys).toString(QKeySequence.SequenceFormat.PortableText) == keys


def test_keys_are_unique() -> None:
    assert len(set(ids)) == len(ids)
    shortcuts = Counter(keys for row in ACTIONS for keys in row.shortcuts)
    assert [keys for keys, count in shortcuts.items() if count > 1] == []


@pytest.mark.parametrize("menu", MENUS)
def test_menu_keys_are_unique_in_their_menu(menu: str) -> None:
    rows = [row for row in ACTIONS if menu in (row.menu, row.also_in)]
    texts = [(row.submenu, row.text) for row in rows] + [("", text) for text in {row.submenu for row in rows} if text]
    marks = Counter((submenu, text[text.index("&") + 1].lower()) for submenu, text in texts)
    assert [mark for mark, count in marks.items() if count > 1] == []


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)
def test_every_panel_has_its_command_in_the_table(panel: Panel) -> None:
    assert panel.command.key == f"panel.{panel.key}" and panel.command in ACTIONS


def test_what_others_run_by_its_key_is_in_the_table() -> None:
    sources = Path(errorflow_viewer.__file__ or "").parent.rglob("*.py")
    run = {key for path in sources for key in RUN.findall(path.read_text(encoding="utf-8"))}
    assert {"compare", "settings", "export.report"} <= run <= set(ids)


@pytest.mark.parametrize("row", [row for row in ACTIONS if row.key not in LEAVES], ids=lambda row: row.key)
def test_a_command_works_on_an_empty_window(row: Action[Any], window: MainWindow) -> None:
    before = window.document.model
    row.run(window)
    assert window.document.model is before
    for child in window.findChildren(type(window.commands.palette)):
        child.hide()
    close_dialogs(window)


@pytest.fixture(scope="module")
def menus(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[str]]:
    """What stands in each menu and each menu within it, of one window for all rows."""
    folder = tmp_path_factory.mktemp("menus")
    settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    window = MainWindow(settings, Appearance(qapp, "light"), folder / "errorflow.log")
    found = {(name, ""): [each.text() for each in menu.actions()] for name, menu in window.commands.menus.items()}
    for name, menu in window.commands.menus.items():
        inner = {action.text(): action.menu() for action in menu.actions()}
        found |= {
            (name, text): [each.text() for each in below.actions()]
            for text, below in inner.items()
            if isinstance(below, QMenu)
        }
    window.close()
    window.deleteLater()
    return found


@pytest.mark.parametrize("row", ACTIONS, ids=ids)
def test_a_command_is_in_its_menu(row: Action[Any], menus: dict[tuple[str, str], list[str]]) -> None:
    for name in filter(None, (row.menu, row.also_in)):
        shown = menus.get((name, row.submenu), menus[name, ""])
        assert row.text in shown


def test_every_toolbar_button_has_a_name_for_screen_readers(window: MainWindow) -> None:
    from PySide6.QtWidgets import QToolBar, QToolButton

    bar = window.findChild(QToolBar)
    assert bar is not None
    buttons = [bar.widgetForAction(action) for action in bar.actions() if action.text()]
    assert all(isinstance(button, QToolButton) and button.accessibleName() for button in buttons)
    assert len(buttons) == sum(1 for row in ACTIONS if row.toolbar)


def close_dialogs(window: MainWindow) -> None:
    from PySide6.QtWidgets import QDialog

    for dialog in window.findChildren(QDialog):
        dialog.close()
