"""Buttons that show an action."""

import pytest
from PySide6.QtCore import SIGNAL
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow
from viewer.models import branching_model

CHANGED = SIGNAL("changed()")


@pytest.fixture
def action(qapp: QApplication) -> QAction:
    return QAction("Open", qapp)


@pytest.fixture
def button(action: QAction, qtbot: QtBot) -> QToolButton:
    button = QToolButton()
    qtbot.addWidget(button)
    button.setDefaultAction(action)
    return button


def test_a_button_listens_to_its_action_no_more(action: QAction, button: QToolButton) -> None:
    for name in ("Fit", "Find"):
        action.setText(name)
    icons.listen_no_more(action)
    assert action.receivers(CHANGED) == 0


def test_it_still_shows_what_the_action_becomes(action: QAction, button: QToolButton) -> None:
    icons.listen_no_more(action)
    action.setText("Fit")
    action.setEnabled(False)
    assert (button.text(), button.isEnabled()) == ("Fit", False)


def test_others_still_hear_of_the_action(action: QAction, button: QToolButton) -> None:
    heard: list[str] = []
    action.changed.connect(lambda: heard.append(action.text()))
    icons.listen_no_more(action)
    action.setText("Fit")
    assert heard == ["Fit"]


def listeners(window: MainWindow) -> list[int]:
    return [action.receivers(CHANGED) for action in window.findChildren(QAction)]


def test_opening_and_closing_does_not_make_listeners(window: MainWindow) -> None:
    window.document.open(branching_model())
    window.document.close()
    before = listeners(window)
    for _ in range(3):
        window.document.open(branching_model())
        window.document.close()
    assert listeners(window) == before


def test_another_theme_does_not_make_listeners(window: MainWindow, appearance: Appearance) -> None:
    before = listeners(window)
    for choice in ("dark", "light"):
        appearance.choose(choice)
    assert listeners(window) == before


def test_icons_in_other_colours_do_not_make_listeners(action: QAction, button: QToolButton) -> None:
    icons.follow(action, "open")
    icons.recolour([action])
    assert action.receivers(CHANGED) == 0
