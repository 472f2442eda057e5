"""Groups of problems for Qt: what a line says is asked for when it is painted, however many there are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QIcon

from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.document.state import Place

if TYPE_CHECKING:
    from errorflow.explain.findings.problems import Group

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
# Whether a line is a hint and no problem.
HINT_ROLE = Qt.ItemDataRole.UserRole + 1
# Lines below the groups have the group's number in their id; groups themselves have none.
_TOP = 0


@dataclass(frozen=True, slots=True)
class Branch:
    """A group, and the graphs that its items are in; () is the one on view."""

    group: "Group"
    places: tuple[Place, ...] = ()


class ProblemTree(QAbstractItemModel):
    """Two levels: the reasons, and below each what to do about it and the tensors."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.branches: tuple[Branch, ...] = ()
        self._icon = QIcon()

    def show_branches(self, branches: tuple[Branch, ...], icon: QIcon) -> None:
        self.beginResetModel()
        self.branches, self._icon = branches, icon
        self.endResetModel()

    def target(self, index: Index) -> tuple[Place | None, int] | None:
        """The graph, None for the one on view, and the node that a line is about."""
        branch, number = self._line(index)
        if branch is None or number is None:
            return None
        node = branch.group.items[number].node
        if node is None:
            # The graph is known even where nothing in it is.
            return (branch.places[number], -1) if branch.places else None
        return (branch.places[number] if branch.places else None), node

    def as_table(self) -> Table:
        """A row per problem, with its reason and what to do about it."""
        groups = [branch.group for branch in self.branches]
        rows = [[group.title, item.text, group.hint] for group in groups for item in group.items]
        return Table(("Reason", "Problem", "What to do"), rows)

    def rowCount(self, parent: Index = _NOTHING) -> int:
        if not parent.isValid():
            return len(self.branches)
        if parent.internalId() != _TOP:
            return 0
        group = self.branches[parent.row()].group
        return len(group.items) + bool(group.hint)

    def columnCount(self, parent: Index = _NOTHING) -> int:  # noqa: ARG002 - Qt's signature
        return 1

    def index(self, row: int, column: int, parent: Index = _NOTHING) -> QModelIndex:
        if not 0 <= row < self.rowCount(parent) or column != 0:
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _TOP)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # Qt has two functions of that name
        number = index.internalId() if index.isValid() else _TOP
        return QModelIndex() if number == _TOP else self.createIndex(number - 1, 0, _TOP)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if index.internalId() == _TOP:
            return self._heading(self.branches[index.row()].group, role)
        branch, number = self._line(index)
        assert branch is not None, "a line of a group"
        if role == HINT_ROLE:
            return number is None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return branch.group.hint if number is None else branch.group.items[number].text
        return None

    def _heading(self, group: "Group", role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{group.title} ({len(group.items):,})"
        if role == Qt.ItemDataRole.ToolTipRole:
            return group.hint if group.hint else group.title
        if role == Qt.ItemDataRole.DecorationRole:
            return self._icon
        if role == Qt.ItemDataRole.FontRole:
            font = QFont()
            font.setWeight(QFont.Weight.DemiBold)
            return font
        return None

    def _line(self, index: Index) -> tuple[Branch | None, int | None]:
        """The group of a line, and its item; no item: it is the hint."""
        number = index.internalId() if index.isValid() else _TOP
        if number == _TOP:
            return None, None
        branch = self.branches[number - 1]
        item = index.row() - bool(branch.group.hint)
        return branch, None if item < 0 else item
