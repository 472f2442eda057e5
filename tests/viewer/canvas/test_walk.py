"""The arrow keys on a small graph as it is laid out, from top to bottom and from left to right."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.prepare import View, prepare
from errorflow_viewer.canvas.view import Canvas

Key = Qt.Key
# What a key means where the flow runs down: a turn to the right.
TURNED = {Key.Key_Down: Key.Key_Right, Key.Key_Up: Key.Key_Left, Key.Key_Left: Key.Key_Up, Key.Key_Right: Key.Key_Down}


def fork() -> Graph:
    """x → stem → early (an output, too), from there to two branches that meet in the end; a constant is added."""
    builder = GraphBuilder("fork")
    builder.input("x")
    builder.node("Conv", ["x"], ["s"], name="stem")
    builder.node("Relu", ["s"], ["early_out"], name="early")
    builder.node("Conv", ["early_out"], ["a"], name="one")
    builder.node("Pool", ["early_out"], ["b"], name="other")
    builder.node("Concat", ["a", "b"], ["y"], name="meet")
    builder.output("early_out")
    builder.output("y")
    return builder.build()


def shown(canvas: Canvas, view: View) -> Graph:
    graph = fork()
    canvas.show_drawing(prepare(graph).draw(frozenset(), view), graph)
    return graph


def box(canvas: Canvas, graph: Graph, name: str) -> int:
    node = graph.node_index(name)
    assert node is not None and canvas._scene is not None
    found = canvas._scene.drawing.box_of_node(node)
    assert found is not None
    return found


def press(canvas: Canvas, view: View, key: Qt.Key) -> None:
    QTest.keyClick(canvas, TURNED[key] if view == "right" else key)


@pytest.mark.parametrize("view", ["down", "right"])
@pytest.mark.parametrize(
    ("start", "key", "goal"),
    [
        ("stem", Key.Key_Down, "early"),
        ("early", Key.Key_Up, "stem"),
        ("one", Key.Key_Down, "meet"),
        ("other", Key.Key_Down, "meet"),
        ("other", Key.Key_Up, "early"),
    ],
)
def test_along_the_flow(canvas: Canvas, view: View, start: str, key: Qt.Key, goal: str) -> None:
    graph = shown(canvas, view)
    canvas.select(box(canvas, graph, start))
    press(canvas, view, key)
    assert canvas.selected() == box(canvas, graph, goal)


@pytest.mark.parametrize("view", ["down", "right"])
def test_across_the_flow_and_back(canvas: Canvas, view: View) -> None:
    graph = shown(canvas, view)
    one, other = box(canvas, graph, "one"), box(canvas, graph, "other")
    axis = 1 if view == "right" else 0
    assert canvas._scene is not None
    places = canvas._scene.drawing.boxes[:, axis]
    first, second = (one, other) if places[one] < places[other] else (other, one)
    canvas.select(first)
    press(canvas, view, Key.Key_Right)
    assert canvas.selected() == second
    press(canvas, view, Key.Key_Left)
    assert canvas.selected() == first


@pytest.mark.parametrize("view", ["down", "right"])
def test_the_flow_goes_on_past_an_output_on_the_way(canvas: Canvas, view: View) -> None:
    graph = shown(canvas, view)
    canvas.select(box(canvas, graph, "early"))
    press(canvas, view, Key.Key_Down)
    assert canvas.selected() in (box(canvas, graph, "one"), box(canvas, graph, "other"))


@pytest.mark.parametrize("view", ["down", "right"])
def test_the_flow_ends_at_the_last_output(canvas: Canvas, view: View) -> None:
    graph = shown(canvas, view)
    canvas.select(box(canvas, graph, "meet"))
    press(canvas, view, Key.Key_Down)
    end = canvas.selected()
    assert end is not None and canvas._scene is not None
    assert canvas._scene.drawing.tensors[end] == graph.tensor_index("y")
    press(canvas, view, Key.Key_Down)
    assert canvas.selected() == end
