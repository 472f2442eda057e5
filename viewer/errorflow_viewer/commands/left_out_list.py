"""The nodes that toolchains cannot be told of as they were decided: by reason, and each leads to its node."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Union

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QDialog, QHBoxLayout, QMenu, QTreeView, QVBoxLayout, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.commands.copy_save.tables import COPY_ROWS, add_read
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.kit.tables.column import Column
from errorflow_viewer.kit.tables.furnish import furnish_tree, share_columns
from errorflow_viewer.kit.tables.tree import TreeGroup, TreeModel

if TYPE_CHECKING:
    from errorflow.report.toolchains.model import LeftOut

Line = Union["Heading", "LeftOut"]
# Groups of more are closed at first.
_OPEN = 40


@dataclass(frozen=True, slots=True)
class Heading:
    """A reason, or a toolchain, and how many nodes it is about."""

    name: str
    instead: str
    tip: str


_COLUMNS: tuple[Column[Line], ...] = (
    Column("Node", lambda line: line.name, cell_tip=lambda line: line.tip if isinstance(line, Heading) else line.name),
    Column("Written instead", lambda line: line.instead),
)


class LeftOutList(QDialog):
    """Stays open beside the graph; a row that is selected selects its node there."""

    def __init__(self, desk: Desk, left_out: "Mapping[str, Sequence[LeftOut]]", parent: QWidget | None) -> None:
        """`left_out`: by the label of the toolchain, of one or of several."""
        super().__init__(parent)
        self._desk, self._left_out = desk, left_out
        label = next(iter(left_out)) if len(left_out) == 1 else "toolchains"
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Not as decided – {label} – Errorflow")
        self.text = text_label(
            _sentence(distinct(left_out.values()), label, len(left_out) == 1), wraps=True, plain=True
        )
        self.lines: TreeModel[Line] = TreeModel(self)
        self.tree = self._make_tree()
        self.copy = text_button("Copy all", lambda: self._copy([each for rows in left_out.values() for each in rows]))
        close = text_button("Close", self.close)
        row = QHBoxLayout()
        row.addWidget(self.copy)
        row.addStretch(1)
        row.addWidget(close)
        box = spaced(QVBoxLayout(self), PADDING, (PADDING, PADDING, PADDING, PADDING))
        box.addWidget(self.text)
        box.addWidget(self.tree, 1)
        box.addLayout(row)
        self.resize(640, 420)

    def _make_tree(self) -> QTreeView:
        tree = QTreeView()
        several = len(self._left_out) > 1
        groups = [each for label, rows in self._left_out.items() for each in _groups(label, rows, several)]
        self.lines.show(groups, _COLUMNS)
        furnish_tree(tree, self.lines, "Nodes that the toolchain cannot be told of as decided, by reason", "")
        share_columns(tree, 0)
        tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        for index in self.lines.walk():
            is_small = 0 < self.lines.rowCount(index) <= _OPEN
            tree.setExpanded(index, is_small or (several and not index.parent().isValid()))
        tree.selectionModel().selectionChanged.connect(lambda *_: self._go())
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._show_menu)
        keys = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), tree)
        keys.setContext(Qt.ShortcutContext.WidgetShortcut)
        keys.activated.connect(lambda: self._copy(self._selected()))
        return tree

    def _show_menu(self, spot: QPoint) -> None:
        rows, table = self._selected(), self.table
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(COPY_ROWS, lambda: self._copy(rows)).setEnabled(bool(rows))
        add_read(menu, self._desk, lambda done: done(table), "not as decided")
        menu.popup(self.tree.viewport().mapToGlobal(spot))

    @property
    def table(self) -> Table:
        """A row per node and reason, closed groups too."""
        pairs = ((label, each) for label, rows in self._left_out.items() for each in rows)
        rows = [(label, each.name, each.why, each.instead) for label, each in pairs]
        return Table(("Toolchain", "Node", "Reason", "Written instead"), rows)

    def _selected(self) -> "list[LeftOut]":
        """A reason stands for all below it, and so does a toolchain."""
        found = (row for index in self._rows() for row in self._below(index))
        return list(dict.fromkeys(found))

    def _rows(self) -> list[QModelIndex]:
        return self.tree.selectionModel().selectedRows()

    def _below(self, index: QModelIndex) -> "list[LeftOut]":
        places = (index, *self.lines.walk(index))
        return [item for item in map(self.lines.item, places) if item is not None and not isinstance(item, Heading)]

    def _go(self) -> None:
        """To the one that is selected; by its name, since the graph on view may be another one by now."""
        rows = self._rows()
        graph, document = self._desk.document.graph, self._desk.document
        row = self.lines.item(rows[0]) if len(rows) == 1 else None
        if row is None or graph is None or isinstance(row, Heading):
            return
        if 0 <= row.node < len(graph) and graph.title(row.node) == row.name:
            document.go(document.state.place, node=row.node)
            return
        tensor = graph.tensor_index(row.name)
        if tensor is not None:
            document.go(document.state.place, tensor=tensor)

    def _copy(self, rows: "Sequence[LeftOut]") -> None:
        lines = ["\t".join((each.name, each.why, each.instead)) for each in rows]
        QGuiApplication.clipboard().setText("\n".join(lines))


def distinct(left_out: "Iterable[Sequence[LeftOut]]") -> int:
    """How many nodes they are, however many toolchains lack each, and for however many reasons."""
    return len({each.name if each.node < 0 else each.node for rows in left_out for each in rows})


def _groups(label: str, left_out: "Sequence[LeftOut]", several: bool) -> "list[TreeGroup[Line]]":
    """By the reason, with the nodes inside; of several toolchains each has its own."""
    from errorflow.report.toolchains.telling import grouped

    reasons = grouped(left_out).items()
    found: list[TreeGroup[Line]] = [
        TreeGroup(Heading(f"{why}  {len(rows):,}", instead, why), rows) for (why, instead), rows in reasons
    ]
    return [TreeGroup(Heading(f"{label}  {distinct([left_out]):,}", "", label), (), found)] if several else found


def _sentence(count: int, label: str, is_one: bool) -> str:
    what = "One node was" if count == 1 else f"{count:,} nodes were"
    who = f"{label} cannot" if is_one else "the toolchains cannot all"
    return f"{what} decided in a way that {who} be told of. Select one to see it in the graph."
