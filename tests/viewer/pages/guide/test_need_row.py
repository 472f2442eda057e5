"""A row of the page on which a comparison is put together."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from errorflow.case.scenarios import SCENARIOS
from errorflow.case.scenarios.found import FoundFile
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.pages.guide.need_row import NeedRow


def middle(row: NeedRow, widget: QWidget) -> float:
    """Of its line of text, in the row."""
    top, down = widget.mapTo(row, widget.rect().topLeft()).y(), widget.contentsMargins().top()
    high = widget.height() - down if isinstance(widget, QLabel) else widget.height()
    return top + down + high / 2


@pytest.mark.parametrize("percent", [100, 200])
def test_its_label_stands_on_the_line_of_its_field(qtbot: QtBot, appearance: Appearance, percent: int) -> None:
    row = NeedRow(SCENARIOS[0].needs[0])
    qtbot.addWidget(row)
    path = Path("/runs/npu")
    try:
        row.show_choice(path, "", (FoundFile(path, "npu", "dump"),), ("npu",))
        row.show()
        appearance.set_text_size(percent)
        row.resize(1400, row.heightForWidth(1400))
        QCoreApplication.processEvents()
        assert abs(middle(row, row.label) - middle(row, row.box)) <= percent / 100
    finally:
        appearance.set_text_size(100)
