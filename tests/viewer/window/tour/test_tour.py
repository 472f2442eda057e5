"""The two-minute tour on the real sample in the real window."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.window.tour import steps as table
from errorflow_viewer.window.tour.steps import STEPS
from errorflow_viewer.window.window import MainWindow
from viewer.window.tour.conftest import Take, at, press

SAMPLE = SAMPLES[0]


def node(window: MainWindow) -> str:
    graph, number = window.document.graph, window.document.state.node
    return "" if graph is None or number is None else graph.node_names[number]


# All of it


def test_next_does_every_step_and_the_end_is_the_start_page(window: MainWindow, qtbot: QtBot, take: Take) -> None:
    tour = take()
    assert tour.coach is not None and QApplication.focusWidget() is tour.coach.on_button  # Return goes on
    for step in STEPS[:-1]:
        at(tour, step.key, qtbot)
        assert tour.coach is not None
        tour.coach.on_button.click()
    at(tour, STEPS[-1].key, qtbot)
    simulation = window.document.session.simulation
    assert simulation is not None and simulation.plan.rules  # the culprit is in float
    assert tour.coach is not None and tour.coach.on_button.text() == "Finish"
    tour.coach.on_button.click()
    qtbot.waitUntil(lambda: tour._is_done)
    assert window.stack.currentWidget() is window.whole_pages.verdict
    tour.coach.on_button.click()
    assert not tour.is_on and window.document.model is None
    assert window.stack.currentWidget() is window.start
    assert window.settings.tour_step == ""
    assert window.session_files.unsaved() == ()


def test_what_the_user_does_is_noticed(window: MainWindow, qtbot: QtBot, take: Take) -> None:
    tour = take()
    press(Qt.Key.Key_Return, control=True)
    at(tour, "worst", qtbot)
    stage, step = tour._stage, tour.step
    assert stage is not None and step is not None
    aimed, places = step.aim(stage), [stage.of_node(node) for node in range(31)]
    window.commands.made["worst.next"].trigger()
    assert aimed is not None and places.index(aimed) == window.document.state.node  # it shows where the key leads
    at(tour, "introduced", qtbot)
    window.commands.made["marks.swap"].trigger()
    at(tour, "verdict", qtbot)
    assert not window.document.session.painting.swapped  # it is as it was
    culprit = window.document.graph.node_index(SAMPLE.truth().culprits[0])  # type: ignore[union-attr]  # it is there
    window.document.show(culprit)  # type: ignore[arg-type]  # it is in the graph
    at(tour, "evidence", qtbot)
    assert window.panels.is_in_front("inspector")
    tour.end()


# Steps


def test_words_cover_nothing_of_what_they_are_about(window: MainWindow, qtbot: QtBot, take: Take) -> None:
    tour = take()
    for key in ("paint", "worst", "introduced", "verdict", "evidence"):
        at(tour, key, qtbot)
        tour.look()
        assert tour.coach is not None and tour.ring is not None and tour.ring.isVisible()
        assert not tour.coach.geometry().intersects(tour.ring.geometry().adjusted(4, 4, -4, -4)), key
        assert window.rect().contains(tour.coach.geometry())
        tour._step(1)
    tour.end()


def test_words_follow_a_window_of_another_size(window: MainWindow, take: Take, qtbot: QtBot) -> None:
    tour = take()
    window.resize(1000, 640)
    QTest.qWait(0)
    tour.look()
    assert tour.coach is not None and tour.ring is not None
    assert window.rect().contains(tour.coach.geometry())
    legend = tour.step.aim(tour._stage) if tour.step is not None and tour._stage is not None else None
    assert legend is not None and tour.ring.geometry().contains(legend.intersected(window.rect()))
    tour.end()


def test_back_leads_back(take: Take, qtbot: QtBot) -> None:
    tour = take()
    tour._step(1)
    at(tour, "worst", qtbot)
    press(Qt.Key.Key_Backspace, control=True)
    assert tour.step is not None and tour.step.key == "paint"
    assert tour.coach is not None and not tour.coach.back_button.isEnabled()
    tour.end()


def test_panels_that_were_closed_are_shown_and_closed_again(window: MainWindow, take: Take, qtbot: QtBot) -> None:
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    for key in ("nodes", "inspector", "details", "verdict", "profile"):
        window.panels.hide(key)
    tour = take()
    assert window.panels.is_shown("nodes") and window.panels.is_shown("inspector")
    tour.end()
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    assert not window.panels.is_shown("nodes") and not window.panels.is_shown("inspector")


def test_sides_are_as_wide_afterwards_as_their_user_made_them(window: MainWindow, take: Take, qtbot: QtBot) -> None:
    """The tour puts panels where they were at the first start; a small window took from them before."""
    window.open(SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    nodes, details = window.panels.by_key["nodes"], window.panels.by_key["details"]
    window.resize(1600, 1000)
    details.raise_()
    QTest.qWait(0)
    window.resizeDocks([nodes, details], [460, 400], Qt.Orientation.Horizontal)
    QTest.qWait(0)
    window.resize(900, 600)
    QTest.qWait(0)
    small = nodes.width()
    assert small < 460
    tour = take()
    assert nodes.width() < small
    tour.end()
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    assert nodes.width() == small
    window.resize(1600, 1000)
    QTest.qWait(0)
    details.raise_()
    QTest.qWait(0)
    assert (nodes.width(), details.width()) == (460, 400)


def test_without_a_runtime_the_step_says_so_and_goes_on(
    take: Take, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorflow_viewer.window.tour.stage.can_run", lambda: False)
    tour = take()
    assert [step.key for step in tour._steps] == [step.key for step in STEPS if step.key != "float"]
    tour._step(5)
    at(tour, "simulate", qtbot)
    assert tour.coach is not None and tour.coach.text.text() == table.NO_RUNTIME
    tour.coach.on_button.click()
    at(tour, "handover", qtbot)
    tour.end()


def test_every_step_is_told_in_full(take: Take) -> None:
    tour = take()
    assert tour.coach is not None
    for number, step in enumerate(STEPS, 1):
        tour.coach.tell(number, len(STEPS), step.title, step.text)
        assert step.title in tour.coach.accessibleName()
        assert (step.act is None) == (step.task("K") == "")
        assert bool(step.after) == (step.act is not None)
    tour.end()


# Leaving


def test_esc_ends_it_and_the_next_time_it_goes_on_there(window: MainWindow, take: Take, qtbot: QtBot) -> None:
    tour = take()
    tour._step(1)
    at(tour, "worst", qtbot)
    press(Qt.Key.Key_Escape)
    assert not tour.is_on and window.document.model is None
    assert window.settings.tour_step == "worst"
    again = take()
    assert again.step is not None and again.step.key == "worst"
    again.end()


def test_the_sample_may_stay(window: MainWindow, take: Take) -> None:
    tour = take()
    tour.stay()
    assert not tour.is_on
    assert window.document.model is not None and window.document.model.path == SAMPLE.model


def test_another_model_ends_it(window: MainWindow, take: Take, qtbot: QtBot) -> None:
    tour = take()
    window.open(SAMPLES[1].model)
    qtbot.waitUntil(lambda: not tour.is_on and not window.jobs.steps)
    assert window.document.model is not None and window.document.model.path == SAMPLES[1].model


def test_a_cancelled_opening_ends_it(window: MainWindow, qtbot: QtBot) -> None:
    window.tour()
    assert window._tour.is_on
    window.cancel()
    qtbot.waitUntil(lambda: not window._tour.is_on and not window.jobs.steps)
    assert window.document.model is None and window.stack.currentWidget() is window.start


def test_what_is_opened_while_the_sample_comes_stays(window: MainWindow, qtbot: QtBot) -> None:
    window.tour()
    window.open(SAMPLES[1].model)
    qtbot.waitUntil(lambda: not window._tour.is_on and not window.jobs.steps)
    assert window.document.model is not None and window.document.model.path == SAMPLES[1].model


def test_what_was_on_view_is_as_it_was_after_a_cancelled_opening(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    decided(window, qtbot, tmp_path / "mine.onnx")
    window.tour()
    window.cancel()
    qtbot.waitUntil(lambda: not window._tour.is_on and not window.jobs.steps)
    assert window.document.session.notes == {"/stem/conv/Conv": "mine"}
    assert window._sessions.modified and window.session_files.unsaved() == ()


# What was on view


def decided(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    """A model of the user's with a note that is not saved."""
    path.write_bytes(SAMPLE.model.read_bytes())
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    window.document.edit("Write a note", notes={"/stem/conv/Conv": "mine"})
    window.document.select(node=5)


