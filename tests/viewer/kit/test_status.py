"""The line at the bottom."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.jobs import Step
from errorflow_viewer.kit.look import GAP
from errorflow_viewer.kit.status import StatusBar

LONG = "In float again: block2.project with its activation, and 6 weights and 12 tensors around them"


@pytest.fixture
def bar(qtbot: QtBot) -> StatusBar:
    """While something runs."""
    bar = StatusBar(lambda: None, lambda: None)
    qtbot.addWidget(bar)
    bar.resize(560, 24)
    bar.show()
    bar.busy.show_steps((Step("simulate", "Simulating", 1, 2),))
    qtbot.waitUntil(bar.busy.isVisible)
    bar.say(LONG)
    return bar


def test_a_long_message_ends_with_dots_before_the_progress(bar: StatusBar) -> None:
    assert bar.message.endswith("…") and len(bar.message) < len(LONG)
    assert bar.room.right() < bar.busy.x() - GAP + 1


def test_between_message_and_progress_nothing_is_painted(bar: StatusBar) -> None:
    picture = bar.grab().toImage()
    gap = range(bar.room.right() + 2, bar.busy.x() - 1)
    middle = picture.height() // 2
    assert len({QColor(picture.pixel(x, middle)).name() for x in gap}) == 1


def test_all_of_a_message_is_in_the_tooltip(bar: StatusBar) -> None:
    assert bar.toolTip() == bar.currentMessage() == LONG
    bar.clearMessage()
    assert bar.toolTip() == ""


def test_where_there_is_room_all_of_a_message_is_shown(bar: StatusBar) -> None:
    bar.resize(1600, 24)
    assert bar.message == LONG


def test_what_was_said_of_a_model_goes_with_it_and_what_came_before_it_stays(bar: StatusBar) -> None:
    bar.follow("a model")
    assert bar.currentMessage() == LONG  # it may speak of what is to come
    bar.follow("a model")
    assert bar.currentMessage() == LONG  # shapes of the same were worked out
    bar.follow(None)
    assert bar.currentMessage() == ""


def test_the_name_of_a_file_is_no_markup(bar: StatusBar) -> None:
    bar.busy.show_steps((Step("open", "Opening <b>x.onnx", 1, 2),))
    assert bar.busy.text.textFormat() is Qt.TextFormat.PlainText
