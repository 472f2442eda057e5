"""The list of what was tried."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search, Tried
from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE
from errorflow_viewer.kit.look import BODY, ROW
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.search.told import attempt, kept
from errorflow_viewer.panels.search.words import measure_tip, value_text

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
NUMBER, KEPT, VALUE, GOOD, SECONDS, WHY = range(6)
_TITLES = ("No.", "Kept", "", "Enough", "s", "Tried")
_TIPS = {
    NUMBER: "In the order of the search",
    KEPT: "Parts that are not quantized as planned",
    SECONDS: "What it took to evaluate",
    WHY: "What the strategy tried, and why",
}
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_TABULAR = QFont.Tag("tnum")
# Logical px.
_LEAST, _MOST, _WHY, _MOST_WHY = 40, 190, 120, 360
# Around the text of a cell.
_ROOM = 18
# Rows that are looked at for the widths of columns.
_MEASURED = 100
# Columns that are left out where there is too little room, the first of them first.
_GIVE_WAY = (WHY, SECONDS, NUMBER, GOOD)


class Attempts(QAbstractTableModel):
    """A row per evaluation, as it happens."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Search | None = None
        self.sought = Sought()

    def show_search(self, found: Search | None, sought: Sought) -> None:
        """What was tried stays where it is, and more comes below."""
        before, after = self._tried, () if found is None else found.tried
        grows = before == after[: len(before)] and bool(before) and sought == self.sought
        if grows and len(after) > len(before):
            self.beginInsertRows(_NOTHING, len(before), len(after) - 1)
            self.found = found
            self.endInsertRows()
        elif not grows:
            self.beginResetModel()
            self.found, self.sought = found, sought
            self.endResetModel()
        self.found = found
        if after:
            self.dataChanged.emit(self.index(0, 0), self.index(len(after) - 1, WHY))

    @property
    def _tried(self) -> tuple[Tried, ...]:
        return () if self.found is None else self.found.tried

    def tried_at(self, row: int) -> Tried | None:
        return self._tried[row] if 0 <= row < len(self._tried) else None

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._tried)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(_TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        name = "" if self.found is None else self.found.measure
        if role == Qt.ItemDataRole.DisplayRole:
            return name.partition(" of ")[0] if section == VALUE else _TITLES[section]
        if role == EXACT_ROLE:
            return name if section == VALUE and name else None
        if role == Qt.ItemDataRole.ToolTipRole:
            rule = "" if self.found is None else f"{name}: {self.found.rule}"
            tips = {**_TIPS, VALUE: f"{name}\n{measure_tip(self.sought)}", GOOD: rule}
            return tips[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in (NUMBER, VALUE, SECONDS):
            return _RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        tried = self.tried_at(index.row())
        if tried is None or self.found is None:
            return None
        at = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(tried, at)
        if role == EXACT_ROLE:
            return {NUMBER: str(tried.number + 1), VALUE: float(tried.value), SECONDS: float(tried.seconds)}.get(at)
        if role == Qt.ItemDataRole.ToolTipRole:
            return attempt(self.found, self.sought, tried)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if at in (NUMBER, VALUE, SECONDS) else None
        if role == Qt.ItemDataRole.FontRole:
            return self._font(tried, at)
        return None

    def text(self, tried: Tried, at: int) -> str:
        texts = {
            NUMBER: f"{tried.number + 1:,}",
            KEPT: kept(tried) if len(tried.choice) else "none",
            VALUE: value_text(self.sought, tried.value),
            GOOD: "yes" if tried.good else "no",
            SECONDS: "known" if tried.known else f"{tried.seconds:.1f}",
            WHY: tried.note if tried.note else tried.why,
        }
        return texts[at]

    def as_table(self) -> str:
        """What is shown, for a spreadsheet."""
        head = [self.headerData(at, Qt.Orientation.Horizontal) for at in range(len(_TITLES))]
        lines = [head, *([self.text(tried, at) for at in range(len(_TITLES))] for tried in self._tried)]
        return "\n".join("\t".join(" ".join(str(cell).split()) for cell in line) for line in lines) + "\n"

    def _font(self, tried: Tried, at: int) -> QFont:
        found = font(BODY)
        if at in (NUMBER, VALUE, SECONDS):
            found.setFeature(_TABULAR, 1)
        best = None if self.found is None else self.found.best
        if best is not None and best.number == tried.number:
            found.setWeight(QFont.Weight.DemiBold)
        return found


class AttemptsView(QTableView):
    """One row is chosen at a time."""

    chosen = Signal(object)  # number of the attempt, or None
    copy_wanted = Signal()

    def __init__(self, table: Attempts) -> None:
        super().__init__()
        self.table = table
        self.setModel(table)
        self.setAccessibleName("Attempts")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.setAccessibleName("Rows of attempts")
        columns.setAccessibleName("Columns of attempts")
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW)
        columns.setHighlightSections(False)
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit(self.number))

    @property
    def number(self) -> int | None:
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def choose(self, number: int | None) -> None:
        """Selects it and brings it into view."""
        if number is None:
            self.clearSelection()
        elif number != self.number and self.table.tried_at(number) is not None:
            self.setCurrentIndex(self.table.index(number, NUMBER))

    @property
    def wish(self) -> int:
        """The width at which nothing is left out or cut."""
        return sum(map(self._wish, range(len(_TITLES)))) + 2 * self.frameWidth() + self.verticalScrollBar().width()

    def fit(self) -> None:
        """What does not fit gives way, and stands in the tooltips; why something was tried takes the rest."""
        header, room = self.horizontalHeader(), self.viewport().width()
        shown = set(range(len(_TITLES)))
        for at in _GIVE_WAY:
            if sum(map(self._wish, shown - {WHY})) + (_WHY if WHY in shown else 0) > room:
                shown.discard(at)
        for at in range(len(_TITLES)):
            self.setColumnHidden(at, at not in shown)
            header.resizeSection(at, self._wish(at))
        left = room - sum(header.sectionSize(at) for at in shown)
        last = WHY if WHY in shown else KEPT
        header.resizeSection(last, max(header.sectionSize(last) + left, _LEAST))

    def _wish(self, at: int) -> int:
        """As wide as the head and all that is in it, also while it is hidden."""
        metrics, bold = QFontMetrics(font(BODY)), QFontMetrics(font(BODY, strong=True))
        head = metrics.horizontalAdvance(str(self.table.headerData(at, Qt.Orientation.Horizontal)))
        texts = (self.table.index(row, at).data() for row in range(min(self.table.rowCount(), _MEASURED)))
        inside = max((bold.horizontalAdvance(text) for text in texts), default=0)
        return min(max(head, inside, _LEAST - _ROOM) + _ROOM, _MOST_WHY if at == WHY else _MOST)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        else:
            super().keyPressEvent(event)
