"""Columns of a list, as data: each says of every item what stands in its cell; and the items."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QIcon

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
        from errorflow.explain.findings.columns import sorted_by

        return found[sorted_by(keys()[found], descending=descending)]

    return sort


def by_key(items: Sequence[T], key: Callable[[T], Any]) -> Sort:
    """Sorts few items by what Python can compare; equal ones stay as the list has them."""

    def sort(found: Ints, descending: bool) -> Ints:
        numbers = sorted(found.tolist(), key=lambda number: key(items[number]), reverse=descending)
        return np.array(numbers, np.int32)

    return sort
