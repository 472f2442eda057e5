"""Keys that are pressed before what they need is there."""

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.document import comparing
from errorflow_viewer.window import menus
from errorflow_viewer.window.window import MainWindow
from sample_setup import setup_of
from viewer.models import branching_model

if TYPE_CHECKING:
    from errorflow.case.scenarios.setup import Setup
    from errorflow.compare.match.model import Match
    from errorflow.compare.model import Row

SAMPLE, CULPRIT = SAMPLES[0].model, "/block2/project/conv/Conv"


class Gate:
    """Nothing is compared before it opens."""

    def __init__(self) -> None:
        self._open = threading.Event()

    def __call__(self, _setup: "Setup", _match: "Match") -> "Mapping[int, Row]":
        self._open.wait(20)
        return {}

    def open(self) -> None:
        self._open.set()


@pytest.fixture(autouse=True)
def for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key waits until two runs are compared, also on a busy machine."""
    for name in ("ENOUGH", "PATIENCE"):
        monkeypatch.setattr(menus, name, 600_000)


@pytest.fixture
def gate(window: MainWindow) -> Iterator[Gate]:
    gate = Gate()
    window.comparisons.comparing.recall = gate
    yield gate
    gate.open()


def shown(window: MainWindow, qtbot: QtBot, path: Path = SAMPLE) -> None:
    """The graph, of which no number is known yet."""
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not None and window.document.model.path == path)
    assert window.document.state.findings is None
    assert window.jobs.running(comparing.KEY)


def compared(window: MainWindow, qtbot: QtBot, gate: Gate) -> None:
    gate.open()
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)


def press(window: MainWindow, key: Qt.Key = Qt.Key.Key_N) -> None:
    QTest.keyClick(window.view, key)


def test_the_key_to_the_worst_node_goes_there_when_the_first_numbers_come(
    window: MainWindow, qtbot: QtBot, gate: Gate
) -> None:
    shown(window, qtbot)
    press(window)
    assert window.document.state.node is None
    assert window.status.currentMessage().startswith("Next worst node: as soon as")
    gate.open()
    qtbot.waitUntil(lambda: window.document.state.node is not None)
    graph = window.document.graph
    assert graph is not None and graph.node_names[window.document.state.node or 0] == CULPRIT


def test_pressed_while_the_model_is_being_opened_it_does_the_same(window: MainWindow, qtbot: QtBot, gate: Gate) -> None:
    window.open(SAMPLE)
    assert window.document.model is None
    QTest.keyClick(window.start, Qt.Key.Key_N)
    gate.open()
    qtbot.waitUntil(lambda: window.document.state.node is not None)


def test_of_several_the_last_one_counts(window: MainWindow, qtbot: QtBot, gate: Gate) -> None:
    shown(window, qtbot)
    press(window)
    press(window, Qt.Key.Key_Period)
    before = window.document.session.painting.metric
    gate.open()
    qtbot.waitUntil(lambda: window.document.session.painting.metric != before)
    assert window.document.state.node is None


@pytest.mark.parametrize("touch", ["mouse", "key", "command"])
def test_what_the_user_does_meanwhile_takes_its_place(window: MainWindow, qtbot: QtBot, gate: Gate, touch: str) -> None:
    shown(window, qtbot)
    press(window)
    if touch == "mouse":
        QTest.mouseClick(window.view, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    elif touch == "key":
        press(window, Qt.Key.Key_F)
    else:  # as it comes from the system: commands look at it before the graph does
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_F6, Qt.KeyboardModifier.ControlModifier)
    compared(window, qtbot, gate)
    assert window.document.state.node is None


def test_it_lapses_when_the_comparison_is_cancelled(window: MainWindow, qtbot: QtBot, gate: Gate) -> None:
    shown(window, qtbot)
    press(window)
    window.jobs.cancel(comparing.KEY)
    gate.open()
    QCoreApplication.processEvents()
    window.comparisons.start(setup_of(SAMPLES[0]))
    compared(window, qtbot, gate)
    assert window.document.state.node is None


def test_nothing_waits_where_nothing_is_compared(window: MainWindow, qtbot: QtBot, gate: Gate) -> None:
    window.document.open(branching_model())
    press(window)
    shown(window, qtbot)
    compared(window, qtbot, gate)
    assert window.document.state.node is None


def test_letters_outside_the_graph_are_no_commands(window: MainWindow, qtbot: QtBot, gate: Gate) -> None:
    shown(window, qtbot)
    window.panels.by_key["nodes"].content.setFocus()
    QTest.keyClick(window.panels.by_key["nodes"], Qt.Key.Key_N)
    compared(window, qtbot, gate)
    assert window.document.state.node is None
