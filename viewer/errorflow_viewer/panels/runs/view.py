"""The table of runs: keys go to a run, rename, delete and copy."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView

from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.panels.runs.rows import CHANGED
from errorflow_viewer.panels.runs.table import RunTable

# Logical px: the least and the most of a column that is as wide as its texts, and the least of one that takes the rest.
_LEAST, _MOST, _WIDE, _CHANGED = 56, 190, 120, 220


class RunView(QTableView):
    """Rows are selected as a whole, several of them too."""

    delete_wanted = Signal()
    copy_wanted = Signal()

    def __init__(self, table: RunTable) -> None:
        super().__init__()
        self.table = table
        furnish(self, table, "Runs", "Rows of runs", "Columns of runs", several=True)
        self.setItemDelegate(CellPainter(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)

    def fit(self) -> None:
        """Numbers are whole; what changed and the verdict share what is left."""
        columns, header = self.table.rows.columns, self.horizontalHeader()
        taken = 0
        for at, column in enumerate(columns):
            if not column.is_wide:
                wish = max(self.sizeHintForColumn(at), header.sectionSizeHint(at))
                header.resizeSection(at, min(max(wish, _LEAST), _MOST))
                taken += header.sectionSize(at)
        wide = [at for at, column in enumerate(columns) if column.is_wide]
        rest = self.viewport().width() - taken
        for at in wide:  # what changed comes first
            share = max(rest * 2 // 3, _CHANGED) if at == CHANGED else max(rest - header.sectionSize(CHANGED), _WIDE)
            header.resizeSection(at, share)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        else:
            super().keyPressEvent(event)
