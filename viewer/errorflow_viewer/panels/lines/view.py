"""Look of a list of lines."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView

from errorflow_viewer.kit.accessible.keyboard import Mirror
from errorflow_viewer.kit.tables.cells import CellPainter
from errorflow_viewer.kit.tables.furnish import furnish
from errorflow_viewer.panels.lines.table import LineTable


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
