"""Whatever is done to a simulation in whatever order, it ends where the session says, and no error comes of it."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtWidgets import QDialog, QMenu
from pytestqt.qtbot import QtBot

from errorflow.quant.presets import PRESETS
from errorflow.simulate.basis import Basis
from errorflow_viewer.actions import ACTIONS
from errorflow_viewer.comparing import setup_of
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.views import VIEWS
from errorflow_viewer.runs import compare, delete, go_to, rename, stop_comparing, turn_round
from errorflow_viewer.simulating import KEY, OPEN
from errorflow_viewer.window import MainWindow
from viewer.simulated import FEW, SAMPLE, open_model, seen_through, simulate, simulation

STEPS = 60
OTHERS = (FEW, Basis(FEW.asked, samples=8), replace(FEW, method="percentile-99.9"))
SWITCHES = [row for row in ACTIONS if row.key.startswith(("precision.", "runs.", "undo", "redo")) and not row.entries]


class Monkey:
    """Does one random thing after the other to what is simulated."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self.window = window
        self.random = random.Random(seed)
        self.ways: list[Callable[[], None]] = [
            *(self.switch, self.switch, self.switch, self.plan, self.samples, self.undo, self.undo, self.redo),
            *(self.run, self.run, self.sample, self.inspect, self.cancel, self.leave, self.other, self.menu),
        ]

    def step(self) -> None:
        self.random.choice(self.ways)()
        for _ in range(self.random.randrange(8)):
            QCoreApplication.processEvents()
        for dialog in self.window.findChildren(QDialog):
            dialog.close()
        self.check()

    def check(self) -> None:
        """What is seen belongs together, whatever is under way."""
        state, graph = self.window.document.state, self.window.document.graph
        assert state.findings is None or (graph is not None and len(state.findings.graph) == len(graph))
        simulated, bench = state.simulated, self.window.simulating.bench
        assert simulated is None or simulated.bench is bench

    def switch(self) -> None:
        graph = self.window.document.graph
        if graph is not None:
            self.window.document.show(self.random.randrange(len(graph)))
        row = self.random.choice(SWITCHES)
        if row.enabled(self.window):
            row.run(self.window)

    def plan(self) -> None:
        self.window.simulating.edit("Simulate another plan", self.random.choice(PRESETS).plan)

    def samples(self) -> None:
        held = self.window.document.session.simulation
        plan = None if held is None else self.random.choice([held.plan, None])
        self.window.simulating.start(self.random.choice(OTHERS), plan)

    def undo(self) -> None:
        self.window.document.undo()

    def redo(self) -> None:
        self.window.document.redo()

    def run(self) -> None:
        document = self.window.document
        names = [trial.name for trial in document.session.trials]
        if names:
            name, other = self.random.choice(names), self.random.choice(names)
            ways: list[Callable[[], object]] = [
                lambda: go_to(document, name),
                lambda: compare(document, name),
                lambda: compare(document, name, other),
                lambda: rename(document, name, f"Tried {self.random.randrange(100)}"),
                lambda: delete(document, [name]),
                lambda: turn_round(document),
                lambda: stop_comparing(document),
            ]
            self.random.choice(ways)()

    def sample(self) -> None:
        self.window.simulating.look_at(self.random.randrange(-1, 6))

    def inspect(self) -> None:
        panel = self.window.docks.by_key["inspector"].content
        assert isinstance(panel, InspectorPanel)
        self.window.show_panel("inspector")
        panel.content.tensor.setCurrentIndex(self.random.randrange(-1, 4))
        panel.content.buttons.chosen.emit(self.random.choice(VIEWS).key)

    def cancel(self) -> None:
        self.window.jobs.cancel(self.random.choice([KEY, OPEN, "against", "inspector"]))

    def leave(self) -> None:
        self.window.simulating.leave()

    def other(self) -> None:
        ways: list[Callable[[], object]] = [
            self.window.reload,
            self.window.close_model,
            lambda: self.window.open(SAMPLE.model),
            lambda: self.window.comparisons.start(setup_of(SAMPLE)),
        ]
        self.random.choice(ways)()

    def menu(self) -> None:
        self.window.commands.show_graph_menu(QPoint(9, 9))
        for menu in self.window.findChildren(QMenu):
            menu.close()


@pytest.mark.parametrize("seed", range(2))
def test_nothing_breaks(window: MainWindow, qtbot: QtBot, seed: int) -> None:
    open_model(window, qtbot)
    simulate(window, qtbot)
    monkey = Monkey(window, seed)
    for _ in range(STEPS):
        monkey.step()
    window.jobs.cancel_all()
    window.close_model()
    open_model(window, qtbot, Path(SAMPLE.model))
    assert simulate(window, qtbot).plan == simulation(window).plan
    window.simulating.leave()
    qtbot.waitUntil(lambda: window.document.comparison is not None, timeout=30_000)


def test_closing_the_window_while_it_runs_ends_it(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    plan = simulate(window, qtbot).plan
    window.simulating.edit("Keep it in float", plan.keeping_float("/stem/*"))
    assert window.jobs.running(KEY)
    window.close()
    assert not window.jobs.running(KEY)
    assert window.simulating.bench is None


def test_two_quick_switches_and_back_end_at_what_was_known(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    first = simulate(window, qtbot)
    for name in ("/stem/*", "/block1/*"):
        window.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(name))
    for _ in range(2):
        window.document.undo()
    assert not window.jobs.running(KEY)
    assert seen_through(window, qtbot) is first
