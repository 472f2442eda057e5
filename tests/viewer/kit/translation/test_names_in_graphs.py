"""Names in a graph are its author's, and stay as they are whatever language is spoken."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from errorflow.base.language import ENGLISH, translated, use
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.pieces import CONTINUED
from errorflow.layout.prepare import prepare
from errorflow_viewer.canvas.titles import _goes_on
from errorflow_viewer.canvas.view import Canvas
from errorflow_viewer.kit.translation import door


@pytest.fixture(autouse=True)
def english_after() -> Iterator[None]:
    yield
    door.close_door()
    use(ENGLISH.key)


def named_like_words() -> Graph:
    """Groups, inputs and outputs that are called as something in the window is."""
    builder = GraphBuilder("words")
    builder.input("value")
    builder.node("Conv", ["value"], ["t"], name="/model/nodes/first")
    builder.node("Relu", ["t"], ["u"], name="/model/nodes/second")
    builder.node("Relu", ["u"], ["input"], name="/model/last")
    builder.output("input")
    return builder.build()


def drawn(qtbot: QtBot) -> QImage:
    """By another canvas each time: one keeps what it has drawn."""
    canvas, graph = Canvas(), named_like_words()
    qtbot.addWidget(canvas)
    canvas.set_reduced_motion(True)
    canvas.resize(400, 500)
    canvas.show()
    qtbot.waitExposed(canvas)
    canvas.show_drawing(prepare(graph).draw(frozenset(), "down"), graph)
    return canvas.grab().toImage()


def test_they_are_drawn_as_they_are(qtbot: QtBot) -> None:
    before = drawn(qtbot)
    use("zh_CN")
    door.open_door()
    assert all(translated(word, False) != word for word in ("model", "nodes"))
    assert drawn(qtbot) == before


def test_that_a_group_goes_on_is_said_in_the_language() -> None:
    assert _goes_on() == CONTINUED
    use("zh_CN")
    assert _goes_on() == "（续）"
