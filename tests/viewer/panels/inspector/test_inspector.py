"""The inspector: from a selected node to its values, in every view, also where there are none."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow.explain.inspect.figure import Axis, Figure, Line
from errorflow.explain.inspect.suits import SUITS
from errorflow.report.figure_shapes import Area, FigurePlot
from errorflow_viewer.kit.look import DARK, LIGHT, Theme
from errorflow_viewer.panels.inspector.channels_view import ChannelsView
from errorflow_viewer.panels.inspector.content import Content
from errorflow_viewer.panels.inspector.facts_view import FactsView
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.planes_view import PlanesView
from errorflow_viewer.panels.inspector.plots import HistogramView, ScatterView
from errorflow_viewer.panels.inspector.values_view import IN_ORDER, RELATIVE_FIRST, ValuesView
from errorflow_viewer.panels.inspector.views import VIEWS
from errorflow_viewer.panels.sections import without_breaks
from errorflow_viewer.plots.figures import look_of
from errorflow_viewer.window.window import MainWindow
from evidence_tensors import Opened
from viewer.cases import case_with
from viewer.lending import Prepare
from viewer.models import branching_model
from viewer.panels.inspector.inspecting import CULPRIT, KEYS, RELU, VICTIM, complete, one_tensor, select


@pytest.fixture(scope="module")
def prepare(sample: Opened) -> Prepare:
    """Opens the built-in sample with its runs compared."""

    def compared(window: MainWindow, qtbot: QtBot) -> None:
        window.panels.show("inspector")
        window.document.open(replace(sample.model, path=Path("/models/loud.onnx")))
        window.document.take_case(case_with(sample.findings.comparison, sample.match))
        qtbot.waitUntil(lambda: window.document.state.findings is not None)

    return compared


@pytest.fixture
def loud(lent_window: MainWindow, panel: Content, prepare: Prepare, qtbot: QtBot, sample: Opened) -> Content:
    """The sample with its runs compared, whatever a test before left."""
    findings = lent_window.document.state.findings
    if findings is None or findings.comparison is not sample.findings.comparison:
        prepare(lent_window, qtbot)
    return panel


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
    # As large as panels that other tests brought beside and below leave it.
    right, end = min(240, image.width()), min(400, image.height())
    assert len({image.pixel(x, y) for x in range(0, right, 3) for y in range(100, end, 3)}) > 3


def test_the_chosen_view_is_remembered_for_such_tensors(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, "/stem/conv/Conv")
    loud.buttons.by_key["scatter"].click()
    select(loud, window, qtbot, "/block1/Add")
    assert loud.view == "scatter"
    assert isinstance(loud.views["scatter"], ScatterView)


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
    assert view.model.data(view.model.index(0, 0)) == "1,7,9" and view.model.data(view.model.index(0, 2)) == "5.00"
    view.mode.setCurrentIndex(view.mode.findData(RELATIVE_FIRST))
    view.mode.activated.emit(1)
    qtbot.waitUntil(lambda: view.model.rowCount() == 100 and view.note.text() == "")
    QTest.keyClicks(view.place, "2, 49, 39")
    QTest.keyClick(view.place, Qt.Key.Key_Return)
    assert view.mode.currentData() == IN_ORDER
    row = view.table.currentIndex().row()
    value = view.model.item_at(row)
    assert value is not None and (value.index, value.place) == ((2, 49, 39), 5999)
    view.place.setText("9, 9, 9")
    QTest.keyClick(view.place, Qt.Key.Key_Return)
    assert "There is no value 9, 9, 9" in view.note.text()


@pytest.mark.parametrize(("size", "square"), [((260, 300), True), ((600, 300), True), ((600, 120), False)])
def test_candidate_and_reference_have_the_same_scale_where_there_is_room(size: tuple[int, int], square: bool) -> None:
    ends = np.array([0.0, 1.0])
    layers = (Line("strong", "Equal", ends, ends, dashed=True, named=True),)
    figure = Figure("", Axis("Reference", 0.0, 1.0), Axis("Candidate", 0.0, 1.0), layers, square=True)
    area = FigurePlot(figure, look_of(LIGHT), Area(0, 0, *size)).scale.area
    assert (area.width == area.height) == square
    assert QRectF(0, 0, *size).contains(QRectF(area.x, area.y, area.width, area.height))


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_reference_and_candidate_are_told_apart_by_hue(theme: Theme) -> None:
    one, other = (QColor(look_of(theme).roles[role]) for role in ("reference", "candidate"))
    assert 120 <= (other.hue() - one.hue()) % 360 <= 240


@pytest.mark.parametrize("width", [200, 260, 500])
def test_numbers_are_short_and_never_cut_off(panel: Content, window: MainWindow, qtbot: QtBot, width: int) -> None:
    reference = np.full((3, 50, 40), -0.3042343, np.float32)
    candidate = reference.copy()
    candidate[1, 7, 9] += np.float32(2.3e-4)
    one_tensor(window, qtbot, reference, candidate)
    complete(panel, qtbot)
    panel.buttons.by_key["values"].click()
    view = panel.views["values"]
    assert isinstance(view, ValuesView)
    qtbot.waitUntil(lambda: view.model.rowCount() == 100)
    view.widget.resize(width, 400)
    row = [view.model.data(view.model.index(0, column)) for column in range(4)]
    assert row == ["1,7,9", "−0.304", "−0.304", "2.3e−4"]
    for column in range(view.model.columnCount()):
        shown = view.table.isColumnHidden(column) or view.table.columnWidth(column)
        assert shown >= view.table.sizeHintForColumn(column) or shown is True
    assert view.table.horizontalHeader().length() >= view.table.viewport().width() - 1
    told = view.model.data(view.model.index(0, 3), Qt.ItemDataRole.ToolTipRole)
    assert repr(float(reference[0, 0, 0])) in told
    view.table.selectRow(0)
    view._copy()
    assert QGuiApplication.clipboard().text().splitlines()[1].split("\t")[1] == repr(float(reference[0, 0, 0]))


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
    while view.forth.isEnabled():
        view.forth.click()
    figure = view.widget.plot.figure
    assert figure is not None and len(figure.x.names) == 70 % 16


def test_a_plot_is_read_by_keys_copied_and_zoomed(loud: Content, window: MainWindow, qtbot: QtBot) -> None:
    select(loud, window, qtbot, "/stem/conv/Conv")
    loud.buttons.by_key["histogram"].click()
    view = loud.views["histogram"]
    assert isinstance(view, HistogramView)
    plot = view.widget.plot
    assert plot.accessibleName() == "Values of /stem/conv/Conv_output_0"
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert "Reference" in view.widget.notes.text()
    menu = plot.menu()
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy numbers as CSV"].trigger()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith("from,to,Reference,Candidate\n"))
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
    loud.buttons.by_key["histogram"].click()
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


def test_it_comes_to_the_front_when_there_are_runs(window: MainWindow, qtbot: QtBot) -> None:
    content = window.panels.by_key["inspector"].content
    window.document.open(branching_model())
    window.panels.show("details")
    qtbot.waitUntil(lambda: content.visibleRegion().isEmpty())
    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    qtbot.waitUntil(lambda: not content.visibleRegion().isEmpty())


def test_it_does_not_come_back_when_it_was_put_away(window: MainWindow, qtbot: QtBot) -> None:
    window.document.open(branching_model())
    window.panels.hide("inspector")
    one_tensor(window, qtbot, np.ones(4), np.ones(4))
    assert not window.panels.is_shown("inspector")


@pytest.mark.parametrize("wide", [244, 400, 900])
def test_at_every_width_all_buttons_are_to_be_seen(wide: int, window: MainWindow, qtbot: QtBot, sample: Opened) -> None:
    window.panels.make_all()  # first: of two inspectors, the later one has the last word
    first = window.panels.by_key["inspector"].content
    assert isinstance(first, InspectorPanel) and first.content.subject is None
    shell = InspectorPanel(window)
    qtbot.addWidget(shell)
    shell.resize(wide, 600)
    shell.show()
    panel = shell.content
    window.document.open(replace(sample.model, path=Path("/models/loud.onnx")))
    window.document.take_case(case_with(sample.findings.comparison, sample.match))
    qtbot.waitUntil(lambda: window.document.state.findings is not None)
    select(panel, window, qtbot, RELU)
    assert panel.width() == wide
    buttons = panel.buttons.by_key.values()
    assert all(button.geometry().right() < wide and button.geometry().height() >= 24 for button in buttons)
    assert all(not panel.buttons.by_key[key].icon().isNull() for key in KEYS)


def test_each_view_has_a_row_that_says_how_well_it_suits() -> None:
    assert list(SUITS) == [view.key for view in VIEWS]
