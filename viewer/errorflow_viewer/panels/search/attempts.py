"""The list of what was tried."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QTableView

from errorflow.study.search.asked import Sought
from errorflow.study.search.model import Search, Tried
from errorflow_viewer.kit.look import BODY
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.kit.tables.table import Column, Listing, TableModel
from errorflow_viewer.panels.search.told import attempt, kept
from errorflow_viewer.panels.search.words import measure_tip, value_text

_ALL = range(6)
NUMBER, KEPT, VALUE, GOOD, SECONDS, WHY = _ALL
_TITLES = ("No.", "Kept", "", "Enough", "s", "Tried")
_TIPS = (
    *("In the order of the search", "Parts that are not quantized as planned", "", ""),
    *("What it took to evaluate", "What the strategy tried, and why"),
)
_EXACT: dict[int, Callable[[Tried], object]] = {
    NUMBER: lambda tried: str(tried.number + 1),
    VALUE: lambda tried: float(tried.value),
    SECONDS: lambda tried: float(tried.seconds),
}
# Logical px.
_LEAST, _MOST, _WHY, _MOST_WHY = 40, 190, 120, 360
# Around the text of a cell.
_ROOM = 18
# Rows that are looked at for the widths of columns.
_MEASURED = 100
# Columns that are left out where there is too little room, the first of them first.
_GIVE_WAY = (WHY, SECONDS, NUMBER, GOOD)


class Attempts(TableModel[Tried]):
    """A row per evaluation, as it happens."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.found: Search | None = None
        self.sought = Sought()
        self.show(self._list())

    def show_search(self, found: Search | None, sought: Sought) -> None:
        """Shows a search; what was tried stays where it is, and more comes below."""
        before, after = self.items, () if found is None else found.tried
        grows = before == after[: len(before)] and bool(before) and sought == self.sought
        self.found, self.sought = found, sought
        (self.grow if grows else self.show)(self._list())

    def _list(self) -> Listing[Tried]:
        found, sought = self.found, self.sought
        columns = [self._column(at) for at in _ALL]
        if found is None:
            return Listing((), columns)
        return Listing(found.tried, columns, lambda tried: attempt(found, sought, tried))

    def _column(self, at: int) -> Column[Tried]:
        found, sought = self.found, self.sought
        name, rule = ("", "") if found is None else (found.measure, f"{found.measure}: {found.rule}")
        tips = {VALUE: f"{name}\n{measure_tip(sought)}", GOOD: rule}
        return Column(
            name.partition(" of ")[0] if at == VALUE else _TITLES[at],
            lambda tried: _text(sought, tried, at),
            tips.get(at, _TIPS[at]),
            name if at == VALUE else "",
            is_number=at in _EXACT,
            exact=_EXACT.get(at),
            strong=lambda tried: found is not None and found.best is not None and found.best.number == tried.number,
        )

    def as_table(self) -> str:
        """Writes what is shown, for a spreadsheet."""
        lines = [[column.title for column in self.columns]]
        lines += [[column.text(tried) for column in self.columns] for tried in self.items]
        return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines) + "\n"


def _text(sought: Sought, tried: Tried, at: int) -> str:
    texts = {
        NUMBER: f"{tried.number + 1:,}",
        KEPT: kept(tried) if len(tried.choice) else "none",
        VALUE: value_text(sought, tried.value),
        GOOD: "yes" if tried.good else "no",
        SECONDS: "known" if tried.known else f"{tried.seconds:.1f}",
        WHY: tried.note if tried.note else tried.why,
    }
    return texts[at]


class AttemptsView(QTableView):
    """View in which one row is chosen at a time."""

    chosen = Signal(object)  # number of the attempt, or None
    copy_wanted = Signal()

    def __init__(self, table: Attempts) -> None:
        super().__init__()
        self.table = table
        furnish(self, table, "Attempts", "Rows of attempts", "Columns of attempts")
        self.setItemDelegate(CellPainter(self))
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit(self.number))

    @property
    def number(self) -> int | None:
        rows = self.selectionModel().selectedRows()
        return rows[0].row() if rows else None

    def choose(self, number: int | None) -> None:
        """Selects it and brings it into view."""
        if number is None:
            self.clearSelection()
        elif number != self.number and self.table.item_at(number) is not None:
            self.setCurrentIndex(self.table.index(number, NUMBER))

    @property
    def wish(self) -> int:
        """The width at which nothing is left out or cut."""
        return sum(map(self._wish, _ALL)) + 2 * self.frameWidth() + self.verticalScrollBar().width()

    def fit(self) -> None:
        """Fits; what has no room gives way, and stands in the tooltips; why something was tried takes the rest."""
        header, room = self.horizontalHeader(), self.viewport().width()
        shown = set(_ALL)
        for at in _GIVE_WAY:
            if sum(map(self._wish, shown - {WHY})) + (_WHY if WHY in shown else 0) > room:
                shown.discard(at)
        for at in _ALL:
            self.setColumnHidden(at, at not in shown)
            header.resizeSection(at, self._wish(at))
        left = room - sum(header.sectionSize(at) for at in shown)
        last = WHY if WHY in shown else KEPT
        header.resizeSection(last, max(header.sectionSize(last) + left, _LEAST))

    def _wish(self, at: int) -> int:
        """Measures the head and all that is in it, also while it is hidden."""
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
