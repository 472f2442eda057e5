"""A list of lines with what narrows it above."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QHeaderView, QLineEdit, QVBoxLayout, QWidget

from errorflow_viewer.kit.accessible.keyboard import Mirror
from errorflow_viewer.kit.layouts import pages, text_label
from errorflow_viewer.kit.look import GRID, PADDING
from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.lines.rows import RowChoice
from errorflow_viewer.panels.lines.table import LineTable

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
