"""Problems of the file and the runs, and what could not be measured and why."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QMenu, QToolButton, QTreeView, QWidget

from errorflow.base.values import dataclass, replace
from errorflow.graph.model import Graph, Model, Problem
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import Table, add_read
from errorflow_viewer.document.comparing import KEY as COMPARING
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.derived_table import listed
from errorflow_viewer.document.finding import MOST_PROBLEMS
from errorflow_viewer.document.state import Place, State
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import fill, pages
from errorflow_viewer.kit.tables.cells import TallCells
from errorflow_viewer.kit.tables.table import Column, Index
from errorflow_viewer.kit.tables.tree import TreeGroup, TreeModel
from errorflow_viewer.panels.empty import Empty

if TYPE_CHECKING:
    from errorflow.case.model import Case
    from errorflow.explain.findings.model import Findings
    from errorflow.explain.findings.problems import ProblemGroup


KEY = "problems"
IN_FILE = "Odd in the file"
NONE = "No problems were found in this file."
NOT_COMPARED = "No problems were found in the file itself. The runs were not compared."
NONE_EITHER = "No problems were found in this file, and all that both runs hold could be measured."


_Wish = tuple[Model | None, "Case", "Findings | None"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, and the graph and node to look at, as far as that is known."""

    problem: Problem
    place: Place
    node: int | None


# Groups of problems as the model of lists has them: a line is made when it is painted, however many there are.

# What stands in place of the number of a problem.
HEADING, HINT = -2, -1


@dataclass(frozen=True, slots=True)
class Branch:
    """A group, and the graphs that its items are in; () is the one on view."""

    group: "ProblemGroup"
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class BranchLine:
    """A line of a branch: its heading, what to do about it, or a problem, by its number."""

    branch: Branch
    number: int

    @property
    def text(self) -> str:
        group = self.branch.group
        if self.number == HEADING:
            return f"{group.title} ({len(group.items):,})"
        return group.hint if self.number == HINT else group.items[self.number].text

    @property
    def tip(self) -> str:
        group = self.branch.group
        return (group.hint or group.title) if self.number == HEADING else self.text


class _Inside(Sequence[BranchLine]):
    """Advice on what to do first, if that is known, then the problems."""

    def __init__(self, branch: Branch) -> None:
        self._branch = branch
        self._first = HINT if branch.group.hint else 0

    def __len__(self) -> int:
        return len(self._branch.group.items) - self._first

    @overload
    def __getitem__(self, place: int) -> BranchLine: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[BranchLine]: ...
    def __getitem__(self, place: int | slice) -> BranchLine | Sequence[BranchLine]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        return BranchLine(self._branch, place + self._first)


class ProblemTree(TreeModel[BranchLine]):
    """Two levels: the reasons, and below each what to do about it and the tensors."""

    branches: tuple[Branch, ...] = ()

    def show_branches(self, branches: tuple[Branch, ...], icon: QIcon) -> None:
        self.branches = branches
        column: Column[BranchLine] = Column(
            "Problems",
            lambda line: line.text,
            cell_tip=lambda line: line.tip,
            icon=lambda line: icon if line.number == HEADING else None,
            strong=lambda line: line.number == HEADING,
            muted=lambda line: line.number == HINT,
        )
        self.show([TreeGroup(BranchLine(branch, HEADING), _Inside(branch)) for branch in branches], [column])

    def target(self, index: Index) -> tuple[Place | None, int] | None:
        """The graph, None for the one on view, and the node that a line is about."""
        line = self.item(index)
        if line is None or line.number < 0:
            return None
        node, places = line.branch.group.items[line.number].node, line.branch.places
        if node is None:
            # The graph is known even where nothing in it is.
            return (places[line.number], -1) if places else None
        return (places[line.number] if places else None), node

    def as_table(self) -> Table:
        """A row per problem, with its reason and what to do about it."""
        groups = [branch.group for branch in self.branches]
        rows = [[group.title, item.text, group.hint] for group in groups for item in group.items]
        return Table(("Reason", "Problem", "What to do"), rows)


