"""How much is painted: few calls whatever the size, and not much more than is in sight."""

import gc
import sys

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtTest import QTest

from errorflow_viewer.canvas.batch import Counts
from errorflow_viewer.canvas.view import Canvas
from viewer.canvas.made_up import grid, painted


def painted_anew(canvas: Canvas) -> Counts:
    canvas.set_error(None)
    canvas.repaint()
    return canvas.counts


def references() -> list[int]:
    """How often constants are held, without what other tests left to be collected."""
    gc.collect()
    return [sys.getrefcount(constant) for constant in (None, True, False)]


@pytest.mark.parametrize("nodes", [300, 3_000, 30_000])
def test_everything_at_once_takes_few_calls(canvas: Canvas, nodes: int) -> None:
    drawing, graph = grid(nodes, columns=max(nodes // 100, 1))
    canvas.show_drawing(drawing, graph)
    if nodes == 300:  # small enough for round corners, one call each
        canvas.resize(200, 150)
        canvas.fit()
        canvas.settle()
    counts = painted_anew(canvas)
    assert counts.rects >= nodes
    assert counts.calls <= 60
    assert counts.texts == counts.rounded == 0
    assert counts.tiles <= len(drawing.group_boxes)  # their names


def test_near_only_what_is_in_sight_is_painted(canvas: Canvas) -> None:
    """The same place in a drawing a hundred times as large costs the same."""
    painted = []
    for nodes in (300, 30_000):
        canvas.show_drawing(*grid(nodes, columns=nodes // 30))
        canvas.centre_on(15, 1.0)
        canvas.settle()
        canvas.set_minimap(False)
        painted.append(painted_anew(canvas))
    small, large = painted
    assert small == large
    assert small.shapes < 500


def test_many_colours_stay_few_calls(canvas: Canvas) -> None:
    drawing, graph = grid(30_000, columns=300)
    canvas.show_drawing(drawing, graph)
    canvas.set_error(painted(np.arange(len(drawing)) % 32 / 31))
    canvas.repaint()
    assert canvas.counts.calls <= 32 + 20


def test_many_bars_stay_few_calls(canvas: Canvas) -> None:
    drawing, graph = grid(200, columns=8)
    canvas.resize(1800, 1000)
    canvas.show_drawing(drawing, graph)
    canvas.settle()
    size = len(drawing)
    canvas.set_error(painted(np.arange(size) % 32 / 31))
    canvas.repaint()
    without = canvas.counts
    canvas.set_error(painted(np.arange(size) % 32 / 31, dict.fromkeys(range(size), (3, 2, 1, 1, 5, 4))))
    canvas.repaint()
    assert canvas.counts.calls <= without.calls + 7
    assert canvas.counts.rects == without.rects + 7 * size


def test_equal_labels_are_painted_once(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(200, columns=20))
    canvas.centre_on(100, 1.0)
    canvas.settle()
    counts = painted_anew(canvas)
    assert counts.tiles > 50
    assert counts.texts <= 10  # names of groups


def test_a_hovered_or_selected_box_does_not_paint_the_rest(canvas: Canvas) -> None:
    canvas.show_drawing(*grid(3000, columns=30))
    canvas.set_path(False)
    canvas.repaint()
    canvas.select(1500)
    canvas.hover(700)
    canvas.repaint()
    assert canvas.counts.shapes < 30


def test_painting_keeps_no_references(chain: Canvas) -> None:
    """Some versions of the Qt binding lose or keep a reference of None or True on every call."""
    chain.zoom_to(1.0)
    chain.repaint()
    before = references()
    for turn in range(1000):
        chain.pan(3 if turn % 2 else -3, 0)
        chain.zoom_at(1.01 if turn % 2 else 1 / 1.01, QPointF(300, 200))
        chain.hover(turn % 20)
        chain.repaint()
    assert all(abs(now - then) < 300 for now, then in zip(references(), before, strict=True))


def test_mouse_and_wheel_keep_no_references(chain: Canvas) -> None:
    chain.repaint()
    before = references()
    for turn in range(1000):
        QTest.mouseMove(chain, QPoint(300 + turn % 50, 200))
        chain.set_error(None)
    assert all(abs(now - then) < 300 for now, then in zip(references(), before, strict=True))
