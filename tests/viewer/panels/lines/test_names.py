"""Names in lists of lines, in little room."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.lines.table import LineTable, LineView
from errorflow_viewer.panels.matches.rows import CANDIDATE, COLUMNS, MatchLine, MatchRows

NAMES = [
    f"/block{block}/{scope}/conv/Conv_output_0" for block in (1, 2) for scope in ("expand", "depthwise", "project")
]


@pytest.mark.parametrize("width", [150, 220, 600])
def test_names_that_differ_in_the_middle_stay_apart(qtbot: QtBot, width: int) -> None:
    table: LineTable[MatchRows, MatchLine] = LineTable(COLUMNS)
    view = LineView(table, "matches", several=True)
    qtbot.addWidget(view)
    table.show_rows(MatchRows(tuple(MatchLine(name, name, "", "", number) for number, name in enumerate(NAMES))))
    shown = []
    for row, name in enumerate(NAMES):
        option = QStyleOptionViewItem()
        option.rect.setWidth(width)
        index = table.index(row, CANDIDATE)
        view.cells.initStyleOption(option, index)
        shown.append(option.text)
        assert name in table.data(index, Qt.ItemDataRole.ToolTipRole)
    assert len(set(shown)) == len(NAMES)
    assert shown == NAMES if width == 600 else all("…" in text for text in shown)
