"""Methods of calibration compared in the inspector, and used."""

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from errorflow.explain.inspect.figure import Line
from errorflow.quant.calibrate import METHODS
from errorflow.study.simulate.methods import Differing
from errorflow_viewer.panels.inspector.content import Content
from errorflow_viewer.panels.inspector.ranges_view import (
    BUSY,
    GAIN,
    IN_FLOAT,
    KEY,
    METHOD,
    TENSOR,
    AllRanges,
    RangesView,
)
from errorflow_viewer.window.window import MainWindow
from viewer.panels.inspector.inspecting import complete, select
from viewer.simulated import CULPRIT, open_model, seen_through, simulate, simulation


@pytest.fixture
def seen(panel: Content, lent_window: MainWindow, qtbot: QtBot) -> Content:
    return select(panel, lent_window, qtbot, CULPRIT)


@pytest.fixture
def ranges(seen: Content, window: MainWindow, qtbot: QtBot) -> RangesView:
    """Of the culprit, by all methods."""
    seen.buttons.by_key["ranges"].click()
    view = view_of(seen)
    assert BUSY in view.figure.notes.text() or view.table.items
    qtbot.waitUntil(lambda: len(view.table.items) > 0, timeout=30_000)
    return view


def view_of(content: Content) -> RangesView:
    found = content.views["ranges"]
    assert isinstance(found, RangesView)
    return found


def test_there_is_a_row_and_a_bracket_for_each_method(ranges: RangesView, window: MainWindow) -> None:
    assert [row.method.key for row in ranges.table.items] == [method.key for method in METHODS]
    figure = ranges.figure.plot.figure
    assert figure is not None
    lines = [layer for layer in figure.layers if isinstance(layer, Line)]
    assert [(line.x.min(), line.x.max()) for line in lines] == [(row.low, row.high) for row in ranges.table.items]
    assert len({layer.label for layer in figure.layers}) <= 4
    assert ranges.table.used == "minmax"
    best = next(row for row in ranges.table.items if row.method.key == ranges.table.best)
    assert best.sqnr >= max(row.sqnr for row in ranges.table.items) - 0.05


def test_it_is_found_once_for_all_tensors(ranges: RangesView, seen: Content, window: MainWindow, qtbot: QtBot) -> None:
    before = [row.low for row in ranges.table.items]
    select(seen, window, qtbot, "/block1/Add")
    seen.buttons.by_key["ranges"].click()
    assert not window.jobs.running(KEY)
    assert [row.low for row in ranges.table.items] != before


def test_all_tensors_can_be_calibrated_by_another_method(ranges: RangesView, window: MainWindow, qtbot: QtBot) -> None:
    keys = [row.method.key for row in ranges.table.items]
    ranges.list.selectRow(keys.index("mse"))
    ranges.all.click()
    qtbot.waitUntil(lambda: simulation(window).basis.method == "mse", timeout=30_000)
    seen_through(window, qtbot)
    qtbot.waitUntil(lambda: ranges.table.used == "mse")
    window.document.undo()
    assert seen_through(window, qtbot).plan == simulation(window).plan
    assert simulation(window).basis.method == ""


def test_one_tensor_can_be_calibrated_by_another_method(ranges: RangesView, window: MainWindow, qtbot: QtBot) -> None:
    bench = window.studies.simulating.bench
    assert bench is not None
    keys, name = [row.method.key for row in ranges.table.items], ranges._tensor
    ranges.list.selectRow(keys.index("mse"))
    ranges.one.click()
    qtbot.waitUntil(lambda: simulation(window).basis.methods == ((name, "mse"),), timeout=30_000)
    seen_through(window, qtbot)
    other = window.studies.simulating.bench
    assert other is not None
    different = [key for key, found in other.calibration.ranges.items() if found != bench.calibration.ranges[key]]
    assert different == [name]
    qtbot.waitUntil(lambda: ranges.table.used == "mse")
    assert not ranges.one.isEnabled()


