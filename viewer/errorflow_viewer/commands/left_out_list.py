"""The nodes that toolchains cannot be told of as they were decided: by reason, and each leads to its node."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.commands.copy_save.tables import COPY_ROWS, add_read
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import PADDING, ROW
from errorflow_viewer.kit.scaling import px

if TYPE_CHECKING:
    from errorflow.report.toolchains.model import LeftOut

COLUMNS = ("Node", "Written instead")
_NODE = Qt.ItemDataRole.UserRole + 1
# Groups of more are closed at first.
_OPEN = 40


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

    def _make_tree(self) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setHeaderLabels(COLUMNS)
        tree.setAccessibleName("Nodes that the toolchain cannot be told of as decided, by reason")
        tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        tree.setUniformRowHeights(True)
        for label, rows in self._left_out.items():
            groups = _groups(rows)
            if len(self._left_out) > 1:
                above = _item(f"{label}  {distinct([rows]):,}", "", label)
                above.addChildren(groups)
                tree.addTopLevelItem(above)
                above.setExpanded(True)
            else:
                tree.addTopLevelItems(groups)
            for group in groups:
                group.setExpanded(group.childCount() <= _OPEN)
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        tree.itemSelectionChanged.connect(self._go)
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
        found = (row for item in self.tree.selectedItems() for row in _below(item))
        return list(dict.fromkeys(found))

    def _go(self) -> None:
        """To the one that is selected; by its name, since the graph on view may be another one by now."""
        items = self.tree.selectedItems()
        graph, document = self._desk.document.graph, self._desk.document
        if len(items) != 1 or graph is None or items[0].childCount():
            return
        row: LeftOut = items[0].data(0, _NODE)
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


def _groups(left_out: "Sequence[LeftOut]") -> list[QTreeWidgetItem]:
    """By the reason, with the nodes inside."""
    from errorflow.report.toolchains.telling import grouped

    found = []
    for (why, instead), rows in grouped(left_out).items():
        group = _item(f"{why}  {len(rows):,}", instead, why)
        group.addChildren([_row(each) for each in rows])
        found.append(group)
    return found


def _below(item: QTreeWidgetItem) -> "list[LeftOut]":
    if not item.childCount():
        return [item.data(0, _NODE)]
    inside = (child for place in range(item.childCount()) if (child := item.child(place)) is not None)
    return [row for child in inside for row in _below(child)]


def _row(each: "LeftOut") -> QTreeWidgetItem:
    item = _item(each.name, each.instead, each.name)
    item.setData(0, _NODE, each)
    return item


def _item(text: str, instead: str, tip: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([text, instead])
    item.setToolTip(0, tip)
    item.setSizeHint(0, QSize(0, px(ROW)))
    return item


def _sentence(count: int, label: str, is_one: bool) -> str:
    what = "One node was" if count == 1 else f"{count:,} nodes were"
    who = f"{label} cannot" if is_one else "the toolchains cannot all"
    return f"{what} decided in a way that {who} be told of. Select one to see it in the graph."
