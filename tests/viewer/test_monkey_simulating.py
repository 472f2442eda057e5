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
from errorflow.quant.steps import Smooth
from errorflow.study.rank.curves import Kind
from errorflow.study.rank.model import KINDS, Question
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.ranking import KEY as RANK
from errorflow_viewer.document.ranking import PAIRS
from errorflow_viewer.document.runs import compare, delete, go_to, rename, stop_comparing, turn_round
from errorflow_viewer.document.simulation_work import KEY, OPEN
from errorflow_viewer.panels.curves.panel import CurvesPanel
from errorflow_viewer.panels.curves.running import KEY as CURVES
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.views import VIEWS
from errorflow_viewer.panels.ranking.asking import MEASURE_WORDS
from errorflow_viewer.panels.ranking.panel import TARGETS, RankingPanel
from errorflow_viewer.panels.simulate.remedying import KEY as BIASES
from errorflow_viewer.panels.simulate.remedying import smooth, take_back, toggle_correction, toggle_equalizing
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from sample_setup import setup_of
from viewer.simulated import FEW, SAMPLE, open_model, seen_through, simulate, simulation

STEPS = 80
CURVES_KINDS: tuple[Kind, ...] = ("cumulative", "recovery", "partial")
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
            *(self.rank, self.rank, self.ask, self.paint, self.keep, self.curves, self.curves, self.remedy),
        ]
        self.ranks, self.drawn = (window.panels.by_key[key].content for key in ("ranking", "curves"))

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
        simulated, bench = state.simulated, self.window.studies.simulating.bench
        assert simulated is None or simulated.bench is bench
        self.window.panels.by_key["ranking"].catch_up()  # it may lie behind another one
        assert isinstance(self.ranks, RankingPanel) and isinstance(self.drawn, CurvesPanel)
        rows, ranking = self.ranks.table.rows, state.ranking
        assert ranking is None or state.session.simulation is not None
        assert (None if rows is None else rows.ranking) is ranking
        assert not self.window.studies.ranking.busy or self.window.jobs.running(RANK)
        assert self.drawn.running.busy == self.window.jobs.running(CURVES)

    def switch(self) -> None:
        graph = self.window.document.graph
        if graph is not None:
            self.window.document.show(self.random.randrange(len(graph)))
        row = self.random.choice(SWITCHES)
        if row.enabled(self.window):
            row.run(self.window)

    def plan(self) -> None:
        self.window.studies.simulating.edit("Simulate another plan", self.random.choice(PRESETS).plan)

    def samples(self) -> None:
        held = self.window.document.session.simulation
        plan = None if held is None else self.random.choice([held.plan, None])
        self.window.studies.simulating.start(self.random.choice(OTHERS), plan)

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

    def rank(self) -> None:
        ranking = self.window.studies.ranking
        self.random.choice([ranking.begin, ranking.ask, ranking.ask, ranking.stop, ranking.pair])()

    def ask(self) -> None:
        kind = self.random.choice(KINDS[:4])
        measures = self.random.choice(list(MEASURE_WORDS))
        self.window.studies.ranking.choose("Rank other parts", Question(kind=kind, measures=measures))

    def paint(self) -> None:
        row = self.random.choice([row for row in ACTIONS if row.key.startswith("rank.paint")])
        if row.enabled(self.window):
            row.run(self.window)

    def keep(self) -> None:
        assert isinstance(self.ranks, RankingPanel)
        self.window.panels.show("ranking")
        if self.random.random() < 0.5:
            self.ranks.bar.kept.emit(self.random.randrange(1, 4), self.random.choice(TARGETS)[1])
        else:
            self.ranks.view.selectRow(self.random.randrange(5))
            self.ranks.doing.switch(self.random.choice([None, "float", 16, "plan"]))

    def curves(self) -> None:
        assert isinstance(self.drawn, CurvesPanel)
        panel, running = self.drawn, self.drawn.running
        self.window.panels.show("curves")
        ways: list[Callable[[], object]] = [
            lambda: running.ask(replace(running.asked, kind=self.random.choice(CURVES_KINDS))),
            running.start,
            running.start,
            running.stop,
            lambda: panel.plot.select(self.random.randrange(len(panel.plot.shown))) if panel.plot.shown else None,
            panel.keep_selected,
            panel.head.average.click,
        ]
        self.random.choice(ways)()

    def remedy(self) -> None:
        ways: list[Callable[[], object]] = [
            lambda: toggle_equalizing(self.window),
            lambda: smooth(self.window, Smooth(self.random.choice([0.3, 0.6]), 0.0)),
            lambda: take_back(self.window, Smooth),
            lambda: toggle_correction(self.window),
        ]
        self.random.choice(ways)()

    def sample(self) -> None:
        self.window.studies.simulating.look_at(self.random.randrange(-1, 6))

    def inspect(self) -> None:
        panel = self.window.panels.by_key["inspector"].content
        assert isinstance(panel, InspectorPanel)
        self.window.panels.show("inspector")
        panel.content.tensor.setCurrentIndex(self.random.randrange(-1, 4))
        panel.content.buttons.chosen.emit(self.random.choice(VIEWS).key)

    def cancel(self) -> None:
        self.window.jobs.cancel(self.random.choice([KEY, OPEN, RANK, PAIRS, CURVES, BIASES, "against", "inspector"]))

    def leave(self) -> None:
        self.window.studies.simulating.leave()

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


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
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
    window.studies.simulating.leave()
    qtbot.waitUntil(lambda: window.document.comparison is not None, timeout=30_000)


def test_closing_the_window_while_it_runs_ends_it(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    plan = simulate(window, qtbot).plan
    window.studies.simulating.edit("Keep it in float", plan.keeping_float("/stem/*"))
    assert window.jobs.running(KEY)
    window.close()
    assert not window.jobs.running(KEY)
    assert window.studies.simulating.bench is None


def test_two_quick_switches_and_back_end_at_what_was_known(window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    first = simulate(window, qtbot)
    for name in ("/stem/*", "/block1/*"):
        window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(name))
    for _ in range(2):
        window.document.undo()
    assert not window.jobs.running(KEY)
    assert seen_through(window, qtbot) is first
