"""The worst values, and any others; one operator's tables in msaccucmp's form are written from here."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import ErrorflowError, Progress
from errorflow.explain.inspect.figure import short_text
from errorflow.explain.inspect.tensors import Tensors
from errorflow.explain.inspect.worst import TOP, By, WorstValue, place_of, values_at, worst_places
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import offer_table
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.document.state import State
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, LABEL, PADDING
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.table import Column, Listing, TableModel
from errorflow_viewer.panels.inspector.view import Subject, View

KEY, SAVE_KEY = "inspector.values", "inspector.save"
# Values in their order that are in the table at a time.
PAGE = 2000
# Narrower, one of the two errors has no column.
ROOM_FOR_BOTH = 330
ABSOLUTE_FIRST: Final = "absolute"
RELATIVE_FIRST: Final = "relative"
IN_ORDER: Final = "order"
_MODES = (
    (ABSOLUTE_FIRST, f"{TOP} largest errors"),
    (RELATIVE_FIRST, f"{TOP} largest relative errors"),
    (IN_ORDER, "All, in their order"),
)


class ValuesView:
    """A table; the worst are found in the background."""

    large = None

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._subject: Subject | None = None
        self._shown: tuple[Tensors, str, int] | None = None
        self.widget = _Resizing(self._fit)
        self.mode = QComboBox()
        self.mode.setAccessibleName("Which values")
        self.mode.view().setAccessibleName("Which values")
        self.mode.activated.connect(lambda _: self._fill())
        self.place = QLineEdit()
        self.place.setAccessibleName("Go to index")
        self.place.setPlaceholderText("Go to index")
        self.place.setToolTip("A place as in 0, 3, 2, 1, or one number counted through memory")
        self.place.returnPressed.connect(self._go)
        self.save = QToolButton()
        icons.follow(self.save, "save")
        self.save.setToolTip("Write msaccucmp's tables of this tensor: all values, and the largest errors…")
        self.save.setAccessibleName("Write tables of this tensor")
        self.save.clicked.connect(self._ask_where)
        self.model = ValuesTable(self.widget)
        self.table = self._make_table()
        offer_table(desk, self.table, "values")
        self.note = text_label(role="label", wraps=True)
        self.note.setContentsMargins(PADDING, GRID, PADDING, GRID)
        self._lay_out()
        text = "Looking for the largest errors"
        desk.derived.add(looked(KEY, text, self._wished, _worst, self._take_worst, self._fail))

    def _make_table(self) -> QTableView:
        table = QTableView()
        furnish(table, self.model, "Values", "Rows", "Columns", several=True)
        table.setFont(font(LABEL))
        table.setTextElideMode(Qt.TextElideMode.ElideNone)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setMinimumSectionSize(36)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self._copy)
        return table

    def _lay_out(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        for row in (first, second):
            row.setContentsMargins(PADDING, GRID, PADDING, 0)
            row.setSpacing(GRID)
        first.addWidget(self.mode, 1)
        first.addWidget(self.save)
        second.addWidget(self.place, 1)
        box = spaced(QVBoxLayout(self.widget), GRID)
        box.addLayout(first)
        box.addLayout(second)
        box.addWidget(self.table, 1)
        box.addWidget(self.note)

    def show(self, subject: Subject | None) -> None:
        self._subject = subject
        tensors = self._tensors
        pair = None if subject is None else subject.choice.pair
        self.save.setEnabled(tensors is not None and tensors.together and pair is not None)
        if tensors is None:
            self._shown = None
            self._desk.derived.follow(KEY)
            self.model.show_values(())
            return
        before = None if self._shown is None else self._shown[0]
        if before is not tensors:
            self._offer(tensors)
            self._fill()

    @property
    def _tensors(self) -> Tensors | None:
        looked = None if self._subject is None else self._subject.looked
        return None if looked is None else looked.tensors

    def _offer(self, tensors: Tensors) -> None:
        """Offers orders; without errors there is only one."""
        wanted = self.mode.currentData()
        self.mode.clear()
        for key, text in _MODES if tensors.together and tensors.size > 1 else _MODES[-1:]:
            self.mode.addItem(text, key)
        self.mode.setCurrentIndex(max(self.mode.findData(wanted), 0))

    def _fill(self, first: int = 0) -> None:
        tensors, mode = self._tensors, self.mode.currentData()
        if tensors is None:
            return
        self._shown = tensors, mode, first
        self._fit()
        if mode == IN_ORDER:
            self._desk.derived.follow(KEY)
            last = min(first + PAGE, tensors.size)
            self._take(values_at(tensors, range(first, last)))
            self.note.setText("" if last - first == tensors.size else f"{first:,} … {last - 1:,} of {tensors.size:,}")
            return
        self.note.setText("Looking for the largest errors …")
        self._desk.derived.ask(KEY)

    def _wished(self, _: State) -> "tuple[Tensors, By] | None":
        """Makes the wish; None: nothing has to be looked for."""
        if self._shown is None or self._shown[1] == IN_ORDER:
            return None
        return self._shown[0], ABSOLUTE_FIRST if self._shown[1] == ABSOLUTE_FIRST else RELATIVE_FIRST

    def _take_worst(self, values: Sequence[WorstValue]) -> None:
        self._take(values)
        self.note.setText("A place where one side has no number comes first." if _broken(values) else "")

    def _take(self, values: Sequence[WorstValue]) -> None:
        self.model.show_values(values)
        self._fit()

    def _fail(self, error: ErrorflowError) -> None:
        self.note.setText(f"{error.message} {error.hint}")

    def _go(self) -> None:
        tensors = self._tensors
        if tensors is None:
            return
        try:
            place = place_of(tensors, self.place.text())
        except ErrorflowError as error:
            self._fail(error)
            return
        self.mode.setCurrentIndex(self.mode.findData(IN_ORDER))
        self._fill(max(0, min(place - PAGE // 2, tensors.size - PAGE)))
        row = self.model.row_at(place)
        if row is not None:
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)

    def _fit(self) -> None:
        """Fits; in little room the error by which is not sorted has no column, and without a second side there are
        none.
        """
        tensors = self._tensors
        together = tensors is not None and tensors.together
        roomy = self.widget.width() >= ROOM_FOR_BOTH
        relative = self.mode.currentData() == RELATIVE_FIRST
        self.table.setColumnHidden(ABSOLUTE, not together or (relative and not roomy))
        self.table.setColumnHidden(RELATIVE, not together or not (relative or roomy))
        self.table.setColumnHidden(CANDIDATE, tensors is not None and tensors.candidate is None)
        self.table.setColumnHidden(1, tensors is not None and tensors.reference is None)
        self._spread()

    def _spread(self) -> None:
        """No number is cut off: places have the room that is left, and where there is none, one scrolls."""
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(INDEX, QHeaderView.ResizeMode.ResizeToContents)
        if header.length() < self.table.viewport().width():
            header.setSectionResizeMode(INDEX, QHeaderView.ResizeMode.Stretch)

    def _copy(self) -> None:
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        values = [value for value in map(self.model.item_at, rows) if value is not None]
        lines = ["\t".join(COLUMNS)]
        lines += ["\t".join(exact_text(value, column) for column in range(len(COLUMNS))) for value in values]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _ask_where(self) -> None:
        begin = self._desk.settings.export_folder(self._desk.document.folder)
        dialog = QFileDialog(self.widget.window(), "Write tables of this tensor", begin)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda folder: self.write_tables(Path(folder)))
        dialog.open()

    def write_tables(self, folder: Path) -> None:
        """msaccucmp's files of one operator, into that folder."""
        subject = self._subject
        pair = None if subject is None else subject.choice.pair
        if subject is None or pair is None:
            return
        choice = subject.choice
        name = pair.node if pair.node else choice.name
        side = "input" if choice.end == "input" else "output"
        beside = self._desk.document.folder

        def write(progress: Progress) -> int:
            from errorflow.report.single import SingleOptions, run_single

            options = SingleOptions(folder, name, side, choice.place, TOP)
            return len(run_single(pair, options, progress).files)

        def written(count: int) -> None:
            self._desk.settings.remember_export(folder, beside)
            self.note.setText(f"{count} files in {folder}")

        self._desk.jobs.start(SAVE_KEY, "Writing tables", write, written, self._fail)