class ProblemsPanel(QWidget):
    """Groups that open; Enter or a click on a line goes to its node."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self.tree = ProblemTree(self)
        self.list = self._make_list()
        self.copy = self._make_copy()
        self.title_buttons = (self.copy,)
        self.nothing = Empty(
            "Odd things found in a model, and what could not be measured, are listed here.",
            "Open a model…",
            desk.ask_for_file,
        )
        self.none = Empty(NONE)
        self.stack = pages(self.list, self.nothing, self.none)
        fill(self, self.stack)
        desk.appearance.changed.connect(self._redress)
        follow(self, desk.jobs.changed, lambda _: self._say_none())
        desk.derived.add(self._row(), widget=self)

    def _redress(self) -> None:
        self._show(self.tree.branches)

    def as_text(self) -> str:
        """Writes all of it, to paste into a ticket."""
        from errorflow.explain.findings.problems import as_text

        return as_text(branch.group for branch in self.tree.branches)

    def _make_list(self) -> "_Tree":
        tree = _Tree()
        tree.setModel(self.tree)
        tree.setItemDelegate(TallCells(tree))
        tree.clicked.connect(self._go)
        tree.activated.connect(self._go)
        tree.copied.connect(self._copy)
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._show_menu)
        return tree

    def _make_copy(self) -> QToolButton:
        button = QToolButton()
        button.setToolTip("Copy all problems as text")
        button.setAccessibleName("Copy all problems as text")
        icons.follow(button, "copy")
        button.clicked.connect(lambda: self._copy())
        return button

    def menu(self) -> QMenu:
        """Makes the menu of all that is listed, whatever is open."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy as text", self._copy)
        menu.addSeparator()
        add_read(menu, self._desk, lambda done: done(self.tree.as_table()), "problems")
        return menu

    def _show_menu(self, spot: QPoint) -> None:
        self.menu().popup(self.list.viewport().mapToGlobal(spot))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())

    def _row(self) -> Derived[_Wish, tuple[Branch, ...]]:
        """A comparison may have very many rows.

        While it grows, what is being gone through is brought to its end: else nothing would be shown before all is.
        """
        reads, show_few = ("findings", "case"), lambda: self._show(branches_of(self._document.model, None, None))
        row = listed(KEY, "Grouping problems", reads, _wished, lambda wish: branches_of(*wish), self._show, show_few)
        return replace(row, in_turn=lambda _, __: True)

    def _show(self, branches: tuple[Branch, ...]) -> None:
        """Groups that were open stay open."""
        model = self._document.model
        open_ones = {branch.group.title for row, branch in enumerate(self.tree.branches) if self._is_open(row)}
        known = {branch.group.title for branch in self.tree.branches}
        mark = icons.icon("problems", self._desk.appearance.theme.warning.mark, "#808080")
        self.tree.show_branches(branches, mark)
        for row, branch in enumerate(branches):
            # The problems of the file are few and were always open.
            first = branch.group.title not in known and branch.group.title == IN_FILE
            self.list.setExpanded(self.tree.index(row, 0), first or branch.group.title in open_ones)
        self._say_none()
        self.copy.setEnabled(bool(branches))
        self.stack.setCurrentWidget(self.nothing if model is None else self.list if branches else self.none)

    def _say_none(self) -> None:
        """Says that there are none; where two runs were to be compared and are not, that is not all."""
        if self._document.state.case is not None:
            said = NONE_EITHER
        else:
            failed = self._document.session.setup is not None and not self._desk.jobs.running(COMPARING)
            said = NOT_COMPARED if failed else NONE
        self.none.sentence.setText(said)

    def _is_open(self, row: int) -> bool:
        return self.list.isExpanded(self.tree.index(row, 0))

    def _go(self, index: QModelIndex) -> None:
        """Goes to what a line is about; a group opens or closes."""
        if not index.parent().isValid():
            self.list.setExpanded(index, not self.list.isExpanded(index))
            return
        target = self.tree.target(index)
        if target is not None:
            place, node = target
            here = self._document.state.place if place is None else place
            self._document.go(here, node if node >= 0 else None)


class _Tree(QTreeView):
    """Copies what it shows when it is asked to."""

    copied = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Problems")
        self.setHeaderHidden(True)
        self.header().setAccessibleName("Problems")
        self.setIconSize(QSize(16, 16))
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        else:
            super().keyPressEvent(event)


def _wished(state: State) -> _Wish | None:
    return None if state.case is None else (state.model, state.case, state.findings)


def branches_of(model: Model | None, compared: "Case | None", findings: "Findings | None") -> tuple[Branch, ...]:
    """Lists those of the file first, then those of the runs, then what could not be measured."""
    from errorflow.explain.findings.problems import about_runs, unmeasured

    found = [] if model is None else list(in_file(model))
    if compared is None:
        return tuple(found)
    graph = None if findings is None else findings.graph
    problems = () if compared.match is None else compared.match.problems
    groups = (*about_runs(problems, graph), *unmeasured(compared.comparison, findings))
    return (*found, *(Branch(group) for group in groups))


def in_file(model: Model) -> Iterator[Branch]:
    """Yields one group with all of them, if there are any."""
    from errorflow.explain.findings.problems import ProblemGroup, ProblemItem

    found = list(find(model))[:MOST_PROBLEMS]
    if found:
        items = tuple(ProblemItem(each.problem.where, each.node, each.problem.text) for each in found)
        yield Branch(ProblemGroup(IN_FILE, items), tuple(each.place for each in found))


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
