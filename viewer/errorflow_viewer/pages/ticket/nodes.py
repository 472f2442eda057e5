"""The nodes whose tensors may come along: those that are to blame first, each with what it weighs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, ROW, Theme
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import outlined

if TYPE_CHECKING:
    from errorflow.report.bundle.draft import Draft

# Lines that are shown at a time; what is beyond is found by its name.
MOST = 300
HEIGHT = 28
_NAME = Qt.ItemDataRole.UserRole + 1
_NONE = "There are no tensors: nothing was compared, or only a table was."


class NodeChoice(QWidget):
    """None is chosen at first."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._draft: Draft | None = None
        # By title, in the order of choosing.
        self._chosen: dict[str, None] = {}
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Search nodes")
        self.filter.setAccessibleName("Search nodes whose tensors may come along")
        self.filter.setFixedHeight(HEIGHT)
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)  # a dropped file is opened, not typed
        self.filter.textChanged.connect(lambda _: self._show())
        self.tree = self._make_tree()
        self.more = text_label(role="label")
        box = spaced(QVBoxLayout(self), GRID)
        for widget in (self.filter, self.tree, self.more):
            box.addWidget(widget)

    @property
    def chosen(self) -> tuple[str, ...]:
        return tuple(self._chosen)

    def dress(self, theme: Theme) -> None:
        """Boxes to tick in a list are outlined as others are."""
        self._ticks.palette = outlined(theme)
        self.tree.viewport().update()

    def show_draft(self, draft: "Draft") -> None:
        """What is chosen stays as far as it is still there."""
        self._draft = draft
        graph = draft.case.model.graph
        known = {graph.title(node) for node in draft.sizes.worst_first.tolist()} if self._chosen else set()
        self._chosen = {name: None for name in self._chosen if name in known}
        self.filter.setEnabled(bool(len(draft.sizes.worst_first)))
        self._show()

    def forget(self) -> None:
        """Another case is on view."""
        self._chosen = {}

    def _make_tree(self) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setHeaderLabels(["Node", "Verdict", "Size"])
        tree.headerItem().setData(2, EXACT_ROLE, "Size (bytes)")
        tree.setAccessibleName("Nodes whose tensors come along")
        tree.setRootIsDecorated(False)
        tree.setUniformRowHeights(True)
        tree.setMinimumHeight(7 * ROW)
        header = tree.header()
        header.setAccessibleName("Columns of nodes whose tensors come along")
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in (1, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        tree.itemChanged.connect(self._on_item)
        self._ticks = _Ticks(tree)
        tree.setItemDelegate(self._ticks)
        return tree

    def _show(self) -> None:
        draft = self._draft
        if draft is None:
            return
        nodes, graph = draft.sizes.worst_first.tolist(), draft.case.model.graph
        words = self.filter.text().lower().split()
        titles = ((node, graph.title(node)) for node in nodes)
        fitting = [(node, title) for node, title in titles if all(word in title.lower() for word in words)]
        with QSignalBlocker(self.tree):
            self.tree.clear()
            self.tree.addTopLevelItems([self._item(draft, node, title) for node, title in fitting[:MOST]])
        self.more.setText(_more(len(nodes), len(fitting)))
        self.more.setVisible(bool(self.more.text()))

    def _item(self, draft: "Draft", node: int, title: str) -> QTreeWidgetItem:
        from errorflow.report.bundle.listing import size_text

        blame = draft.case.blame
        verdict = "" if blame is None else blame.word(node)
        size = draft.sizes.of_node(node)
        item = QTreeWidgetItem([title, verdict, size_text(size)])
        item.setData(2, EXACT_ROLE, size)
        item.setData(0, _NAME, title)
        item.setToolTip(0, title)
        item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setSizeHint(0, QSize(0, px(ROW)))
        item.setCheckState(0, Qt.CheckState.Checked if title in self._chosen else Qt.CheckState.Unchecked)
        return item

    def _on_item(self, item: QTreeWidgetItem, _: int) -> None:
        name = item.data(0, _NAME)
        if item.checkState(0) == Qt.CheckState.Checked:
            self._chosen[name] = None
        else:
            self._chosen.pop(name, None)
        self.changed.emit()


class _Ticks(QStyledItemDelegate):
    """Style sheets keep lists from having colours of their own; what is painted may have them."""

    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self.palette = QPalette()

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        option.palette = self.palette


def _more(count: int, fitting: int) -> str:
    if not count:
        return _NONE
    if not fitting:
        return "No node is called like that."
    return f"And {fitting - MOST:,} more: search for them by name." if fitting > MOST else ""
