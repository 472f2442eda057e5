"""Where Tab and Return lead in a window with panels."""

from collections.abc import Callable
from typing import cast

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QLineEdit, QPushButton, QTableWidget, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.help.manual import Manual
from errorflow_viewer.help.window import HelpWindow
from errorflow_viewer.kit.accessible.keyboard import give, is_covered
from errorflow_viewer.kit.accessible.menu_key import add_bar_key
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.panels.panel import Panel, panel_action
from errorflow_viewer.window.docks import Dock
from errorflow_viewer.window.frame import WindowFrame

_KEYS = {"front": Qt.DockWidgetArea.LeftDockWidgetArea, "behind": Qt.DockWidgetArea.LeftDockWidgetArea}


@pytest.fixture
def frame(qtbot: QtBot) -> WindowFrame:
    """With a button in the middle, and two panels in tabs, of which one lies behind the other."""
    window = WindowFrame(LIGHT)
    qtbot.addWidget(window)
    window.setCentralWidget(QPushButton("Middle"))
    docks = []
    for key, area in _KEYS.items():
        dock = QDockWidget(key, window)
        dock.setObjectName(key)
        dock.setWidget(QLineEdit())
        dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        window.addDockWidget(area, dock)
        docks.append(dock)
    window.tabifyDockWidget(docks[1], docks[0])
    docks[0].raise_()
    window.resize(600, 400)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    QCoreApplication.processEvents()
    return window


def middle(frame: WindowFrame) -> QWidget:
    found = frame.centralWidget()
    assert found is not None
    return found


def panel(frame: WindowFrame, key: str) -> QDockWidget:
    found = frame.findChild(QDockWidget, key)
    assert isinstance(found, QDockWidget)
    return found


@pytest.mark.parametrize("key", [Qt.Key.Key_Tab, Qt.Key.Key_Backtab])
def test_tab_does_not_lead_into_a_panel_that_lies_behind_another(frame: WindowFrame, key: Qt.Key) -> None:
    behind = panel(frame, "behind")
    assert is_covered(frame, behind) and not is_covered(frame, panel(frame, "front"))
    middle(frame).setFocus()
    reached = []
    for _ in range(6):
        held = QApplication.focusWidget()
        assert held is not None
        QTest.keyClick(held, key)
        reached.append(QApplication.focusWidget())
    assert panel(frame, "front").widget() in reached
    assert behind.widget() not in reached
    assert not behind.isHidden()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_return_presses_the_button_that_has_the_keyboard(frame: WindowFrame, key: Qt.Key) -> None:
    button, pressed = middle(frame), []
    assert isinstance(button, QPushButton)
    button.clicked.connect(lambda: pressed.append(key))
    button.setFocus()
    QTest.keyClick(button, key)
    assert pressed == [key]


def floating_panel(frame: WindowFrame, _: Appearance) -> QWidget:
    left = Qt.DockWidgetArea.LeftDockWidgetArea
    dock = Dock(
        Panel("x", "X", left, True, lambda _: QPushButton("In it"), command=panel_action("x", "&X", "", "", "")),
        cast(Desk, None),
        frame,
    )
    frame.addDockWidget(left, dock)
    dock.setFloating(True)
    return dock


def manual(frame: WindowFrame, appearance: Appearance) -> QWidget:
    found = HelpWindow(frame, appearance, Manual.read())
    QVBoxLayout(found.reader).addWidget(QPushButton("In it"))
    return found


@pytest.mark.parametrize("make", [floating_panel, manual])
def test_return_presses_a_button_in_a_window_of_its_own(
    frame: WindowFrame, appearance: Appearance, make: Callable[[WindowFrame, Appearance], QWidget]
) -> None:
    window, pressed = make(frame, appearance), []
    window.show()
    window.activateWindow()
    QCoreApplication.processEvents()
    button = next(each for each in window.findChildren(QPushButton) if each.text() == "In it")
    button.clicked.connect(lambda: pressed.append(1))
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Return)
    assert window.isWindow() and pressed == [1]


def test_a_key_that_is_held_down_presses_once(frame: WindowFrame) -> None:
    button, pressed = middle(frame), []
    assert isinstance(button, QPushButton)
    button.clicked.connect(lambda: pressed.append(1))
    button.setFocus()
    held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "", True)
    QCoreApplication.sendEvent(button, held)
    assert not pressed


def test_return_in_a_list_presses_nothing(frame: WindowFrame) -> None:
    table, pressed = QTableWidget(2, 2), []
    button = QPushButton("Beside")
    button.clicked.connect(lambda: pressed.append(1))
    frame.setCentralWidget(table)
    frame.statusBar().addWidget(button)
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert not pressed


def test_f10_opens_the_menus_and_escape_gives_the_keyboard_back(frame: WindowFrame) -> None:
    frame.menuBar().addMenu("First").addAction("Something")
    add_bar_key(frame)
    middle(frame).setFocus()
    QTest.keyClick(middle(frame), Qt.Key.Key_F10)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QWidget) and menu is frame.menuBar().actions()[0].menu()
    for _ in range(2):
        QTest.keyClick(QApplication.activePopupWidget() or frame.menuBar(), Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None
    assert QApplication.focusWidget() is middle(frame)


def test_a_panel_in_a_window_of_its_own_gives_the_keyboard_back(frame: WindowFrame) -> None:
    floating = panel(frame, "front")
    floating.setFloating(True)
    held = floating.widget()
    assert held is not None
    give(held)
    QCoreApplication.processEvents()
    assert QApplication.activeWindow() is floating
    give(middle(frame))
    QCoreApplication.processEvents()
    assert QApplication.activeWindow() is frame
    assert QApplication.focusWidget() is middle(frame)