def test_what_was_on_view_comes_back_as_it_was(window: MainWindow, take: Take, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "mine.onnx"
    decided(window, qtbot, path)
    before = window.document.session
    tour = take()
    tour.end()
    qtbot.waitUntil(lambda: window.document.session.model == path and not window.jobs.steps)
    assert replace(window.document.session, sights=before.sights, node="", search="") == before
    assert node(window) and window.document.state.node == 5
    assert window._sessions.modified and window.session_files.unsaved() == ()


def test_what_was_on_view_belongs_to_its_file_afterwards(
    window: MainWindow, take: Take, qtbot: QtBot, tmp_path: Path
) -> None:
    decided(window, qtbot, tmp_path / "mine.onnx")
    window._sessions.save(tmp_path / "mine.errorflow")
    qtbot.waitUntil(lambda: window._sessions.file is not None and not window.jobs.steps)
    take().end()
    qtbot.waitUntil(lambda: window._sessions.file == tmp_path / "mine.errorflow" and not window.jobs.steps)
    assert not window._sessions.modified


def test_nothing_is_lost_when_another_model_ends_it(
    window: MainWindow, take: Take, qtbot: QtBot, tmp_path: Path
) -> None:
    decided(window, qtbot, tmp_path / "mine.onnx")
    tour = take()
    window.open(SAMPLES[1].model)
    qtbot.waitUntil(lambda: not tour.is_on and not window.jobs.steps)
    assert len(window.session_files.unsaved()) == 1


def test_a_window_that_is_closed_meanwhile_opens_with_what_was_on_view(
    window: MainWindow, take: Take, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "mine.onnx"
    decided(window, qtbot, path)
    take()
    window.close()
    assert str(path) in window.settings.last_model
    second = MainWindow(window.settings, window.appearance, tmp_path / "errorflow.log")
    second.show()
    second.reopen_last()
    qtbot.waitUntil(lambda: second.document.session.model == path and not second.jobs.steps)
    assert second.document.session.notes == {"/stem/conv/Conv": "mine"}
    assert second.session_files.unsaved() == ()
    second.close()
    second.deleteLater()
