"""What is odd about the file. It was read all the same."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QStackedWidget, QVBoxLayout, QWidget

from errorflow.graph.model import Graph, Model, Problem
from errorflow_viewer import icons
from errorflow_viewer.desk import Desk
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.panel import Panel
from errorflow_viewer.state import Place

# A broken file may have a problem per node; nobody reads more than this.
MOST = 1000


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, and the graph and node to look at, as far as that is known."""

    problem: Problem
    place: Place
    node: int | None


class ProblemsPanel(QWidget):
    """One line per problem; Enter or a click goes there."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._findings: list[Finding] = []
        self.list = QListWidget()
        self.list.setAccessibleName("Problems of the file")
        self.list.setWordWrap(True)
        self.list.setIconSize(QSize(16, 16))
        self.list.setUniformItemSizes(False)
        self.list.itemClicked.connect(self._go)
        self.list.itemActivated.connect(self._go)
        self.nothing = Empty("Odd things found in a model are listed here.", "Open a model…", desk.ask_for_file)
        self.none = Empty("No problems were found in this file.")
        self.stack = QStackedWidget()
        for widget in (self.list, self.nothing, self.none):
            self.stack.addWidget(widget)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.stack)
        self._document.changed.connect(self._on_changed)
        self._fill()

    def _on_changed(self, fields: Collection[str]) -> None:
        if "model" in fields:
            self._fill()

    def _fill(self) -> None:
        model = self._document.model
        self._findings = [] if model is None else list(find(model))[:MOST]
        self.list.clear()
        for finding in self._findings:
            where = f"{finding.problem.where}: " if finding.problem.where else ""
            item = QListWidgetItem(f"{where}{finding.problem.text}", self.list)
            item.setIcon(icons.icon("problems", self._desk.appearance.theme.warning.mark, "#808080"))
            item.setToolTip(finding.problem.text)
        if model is None:
            self.stack.setCurrentWidget(self.nothing)
        else:
            self.stack.setCurrentWidget(self.list if self._findings else self.none)

    def _go(self, item: QListWidgetItem) -> None:
        finding = self._findings[self.list.row(item)]
        self._document.go(finding.place, finding.node)


def find(model: Model) -> Iterator[Finding]:
    """The problems of all graphs with the place that each is about."""
    for path, graph in model.graph.walk():
        yield from _of_graph(graph, Place(path))
    for position, function in enumerate(model.functions):
        for path, graph in function.graph.walk():
            yield from _of_graph(graph, Place(path, position))


def _of_graph(graph: Graph, place: Place) -> Iterator[Finding]:
    for problem in graph.problems:
        yield Finding(problem, place, _mentioned(graph, problem))


def _mentioned(graph: Graph, problem: Problem) -> int | None:
    """The first node that the problem names, directly or by one of its tensors."""
    words = [problem.where, *problem.text.rpartition(": ")[2].removesuffix(".").split(", ")]
    for word in words:
        node = graph.node_index(word) if word else None
        if node is not None:
            return node
        tensor = graph.tensor_index(word) if word else None
        if tensor is not None:
            around = [int(graph.producers[tensor]), *graph.consumers[tensor].tolist()]
            return next((node for node in around if node >= 0), None)
    return None


PROBLEMS = Panel("problems", "Problems", Qt.DockWidgetArea.BottomDockWidgetArea, False, ProblemsPanel, "profile")
