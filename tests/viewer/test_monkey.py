"""Whatever is done in whatever order, nothing breaks: no error, no warning of Qt, no dead end."""

import math
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from errorflow.compare import Comparison, Row
from errorflow.dump import TensorInfo
from errorflow.report.paint import PAINTED
from errorflow.sample import SAMPLES
from errorflow_viewer.actions import ACTIONS
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.panels.nodes import NodesPanel
from errorflow_viewer.window import MainWindow
from viewer.models import branching_model

STEPS = 250
# These wait for an answer in a dialog of the system, or leave the app.
LEAVES = ("open", "second.open", "quit", "log", "log_folder", "session.save", "session.save_as")
COMMANDS = [row for row in ACTIONS if row.key not in LEAVES and row.entries is None]
FILES = [sample.model for sample in SAMPLES[:3]] + [SAMPLES[0].candidate_run, Path("/no/such/file"), Path("/")]


class Monkey:
    """Does one random thing after the other."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self.window = window
        self.random = random.Random(seed)
        self.ways: list[Callable[[], None]] = [
            self.open,
            self.command,
            self.command,
            self.select,
            self.travel,
            self.search,
            self.sort,
            self.click,
            self.palette,
            self.link,
            self.compare,
        ]

    def step(self) -> None:
        self.random.choice(self.ways)()
        for _ in range(self.random.randrange(5)):
            QCoreApplication.processEvents()
        for dialog in self.window.findChildren(QDialog):
            dialog.close()
        self.check()

    def check(self) -> None:
        """What is seen belongs together, whatever is under way."""
        view = self.window._graph_view
        if view.shown is not None:
            assert view.shown.draft.graph is self.window.document.graph
            paint = view.errors.paint
            assert paint is None or len(paint.errors.badness) == len(view.shown.drawing)

    def open(self) -> None:
        if self.random.random() < 0.3:
            self.window.document.open(branching_model())
        elif self.random.random() < 0.3:
            self.window.open(self.random.choice(FILES))

    def command(self) -> None:
        row = self.random.choice(COMMANDS)
        if row.enabled(self.window):
            self.window.commands.made[row.key].trigger()

    def compare(self) -> None:
        """Some tensors of the graph on view, well or badly measured or not at all."""
        graph = self.window.document.graph
        if graph is None:
            return
        info = TensorInfo("", "float32", (1,), 4)
        scores = [{PAINTED.key: value} for value in (0.0, 0.3, 1e9, math.inf, math.nan)]
        rows = [Row(name, info, info, self.random.choice([*scores, {}]), "a note") for name in graph.tensor_names[::2]]
        self.window.document.take_comparison(self.random.choice([Comparison(tuple(rows)), None]))

    def select(self) -> None:
        graph = self.window.document.graph
        if graph is not None and len(graph):
            self.window.document.show(self.random.randrange(len(graph)))

    def travel(self) -> None:
        graph, document = self.window.document.graph, self.window.document
        if graph is not None and graph.subgraphs:
            document.go(document.state.place.inside(0))

    def search(self) -> None:
        self.window.document.search_for(self.random.choice(["", "conv", 'type:"Relu"', "zzz", "/", '"']))

    def sort(self) -> None:
        content = self.window.docks.by_key["nodes"].content
        assert isinstance(content, NodesPanel)
        content.view.sortByColumn(self.random.randrange(-1, 3), self.random.choice(list(Qt.SortOrder)))

    def click(self) -> None:
        view = self.window.view
        point = QPoint(self.random.randrange(view.width()), self.random.randrange(view.height()))
        press = self.random.choice([QTest.mouseClick, QTest.mouseDClick])
        press(view, Qt.MouseButton.LeftButton, pos=point)

    def palette(self) -> None:
        box = self.window.palette_box
        self.window.open_palette(self.random.choice(["@", "@re", "zoom", "theme", "conv"]))
        QTest.keyClick(box.field, self.random.choice([Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Escape]))

    def link(self) -> None:
        content = self.window.docks.by_key["details"].content
        assert isinstance(content, DetailsPanel)
        links = re.findall(r'href="([^"]+)"', content.text.toHtml())
        if links:
            content.text.anchorClicked.emit(QUrl(self.random.choice(links)))


@pytest.mark.parametrize("seed", range(3))
def test_nothing_breaks(window: MainWindow, qtbot: QtBot, seed: int) -> None:
    monkey = Monkey(window, seed)
    for _ in range(STEPS):
        monkey.step()
    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    model = window.document.model
    assert model is not None and model.path == SAMPLES[0].model
    window.setWindowState(Qt.WindowState.WindowNoState)
