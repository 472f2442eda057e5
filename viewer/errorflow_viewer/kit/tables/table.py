"""The one model of lists: asks a column for a cell when it is painted, never before."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass
from errorflow.explain.findings.columns import sorted_by

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QIcon


# Columns of a list, as data: each says of every item what stands in its cell; and the items.

Floats = NDArray[np.float64]
# Numbers of rows in the order of the list itself, and whether the largest come first, to the same numbers in order.
Sort = Callable[[Ints, bool], Ints]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Column(Generic[T]):
    """One column of a list. A part that says nothing of cells is None."""

    title: str
    text: Callable[[T], str]
    # Of the title: what it means, and with unit for files; "": there is no more to say than the title.
    tip: str = ""
    full_title: str = ""
    # Numbers stand at the right, digits below digits, and so does the title unless it is to stand at the left.
    is_number: bool = False
    has_title_left: bool = False
    # Names give way in the middle, all else at its end.
    is_name: bool = False
    # None: it does not sort.
    sort: Sort | None = None
    # Whether a first click brings the largest to the top.
    largest_first: bool = False
    # All digits, for files and other programs.
    exact: Callable[[T], object] | None = None
    # In place of the tip of the whole row.
    cell_tip: Callable[[T], str] | None = None
    # A name from long to short, each form apart from those of all others.
    forms: Callable[[T], Sequence[str]] | None = None
    # Whether a cell steps back, stands out, or is marked at its corner.
    muted: Callable[[T], bool] | None = None
    strong: Callable[[T], bool] | None = None
    marked: Callable[[T], bool] | None = None
    # How bad the number is, 0 to 1; NaN: it is none. None: nothing is to be said.
    badness: Callable[[T], float | None] | None = None
    # How long a bar below the number is, 0 to 1; it has the colour of the badness.
    length: Callable[[T], float | None] | None = None
    icon: Callable[[T], "QIcon | None"] | None = None
    color: Callable[[T], "QColor | None"] | None = None
    # What is read aloud in place of the text.
    spoken: Callable[[T], str] | None = None
    # Whether a box is ticked; and what ticking it does.
    checked: Callable[[T], bool] | None = None
    check: Callable[[T, bool], None] | None = None
    # What is edited, "" where nothing can be; and what taking another text does, which says whether it was taken.
    edited: Callable[[T], str] | None = None
    edit: Callable[[T, str], bool] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Listing(Generic[T]):
    """Listing of items, the columns, and what is found by a text: numbers of items in the order of the list itself."""

    items: Sequence[T]
    columns: Sequence[Column[T]]
    # All of a row in full.
    tip: Callable[[T], str] | None = None
    # None: all is found, in the order of the items.
    matching: Callable[[str], Ints] | None = None

    def found(self, text: str) -> Ints:
        return np.arange(len(self.items), dtype=np.int32) if self.matching is None else self.matching(text)


def by_order(order: Callable[[], Ints]) -> Sort:
    """Sorts as `order` has all rows, which is asked for when it is needed."""

    def sort(found: Ints, descending: bool) -> Ints:
        kept = whole = order()
        if len(found) < len(whole):
            keep = np.zeros(len(whole), bool)
            keep[found] = True
            kept = whole[keep[whole]]
        return kept[::-1] if descending else kept

    return sort


def by_keys(keys: Callable[[], Floats]) -> Sort:
    """Sorts by numbers: equal ones stay as the list has them, and NaN is last either way."""

    def sort(found: Ints, descending: bool) -> Ints:
        return found[sorted_by(keys()[found], descending=descending)]

    return sort


def by_key(items: Sequence[T], key: Callable[[T], Any]) -> Sort:
    """Sorts few items by what Python can compare; equal ones stay as the list has them."""

    def sort(found: Ints, descending: bool) -> Ints:
        numbers = sorted(found.tolist(), key=lambda number: key(items[number]), reverse=descending)
        return np.array(numbers, np.int32)

    return sort


Index = QModelIndex | QPersistentModelIndex
NOTHING = QModelIndex()
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_Role, _Order = Qt.ItemDataRole, Qt.SortOrder
# The part of a column that answers for a cell, by role.
_PARTS = {
    int(_Role.DisplayRole): "text",
    int(_Role.ToolTipRole): "cell_tip",
    int(_Role.DecorationRole): "icon",
    int(_Role.ForegroundRole): "color",
    int(_Role.AccessibleTextRole): "spoken",
    int(_Role.EditRole): "edited",
}


class ColumnModel(Generic[T]):
    """Model that flat lists and trees have in common: what a column says of an item, as Qt asks for it."""

    columns: Sequence[Column[T]] = ()
    tip: Callable[[T], str] | None = None

    def said(self, item: T, column: Column[T], role: int) -> Any:
        part = _PARTS.get(role)
        if part is not None:
            give = getattr(column, part)
            if give is None and part == "cell_tip":
                give = self.tip
            return None if give is None else give(item)
        if role == _Role.TextAlignmentRole:
            return RIGHT if column.is_number else None
        if role == _Role.CheckStateRole and column.checked is not None:
            return Qt.CheckState.Checked if column.checked(item) else Qt.CheckState.Unchecked
        return None

    def title(self, section: int, role: int) -> Any:
        if not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == _Role.DisplayRole:
            return column.title
        if role == _Role.ToolTipRole:
            return column.tip or None
        if role == _Role.InitialSortOrderRole:
            return _Order.DescendingOrder if column.largest_first else _Order.AscendingOrder
        right = role == _Role.TextAlignmentRole and column.is_number and not column.has_title_left
        return RIGHT if right else None


class TableModel(ColumnModel[T], QAbstractTableModel):
    """The items that a text finds, in the order of a column. Numbers are those of the items in their listing."""

    def __init__(
        self, parent: QObject | None = None, columns: Sequence[Column[T]] = (), *, moves: bool = False
    ) -> None:
        """`moves`: what is selected moves along when it is sorted; of very many rows that is dear."""
        super().__init__(parent)
        self._moves, self.columns = moves, columns
        # The item that the pointer is on, here or elsewhere.
        self.pointed: T | None = None
        self.items: Sequence[T] = ()
        self._listing: Listing[T] = Listing((), ())
        self._text = ""
        # -1: as they are listed.
        self._by, self._descending = -1, False
        self._shown: Ints = np.zeros(0, np.int32)

    # What is listed

    def show(self, listing: Listing[T]) -> None:
        """Other items, or columns: all begins anew."""
        self.beginResetModel()
        self._take(listing)
        self._arrange()
        self.endResetModel()

    def say(self, listing: Listing[T]) -> None:
        """Other words for the same items: rows stay where they are."""
        self._take(listing)
        if len(self._shown):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._shown) - 1, len(self.columns) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(len(self.columns) - 1, 0))

    def grow(self, listing: Listing[T]) -> None:
        """The same items and some more below; nothing is searched or sorted."""
        before = len(self._shown)
        if len(listing.items) > before:
            self.beginInsertRows(NOTHING, before, len(listing.items) - 1)
            self._take(listing)
            self._arrange()
            self.endInsertRows()
        self.say(listing)

    def move(self, listing: Listing[T]) -> None:
        """Other places for the same items: what is selected moves along."""
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        numbers = [self.number_at(index.row()) for index in kept]
        self._take(listing)
        self._arrange()
        places = np.full(len(self.items), -1, np.int32)
        places[self._shown] = np.arange(len(self._shown), dtype=np.int32)
        rows = [-1 if number is None else int(places[number]) for number in numbers]
        moved = [self.index(row, index.column()) for row, index in zip(rows, kept, strict=True)]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def filter(self, text: str) -> None:
        self._text = text
        self.show(self._listing)

    def sort(self, column: int, order: Qt.SortOrder = _Order.AscendingOrder) -> None:
        """Column -1 is the order of the list itself."""
        self._by, self._descending = column, column >= 0 and order == _Order.DescendingOrder
        (self.move if self._moves else self.show)(self._listing)

    @property
    def shown(self) -> Ints:
        """The numbers of all items that are listed, from the top."""
        return self._shown

    def number_at(self, row: int) -> int | None:
        return int(self._shown[row]) if 0 <= row < len(self._shown) else None

    def item_at(self, row: int) -> T | None:
        number = self.number_at(row)
        return None if number is None else self.items[number]

    def row_of(self, number: int) -> int | None:
        found = np.flatnonzero(self._shown == number)
        return int(found[0]) if len(found) else None

    def at(self, index: Index) -> tuple[Column[T], T]:
        """The column and the item of a cell that is there."""
        return self.columns[index.column()], self.items[self._shown[index.row()]]

    def _take(self, listing: Listing[T]) -> None:
        self._listing = listing
        self.items, self.columns, self.tip = listing.items, listing.columns, listing.tip

    def _arrange(self) -> None:
        found = self._listing.found(self._text)
        sort = self.columns[self._by].sort if 0 <= self._by < len(self.columns) else None
        self._shown = found if sort is None else sort(found, self._descending)

    # What Qt asks

    def rowCount(self, parent: Index = NOTHING) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = NOTHING) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        return self.cell(index, role)

    def cell(self, index: Index, role: int) -> Any:
        row = index.row()
        if not 0 <= row < len(self._shown):
            return None
        return self.said(self.items[self._shown[row]], self.columns[index.column()], role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        return self.title(section, role) if orientation == Qt.Orientation.Horizontal else None


class VerbatimModel(TableModel[T]):
    """Model that is shown as it is, whatever the language: what it lists was not written for the window."""

    is_verbatim = True

    def data(self, index: Index, role: int = _Role.DisplayRole) -> Any:
        return self.cell(index, role)


class EditedModel(TableModel[T]):
    """Model with columns that can be written to or ticked."""

    def flags(self, index: Index) -> Qt.ItemFlag:
        own = super().flags(index)
        if not index.isValid():
            return own
        column, item = self.at(index)
        if column.edit is not None and column.edited is not None and column.edited(item):
            own |= Qt.ItemFlag.ItemIsEditable
        return own | Qt.ItemFlag.ItemIsUserCheckable if column.check is not None else own

    def setData(self, index: Index, value: Any, role: int = _Role.EditRole) -> bool:
        column, item = self.at(index)
        if role == _Role.EditRole and column.edit is not None:
            return column.edit(item, str(value))
        if role == _Role.CheckStateRole and column.check is not None:
            column.check(item, Qt.CheckState(value) == Qt.CheckState.Checked)
            self.dataChanged.emit(index, index)
            return True
        return False