class _Resizing(QWidget):
    """Tells when its width may be another."""

    def __init__(self, fit: Callable[[], None]) -> None:
        super().__init__()
        self._told = fit

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._told()


def _worst(wish: "tuple[Tensors, By]", progress: Progress) -> tuple[WorstValue, ...]:
    return values_at(wish[0], worst_places(*wish, progress=progress))


def _broken(values: Sequence[WorstValue]) -> bool:
    return any(value.absolute != value.absolute for value in values)


VALUES = View("values", "Values", ValuesView)


# The values at some places as the model of lists has them.

COLUMNS = ("Index", "Ref.", "Cand.", "Error", "Relative")
INDEX, REFERENCE, CANDIDATE, ABSOLUTE, RELATIVE = range(len(COLUMNS))
_ERRORS = ("|candidate − reference|", "|candidate − reference| / |reference|")
_FULL = ("Index", "Reference", "Candidate", *_ERRORS)
_TIPS = ("Where it is", "The reference's value", "The candidate's value", *_ERRORS)


class ValuesTable(TableModel[WorstValue]):
    def show_values(self, rows: Sequence[WorstValue]) -> None:
        self.show(Listing(rows, [_column(at) for at in range(len(COLUMNS))], _exact))

    def row_at(self, place: int) -> int | None:
        """Finds the row of a place in memory."""
        return next((row for row, value in enumerate(self.items) if value.place == place), None)


def _column(at: int) -> Column[WorstValue]:
    return Column(
        COLUMNS[at],
        partial(cell_text, column=at),
        _TIPS[at],
        _FULL[at],
        is_number=at != INDEX,
        exact=partial(exact_text, column=at),
    )


def cell_text(value: WorstValue, column: int) -> str:
    """Short: the tooltip has all digits."""
    if column == INDEX:
        return _index_text(value)
    number = _number(value, column)
    if column == RELATIVE and math.isfinite(number):
        return f"{short_text(100 * number)}%"
    return short_text(number)


def exact_text(value: WorstValue, column: int) -> str:
    """Writes a value for a file or another program."""
    return _index_text(value) if column == INDEX else repr(_number(value, column))


def _index_text(value: WorstValue) -> str:
    return ",".join(map(str, value.index)) if value.index else "–"


def _number(value: WorstValue, column: int) -> float:
    return (value.reference, value.candidate, value.absolute, value.relative)[column - 1]


def _exact(value: WorstValue) -> str:
    at = f"[{', '.join(map(str, value.index))}], value {value.place:,} in memory"
    told = (("Reference", value.reference), ("Candidate", value.candidate), ("Error", value.absolute))
    return "\n".join([at, *(f"{word} {number!r}" for word, number in told if number == number)])
