"""The keyboard in the tour: Tab leads to its words, past all their buttons, and back to what is told of."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.window.window import MainWindow
from viewer.window.tour.conftest import Take, at, press


@pytest.mark.parametrize("key", ["paint", "worst", "introduced"])
def test_words_about_the_graph_are_one_tab_away_from_it(window: MainWindow, take: Take, qtbot: QtBot, key: str) -> None:
    tour = take()
    tour._step([step.key for step in tour._steps].index(key))
    at(tour, key, qtbot)
    tour.look()
    assert tour.coach is not None and tour.step is not None
    # The graph has the keyboard where it is asked for there, the words have it elsewhere.
    assert QApplication.focusWidget() is (window.view if tour.step.in_graph else tour.coach.on_button)
    window.view.setFocus()
    press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is tour.coach.on_button
    tour.end()


def walk(key: Qt.Key, end: QWidget) -> list[QWidget]:
    """What gets the keyboard on the way there, by one key again and again."""
    found: list[QWidget] = []
    while len(found) < 90 and (not found or found[-1] is not end):
        press(key)
        QTest.qWait(0)
        held = QApplication.focusWidget()
        assert held is not None
        found.append(held)
    return found


@pytest.mark.parametrize("key", ["paint", "worst", "introduced"])
def test_all_buttons_beside_words_about_the_graph_are_reached(
    window: MainWindow, take: Take, qtbot: QtBot, key: str
) -> None:
    tour = take()
    tour._step([step.key for step in tour._steps].index(key))
    at(tour, key, qtbot)
    tour.look()
    coach = tour.coach
    assert coach is not None
    buttons = [each for each in (coach.close_button, coach.skip_button, coach.back_button) if each.isEnabled()]
    window.view.setFocus()
    forth = walk(Qt.Key.Key_Tab, window.view)
    assert forth[0] is coach.on_button and forth[-1] is window.view and window.panels.nodes.search in forth
    back = walk(Qt.Key.Key_Backtab, window.view)
    assert back[-len(buttons) - 2 :] == [coach.on_button, *reversed(buttons), window.view]
    assert back[-len(buttons) - 3] is forth[1]  # what comes behind the words
    buttons[0].setFocus()
    assert walk(Qt.Key.Key_Tab, coach.on_button) == [*buttons[1:], coach.on_button]
    tour.end()


def test_who_waits_beside_words_about_the_graph_comes_back_to_it(window: MainWindow, take: Take, qtbot: QtBot) -> None:
    tour = take()
    at(tour, "paint", qtbot)
    assert tour.coach is not None
    tour.coach.show_task("", enabled=False)
    window.view.setFocus()
    press(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is tour.coach
    press(Qt.Key.Key_Backtab)
    assert QApplication.focusWidget() is window.view
    tour.end()


@pytest.mark.parametrize("key", ["verdict", "evidence"])
def test_words_are_one_tab_away_from_the_last_of_what_they_are_about(
    window: MainWindow, take: Take, qtbot: QtBot, key: str
) -> None:
    tour = take()
    tour._step([step.key for step in tour._steps].index(key))
    at(tour, key, qtbot)
    tour.look()
    step, stage = tour.step, tour._stage
    assert tour.coach is not None and step is not None and stage is not None
    assert QApplication.focusWidget() is tour.coach.on_button
    thing = step.aim(stage)
    assert thing is not None
    parts = [part for part in window.findChildren(QAbstractButton) if part.focusPolicy() & Qt.FocusPolicy.TabFocus]
    place = stage.of_widget
    inside = [part for part in parts if (rect := place(part)) is not None and thing.contains(rect) and part.isEnabled()]
    inside[0].setFocus()
    for _ in range(40):
        press(Qt.Key.Key_Tab)
        QTest.qWait(0)
        held = place(QApplication.focusWidget())
        assert held is not None
        if not thing.contains(held):
            break
    assert QApplication.focusWidget() is tour.coach.on_button
    tour.end()


def test_return_goes_on_where_the_words_have_the_keyboard(window: MainWindow, take: Take, qtbot: QtBot) -> None:
    tour = take()
    press(Qt.Key.Key_Return)
    at(tour, "worst", qtbot)
    assert QApplication.focusWidget() is window.view
    press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Return)
    assert window.document.state.node is not None  # what the step asks for is done
    at(tour, "introduced", qtbot)
    tour.end()


def test_who_waits_with_next_goes_on_with_next(take: Take, qtbot: QtBot) -> None:
    """The button that waits cannot keep the keyboard, and its neighbour would do something else."""
    tour = take()
    tour._going_on.setInterval(60_000)  # nobody goes on by himself
    tour._step(5)
    at(tour, "simulate", qtbot)
    assert tour.coach is not None and QApplication.focusWidget() is tour.coach.on_button
    press(Qt.Key.Key_Return)
    assert not tour.coach.on_button.isEnabled() and QApplication.focusWidget() is tour.coach
    press(Qt.Key.Key_Return)
    assert tour.step is not None and tour.step.key == "simulate"
    qtbot.waitUntil(lambda: tour._is_done)
    assert QApplication.focusWidget() is tour.coach.on_button
    tour.end()
