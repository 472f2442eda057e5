"""The limits of the legend under the hand."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Scale
from errorflow.report.paint import PAINTED, Paint
from errorflow_viewer.canvas.legend import Which
from errorflow_viewer.canvas.view import Canvas
from viewer.canvas.made_up import painted

COSINE = next(metric for metric in METRICS if metric.key == "cosine")


def shown(scale: Scale = PAINTED) -> Paint:
    good, bad = scale.limit(scale.good), scale.limit(scale.bad)
    return replace(painted(np.linspace(0, 1, 22)), metric=scale, good=good, bad=bad)


@pytest.fixture
def live(chain: Canvas) -> Canvas:
    """A canvas on which limits go where they are put."""
    said: list[tuple[float, float]] = []
    chain.set_error(shown())

    def put(good: float, bad: float) -> None:
        said.append((good, bad))
        chain.set_error(shown(replace(PAINTED, good=good, bad=bad)))

    chain.limits.moved.connect(put)
    chain.setProperty("said", said)
    return chain


def said(canvas: Canvas) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = canvas.property("said")
    return [(float(good), float(bad)) for good, bad in found]


def last(canvas: Canvas) -> tuple[float, float]:
    metric = canvas._screen.legend.shown
    assert metric is not None and metric.metric is not None
    return metric.metric.good, metric.metric.bad


def pull(handle: QWidget, *steps: int) -> None:
    middle = handle.rect().center()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=middle)
    for step in steps:
        QTest.mouseMove(handle, middle + QPoint(step, 0))
        QTest.qWait(1)
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=middle)


@pytest.mark.parametrize(("which", "step"), [("good", -20), ("good", 15), ("bad", 12), ("bad", -15)])
def test_a_handle_is_dragged(live: Canvas, which: Which, step: int) -> None:
    before = last(live)
    pull(live.limits.handles[which], step)
    good, bad = last(live)
    if which == "good":
        assert bad == before[1] and (good > before[0]) == (step > 0) and good != before[0]
    else:
        assert good == before[0] and (bad > before[1]) == (step > 0) and bad != before[1]


def test_a_handle_does_not_pass_the_other(live: Canvas) -> None:
    pull(live.limits.handles["good"], 400)
    good, bad = last(live)
    assert good < bad == PAINTED.bad


def test_the_end_of_a_drag_is_told_once(live: Canvas, qtbot: QtBot) -> None:
    ends: list[int] = []
    live.limits.settled.connect(lambda: ends.append(1))
    pull(live.limits.handles["bad"], 3, 6, 9)
    assert len(ends) == 1 and live._screen.legend.held is None


@pytest.mark.parametrize(("key", "larger"), [(Qt.Key.Key_Right, True), (Qt.Key.Key_Left, False)])
@pytest.mark.parametrize("which", ["good", "bad"])
def test_keys_move_a_limit(live: Canvas, which: Which, key: Qt.Key, larger: bool) -> None:
    place = ("good", "bad").index(which)
    handle = live.limits.handles[which]
    assert handle.focusPolicy() & Qt.FocusPolicy.TabFocus and "limit" in handle.accessibleName().lower()
    before = last(live)[place]
    for _ in range(3):
        QTest.keyClick(handle, key)
    small = abs(last(live)[place] - before)
    assert (last(live)[place] > before) == larger and small
    QTest.keyClick(handle, key, Qt.KeyboardModifier.ShiftModifier)
    assert abs(last(live)[place] - before) > small


def test_what_is_read_aloud_is_the_value(live: Canvas) -> None:
    assert live.limits.handles["good"].accessibleDescription() == "Relative error: 0.05"


def test_a_double_click_or_backspace_resets(live: Canvas, qtbot: QtBot) -> None:
    with qtbot.waitSignal(live.limits.reset):
        QTest.mouseDClick(live.limits.handles["good"], Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(live.limits.reset):
        QTest.keyClick(live.limits.handles["bad"], Qt.Key.Key_Backspace)


@pytest.mark.parametrize("asked", ["double click", "enter"])
def test_a_limit_is_typed_where_it_is_read(live: Canvas, asked: str) -> None:
    if asked == "enter":
        QTest.keyClick(live.limits.handles["bad"], Qt.Key.Key_Return)
    else:
        QTest.mouseDClick(live.limits.numbers["bad"], Qt.MouseButton.LeftButton)
    editor = live.limits.editor
    assert editor.isVisible() and editor.text() == "0.5"
    QTest.keyClicks(editor, "0.3")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    assert last(live) == (0.05, 0.3) and not editor.isVisible()


def test_what_is_no_limit_is_not_taken(live: Canvas) -> None:
    live.limits.ask("bad")
    QTest.keyClicks(live.limits.editor, "0.01")
    QTest.keyClick(live.limits.editor, Qt.Key.Key_Return)
    assert said(live) == [] and live.limits.editor.isVisible()
    QTest.keyClick(live.limits.editor, Qt.Key.Key_Escape)
    assert not live.limits.editor.isVisible()


def test_handles_lie_on_the_scale_and_go_with_it(live: Canvas) -> None:
    def middles() -> list[int]:
        return [live.limits.handles[which].geometry().center().x() for which in ("good", "bad")]

    good, bad = middles()
    assert good < bad
    live.set_error(shown(COSINE))
    assert live.limits.handles["good"].accessibleDescription() == "Cosine similarity: 0.999"
    live.set_error(shown(replace(PAINTED, bad=2.0)))
    assert middles()[1] > bad
    before = live.limits.handles["good"].y()
    live.resize(live.width(), live.height() - 60)
    assert live.limits.handles["good"].y() == before - 60


def test_without_a_legend_there_is_nothing_to_hold(live: Canvas) -> None:
    handles = live.limits.handles.values()
    assert all(handle.isVisible() for handle in handles)
    live.set_error(painted(np.zeros(22)))  # of a table whose limits nobody knows
    assert not any(handle.isVisible() for handle in handles)
    live.set_error(shown())
    live.set_error(None)
    assert not any(handle.isVisible() for handle in handles)
