"""What a search finds is marked in the picture, and what was found is of the graph on view."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow.compare import Comparison
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.window.window import MainWindow
from viewer.cases import case_with
from viewer.deep import settled, shown
from viewer.models import branching_model


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


def test_elsewhere_in_the_model_nothing_is_known_until_it_is_found(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.document.take_case(case_with(Comparison(())))
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    window.document.go(window.document.state.place.inside(0))
    assert window.document.state.findings is None
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    found = window.document.state.findings
    assert found is not None and found.graph is window.document.graph
