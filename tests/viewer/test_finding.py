"""What a search finds is marked in the picture."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.window import MainWindow
from viewer.test_unfolding import settled, shown


def masked() -> Model:
    """An input that one node reads, and an output; neither name is that of a node."""
    builder = GraphBuilder()
    builder.input("mask")
    builder.node("Cast", ["mask"], ["wide"], name="cast")
    builder.node("Relu", ["wide"], ["logits"], name="relu")
    builder.output("logits")
    return Model(Path("/models/masked.onnx"), "ONNX model", builder.build())


@pytest.mark.parametrize(
    ("query", "labels"),
    [("mask", {"mask", "Cast"}), ("logits", {"logits", "Relu"}), ("type:Cast", {"Cast"}), ("name:mask", {"mask"})],
)
def test_an_input_and_an_output_are_marked_like_nodes(
    window: MainWindow, qtbot: QtBot, query: str, labels: set[str]
) -> None:
    window.document.open(masked())
    settled(window, qtbot)
    window.document.search_for(query)
    qtbot.waitUntil(lambda: window.view._screen._signs.matches is not None)
    matches = window.view._screen._signs.matches
    assert matches is not None
    assert {shown(window).drawing.labels[box] for box in matches.nonzero()[0]} == labels
