"""The methods of calibration for one tensor, as Qt wants a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from errorflow.compare.metrics import METRICS
from errorflow.explain.inspect.figure import short_text
from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE

if TYPE_CHECKING:
    from errorflow.study.simulate.methods import Judged

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
COLUMNS = ("Method", "Low", "High", "Clipped", "SQNR")
METHOD, LOW, HIGH, CLIPPED, SQNR = range(len(COLUMNS))
# Before the method that is used.
USED = "✓"
# Goes without saying before a number of per cent; in full it is in the tip.
COMMON = "Percentile "
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
_TIPS = (
    "How the range is found",
    "Where the range begins",
    "Where the range ends",
    "The share of the values seen in calibration that lie beyond it",
    f"Expected of codes of this tensor alone, on the values seen in calibration · {_SQNR.label} · {_SQNR.formula}",
)


class RangesTable(QAbstractTableModel):
    """One row per method; the best one is said, and the one that is used."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: Sequence[Judged] = ()
        self.best = self.used = ""

    def show_rows(self, rows: "Sequence[Judged]", best: str, used: str) -> None:
        self.beginResetModel()
        self.rows, self.best, self.used = rows, best, used
        self.endResetModel()

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if role == EXACT_ROLE:
            return {CLIPPED: "Share clipped", SQNR: "Expected SQNR (dB)"}.get(section)
        texts = {Qt.ItemDataRole.DisplayRole: COLUMNS, Qt.ItemDataRole.ToolTipRole: _TIPS}.get(Qt.ItemDataRole(role))
        return None if texts is None else texts[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == EXACT_ROLE:
            numbers = {METHOD: row.method.label, LOW: row.low, HIGH: row.high, CLIPPED: row.clipped, SQNR: row.sqnr}
            return numbers[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row) if index.column() == METHOD else _exact(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == Qt.ItemDataRole.FontRole and row.method.key == self.best:
            font = QFont()
            font.setBold(True)
            return font
        return None

    def _tip(self, row: "Judged") -> str:
        said = [word for word, key in (("best", self.best), ("used", self.used)) if key == row.method.key]
        name = f"{row.method.label} ({', '.join(said)})" if said else row.method.label
        return f"{name}: {row.method.formula}"

    def _text(self, row: "Judged", column: int) -> str:
        if column == METHOD:
            name = row.method.label.removeprefix(COMMON)
            return f"{USED} {name}" if row.method.key == self.used else name
        if column == CLIPPED:
            return f"{row.clipped:.2%}"
        if column == SQNR:
            return "–" if row.sqnr != row.sqnr else _SQNR.text(row.sqnr)
        return short_text(row.low if column == LOW else row.high)


def _exact(row: "Judged") -> str:
    return f"{row.low!r} … {row.high!r}, {row.clipped:.6%} clipped, {row.sqnr!r} dB"


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignLeft if column == METHOD else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter
