"""Whatever is done in whatever order, nothing breaks: no error, no warning of Qt, no dead end."""

import math
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QDialog
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES, Sample
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import PALETTES, HandPair
from errorflow.compare import Comparison, Row
from errorflow.graph.dump import TensorInfo
from errorflow.report.paint import PAINTED
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.views import VIEWS
from errorflow_viewer.panels.nodes import NodesPanel
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from sample_setup import setup_of
from viewer.cases import case_with
from viewer.models import branching_model

STEPS = 250
# These wait for an answer in a dialog of the system, or leave the app.
LEAVES = ("open", "second.open", "quit", "log", "log_folder", "session.save", "session.save_as")
COMMANDS = [row for row in ACTIONS if row.key not in LEAVES and row.entries is None]
PLAIN = ("", "conv", 'type:"Relu"', "zzz", "/", '"', "-", "a or")
SEARCHES = (*PLAIN, "cos<0.99", "verdict:origin", "overflow:yes", "depth:2..5", "cos<")
FILES = [sample.model for sample in SAMPLES[:3]] + [SAMPLES[0].candidate_run, Path("/no/such/file"), Path("/")]


class Monkey:
    """Does one random thing after the other."""

    def __init__(self, window: MainWindow, seed: int, folder: Path) -> None:
        self.window = window
        self.folder = folder
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
            self.compare_files,
            self.page,
            self.drop,
            self.second,
            self.match,
            self.limits,
            self.inspect,
            self.paint,
            self.row,
            self.point,
            self.note,
            self.session,
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
        graph, findings = self.window.document.graph, self.window.document.state.findings
        assert findings is None or (graph is not None and findings.graph.tensor_names == graph.tensor_names)

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
        self.window.document.take_case(self.random.choice([case_with(Comparison(tuple(rows))), None]))

    def select(self) -> None:
        graph = self.window.document.graph
        if graph is not None and len(graph):
            self.window.document.show(self.random.randrange(len(graph)))

    def travel(self) -> None:
        graph, document = self.window.document.graph, self.window.document
        if graph is not None and graph.subgraphs:
            document.go(document.state.place.inside(0))

    def search(self) -> None:
        self.window.document.search_for(self.random.choice(SEARCHES))

    def sort(self) -> None:
        content = self.window.panels.by_key["nodes"].content
        assert isinstance(content, NodesPanel)
        content.view.sortByColumn(self.random.randrange(-1, 3), self.random.choice(list(Qt.SortOrder)))

    def click(self) -> None:
        view = self.window.view
        point = QPoint(self.random.randrange(view.width()), self.random.randrange(view.height()))
        press = self.random.choice([QTest.mouseClick, QTest.mouseDClick])
        press(view, Qt.MouseButton.LeftButton, pos=point)

    def palette(self) -> None:
        box = self.window.commands.palette
        self.window.commands.open_palette(self.random.choice(["@", "@re", "zoom", "theme", "conv"]))
        QTest.keyClick(box.field, self.random.choice([Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Escape]))

    def link(self) -> None:
        content = self.window.panels.by_key["details"].content
        assert isinstance(content, DetailsPanel)
        links = re.findall(r'href="([^"]+)"', content.text.toHtml())
        if links:
            content.text.anchorClicked.emit(QUrl(self.random.choice(links)))

    # Comparing

    def setup(self) -> Setup:
        """Two runs with or without their model, or two models."""
        sample: Sample = self.random.choice(SAMPLES)
        setup = setup_of(sample)
        runs = {key: path for key, path in setup.files.items() if key != "model"}
        return self.random.choice([setup, Setup("runs", runs), Setup("runs", {**runs, "candidate": Path("/no")})])

    def compare_files(self) -> None:
        self.window.comparisons.start(self.setup())

    def page(self) -> None:
        page = self.window.comparisons.page
        if self.random.random() < 0.5:
            self.window.comparisons.ask(self.random.choice([None, self.setup()]))
        elif page.isVisible():
            button = self.random.choice([page.swap, page.back, page.compare, *(card for card in page.grid.cards)])
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def drop(self) -> None:
        sample: Sample = self.random.choice(SAMPLES)
        files = [sample.model, sample.candidate_run, sample.reference_run, sample.candidate_model, self.folder]
        self.window.open_all(self.random.sample(files, self.random.randrange(1, 4)))

    def second(self) -> None:
        document, pair = self.window.document, self.window.pair
        graph = pair.second.document.graph
        if document.model is not None and self.random.random() < 0.4:
            pair.open(self.random.choice([sample.candidate_model for sample in SAMPLES] + FILES))
        elif graph is not None and len(graph) and self.random.random() < 0.5:
            pair.second.document.show(self.random.randrange(len(graph)))
        elif pair.beside is not None:
            view = pair.beside.view.canvas
            point = QPoint(self.random.randrange(view.width()), self.random.randrange(view.height()))
            QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=point)

    def match(self) -> None:
        """Two tensors of the comparison by hand, or of nothing at all."""
        compared = self.window.document.state.case
        rows = [] if compared is None else compared.comparison.rows
        names = ["nothing", *(row.tensor for row in rows)]
        pair = HandPair(self.random.choice(names), self.random.choice(["", *names]))
        if self.window.document.model is not None:
            pairs = self.random.choice([(), (pair,), (*self.window.document.session.hand_pairs[:2], pair)])
            self.window.document.edit("Match by hand", hand_pairs=pairs)

    # Deciding

    def limits(self) -> None:
        limits = self.window.view.limits
        for _ in range(self.random.randrange(4)):
            limits.moved.emit(self.random.uniform(0, 2), self.random.uniform(0, 2))
        self.random.choice([limits.settled, limits.reset]).emit()

    def paint(self) -> None:
        painting = self.window.document.session.painting
        metric = self.random.choice(["relative_l2", "cosine", "max_absolute", "none"])
        decided = replace(painting, metric=metric, palette=self.random.choice(PALETTES))
        if self.window.document.model is not None:
            self.window.document.edit("Paint", painting=decided)

    def note(self) -> None:
        graph = self.window.document.graph
        if graph is not None and len(graph):
            notes = dict.fromkeys(self.random.sample(graph.node_names, 1), "odd")
            self.window.document.edit("Note", notes=notes)

    def session(self) -> None:
        path = self.folder / f"{self.random.randrange(3)}.errorflow"
        if self.window.document.model is not None and self.random.random() < 0.5:
            self.window._sessions.save(path)
        else:
            self.window.open(path)

    # Looking

    def inspect(self) -> None:
        panel = self.window.panels.by_key["inspector"].content
        assert isinstance(panel, InspectorPanel)
        self.window.panels.show("inspector")
        self.select()
        panel.content.tensor.setCurrentIndex(self.random.randrange(-1, 4))
        panel.content.buttons.chosen.emit(self.random.choice(VIEWS).key)

    def row(self) -> None:
        """A line of whatever list, once or twice, with Enter or a click on its header."""
        key = self.random.choice(["nodes", "matches", "differences", "problems"])
        self.window.panels.show(key)
        view = self.window.panels.by_key[key].content.findChild(QAbstractItemView)
        assert view is not None
        rows = view.model().rowCount()
        if rows:
            view.setCurrentIndex(view.model().index(self.random.randrange(rows), 0))
            QTest.keyClick(view, self.random.choice([Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_End]))

    def point(self) -> None:
        graph = self.window.document.graph
        if graph is not None and len(graph):
            self.window.document.pointed.emit(self.random.choice([None, self.random.randrange(len(graph))]))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_nothing_breaks(window: MainWindow, qtbot: QtBot, tmp_path: Path, seed: int) -> None:
    monkey = Monkey(window, seed, tmp_path)
    for _ in range(STEPS):
        monkey.step()
    window.open(SAMPLES[0].model)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)
    model = window.document.model
    assert model is not None and model.path == SAMPLES[0].model
    window.setWindowState(Qt.WindowState.WindowNoState)