def test_what_stays_in_float_needs_no_range(
    ranges: RangesView, seen: Content, window: MainWindow, qtbot: QtBot
) -> None:
    window.studies.simulating.edit("Keep it in float", simulation(window).plan.keeping_float(CULPRIT))
    seen_through(window, qtbot)
    complete(seen, qtbot)
    seen.buttons.by_key["ranges"].click()
    assert not ranges.table.items
    assert IN_FLOAT in ranges.figure.notes.text()
    assert ranges.every.isEnabled(), "other tensors are coded"
    assert dialog_of(ranges).table.items


def test_percentiles_are_told_apart_by_what_comes_first(ranges: RangesView) -> None:
    names = [str(ranges.table.index(row, METHOD).data()) for row in range(ranges.table.rowCount())]
    assert "99.99 %" in names and "99.9 %" in names
    tips = [str(ranges.table.index(row, METHOD).data(Qt.ItemDataRole.ToolTipRole)) for row in range(len(names))]
    assert tips[names.index("99.99 %")].startswith("Percentile 99.99 %")


def test_where_the_keyboard_begins_in_the_list_leads_nowhere(ranges: RangesView, window: MainWindow) -> None:
    before = window.document.state.node
    dialog = dialog_of(ranges)
    # What Qt does when a list gets the focus for the first time.
    dialog.list.selectionModel().setCurrentIndex(dialog.table.index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
    assert tensors(dialog)[0].tensor != ranges._tensor, "it would lead elsewhere"
    assert window.document.state.node == before
    dialog.close()


def test_a_cancel_is_said_and_can_be_taken_back(panel: Content, window: MainWindow, qtbot: QtBot) -> None:
    open_model(window, qtbot)
    simulate(window, qtbot)
    seen = select(panel, window, qtbot, CULPRIT)
    seen.buttons.by_key["ranges"].click()
    view = view_of(seen)
    window.jobs.cancel(KEY)
    assert "cancelled" in view.figure.notes.text()
    assert not view.again.isHidden()
    view.again.click()
    qtbot.waitUntil(lambda: len(view.table.items) > 0, timeout=30_000)
    assert view.again.isHidden()


def dialog_of(ranges: RangesView) -> AllRanges:
    ranges.every.click()
    assert ranges.dialog is not None
    return ranges.dialog


def tensors(dialog: AllRanges) -> list[Differing]:
    """As they are listed."""
    return [dialog.table.items[number][0] for number in dialog.table.shown.tolist()]


def test_all_tensors_stand_in_a_list_that_leads_to_them(ranges: RangesView, window: MainWindow, qtbot: QtBot) -> None:
    dialog = dialog_of(ranges)
    gains = [row.gain for row in tensors(dialog)]
    assert len(gains) > 10 and gains == sorted(gains, reverse=True)
    dialog.list.sortByColumn(TENSOR, dialog.list.horizontalHeader().sortIndicatorOrder().AscendingOrder)
    names = [row.tensor for row in tensors(dialog)]
    assert names == sorted(names)
    dialog.list.selectRow(names.index("/stem/conv/Conv_output_0"))
    graph, node = window.document.graph, window.document.state.node
    assert graph is not None and node is not None
    assert graph.node_names[node] == "/stem/conv/Conv"
    assert dialog.table.index(0, GAIN).data().endswith("dB")
    dialog.close()


def test_the_list_is_saved_as_the_command_line_has_it(ranges: RangesView, tmp_path: Path) -> None:
    target = tmp_path / "calibration.csv"
    dialog = dialog_of(ranges)
    dialog.save.click()
    [where] = dialog.findChildren(QFileDialog)
    where.fileSelected.emit(str(target))
    where.close()
    rows = list(csv.DictReader(target.read_text(encoding="utf-8").splitlines()))
    assert {row["method"] for row in rows} == {method.key for method in METHODS}
    assert str(target) in dialog.text.text()
    dialog._write(tmp_path / "nowhere" / "x" / "calibration.csv")
    assert "Saved" not in dialog.text.text()
    dialog.close()


def test_the_list_wishes_to_show_all_its_rows_whole(ranges: RangesView) -> None:
    ranges.list.resize(ranges.list.sizeHint())
    last = ranges.list.visualRect(ranges.table.index(ranges.table.rowCount() - 1, METHOD))
    assert ranges.list.viewport().rect().contains(last)
