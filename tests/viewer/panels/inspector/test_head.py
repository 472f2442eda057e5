"""What stands above the views of the inspector, at any width."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.inspector.head import ViewButtons
from errorflow_viewer.panels.inspector.views import VIEWS


@pytest.mark.parametrize("percent", [100, 150])
def test_texts_of_buttons_are_whole_or_not_there(percent: int, qtbot: QtBot) -> None:
    buttons = ViewButtons(VIEWS)
    qtbot.addWidget(buttons)
    font = buttons.font()
    font.setPixelSize(13 * percent // 100)
    buttons.setFont(font)
    buttons.show()
    styles = set()
    for width in (300, 560, 700, 860, 1600):
        buttons.resize(width, buttons.sizeHint().height())
        QApplication.processEvents()
        assert all(button.width() >= button.sizeHint().width() for button in buttons.by_key.values())
        styles |= {button.toolButtonStyle() for button in buttons.by_key.values()}
    assert styles == {Qt.ToolButtonStyle.ToolButtonIconOnly, Qt.ToolButtonStyle.ToolButtonTextBesideIcon}
