"""The inspector: from a selected node to its values, in every view, also where there are none."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.compare import Comparison, compare_match
from errorflow.evidence.suits import SUITS
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Model
from errorflow.match.model import Match, Pair
from errorflow.qparams import QParams
from errorflow.sample import SAMPLES
from errorflow_viewer.panels.inspector.channels_view import ChannelsView
from errorflow_viewer.panels.inspector.content import Content
from errorflow_viewer.panels.inspector.facts_view import FactsView
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.planes_view import PlanesView
from errorflow_viewer.panels.inspector.plots import HistogramView, ScatterView
from errorflow_viewer.panels.inspector.values_view import IN_ORDER, RELATIVE_FIRST, ValuesView
from errorflow_viewer.panels.inspector.views import VIEWS
from errorflow_viewer.panels.sections import without_breaks
from errorflow_viewer.state import Compared
from errorflow_viewer.window import MainWindow
from evidence_tensors import Held, Opened, opened_sample
from viewer.models import branching_model

CULPRIT, RELU, VICTIM = "/block2/depthwise/conv/Conv", "/block2/depthwise/act/Relu", "/block2/project/conv/Conv"
KEYS = [view.key for view in VIEWS]


@pytest.fixture
def shell(window: MainWindow) -> InspectorPanel:
    window.show_panel("inspector")
    content = window.docks.by_key["inspector"].content
    assert isinstance(content, InspectorPanel)
    return content


@pytest.fixture
def panel(shell: InspectorPanel) -> Content:
    return shell.content


@pytest.fixture(scope="module")
def sample() -> Opened:
    return opened_sample("loud_channel")


@pytest.fixture
def loud(panel: Content, window: MainWindow, qtbot: QtBot, sample: Opened) -> Content:
    """The built-in sample with its runs compared."""
    window.document.open(replace(sample.model, path=Path("/models/loud.onnx")))
    window.document.take_compared(Compared(sample.findings.comparison, sample.match))
    qtbot.waitUntil(lambda: window.document.state.findings is not None, timeout=30_000)
    return panel


def select(panel: Content, window: MainWindow, qtbot: QtBot, name: str) -> Content:
    graph = window.document.graph
    assert graph is not None
    window.document.select(node=graph.node_index(name))
    complete(panel, qtbot)
    return panel


def complete(panel: Content, qtbot: QtBot) -> None:
    def done() -> bool:
        subject = panel.subject
        return subject is not None and subject.looked is not None and subject.looked.complete

    qtbot.waitUntil(done, timeout=30_000)


def one_tensor(
    window: MainWindow,
    qtbot: QtBot,
    reference: "np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None",
    candidate: "np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None",
    qparams: QParams | None = None,
) -> None:
    """A model of one node whose output both runs hold like this; it is selected."""
    builder = GraphBuilder()
    builder.input("x")
    builder.node("Relu", ["x"], ["y"], name="relu")
    builder.output("y")
    window.document.open(Model(Path("/models/one.onnx"), "ONNX model", builder.build()))
    pair = Pair(
        "y",
        None if candidate is None else Held(candidate, qparams, "y"),
        None if reference is None else Held(reference, None, "y"),
        note="" if reference is not None and candidate is not None else "no partner",
    )
    match = Match((pair,))
    window.document.take_compared(Compared(compare_match(match), match))
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    window.document.select(node=0)


def test_a_selected_node_shows_both_histograms(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, "/stem/conv/Conv")
    assert loud.view == "histogram" and loud.tensor.currentText().endswith("/stem/conv/Conv_output_0")
    view = loud.views["histogram"]
    assert isinstance(view, HistogramView)
    figure = view.widget.plot.figure
    assert figure is not None
    assert {layer.label for layer in figure.layers} >= {"Reference", "Candidate"}
    assert loud.stack.currentWidget() is view.widget


def test_a_loud_channel_is_named_with_the_way_to_its_producer(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, RELU)
    text = without_breaks(loud.cause.text())
    assert "Channel 15 is 499 times as loud" in text and CULPRIT in text and loud.view == "channels"
    graph = window.document.graph
    assert graph is not None
    loud.cause.linkActivated.emit(f"node:{graph.node_index(CULPRIT)}")
    assert window.document.state.node == graph.node_index(CULPRIT)


def test_the_reader_that_looks_broken_points_upstream(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, VICTIM)
    text = without_breaks(loud.cause.text())
    assert text.startswith("The cause is in what it reads") and CULPRIT in text
    select(loud, window, qtbot, "/stem/conv/Conv")
    assert loud.cause_frame.isHidden()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_shows_a_feature_map(key: str, theme: str, loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    window.set_theme("dark" if theme == "dark" else "light")
    select(loud, window, qtbot, RELU)
    QTest.mouseClick(loud.buttons.by_key[key], Qt.MouseButton.LeftButton)
    assert loud.view == key and loud.stack.currentWidget() is loud.views[key].widget
    image = loud.grab().toImage()
    assert len({image.pixel(x, y) for x in range(0, 240, 3) for y in range(100, 400, 3)}) > 3


def test_the_chosen_view_is_remembered_for_such_tensors(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, "/stem/conv/Conv")
    loud.buttons.by_key["scatter"].click()
    select(loud, window, qtbot, "/block1/Add")
    assert loud.view == "scatter"
    assert isinstance(loud.views["scatter"], ScatterView)


def test_a_weight_is_shown_from_the_model(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, "/stem/conv/Conv")
    texts = [loud.tensor.itemText(at) for at in range(loud.tensor.count())]
    assert [text.split("  ")[0] for text in texts] == ["Output", "Input", "Weight 1", "Weight 2"]
    loud.tensor.setCurrentIndex(2)
    complete(loud, qtbot)
    assert loud.subject is not None and loud.subject.looked is not None
    assert loud.subject.looked.tensors.candidate is None and loud.view == "histogram"
    assert not loud.buttons.by_key["errors"].isEnabled() and loud.buttons.by_key["channels"].isEnabled()
    assert "open the other one as the second graph" in loud.buttons.by_key["errors"].toolTip()
    loud.buttons.by_key["facts"].click()
    assert "Only the model on view is at hand" in facts_text(loud)


def facts_text(panel: Content) -> str:
    facts = panel.views["facts"]
    assert isinstance(facts, FactsView)
    return without_breaks(facts.text.toPlainText())


@pytest.mark.parametrize("way", ["the sample's own", "as the second graph", "from the quantized one"])
def test_a_weight_is_compared_with_the_other_model(panel: Content, window: MainWindow, qtbot: QtBot, way: str) -> None:
    """Which is opened behind the scenes where nobody shows it."""
    row = next(row for row in SAMPLES if row.key == "clean")
    window.open(row.candidate_model if way == "from the quantized one" else row.model)
    qtbot.waitUntil(lambda: window.document.model is not None)
    if way == "as the second graph":
        window.document.edit("Show it", pairing="side")
        qtbot.waitUntil(lambda: window.pair.second.links is not None, timeout=20_000)
    window.show_panel("inspector")
    graph = window.document.graph
    assert graph is not None
    window.document.select(node=graph.node_index("/stem/conv/Conv"))
    qtbot.waitUntil(lambda: panel.tensor.count() > 0)
    at = next(at for at in range(panel.tensor.count()) if "stem.conv.weight" in panel.tensor.itemText(at))
    panel.tensor.setCurrentIndex(at)
    complete(panel, qtbot)
    assert panel.subject is not None and panel.subject.looked is not None
    looked = panel.subject.looked
    assert looked.tensors.together and looked.row is not None and looked.overview.grid is not None
    assert panel.buttons.by_key["errors"].isEnabled() and panel.buttons.by_key["channels"].isEnabled()
    panel.buttons.by_key["facts"].click()
    text = facts_text(panel)
    assert "Compared with stem.conv.weight" in text and "SQNR" in text and "dequantized with" in text


def test_without_a_model_and_without_a_selection_it_says_what_will_be_here(
    shell: InspectorPanel, window: MainWindow, qtbot: QtBot
) -> None:
    assert shell.pages.currentWidget() is shell.closed
    window.document.open(branching_model())
    window.show_panel("inspector")
    qtbot.waitUntil(lambda: shell.pages.currentWidget() is shell.nothing)


def test_without_runs_the_reason_is_said_and_facts_are_there(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.document.select(node=0)
    window.show_panel("inspector")
    qtbot.waitUntil(lambda: panel.subject is not None)
    assert panel.view == "facts"
    facts = panel.views["facts"]
    assert isinstance(facts, FactsView)
    text = without_breaks(facts.text.toPlainText())
    assert "No two runs of this model are loaded." in text and "pads" in text and "conv_out" in text
    assert "No two runs" in panel.buttons.by_key["histogram"].toolTip()


@pytest.mark.parametrize(
    "values",
    [
        np.array(2.5, np.float32),
        np.zeros((0, 3), np.float32),
        np.full((1, 4, 3, 3), np.nan, np.float32),
        np.array([[True, False], [False, False]]),
        np.arange(-60, 60, dtype=np.int8).reshape(1, 4, 5, 6),
        np.arange(300.0).reshape(3, 100),
        np.full((2, 2, 2), np.inf),
    ],
    ids=["scalar", "empty", "nan", "bool", "int8", "matrix", "infinite"],
)
def test_every_kind_of_tensor_can_be_inspected(
    values: "np.ndarray[tuple[int, ...], np.dtype[np.generic]]",
    panel: Content,
    window: MainWindow,
    qtbot: QtBot,
) -> None:
    one_tensor(window, qtbot, values, values.copy())
    complete(panel, qtbot)
    for key in KEYS:
        if panel.buttons.by_key[key].isEnabled():
            panel.buttons.by_key[key].click()
            panel.grab()
    qtbot.waitUntil(lambda: not window.jobs.steps)
    enabled = {key for key in KEYS if panel.buttons.by_key[key].isEnabled()}
    assert enabled == {"facts"} if not values.size else {"histogram", "errors", "scatter", "values", "facts"} <= enabled


def test_what_was_not_measured_shows_each_side_by_itself(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    one_tensor(window, qtbot, np.zeros((2, 3), np.float32), np.ones((4, 5), np.float32))
    complete(panel, qtbot)
    assert panel.buttons.by_key["histogram"].isEnabled() and not panel.buttons.by_key["errors"].isEnabled()
    assert "shape" in panel.buttons.by_key["errors"].toolTip().lower()


def test_a_missing_side_is_said(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    one_tensor(window, qtbot, None, np.ones(40, np.float32))
    complete(panel, qtbot)
    assert "no partner" in panel.buttons.by_key["errors"].toolTip()


def test_a_file_that_is_gone_is_told_of(panel: Content, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    from errorflow.formats import read_tensors
    from errorflow.match.by_name import match_by_name

    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "y.npy", np.ones(40, np.float32))
    match = match_by_name(read_tensors(tmp_path / "a" / "y.npy"), read_tensors(tmp_path / "b" / "y.npy"))
    comparison = compare_match(match)
    (tmp_path / "a" / "y.npy").unlink()
    window.document.take_compared(Compared(comparison, match))
    qtbot.waitUntil(lambda: panel.view == "facts" and "y.npy" in panel.buttons.by_key["histogram"].toolTip())


def test_rows_without_tensors_say_so(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    comparison = window.document.comparison
    assert comparison is not None
    window.document.take_compared(Compared(Comparison(comparison.rows)))
    qtbot.waitUntil(lambda: "come from a table" in panel.buttons.by_key["histogram"].toolTip())
    facts = panel.views["facts"]
    assert isinstance(facts, FactsView) and "Cosine similarity" in facts.text.toPlainText()


def test_the_worst_values_come_first_and_any_can_be_gone_to(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    reference = np.ones((3, 50, 40), np.float32)
    candidate = reference.copy()
    candidate[1, 7, 9] = 5.0
    one_tensor(window, qtbot, reference, candidate)
    complete(panel, qtbot)
    panel.buttons.by_key["values"].click()
    view = panel.views["values"]
    assert isinstance(view, ValuesView)
    qtbot.waitUntil(lambda: view.model.rowCount() == 100)
    assert view.model.data(view.model.index(0, 0)) == "1,7,9" and view.model.data(view.model.index(0, 2)) == "5.000"
    view.mode.setCurrentIndex(view.mode.findData(RELATIVE_FIRST))
    view.mode.activated.emit(1)
    qtbot.waitUntil(lambda: view.model.rowCount() == 100 and view.note.text() == "")
    QTest.keyClicks(view.place, "2, 49, 39")
    QTest.keyClick(view.place, Qt.Key.Key_Return)
    assert view.mode.currentData() == IN_ORDER
    row = view.table.currentIndex().row()
    assert view.model.value(row).index == (2, 49, 39) and view.model.value(row).place == 5999
    view.place.setText("9, 9, 9")
    QTest.keyClick(view.place, Qt.Key.Key_Return)
    assert "There is no value 9, 9, 9" in view.note.text()


def test_the_vendors_tables_are_written_from_the_values(
    panel: Content, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    one_tensor(window, qtbot, np.arange(40, dtype=np.float32), np.arange(40, dtype=np.float32) + 1)
    complete(panel, qtbot)
    view = panel.views["values"]
    assert isinstance(view, ValuesView)
    panel.buttons.by_key["values"].click()
    assert view.save.isEnabled()
    view.write_tables(tmp_path / "out")
    qtbot.waitUntil(lambda: "files in" in view.note.text())
    assert (tmp_path / "out" / "y_output_0_absolute_error_topn.csv").read_text().startswith("Index,N C H W,NPUDump")


def test_planes_are_stepped_through_from_the_worst_channel(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    reference = np.random.default_rng(1).standard_normal((1, 6, 5, 4)).astype(np.float32)
    candidate = reference.copy()
    candidate[0, 4] += 2
    one_tensor(window, qtbot, reference, candidate)
    complete(panel, qtbot)
    panel.buttons.by_key["planes"].click()
    view = panel.views["planes"]
    assert isinstance(view, PlanesView) and view.plane.value() == 4 and view.plane.maximum() == 5
    assert "axis 1: 4" in view.where.text()
    [spot, *_] = view.pictures.spots()
    QTest.mouseMove(view.pictures, spot.center().toPoint())
    QTest.keyClick(view.pictures, Qt.Key.Key_Right)
    assert "Difference 2.000" in view.widget.notes.text()
    view.plane.setValue(0)
    QTest.keyClick(view.pictures, Qt.Key.Key_Right)
    assert "Difference 0" in view.widget.notes.text()


def test_another_axis_can_be_chosen_for_channels(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    values = np.random.default_rng(1).standard_normal((3, 6, 70)).astype(np.float32)
    one_tensor(window, qtbot, values, values + np.float32(0.1))
    complete(panel, qtbot)
    panel.buttons.by_key["channels"].click()
    view = panel.views["channels"]
    assert isinstance(view, ChannelsView)
    assert [view.axis.itemText(at) for at in range(3)] == ["Axis 0: 3", "Axis 1: 6", "Axis 2: 70"]
    assert view.axis.currentIndex() == 1 and view.back.isHidden()
    view.axis.setCurrentIndex(2)
    view.axis.activated.emit(2)
    qtbot.waitUntil(lambda: view.forth.isVisible())
    view.forth.click()
    figure = view.widget.plot.figure
    assert figure is not None and len(figure.x.names) == 70 - 48


def test_a_plot_is_read_by_keys_copied_and_zoomed(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, "/stem/conv/Conv")
    view = loud.views["histogram"]
    assert isinstance(view, HistogramView)
    plot = view.widget.plot
    assert plot.accessibleName() == "Values of /stem/conv/Conv_output_0"
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert "Reference" in view.widget.notes.text()
    menu = plot.menu()
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy numbers as CSV"].trigger()
    assert QGuiApplication.clipboard().text().startswith("from,to,Reference,Candidate\n")
    actions["Copy picture"].trigger()
    assert QGuiApplication.clipboard().image().width() == plot.width() * 2
    menu.close()
    before = plot._window
    wheel = QWheelEvent(
        QPointF(plot.rect().center()),
        QPointF(plot.mapToGlobal(plot.rect().center())),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot, wheel)
    assert plot._window[1] - plot._window[0] < before[1] - before[0]
    QTest.keyClick(plot, Qt.Key.Key_0)
    assert plot._window == before


def test_the_count_can_be_logarithmic(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, "/stem/conv/Conv")
    view = loud.views["histogram"]
    assert isinstance(view, HistogramView)
    figure = view.widget.plot.figure
    assert figure is not None
    view.log.click()
    turned = view.widget.plot.figure
    assert turned is not None and turned.y.log is not figure.y.log


def test_a_note_on_a_node_is_one_step_of_undo(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, CULPRIT)
    loud.buttons.by_key["facts"].click()
    facts = loud.views["facts"]
    assert isinstance(facts, FactsView)
    QTest.keyClicks(facts.note, "mine")
    assert window.document.session.notes == {CULPRIT: "mine"} and window.document.undo_text == f"Note on {CULPRIT}"
    window.document.undo()
    assert not window.document.session.notes and facts.note.toPlainText() == ""
    window.document.redo()
    assert facts.note.toPlainText() == "mine"
    select(loud, window, qtbot, RELU)
    loud.buttons.by_key["facts"].click()
    assert facts.note.toPlainText() == ""


def test_facts_name_every_metric_and_what_was_asked_for(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, RELU)
    loud.buttons.by_key["facts"].click()
    facts = loud.views["facts"]
    assert isinstance(facts, FactsView)
    text = facts.text.toPlainText()
    for part in ("Cosine similarity", "Relative error", "SQNR", "p99.9", "Bias", "Scale 23.5294", "Highest", "float32"):
        assert part in text
    cursor = facts.text.document().find("0.0027")
    assert "accumulated · Relative error · √Σ" in cursor.charFormat().toolTip()


def test_nothing_is_read_while_the_panel_is_hidden(window: MainWindow, qtbot: QtBot) -> None:
    content = window.docks.by_key["inspector"].content
    assert isinstance(content, InspectorPanel)
    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    window.show_panel("details")
    qtbot.waitUntil(lambda: content.visibleRegion().isEmpty())
    window.document.select()
    window.document.select(node=0)
    assert content.content.subject is None and not window.jobs.running("inspector")
    window.show_panel("inspector")
    complete(content.content, qtbot)
    window.show_panel("details")
    qtbot.waitUntil(lambda: content.visibleRegion().isEmpty())
    window.document.select()
    assert content.content.subject is None


def test_it_comes_to_the_front_when_there_are_runs(window: MainWindow, qtbot: QtBot) -> None:
    content = window.docks.by_key["inspector"].content
    window.document.open(branching_model())
    window.show_panel("details")
    qtbot.waitUntil(lambda: content.visibleRegion().isEmpty())
    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    qtbot.waitUntil(lambda: not content.visibleRegion().isEmpty())


def test_what_becomes_known_later_is_shown_without_reading_again(
    loud: Content, window: MainWindow, qtbot: QtBot, sample: Opened
) -> None:
    select(loud, window, qtbot, RELU)
    loud.buttons.by_key["values"].click()
    assert loud.subject is not None
    looked, findings = loud.subject.looked, window.document.state.findings
    window.document.take_compared(Compared(sample.findings.comparison, sample.match))
    qtbot.waitUntil(lambda: window.document.state.findings is not findings)
    assert loud.subject.looked is looked and loud.view == "values"


def test_it_does_not_come_back_when_it_was_put_away(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.hide_panel("inspector")
    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    assert not window.panel_shown("inspector")


@pytest.mark.parametrize("wide", [244, 400, 900])
def test_at_every_width_all_buttons_are_to_be_seen(wide: int, window: MainWindow, qtbot: QtBot, sample: Opened) -> None:
    window.show_panel("details")
    shell = InspectorPanel(window)
    qtbot.addWidget(shell)
    shell.resize(wide, 600)
    shell.show()
    panel = shell.content
    window.document.open(replace(sample.model, path=Path("/models/loud.onnx")))
    window.document.take_compared(Compared(sample.findings.comparison, sample.match))
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    select(panel, window, qtbot, RELU)
    assert panel.width() == wide
    buttons = panel.buttons.by_key.values()
    assert all(button.geometry().right() < wide and button.geometry().height() >= 24 for button in buttons)
    assert all(not panel.buttons.by_key[key].icon().isNull() for key in KEYS)


def test_each_view_has_a_row_that_says_how_well_it_suits() -> None:
    assert list(SUITS) == KEYS
