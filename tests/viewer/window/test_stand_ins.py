"""What has no box is seen at the node that reads it."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow_viewer.document.state import Place
from errorflow_viewer.panels.details import DetailsPanel
from errorflow_viewer.window.window import MainWindow
from viewer.deep import fold, node, open_names, run, settled, shown


def model() -> Model:
    """Two blocks; the second reads a weight, another through a cast, and one that nobody reads is there."""
    builder = GraphBuilder("weights")
    builder.input("x")
    for name in ("plain", "given", "idle"):
        builder.constant(name)
    builder.node("Constant", [], ["made"], name="/two/Constant")
    builder.node("Cast", ["made"], ["cast"], name="/two/Cast")
    builder.node("Conv", ["x", "given"], ["a"], name="/one/Conv")
    builder.node("Relu", ["a"], ["b"], name="/one/Relu")
    builder.node("Mul", ["b", "plain"], ["c"], name="/two/Mul")
    builder.node("Add", ["c", "cast"], ["d"], name="/two/Add")
    builder.output("d")
    return Model(Path("/models/weights.onnx"), "ONNX model", builder.build())


@pytest.fixture
def weights(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.document.open(model())
    settled(window, qtbot)
    run(window, "fold.none")
    settled(window, qtbot)
    return window


def text(window: MainWindow) -> str:
    content = window.panels.by_key["details"].content
    assert isinstance(content, DetailsPanel)
    return content.plain_text()


@pytest.mark.parametrize(("name", "reader"), [("/two/Constant", "/two/Add"), ("/two/Cast", "/two/Add")])
def test_a_node_that_only_makes_a_constant(weights: MainWindow, name: str, reader: str) -> None:
    weights.document.go(Place(), node=node(weights, name))
    assert open_names(weights) == {"two"}
    assert weights.view.selected() == shown(weights).box_of(node(weights, reader))
    assert f"Drawn with: {reader}" in text(weights)


@pytest.mark.parametrize(
    ("name", "reader"), [("plain", "/two/Mul"), ("given", "/one/Conv"), ("made", "/two/Add"), ("cast", "/two/Add")]
)
def test_a_constant(weights: MainWindow, name: str, reader: str) -> None:
    graph = weights.document.graph
    assert graph is not None
    weights.document.go(Place(), tensor=graph.tensor_index(name))
    assert open_names(weights) == {reader.split("/")[1]}
    assert weights.view.selected() == shown(weights).box_of(node(weights, reader))
    assert f"Drawn with: {reader}" in text(weights)


def test_constants_do_not_go_into_a_group(weights: MainWindow) -> None:
    weights.view.pick(fold(weights, "two"))
    inputs = text(weights).split("Inputs\n")[1].split("\n\n")[0]
    assert inputs.startswith("  b ") and "\n" not in inputs
    assert "plain" not in inputs and "cast" not in inputs


def test_what_nobody_reads_is_nowhere(weights: MainWindow) -> None:
    graph = weights.document.graph
    assert graph is not None
    weights.document.go(Place(), tensor=graph.tensor_index("idle"))
    assert weights.view.selected() is None and "Drawn with" not in text(weights)


def test_what_has_a_box_is_drawn_with_nothing(weights: MainWindow, qtbot: QtBot) -> None:
    graph = weights.document.graph
    assert graph is not None
    weights.document.go(Place(), node=node(weights, "/two/Add"))
    assert "Drawn with" not in text(weights)
    weights.document.go(Place(), tensor=graph.tensor_index("plain"))
    assert "Drawn with" in text(weights)
    run(weights, "switch.constants")
    settled(weights, qtbot)
    assert "Drawn with" not in text(weights)
    box = weights.view.selected()
    assert box is not None and shown(weights).tensor_of(box) == graph.tensor_index("plain")


def test_a_hidden_conversion_is_drawn_with_what_stands_for_it(weights: MainWindow, qtbot: QtBot) -> None:
    builder = GraphBuilder()
    builder.input("x")
    for before, kind, after in (("x", "Conv", "a"), ("a", "Cast", "b"), ("b", "Relu", "c")):
        builder.node(kind, [before], [after], name=kind)
    builder.output("c")
    weights.document.open(Model(Path("/models/cast.onnx"), "ONNX model", builder.build()))
    settled(weights, qtbot)
    weights.document.go(Place(), node=1)
    assert "Drawn with" not in text(weights)
    run(weights, "switch.quiet")
    settled(weights, qtbot)
    assert "Drawn with: Conv" in text(weights)
