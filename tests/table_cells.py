"""What the columns of a list say of a cell beside its text."""

from typing import Any

from PySide6.QtCore import QModelIndex

from errorflow_viewer.kit.tables.table import TableModel
from errorflow_viewer.kit.tables.tree import TreeModel


def of_cell(index: QModelIndex, part: str) -> Any:
    """`part`: as a column calls it, such as "badness"."""
    table = index.model()
    assert isinstance(table, TableModel | TreeModel)
    column, item = table.at(index)
    say = getattr(column, part)
    return None if say is None else say(item)
