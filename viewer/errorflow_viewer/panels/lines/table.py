"""The rows as the model of lists has them: a column for each title, and one for the error."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QHeaderView, QLineEdit, QVBoxLayout, QWidget

from errorflow.base.arrays import Ints
from errorflow.base.language import Verbatim, joined, said
from errorflow.base.values import dataclass
from errorflow_viewer.kit.accessible.keyboard import Mirror
from errorflow_viewer.kit.layouts import pages, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.table import Column, Listing, TableModel, by_keys, by_order
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.lines.rows import UNMEASURED, Errors, LineRows, RowChoice

R = TypeVar("R", bound=LineRows[Any])
L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns beside each other in a list."""

    titles: tuple[str, ...]
    # Those that need the room, and of them those with names, which give way in the middle.
    wide: tuple[int, ...]
    names: tuple[int, ...]
    # The one with the error, whose title is the metric's; what else is to be said of it, and while there is none.
    error: int
    note: str
    none: str
    # The one that also says why an error lacks; -1: none does.
    reasons: int = -1
    # From here on there are numbers, the largest first, and what titles mean; "": they say it.
    numbers: int = 1000
    tips: tuple[str, ...] = ()


class LineTable(TableModel[int], Generic[R, L]):
    """The rows that match the filter, in the order that was asked for."""

    def __init__(self, parts: Columns, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.parts = parts
        self.rows: R | None = None
        self.errors: Errors | None = None
        self._choice: RowChoice[R] | None = None
        self.show_rows(None)

    def show_rows(self, rows: R | None, errors: Errors | None = None) -> None:
        self.rows, self.errors = rows, errors
        self.show(self._list())

    def show_errors(self, errors: Errors | None) -> bool:
        """Other numbers for the same rows; whether rows may have moved."""
        before, self.errors = self.errors, errors
        moves = self._by == self.parts.error and not _same_order(before, errors)
        (self.show if moves else self.say)(self._list())
        return moves

    def filter(self, text: str, choice: RowChoice[R] | None = None) -> None:
        self._choice = choice
        super().filter(text)

    def line_at(self, row: int) -> L | None:
        number = self.number_at(row)
        if number is None or self.rows is None:
            return None
        line: L = self.rows.lines[number]
        return line

    def _list(self) -> Listing[int]:
        rows = self.rows
        columns = [
            self._error() if at == self.parts.error else self._column_of(at) for at in range(len(self.parts.titles))
        ]
        if rows is None:
            return Listing((), columns)
        return Listing(range(len(rows)), columns, self._tip, self._found)

    def _column_of(self, at: int) -> Column[int]:
        rows, parts = self.rows, self.parts
        tip, is_number = parts.tips[at] if parts.tips else "", at >= parts.numbers
        if rows is None:
            return Column(parts.titles[at], str, tip, is_number=is_number, largest_first=is_number)
        return Column(
            parts.titles[at],
            self._text_of(at),
            tip,
            is_number=is_number,
            is_name=at in parts.names,
            sort=by_order(lambda: rows.order(at)),
            largest_first=is_number,
            exact=lambda row: rows.exact(row, at),
            forms=(lambda row: rows.forms(row, at)) if at in parts.names else None,
            muted=lambda row: rows.steps_back(row, at),
            strong=lambda row: rows.stands_out(row, at),
        )

    def _text_of(self, at: int) -> Callable[[int], str]:
        rows = self.rows
        if at == self.parts.reasons or rows is None:
            return self._text_or_reason
        return (
            (lambda row: Verbatim(rows.shown(row, at))) if at in self.parts.names else (lambda row: rows.shown(row, at))
        )

    def _error(self) -> Column[int]:
        """A column whose title is the metric's, the worst first."""
        errors, title = self.errors, self.parts.titles[self.parts.error]
        if errors is None:
            about = self.parts.none
            return Column(
                title,
                lambda _: UNMEASURED,
                about,
                is_number=True,
                largest_first=True,
                exact=lambda _: "",
                cell_tip=lambda _: about,
            )
        about = f"{errors.about}\n{self.parts.note}"
        return Column(
            errors.scale.label,
            errors.text,
            about,
            errors.title,
            is_number=True,
            sort=by_keys(lambda: errors.keys),
            largest_first=errors.worst_is_large,
            exact=errors.exact,
            cell_tip=lambda row: "\n".join(filter(None, (about, self._reason(row)))),
            badness=errors.badness,
        )

    def _text_or_reason(self, row: int) -> str:
        text = "" if self.rows is None else self.rows.shown(row, self.parts.reasons)
        return text if text else self._reason(row)

    def _tip(self, row: int) -> str:
        tip = "" if self.rows is None else self.rows.tip(row)
        return joined("\n", map(said, filter(None, (tip, self._reason(row)))))

    def _reason(self, row: int) -> str:
        """Says why a row was not measured, as far as that is known."""
        return "" if self.errors is None else self.errors.notes.get(row, "")

    def _found(self, text: str) -> Ints:
        rows = self.rows
        assert rows is not None, "they are listed"
        keep = rows.search(text)
        if self._choice is not None:
            keep = keep & self._choice.holds(rows)
        return np.flatnonzero(keep).astype(np.int32)


def _same_order(one: Errors | None, other: Errors | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one.keys, other.keys, equal_nan=True)


# A list of lines with what narrows it above.

# Look of a list of lines.


class LineView(Mirror):
    """Sorted by a click on a column, and by a third one as it was."""

    def __init__(self, table: LineTable[Any, Any], things: str, several: bool) -> None:
        super().__init__()
        self.cells = CellPainter(self)
        columns = f"Columns of {things}, sort by one with a click"
        furnish(self, table, things.capitalize(), f"Rows of {things}", columns, several=several, sorts=True)
        self.setItemDelegate(self.cells)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        for column in table.parts.wide:
            self.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)


