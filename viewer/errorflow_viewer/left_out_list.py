"""The nodes that a toolchain cannot be told of as they were decided: by reason, and each leads to its node."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer.desk import Desk
from errorflow_viewer.look import PADDING

if TYPE_CHECKING:
    from errorflow.toolchains.model import LeftOut

COLUMNS = ("Node", "Written instead")
_NODE = Qt.ItemDataRole.UserRole + 1
# Groups of more are closed at first.
_OPEN = 40


class LeftOutList(QDialog):
    """Stays open beside the graph; a row that is selected selects its node there."""

    def __init__(self, desk: Desk, label: str, left_out: "Sequence[LeftOut]", parent: QWidget | None) -> None:
        super().__init__(parent)
        self._desk, self._left_out = desk, tuple(left_out)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Not as decided – {label} – Errorflow")
        self.text = QLabel(_sentence(len(self._left_out), label))
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.tree = self._make_tree()
        self.copy = QPushButton("Copy all")
        self.copy.clicked.connect(lambda: self._copy(self._left_out))
        close = QPushButton("Close")
        close.clicked.connect(self.close)
        row = QHBoxLayout()
        row.addWidget(self.copy)
        row.addStretch(1)
        row.addWidget(close)
        box = QVBoxLayout(self)
        box.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        box.setSpacing(PADDING)
        box.addWidget(self.text)
        box.addWidget(self.tree, 1)
        box.addLayout(row)
        self.resize(640, 420)

    def _make_tree(self) -> QTreeWidget:
        from errorflow.toolchains.telling import grouped

        tree = QTreeWidget()
        tree.setHeaderLabels(COLUMNS)
        tree.setAccessibleName("Nodes that the toolchain cannot be told of as decided, by reason")
        tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        tree.setUniformRowHeights(True)
        for (why, instead), rows in grouped(self._left_out).items():
            group = QTreeWidgetItem([f"{why}  {len(rows):,}", instead])
            group.setToolTip(0, why)
            group.addChildren([_row(each) for each in rows])
            tree.addTopLevelItem(group)
            group.setExpanded(len(rows) <= _OPEN)
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        tree.itemSelectionChanged.connect(self._go)
        keys = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), tree)
        keys.setContext(Qt.ShortcutContext.WidgetShortcut)
        keys.activated.connect(lambda: self._copy(self._selected()))
        return tree

    def _selected(self) -> "list[LeftOut]":
        """A reason stands for all below it."""
        found: list[LeftOut] = []
        for item in self.tree.selectedItems():
            inside = [child for place in range(item.childCount()) if (child := item.child(place)) is not None]
            found += [each.data(0, _NODE) for each in (inside if inside else [item])]
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


def _row(each: "LeftOut") -> QTreeWidgetItem:
    item = QTreeWidgetItem([each.name, each.instead])
    item.setToolTip(0, each.name)
    item.setData(0, _NODE, each)
    return item


def _sentence(count: int, label: str) -> str:
    what = "One node was" if count == 1 else f"{count:,} nodes were"
    return f"{what} decided in a way that {label} cannot be told of. Select one to see it in the graph."
