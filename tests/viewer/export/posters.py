"""Posters of known graphs, and what their boxes must look like."""

from dataclasses import replace

import numpy as np
from PySide6.QtGui import QColor, QImage

from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Floats, Kind
from errorflow.layout.engine import LayoutOptions, layout
from errorflow.layout.prepare import prepare
from errorflow.report.svg import Picture
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.export.poster import Poster
from errorflow_viewer.kit.look import LIGHT, Theme
from errorflow_viewer.kit.style import font
from viewer.canvas import made_up

ODD_NAMES = ('<&">', "\x00\x07", "\ud800", "名前/畳み込み", "x" * 500, "")


def graph_of(*op_types: str) -> Graph:
    """A chain with a skip over all of it."""
    builder = GraphBuilder("chain")
    builder.tensor("x", dtype="float32", shape=(1, 3))
    builder.input("x")
    last = "x"
    for number, op_type in enumerate(op_types):
        builder.node(op_type, [last], [f"t{number}"], name=f"stem/{op_type}_{number}")
        last = f"t{number}"
    builder.node("Add", ["x", last], ["y"], name="add")
    builder.output("y")
    return builder.build()


def odd_graph() -> Graph:
    builder = GraphBuilder("odd")
    builder.input("".join(ODD_NAMES))
    for number, name in enumerate(ODD_NAMES):
        builder.node(name, ["".join(ODD_NAMES)], [f"{name}{number}"], name=name)
    return builder.build()


def cyclic_graph() -> Graph:
    builder = GraphBuilder("cycle")
    builder.node("Add", ["b"], ["a"])
    builder.node("Mul", ["a"], ["b"])
    return builder.build()


def poster_of(graph: Graph, theme: Theme = LIGHT, title: str = "net", columns: bool = False) -> Poster:
    drawing = layout(graph, LayoutOptions(view="columns" if columns else "down"))
    return Poster(Picture(drawing, graph, title, "a note"), theme, font())


def painted(poster: Poster, badness: float) -> Poster:
    """All groups closed and as bad as that, with one good node each; what is no group has not been measured."""
    graph = poster.picture.graph
    drawing = prepare(graph).draw(frozenset(), "down", 1.0)
    folds = np.flatnonzero(drawing.folds >= 0)
    bad = np.full(len(drawing), np.nan)
    bad[folds] = badness
    paint = made_up.painted(bad, {int(fold): (1, 0, 0, 0, 2, 1) for fold in folds})
    return replace(poster, picture=replace(poster.picture, drawing=drawing, paint=paint))


def renamed(poster: Poster, title: str) -> Poster:
    return replace(poster, picture=replace(poster.picture, title=title))


def seen_boxes(poster: Poster, image: QImage, scale: float, tolerance: int = 0) -> int:
    """How many boxes have their own colour, just inside of their left and their right end."""
    return sum(_is_seen(poster, box, image, scale, tolerance) for box in range(len(poster.picture.drawing)))


def _is_seen(poster: Poster, box: int, image: QImage, scale: float, tolerance: int) -> bool:
    frame, drawing = poster.picture.frame, poster.picture.drawing
    x, y, w, h = drawing.boxes[box].tolist()
    inset = 7.0 if drawing.kinds[box] in (Kind.INPUT, Kind.OUTPUT) else 3.5
    middle = frame.top + y + h / 2 + (0.0 if inset == 7.0 else 8.0)
    wanted = _fill(poster, box)
    ends = (frame.left + x + inset, frame.left + x + w - inset)
    return all(_near(image.pixelColor(int(end * scale), int(middle * scale)), wanted, tolerance) for end in ends)


def _fill(poster: Poster, box: int) -> QColor:
    colors = colors_of(poster.theme)
    scene = Scene(poster.picture.drawing, poster.picture.graph)
    return (*colors.families, colors.constant, colors.fold)[int(scene.tones[box])]


def _near(one: QColor, other: QColor, tolerance: int) -> bool:
    off = (one.red() - other.red(), one.green() - other.green(), one.blue() - other.blue())
    return max(map(abs, off)) <= tolerance


def edge_colors(image: QImage) -> set[str]:
    """The colours of the outermost pixels: only the background, when nothing was cut off."""
    width, height = image.width(), image.height()
    points = [(x, y) for x in range(width) for y in (0, height - 1)] + [
        (x, y) for y in range(height) for x in (0, width - 1)
    ]
    return {image.pixelColor(x, y).name() for x, y in points}


def corners(poster: Poster) -> Floats:
    """Left, top, right and bottom of all boxes on the page."""
    frame, boxes = poster.picture.frame, poster.picture.drawing.boxes
    move = np.array([frame.left, frame.top])
    low, high = (boxes[:, :2] + move).min(axis=0), (boxes[:, :2] + boxes[:, 2:] + move).max(axis=0)
    return np.concatenate([low, high])
