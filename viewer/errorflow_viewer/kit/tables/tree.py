"""The one model of lists in groups, of one level or more: a cell is asked for when it is painted, as in flat lists."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from errorflow.base.values import dataclass
from errorflow_viewer.kit.tables.table import NOTHING, Column, ColumnModel, Index, T

_Role = Qt.ItemDataRole


@dataclass(frozen=True, slots=True, eq=False)
class TreeGroup(Generic[T]):
    """An item with others below it: groups first, then single ones, of which there may be very many."""

    item: T
    inside: Sequence[T] = ()
    groups: "Sequence[TreeGroup[T]]" = ()

    def __len__(self) -> int:
        return len(self.groups) + len(self.inside)


class TreeModel(ColumnModel[T], QAbstractItemModel):
    """Groups are numbered from 1, all of one level before those below; an index has the number of what is above it."""

    pointed = None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.groups: Sequence[TreeGroup[T]] = ()
        # Whether an item is only there to be read.
        self._is_heading: Callable[[T], bool] | None = None
        # The groups inside each group, those at the top first; what is inside; the number of the first group in it.
        self._inner: list[Sequence[TreeGroup[T]]] = [()]
        self._items: list[Sequence[T]] = [()]
        self._first: list[int] = [1]
        # Of each group the number of the one above, and its row there.
        self._above: list[tuple[int, int]] = [(0, 0)]

    def show(
        self,
        groups: Sequence[TreeGroup[T]],
        columns: Sequence[Column[T]],
        tip: Callable[[T], str] | None = None,
        is_heading: Callable[[T], bool] | None = None,
    ) -> None:
        self.beginResetModel()
        self.groups, self.columns, self.tip, self._is_heading = groups, columns, tip, is_heading
        self._inner, self._items, self._first, self._above = [groups], [()], [], [(0, 0)]
        for number, inner in enumerate(self._inner):  # it grows meanwhile
            self._first.append(len(self._inner))
            self._inner += [group.groups for group in inner]
            self._items += [group.inside for group in inner]
            self._above += [(number, row) for row in range(len(inner))]
        self.endResetModel()

    def say(self) -> None:
        """Items say something else by now: rows stay where they are."""
        last = len(self.columns) - 1
        for number, (inner, items) in enumerate(zip(self._inner, self._items, strict=True)):
            if count := len(inner) + len(items):
                first, end = self.createIndex(0, 0, number), self.createIndex(count - 1, last, number)
                self.dataChanged.emit(first, end)

    def item(self, index: Index) -> T | None:
        if not index.isValid():
            return None
        row, inner = index.row(), self._inner[index.internalId()]
        return inner[row].item if row < len(inner) else self._items[index.internalId()][row - len(inner)]

    def at(self, index: Index) -> tuple[Column[T], T]:
        """The column and the item of a cell that is there."""
        item = self.item(index)
        assert item is not None, "it is there"
        return self.columns[index.column()], item

    def find(self, wanted: Callable[[T], bool]) -> QModelIndex:
        """The first cell of the first item that is wanted, from the top; none: it is not there."""
        return next((index for index in self.walk() if wanted(self.at(index)[1])), QModelIndex())

    def walk(self, above: Index = NOTHING) -> Iterator[QModelIndex]:
        """Walks all rows as they stand below each other."""
        for row in range(self.rowCount(above)):
            index = self.index(row, 0, above)
            yield index
            yield from self.walk(index)

    # What Qt asks

    def _number(self, index: Index) -> int | None:
        """Finds the number of a group; 0: of what is above all."""
        if not index.isValid():
            return 0
        above = index.internalId()
        return self._first[above] + index.row() if index.row() < len(self._inner[above]) else None

    def rowCount(self, parent: Index = NOTHING) -> int:
        number = self._number(parent) if parent.column() <= 0 else None
        return 0 if number is None else len(self._inner[number]) + len(self._items[number])

    def columnCount(self, parent: Index = NOTHING) -> int:  # noqa: ARG002 - Qt's signature
        return len(self.columns)

    def index(self, row: int, column: int, parent: Index = NOTHING) -> QModelIndex:
        number = self._number(parent)
        inside = 0 <= column < len(self.columns) and 0 <= row < self.rowCount(parent)
        return self.createIndex(row, column, number) if inside and number is not None else QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # Qt has two functions of that name
        number = index.internalId() if index.isValid() else 0
        if number == 0:
            return QModelIndex()
        above, row = self._above[number]
        return self.createIndex(row, 0, above)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        item = self.item(index)
        return None if item is None else self.said(item, self.columns[index.column()], role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        return self.title(section, role) if orientation == Qt.Orientation.Horizontal else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        item = self.item(index)
        if item is not None and self._is_heading is not None and self._is_heading(item):
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)
