"""Look of a ranking's table: bars in the cells, and rows that follow the pointer."""

from collections.abc import Sequence
from heapq import nlargest

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence

from errorflow_viewer.kit.accessible.keyboard import Mirror
from errorflow_viewer.kit.keymap import Keymap
from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.short_names import CUT, fitting
from errorflow_viewer.panels.ranking.rows import NAME, NOTE, SHARE, STATE, TYPE, WORST, RankRows
from errorflow_viewer.panels.ranking.table import RankTable

# Logical px: the least and most of a column.
_LEAST, _MOST = 44, 240
_NAME, _MOST_NAME, _NOTE, _MOST_TYPE = 140, 420, 60, 110
# Of the whole width, what names have at least.
_SHARE_NAME = 0.35
# From so much of its room on, a short form of a name is good enough.
_USED = 0.8
# The command that counts here as well, with its own keys.
SWITCH = "precision.toggle", ("Space",)
# Of the longest texts so many are measured: letters differ in width.
_ASKED = 8


class RankCells(CellPainter):
    """A name has more of it where the form that fits wastes room."""

    def named(self, forms: Sequence[str], metrics: QFontMetrics, room: int) -> str:
        return named(forms, metrics, room)


class RankView(Mirror):
    """Rows are selected as a whole, several of them too."""

    # The part that the pointer is on; None: on none.
    pointed = Signal(object)
    copy_wanted = Signal()
    # The selected parts are put to float, or back.
    switch_wanted = Signal()

    def __init__(self, table: RankTable, keymap: Keymap) -> None:
        super().__init__()
        self.table, self._keymap = table, keymap
        self.cells = RankCells(self)
        columns = "Columns of the ranking, sort by one with a click"
        furnish(self, table, "Ranking", "Rows of the ranking", columns, several=True, sorts=True)
        self.setItemDelegate(self.cells)
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self.pointed.emit(table.number_at(index.row())))
        self.viewportEntered.connect(lambda: self.pointed.emit(None))

    @property
    def is_under_pointer(self) -> bool:
        return self.viewport().underMouse()

    def point(self, part: int | None) -> None:
        """Marks the row of the part that the pointer is on, here or elsewhere."""
        if part != self.table.pointed:
            self.table.pointed = part
            self.viewport().update()

    def mark_order(self) -> None:
        """Marks the order: the arrow stands where rows are sorted by, whatever sorted them."""
        header, (column, order) = self.horizontalHeader(), self.table.sorted_by
        if header.sortIndicatorSection() != column:
            with QSignalBlocker(header):
                header.setSortIndicator(column, order)
            header.viewport().update()

    def fit(self) -> None:
        """Numbers are whole; names and notes share what is left. Further numbers give way to names."""
        rows, header = self.table.rows, self.horizontalHeader()
        if rows is None:
            return
        self._hide_what_says_nothing(rows)
        wide = [at for at, column in enumerate(rows.columns) if at == NAME or column.title == NOTE]
        for at in range(len(rows.columns)):
            if at not in wide and not self.isColumnHidden(at):
                wish = max(self._room_for(rows, at), header.sectionSizeHint(at))
                header.resizeSection(at, min(max(wish, _LEAST), _MOST if at != TYPE else _MOST_TYPE))
        has_notes = not self.isColumnHidden(wide[-1])
        room, least = self.viewport().width(), _NOTE if has_notes else 0
        taken = sum(header.sectionSize(at) for at in range(len(rows.columns)) if at not in wide)
        for at in giving_way(rows):
            if room - taken - least >= room * _SHARE_NAME:
                break
            taken -= header.sectionSize(at)
            self.setColumnHidden(at, True)
        rest = room - taken
        name = min(max(rest * 2 // 3 if has_notes else rest, round(room * _SHARE_NAME), _NAME), _MOST_NAME)
        header.resizeSection(NAME, name)
        if has_notes:
            header.resizeSection(wide[-1], max(rest - name, _NOTE))
        else:
            header.resizeSection(TYPE, header.sectionSize(TYPE) + min(max(rest - name, 0), _MOST))

    def _room_for(self, rows: RankRows, at: int) -> int:
        """Measures the widest text of a column: all cells of thousands of rows would hold up the window."""
        texts, metrics = rows.columns[at].texts, self.fontMetrics()
        longest = nlargest(_ASKED, set(texts), key=len)
        part = texts.index(max(longest, key=metrics.horizontalAdvance)) if longest else -1
        row = self.table.row_of(part)
        return 0 if row is None else self.sizeHintForIndex(self.table.index(row, at)).width() + 1

    def _hide_what_says_nothing(self, rows: RankRows) -> None:
        """Notes where there are none, and how far it is once all is known."""
        for at, column in enumerate(rows.columns):
            empty = column.title == NOTE and not any(column.texts)
            self.setColumnHidden(at, empty or (column.title == STATE and rows.ranking.complete))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.chooses(event):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        elif self._keymap.means(event, *SWITCH):
            self.switch_wanted.emit()
        else:
            super().keyPressEvent(event)


def giving_way(rows: RankRows) -> list[int]:
    """Columns that hide where there is little room, the first one first: the tip of a row has them, too."""
    titles = {column.title: at for at, column in enumerate(rows.columns)}
    further = [at for at, column in enumerate(rows.columns) if column.metric is not None][1:]
    first = [titles[WORST], *reversed(further)]
    return [*first, *([titles[SHARE]] if SHARE in titles else [])]


def named(forms: Sequence[str], metrics: QFontMetrics, room: int) -> str:
    """A name as long as there is room: where the form that fits wastes that, more of it, with all of that form."""
    text = fitting(forms, lambda each: metrics.horizontalAdvance(each) <= room)
    if text == forms[0] or metrics.horizontalAdvance(text) > _USED * room:
        return text
    modes = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideLeft
    longer = (metrics.elidedText(forms[0], mode, room) for mode in modes)
    return next((each for each in longer if all(part in each for part in text.split(CUT))), text)
