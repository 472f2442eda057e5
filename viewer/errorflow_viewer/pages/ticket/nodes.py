"""The nodes whose tensors may come along: those that are to blame first, each with what it weighs."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLineEdit, QStyleOptionViewItem, QTreeView, QVBoxLayout, QWidget

from errorflow.base.values import dataclass
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, ROW, Theme
from errorflow_viewer.kit.style import outlined
from errorflow_viewer.kit.tables.cells import TallCells
from errorflow_viewer.kit.tables.furnish import furnish_tree, share_columns
from errorflow_viewer.kit.tables.table import Column, EditedModel, Index, Listing

if TYPE_CHECKING:
    from errorflow.report.bundle.draft import BundleDraft

# Lines that are shown at a time; what is beyond is found by its name.
MOST = 300
HEIGHT = 28
_NONE = "There are no tensors: nothing was compared, or only a table was."


@dataclass(frozen=True, slots=True)
class NodeLine:
    """A node by its title, what is said of it, and the bytes of its tensors."""

    title: str
    verdict: str
    size: int


class NodeChoice(QWidget):
    """Choice of nodes; none is chosen at first."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._draft: BundleDraft | None = None
        # By title, in the order of choosing.
        self._chosen: dict[str, None] = {}
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Search nodes")
        self.filter.setAccessibleName("Search nodes whose tensors may come along")
        self.filter.setFixedHeight(HEIGHT)
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)  # a dropped file is opened, not typed
        self.filter.textChanged.connect(lambda _: self._show())
        self._columns: tuple[Column[NodeLine], ...] = (
            Column(
                "Node",
                lambda line: line.title,
                cell_tip=lambda line: line.title,
                checked=lambda line: line.title in self._chosen,
                check=self._tick,
            ),
            Column("Verdict", lambda line: line.verdict),
            Column(
                "Size",
                _size,
                full_title="Size (bytes)",
                is_number=True,
                has_title_left=True,
                exact=lambda line: line.size,
            ),
        )
        self.table: EditedModel[NodeLine] = EditedModel(self, self._columns)
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
        self._ticks.outlined = outlined(theme)
        self.tree.viewport().update()

    def show_draft(self, draft: "BundleDraft") -> None:
        """Shows a draft; what is chosen stays as far as it is still there."""
        self._draft = draft
        graph = draft.case.model.graph
        known = {graph.title(node) for node in draft.sizes.worst_first.tolist()} if self._chosen else set()
        self._chosen = {name: None for name in self._chosen if name in known}
        self.filter.setEnabled(bool(len(draft.sizes.worst_first)))
        self._show()

    def forget(self) -> None:
        """Forgets: another case is on view."""
        self._chosen = {}

    def _make_tree(self) -> QTreeView:
        tree = QTreeView()
        columns = "Columns of nodes whose tensors come along"
        furnish_tree(tree, self.table, "Nodes whose tensors come along", columns)
        share_columns(tree, 0)
        tree.setRootIsDecorated(False)
        tree.setMinimumHeight(7 * ROW)
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
        self.table.show(Listing([self._line(draft, *each) for each in fitting[:MOST]], self._columns))
        self.more.setText(_more(len(nodes), len(fitting)))
        self.more.setVisible(bool(self.more.text()))

    def _line(self, draft: "BundleDraft", node: int, title: str) -> NodeLine:
        blame = draft.case.blame
        return NodeLine(title, "" if blame is None else blame.word(node), draft.sizes.of_node(node))

    def _tick(self, line: NodeLine, on: bool) -> None:
        if on:
            self._chosen[line.title] = None
        else:
            self._chosen.pop(line.title, None)
        self.changed.emit()


class _Ticks(TallCells):
    """Style sheets keep lists from having colours of their own; what is painted may have them."""

    def __init__(self, tree: QTreeView) -> None:
        super().__init__(tree)
        self.outlined = QPalette()

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.palette = self.outlined


def _size(line: NodeLine) -> str:
    from errorflow.report.bundle.listing import size_text

    return size_text(line.size)


def _more(count: int, fitting: int) -> str:
    if not count:
        return _NONE
    if not fitting:
        return "No node is called like that."
    return f"And {fitting - MOST:,} more: search for them by name." if fitting > MOST else ""
