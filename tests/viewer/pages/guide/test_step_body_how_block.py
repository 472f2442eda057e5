"""How something is obtained, as a guide shows it."""

from collections.abc import Iterator
from typing import cast

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, use
from errorflow.base.language.catalogue import Catalogue
from errorflow.base.language.model import CHINESE
from errorflow.base.language.tongue import speak
from errorflow.guides.facts import Facts
from errorflow.guides.model import How
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.translation import door
from errorflow_viewer.pages.guide.step_body import HowBlock

COMMAND = "mkdir -p dump result"


@pytest.fixture
def chinese(qtbot: QtBot) -> Iterator[None]:
    speak(CHINESE, Catalogue({COMMAND: "mkdir -p dump 结果", "Make it": "建立"}))
    door.open_door()
    yield
    door.close_door()
    use(ENGLISH.key)


def test_what_is_to_be_typed_is_not_translated(chinese: None, qtbot: QtBot) -> None:
    block = HowBlock(cast("Desk", None), How("Make it", "command", lambda _: COMMAND), Facts())
    qtbot.addWidget(block)
    door.close_door()
    assert {COMMAND, "建立"} <= {label.text() for label in block.findChildren(QLabel)}
