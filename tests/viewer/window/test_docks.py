"""Panels that are made when they are needed, and their titles where there is little room."""

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QPushButton, QTabBar, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from errorflow_viewer.app.crash import CrashReporter
from errorflow_viewer.kit.layouts import PAGE_LEAST, SHARES, PageStack
from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.panels.notes.panel import NotesPanel
from errorflow_viewer.window.docks import Dock, DockTitle
from errorflow_viewer.window.window import MainWindow
from viewer.models import branching_model


@pytest.fixture
def bare(qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path) -> Iterator[MainWindow]:
    """The window of a first start, in which no panel was seen."""
    window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()
    window.deleteLater()


def test_a_panel_that_is_made_for_a_wish_hears_it(bare: MainWindow) -> None:
    heard: list[str] = []
    for key, wish in (("simulate", bare.studies.simulating.asked), ("runs", bare.studies.evaluating.wanted)):
        assert not bare.panels.by_key[key].is_made
        wish.connect(lambda key=key: heard.append(key))
        wish.emit()
        assert bare.panels.by_key[key].is_made
    assert heard.count("simulate") == heard.count("runs") == 2  # once more for the panel


def test_a_wish_is_said_once_where_its_panel_is_there(bare: MainWindow) -> None:
    bare.panels.make_all()
    heard: list[None] = []
    bare.studies.evaluating.wanted.connect(lambda: heard.append(None))
    bare.studies.evaluating.wanted.emit()
    assert len(heard) == 1


def broken(bare: MainWindow, key: str) -> Dock:
    """One of the panels, which fails whenever it is to be made."""

    def fail(_: object) -> QWidget:
        raise ValueError("this panel is broken")

    dock = bare.panels.by_key[key]
    dock.panel = replace(dock.panel, make=fail)
    return dock


def test_a_panel_that_cannot_be_made_keeps_no_other_away(bare: MainWindow, qtbot: QtBot) -> None:
    dock = broken(bare, "nodes")
    with qtbot.captureExceptions() as told:
        bare.document.open(branching_model())
        QCoreApplication.processEvents()
    front = [each for key, each in bare.panels.by_key.items() if each is not dock and bare.panels.is_in_front(key)]
    assert len(front) > 1 and all(each.is_made for each in front)
    assert bare.stack.currentWidget() is bare.pair and bare.focusWidget() is bare.view
    assert {str(error) for _, error, _ in told} == {"this panel is broken"}


def test_that_a_panel_cannot_be_made_is_told_once(bare: MainWindow, qtbot: QtBot) -> None:
    broken(bare, "nodes")
    reporter = CrashReporter(lambda: "Errorflow 0\n")
    reporter.install()
    bare.document.open(branching_model())
    bare.document.close()
    bare.document.open(branching_model())
    qtbot.waitUntil(lambda: reporter.window is not None)
    reporter.remove()
    assert reporter.window is not None
    assert reporter.window.report.toPlainText().count("ValueError: this panel is broken") == 1
    reporter.window.close()


def test_the_rest_is_made_without_one_that_cannot_be(bare: MainWindow, qtbot: QtBot) -> None:
    dock = broken(bare, "simulate")
    with qtbot.captureExceptions() as told:
        bare.panels.make_all()
    assert [each for each in bare.panels.by_key.values() if not each.is_made] == [dock]
    assert len(told) == 1


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    found = QMainWindow()
    qtbot.addWidget(found)
    return found


def titled(window: QMainWindow, qtbot: QtBot, width: int) -> tuple[DockTitle, list[QPushButton]]:
    dock = QDockWidget(window)
    title, buttons = DockTitle(dock, "Ranking"), [QPushButton(f"Do thing number {at}") for at in range(4)]
    dock.setTitleBarWidget(title)
    dock.setWidget(QWidget())
    title.add(buttons)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.resize(width, 400)
    window.show()
    qtbot.waitExposed(window)
    return title, buttons


def test_the_buttons_of_a_panel_stand_beside_its_title(window: QMainWindow, qtbot: QtBot) -> None:
    title, buttons = titled(window, qtbot, 1200)
    assert len({button.mapTo(title, button.rect().center()).y() for button in buttons}) == 1
    assert title.height() < 2 * buttons[0].height()


def test_where_it_is_narrow_they_stand_below_and_all_can_be_reached(window: QMainWindow, qtbot: QtBot) -> None:
    title, buttons = titled(window, qtbot, 300)
    qtbot.waitUntil(lambda: title.height() > 2 * buttons[0].height())
    for button in buttons:
        assert title.rect().contains(button.rect().translated(button.mapTo(title, button.rect().topLeft())))
        assert button.visibleRegion().boundingRect() == button.rect()


def test_a_title_asks_for_no_more_width_than_its_widest_button(window: QMainWindow, qtbot: QtBot) -> None:
    title, buttons = titled(window, qtbot, 1200)
    assert title.minimumSizeHint().width() < 2 * buttons[0].sizeHint().width()


def test_a_button_that_its_panel_withholds_stays_so(window: QMainWindow, qtbot: QtBot) -> None:
    title, buttons = titled(window, qtbot, 1200)
    buttons[1].hide()
    window.resize(300, 400)
    qtbot.waitUntil(lambda: title.height() > 2 * buttons[0].height())
    assert [button.isVisible() for button in buttons] == [True, False, True, True]


def test_a_wide_page_that_is_hidden_asks_for_no_room(qtbot: QtBot) -> None:
    stack, wide, narrow = PageStack(), QWidget(), QWidget()
    qtbot.addWidget(stack)
    wide.setMinimumWidth(1600)
    narrow.setMinimumWidth(200)
    for page in (wide, narrow):
        stack.addWidget(page)
    assert stack.minimumSizeHint().width() == 1600
    stack.setCurrentWidget(narrow)
    assert stack.minimumSizeHint() == PAGE_LEAST
    narrow.setProperty(SHARES, True)  # panels around it ask for their own room
    assert stack.minimumSizeHint().width() == 200


def test_bars_of_tabs_have_names_and_leave_nothing_in_python(bare: MainWindow) -> None:
    def held() -> int:
        gc.unfreeze()
        gc.collect()
        bars = [each for each in gc.get_objects() if isinstance(each, QTabBar) and isValid(each)]
        gc.freeze()
        return sum(bare.isAncestorOf(bar) for bar in bars)

    before = held()
    for key in ("problems", "log", "notes"):
        bare.panels.show(key)
        QCoreApplication.processEvents()
        bare.panels.hide_all()
        QCoreApplication.processEvents()
    assert held() == before
    for key in ("problems", "log", "notes"):
        bare.panels.show(key)
    QCoreApplication.processEvents()
    named = [bar.accessibleName() for bar in bare.findChildren(QTabBar) if bar.parent() is bare and bar.isVisible()]
    assert named
    assert set(named) == {"Panels"}


def test_a_panel_that_is_hidden_is_told_what_changed_when_it_is_shown(bare: MainWindow) -> None:
    bare.document.open(branching_model())
    bare.panels.show("notes")
    panel = bare.panels.by_key["notes"].content
    assert isinstance(panel, NotesPanel)
    bare.panels.hide("notes")
    bare.document.edit("Write a note", note="of this case")
    assert panel.session.toPlainText() == ""
    bare.panels.show("notes")
    assert panel.session.toPlainText() == "of this case"