HEIGHT = 28


class LinePage(QWidget):
    """`things` says what is listed, such as "matches". Where nothing fits, it says so and offers to show all."""

    about_to_narrow = Signal()
    narrowed = Signal()

    def __init__(
        self,
        table: LineTable[Any, Any],
        choices: Sequence[RowChoice[Any]],
        things: str,
        hint: str,
        *,
        several: bool = False,
        view: LineView | None = None,
    ) -> None:
        """`view`: one of its own kind."""
        super().__init__()
        self.table = table
        self._choices = choices
        self._things = things
        self.filter = QLineEdit()
        self.choice = QComboBox()
        self.count = text_label(role="label")
        self.view = LineView(table, things, several) if view is None else view
        self._none = f"No {things} fit what you look for."
        self.nothing_found = Empty(self._none, "Show all", self.show_all)
        self.head, self.box = QHBoxLayout(), QVBoxLayout(self)
        self._make_head(hint)
        self._lay_out()

    def add_to_head(self, *widgets: QWidget) -> None:
        for widget in widgets:
            self.head.addWidget(widget)

    def add_line(self, widget: QWidget) -> None:
        """Adds a line between what narrows the list and the list."""
        self.box.insertWidget(self.box.count() - 1, widget)

    def show_all(self) -> None:
        self.filter.clear()
        self.choice.setCurrentIndex(0)

    def refresh(self) -> None:
        """Refreshes after the rows have changed."""
        empty = self.table.rows is not None and not self.table.rowCount()
        if empty:
            none = "" if self.filter.text().strip() else self._choices[self.choice.currentIndex()].none
            self.nothing_found.sentence.setText(none if none else self._none)
            narrow = bool(self.filter.text().strip()) or self.choice.currentIndex() > 0
            self.nothing_found.button.setVisible(narrow)
        self.stack.setCurrentWidget(self.nothing_found if empty else self.view)

    def _make_head(self, hint: str) -> None:
        self.filter.setPlaceholderText(hint)
        self.filter.setAccessibleName(f"Filter {self._things}")
        self.filter.setFixedHeight(HEIGHT)
        self.filter.setClearButtonEnabled(True)
        self.filter.setAcceptDrops(False)  # a dropped file is opened, not typed
        self.filter.textChanged.connect(self._narrow)
        self.choice.setAccessibleName(f"Which {self._things} are shown")
        self.choice.addItems([choice.text for choice in self._choices])
        self.choice.view().setAccessibleName(f"Kinds of {self._things}")
        self.choice.setFixedHeight(HEIGHT)
        self.choice.currentIndexChanged.connect(self._narrow)

    def _lay_out(self) -> None:
        self.head.setContentsMargins(PADDING, 0, PADDING, GRID)
        self.head.setSpacing(PADDING)
        self.head.addWidget(self.filter, 1)
        self.head.addWidget(self.choice)
        self.head.addWidget(self.count)
        self.stack = pages(self.view, self.nothing_found)
        self.box.setContentsMargins(0, 0, 0, 0)
        self.box.setSpacing(0)
        self.box.addLayout(self.head)
        self.box.addWidget(self.stack, 1)

    def _narrow(self) -> None:
        self.about_to_narrow.emit()
        self.table.filter(self.filter.text(), self._choices[self.choice.currentIndex()])
        self.refresh()
        self.narrowed.emit()
