"""The view of how values are spread."""

import gc
import weakref

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow.explain.outliers.model import Outliers, OutlierTable
from errorflow_viewer.panels.inspector.distributions_view import TALL, DistributionsView, over_samples
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.window.actions import ACTIONS
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import FEW, open_model, simulate

SAMPLE = next(sample for sample in SAMPLES if sample.key == "clean")
NODE = "/block2/depthwise/conv/Conv"
TENSOR = f"{NODE}_output_0"


def inspector(window: MainWindow) -> InspectorPanel:
    content = window.panels.by_key["inspector"].content
    assert isinstance(content, InspectorPanel)
    return content


def shown(window: MainWindow, qtbot: QtBot) -> DistributionsView:
    """By the command, after a sample has compared its runs by itself."""
    open_model(window, qtbot, SAMPLE.model)
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    graph = window.document.graph
    assert graph is not None
    node = graph.node_index(NODE)
    assert node is not None
    window.document.show(node)
    next(action for action in ACTIONS if action.key == "distributions").run(window)
    qtbot.waitUntil(lambda: inspector(window).content.view == "distributions")
    view = inspector(window).content.views["distributions"]
    assert isinstance(view, DistributionsView)
    qtbot.waitUntil(lambda: view.channels.plot.figure is not None)
    return view


def test_the_command_brings_values_and_channels_of_what_is_selected(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    assert view.values.plot.figure is not None
    assert TENSOR in view.values.plot.figure.title
    assert view.channels.plot.figure is not None
    assert view.channels.plot.figure.title == f"All channels of {TENSOR}"


def test_it_says_whether_there_is_one_clear_peak(window: MainWindow, qtbot: QtBot) -> None:
    assert "peak" in shown(window, qtbot).told.text()


def test_in_little_height_one_of_both_plots_is_to_be_seen(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    for height, both in ((TALL + 100, True), (TALL - 100, False)):
        view.widget.setFixedHeight(height)
        qtbot.waitUntil(lambda height=height: view.widget.height() == height)  # type: ignore[misc]  # bound at once
        assert view.channels.isVisibleTo(view.widget)
        assert view.values.isVisibleTo(view.widget) is both
        assert view.head.isVisibleTo(view.widget) is not both
    view.which.setCurrentIndex(1)
    view.which.activated.emit(1)
    assert view.values.isVisibleTo(view.widget)
    assert not view.channels.isVisibleTo(view.widget)


def test_channels_stand_in_the_order_that_is_chosen(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    view.order.setCurrentIndex(1)
    view.order.activated.emit(1)
    figure = view.channels.plot.figure
    assert figure is not None
    assert figure.x.label == "Channel, loudest first"


def test_another_axis_is_looked_at_when_it_is_chosen(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    at = view.axis.findData(2)
    view.axis.setCurrentIndex(at)
    view.axis.activated.emit(at)
    qtbot.waitUntil(lambda: view.channels.plot.figure is not None and view.axis.currentData() == 2)
    before = inspector(window).content.subject
    for subject in (None, before):  # as when it is measured anew
        view.show(subject)
    assert view.axis.currentData() == 2


def test_what_the_outlier_table_says_of_the_tensor_stands_above(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    row = Outliers(TENSOR, "activation", 1, np.array([1.0] * 15 + [256.0]))
    window.document.take_outliers(OutlierTable("m", (row,), 8))
    assert "Channel 15 is the loudest over 8 samples, up to 256" in view.told.text()
    assert "8.0 bits, and leaves it 0.0 of 8" in view.told.text()


@pytest.mark.parametrize(
    ("maxima", "said"), [([1.0, 1.0, 1.1], "No channel stands out over 4 samples"), ([0.0, 0.0], "")]
)
def test_of_even_or_silent_channels_little_is_said(maxima: list[float], said: str) -> None:
    table = OutlierTable("m", (Outliers("t", "activation", 1, np.array(maxima)),), 4)
    found = over_samples(table, "t")
    assert found.startswith(said)
    assert bool(found) is bool(said)


def test_the_large_window_shows_the_plot_that_was_asked_for(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    view.channels.plot.enlarged.emit()
    assert view.large.window is not None
    assert view.large.is_open
    view.values.plot.enlarged.emit()
    assert view.large.is_open
    view.large.window.close()


def test_all_samples_of_a_simulation_are_looked_at_when_asked_for(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    assert not view.every.box.isVisibleTo(view.widget)
    simulate(window, qtbot, FEW)
    for height in (TALL + 100, TALL - 100):  # it is for both plots, whichever has room
        view.widget.setFixedHeight(height)
        qtbot.waitUntil(lambda: view.every.box.isVisibleTo(view.widget))

    view.every.box.click()

    qtbot.waitUntil(lambda: view.every.found is not None)
    found = view.every.found
    bench = window.studies.simulating.bench
    assert found is not None
    assert bench is not None
    assert (found.tensor, found.samples) == (TENSOR, bench.engine.samples)
    figure = view.values.plot.figure
    assert figure is not None
    assert f"over {found.samples} samples" in figure.title
    assert view.told.text().startswith(found.peaks.text)
    view.every.box.click()
    assert view.every.found is None
    assert view.values.plot.figure is not None
    assert "samples" not in view.values.plot.figure.title


def test_channels_lie_along_the_axis_that_the_outlier_table_counted(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    assert view.axis.currentData() == 1
    row = Outliers(TENSOR, "activation", 2, np.array([1.0] * 4))

    window.document.take_outliers(OutlierTable("m", (row,), 8))

    qtbot.waitUntil(lambda: view._view is not None and view._view.axis == 2)
    assert view.axis.currentData() == 2
    at = view.axis.findData(1)
    view.axis.setCurrentIndex(at)
    view.axis.activated.emit(at)
    qtbot.waitUntil(lambda: view._view is not None and view._view.axis == 1)
    window.document.take_outliers(OutlierTable("m", (row,), 9))
    assert view.axis.currentData() == 1, "what the user chose stays"


def test_a_closed_model_leaves_no_tensors_in_memory(window: MainWindow, qtbot: QtBot) -> None:
    view = shown(window, qtbot)
    looked = view._looked
    assert looked is not None and looked.tensors.candidate is not None
    assert view.told.text()
    left = weakref.ref(looked.tensors.candidate)
    del looked
    qtbot.waitUntil(lambda: not window.jobs.steps)

    window.close_model()
    window.jobs.stop()

    def gone() -> bool:
        gc.collect()
        return left() is None

    qtbot.waitUntil(gone)
