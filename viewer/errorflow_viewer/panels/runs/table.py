"""The rows of the runs for Qt."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QFont, QPalette

from errorflow.study.simulate.trial import Trial
from errorflow_viewer.commands.copy_save.cells import EXACT_ROLE
from errorflow_viewer.kit.look import BODY
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.runs.rows import NAME, RunRows

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_TABULAR = QFont.Tag("tnum")
# What stands before the names of the run on view, and of the one that it is compared with; the best number is bold.
ON_VIEW, AGAINST = "▶ ", "⇄ "
BEST = "Bold: the best of the runs that can be compared"
# Who reads aloud hears words.
_SAID = {ON_VIEW: "on view", AGAINST: "compared with"}


class RunTable(QAbstractTableModel):
    """Names are edited in place: `renamed` is told the old and the new one."""

    def __init__(self, renamed: Callable[[str, str], bool], palette: QPalette, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._renamed = renamed
        self.palette = palette
        self.rows = RunRows(())
        self._best: tuple[frozenset[str], ...] = ()

    def show_rows(self, rows: RunRows) -> None:
        self.beginResetModel()
        self.rows = rows
        self._best = tuple(rows.best(column) for column in rows.columns) if rows.trials else ()
        self.endResetModel()

    def trial_at(self, row: int) -> Trial | None:
        return self.rows.listed[row] if 0 <= row < len(self.rows.listed) else None

    def mark(self, trial: Trial) -> str:
        if trial.name == self.rows.now:
            return ON_VIEW
        return AGAINST if trial.name == self.rows.against else ""

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows.listed)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | int | None:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.rows.columns):
            return None
        column = self.rows.columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and column.value is not None:
            return _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip
        return column.title if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        own = super().flags(index)
        is_named = index.column() == NAME and self.trial_at(index.row()) is not self.rows.float_model
        return own | Qt.ItemFlag.ItemIsEditable if is_named else own

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        trial = self.trial_at(index.row())
        is_run = trial is not None and trial is not self.rows.float_model
        if trial is None or not is_run or role != Qt.ItemDataRole.EditRole or index.column() != NAME:
            return False
        return self._renamed(trial.name, str(value))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        trial = self.trial_at(index.row())
        if trial is None:
            return None
        at = index.column()
        column = self.rows.columns[at]
        if role == Qt.ItemDataRole.DisplayRole:
            text = column.text(self.rows, trial)
            return f"{self.mark(trial)}{text}" if at == NAME else text
        if role == Qt.ItemDataRole.EditRole:
            return trial.name if at == NAME else column.text(self.rows, trial)
        if role == EXACT_ROLE:
            text = column.text(self.rows, trial)
            return text if column.value is None or not text else _exact(column.value(trial), text)
        if role == Qt.ItemDataRole.ToolTipRole:
            tip = self.rows.tip(trial)
            return f"{BEST}\n{tip}" if trial.name in self._best[at] else tip
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._said(trial, at)
        return self._look(trial, at, role)

    def _look(self, trial: Trial, at: int, role: int) -> Any:
        """How a cell is painted."""
        is_number = self.rows.columns[at].value is not None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if is_number else None
        if role == Qt.ItemDataRole.FontRole:
            return _font(is_number, trial.name in self._best[at] or (at == NAME and trial.name == self.rows.now))
        column = self.rows.columns[at]
        if role == Qt.ItemDataRole.ForegroundRole and is_number and not self.rows.is_comparable(trial, column):
            return QBrush(self.palette.color(QPalette.ColorRole.PlaceholderText))
        return None

    def _said(self, trial: Trial, at: int) -> str:
        text, mark = self.rows.columns[at].text(self.rows, trial), self.mark(trial)
        if at == NAME:
            return f"{text}, {_SAID[mark]}" if mark else text
        return f"{text}, the best" if trial.name in self._best[at] else text


def _exact(value: float, text: str) -> float | str:
    """A value that is none is said as the table says it."""
    return text if value != value else value


def _font(is_number: bool, strong: bool) -> QFont:
    found = font(BODY)
    if is_number:
        found.setFeature(_TABULAR, 1)
    if strong:
        found.setWeight(QFont.Weight.DemiBold)
    return found
