"""A graph of groups within groups in the window, and what one does with it."""

from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow_viewer.kit.drawings import Unfolded
from errorflow_viewer.window.window import MainWindow

BLOCKS, LENGTH = 12, 6


def deep_graph() -> Graph:
    """/net/block.N/part.M with six nodes in each part, the last of each block a pair that only converts."""
    builder = GraphBuilder("deep", attributes=lambda node: {"number": node})
    builder.input("t")
    before = "t"
    for block in range(BLOCKS):
        for part in range(3):
            scope = f"/net/block.{block}/part.{part}"
            for number in range(LENGTH):
                last = part == 2 and number >= LENGTH - 2
                kind = ("QuantizeLinear", "DequantizeLinear")[number % 2] if last else ("Conv", "Relu")[number % 2]
                after = f"{scope}/t{number}"
                builder.node(kind, [before], [after], name=f"{scope}/node{number}")
                before = after
    builder.output(before)
    return builder.build()


def settled(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.jobs.steps)


def shown(window: MainWindow) -> Unfolded:
    found = window._graph_view.shown
    assert found is not None
    return found


def open_names(window: MainWindow) -> set[str]:
    """Of the groups that are seen open, the last part of their full names."""
    outline = shown(window).outline
    return {outline.labels[each] for each in shown(window).drawing.group_ids.tolist()}


def group(window: MainWindow, scope: str) -> int:
    outline = shown(window).outline
    return next(each for each in range(len(outline)) if outline.scope(each) == scope)


def fold(window: MainWindow, scope: str) -> int:
    box = shown(window).fold_of(group(window, scope))
    assert box is not None
    return box


def run(window: MainWindow, key: str) -> None:
    action = window.commands.made[key]
    assert action.isEnabled()
    action.trigger()


def node(window: MainWindow, name: str) -> int:
    assert window.document.graph is not None
    found = window.document.graph.node_index(name)
    assert found is not None
    return found


FAR = "/net/block.7/part.1/node3"


def closed_all(window: MainWindow, qtbot: QtBot) -> None:
    """Blocks are closed, but the net is open."""
    run(window, "fold.none")
    run(window, "fold.more")
    settled(window, qtbot)
    assert len(shown(window).drawing) == BLOCKS + 2


def frame_of(window: MainWindow, scope: str) -> QRectF:
    """Where an open group is in the window, seen from the box that is first in it."""
    drawing, wanted = shown(window).drawing, group(window, scope)
    row = drawing.group_ids.tolist().index(wanted)
    x, y, width, height = drawing.group_boxes[row].tolist()
    inner = drawing.groups.tolist().index(wanted)
    place, (left, top) = window.view.place_of(inner), drawing.boxes[inner, :2].tolist()
    zoom = window.view.zoom
    return QRectF(place.x() + (x - left) * zoom, place.y() + (y - top) * zoom, width * zoom, height * zoom)
