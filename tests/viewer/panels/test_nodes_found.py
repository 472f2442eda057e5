"""The list of nodes after a comparison: the worst first, searched by what was found, linked with everything else."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyleOptionHeader, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from core.explain.findings.test_select import NODES, findings, graph, row, with_shares
from errorflow.case.session.model import Painting
from errorflow.compare.model import Comparison
from errorflow.explain.findings.columns import COLUMNS
from errorflow.explain.findings.model import Findings
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph, Model
from errorflow_viewer.document.node_rows import NAME
from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.tables.cells import ROOM
from errorflow_viewer.panels.node_table import ACCUMULATED, KEYS, SHARE
from errorflow_viewer.panels.node_view import Header
from errorflow_viewer.panels.nodes import NodesPanel
from errorflow_viewer.window.window import MainWindow
from table_cells import of_cell
from viewer.lending import Prepare

WORST = ["conv2", "quant", "relu1", "conv1", "softmax", "tail"]
VERDICT = KEYS.index("verdict")
RELATIVE, COSINE = Painting(metric="relative_l2"), Painting(metric="cosine")


@pytest.fixture(scope="module")
def prepare() -> Prepare:
    model = Model(Path("/models/found.onnx"), "ONNX model", findings().graph)
    return lambda window, qtbot: window.document.open(model)


@pytest.fixture
def panel(lent_window: MainWindow) -> NodesPanel:
    return found_in(lent_window)


def found_in(window: MainWindow) -> NodesPanel:
    window.document.take_findings(findings())
    content = window.panels.by_key["nodes"].content
    assert isinstance(content, NodesPanel)
    return content


def names(panel: NodesPanel) -> list[str]:
    table = panel.table
    return [table.data(table.index(row, NAME)) for row in range(table.rowCount())]


def column(panel: NodesPanel, number: int) -> list[str]:
    table = panel.table
    return [table.data(table.index(row, number)) for row in range(table.rowCount())]


def test_the_worst_nodes_come_first_as_soon_as_they_are_known(panel: NodesPanel) -> None:
    assert names(panel) == WORST
    assert panel.view.horizontalHeader().sortIndicatorSection() == ACCUMULATED
    assert column(panel, ACCUMULATED) == ["NaN", "2.0000", "0.2000", "0.0010", "", ""]
    assert column(panel, VERDICT)[:3] == ["carrier", "amplifier", "origin"]


def test_who_is_to_blame_comes_first_as_soon_as_that_is_known(panel: NodesPanel, window: MainWindow) -> None:
    blamed = ["relu1", "softmax", "quant", "conv1", "conv2", "tail"]
    window.document.take_findings(with_shares(findings()))
    assert names(panel) == blamed
    assert panel.view.horizontalHeader().sortIndicatorSection() == SHARE and not panel.view.isColumnHidden(SHARE)
    assert column(panel, SHARE) == ["likely", "possible", "hardly", "hardly", "", ""]
    window.document.edit("Metric", painting=COSINE)
    assert names(panel) == blamed
    for name in blamed[:2]:
        window.commands.made["worst.next"].trigger()
        assert NODES[window.document.state.node or 0] == name
    window.document.take_findings(findings())
    assert names(panel) == WORST and panel.view.isColumnHidden(SHARE)


def test_without_findings_they_come_as_they_run_again(panel: NodesPanel, window: MainWindow) -> None:
    window.document.take_findings(None)
    assert names(panel) == list(NODES)
    assert panel.view.isColumnHidden(ACCUMULATED)


def test_an_order_that_the_user_chose_stays_when_more_is_found(
    own_window: MainWindow, qtbot: QtBot, prepare: Prepare
) -> None:
    prepare(own_window, qtbot)
    panel, window = found_in(own_window), own_window
    panel.view.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
    window.document.take_findings(findings())
    assert names(panel) == sorted(NODES)


def test_another_metric_says_other_numbers_and_still_the_worst_first(panel: NodesPanel, window: MainWindow) -> None:
    window.document.edit("Metric", painting=COSINE)
    header = panel.table.headerData(ACCUMULATED, Qt.Orientation.Horizontal)
    tip = panel.table.headerData(ACCUMULATED, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert header == "Cosine similarity" and str(tip).startswith("accumulated · Cosine similarity · ")
    assert names(panel) == WORST
    assert panel.view.horizontalHeader().sortIndicatorOrder() == Qt.SortOrder.AscendingOrder


def test_other_limits_change_the_colours_and_no_rows(panel: NodesPanel, window: MainWindow, qtbot: QtBot) -> None:
    place = panel.table.index(2, ACCUMULATED)
    before = of_cell(place, "badness")
    with qtbot.assertNotEmitted(panel.table.modelReset):
        window.document.edit("Limits", painting=Painting(metric="relative_l2", limits={"relative_l2": (0.3, 0.6)}))
    assert of_cell(place, "badness") == 0.0 < before


def test_a_swatch_says_how_bad_and_none_where_nothing_was_measured(panel: NodesPanel) -> None:
    badness = [of_cell(panel.table.index(row, ACCUMULATED), "badness") for row in range(6)]
    assert math.isnan(badness[0]) and badness[1] == 1.0 and badness[3] == 0.0 and badness[4:] == [None, None]
    assert not panel.grab().isNull()


def test_nodes_are_found_by_what_was_found(panel: NodesPanel) -> None:
    panel.search.setText("verdict:origin or nan:yes")
    assert names(panel) == ["conv2", "relu1"]
    assert panel.count.text() == "2 of 6 nodes"


def test_a_search_that_makes_no_sense_is_answered_below_the_field(panel: NodesPanel) -> None:
    panel.search.setText("cos<abc")
    assert panel.problem.isVisibleTo(panel)
    assert panel.problem.text.text() == "cos wants a number, such as cos<0.9."
    assert panel.stack.currentWidget() is panel.no_match
    panel.search.setText("cos<")
    assert not panel.problem.isVisibleTo(panel) and len(names(panel)) == 6


def test_what_needs_two_runs_says_so_until_they_are_there(panel: NodesPanel, window: MainWindow) -> None:
    window.document.take_findings(None)
    panel.search.setText("verdict:origin")
    assert "once two runs are compared" in panel.problem.text.text()
    window.document.take_findings(findings())
    assert not panel.problem.isVisibleTo(panel) and names(panel) == ["relu1"]


def test_notes_of_the_user_are_found_as_soon_as_they_are_written(panel: NodesPanel, window: MainWindow) -> None:
    panel.search.setText("note:check")
    assert names(panel) == []
    window.document.edit("Note", notes={"quant": "please check"})
    assert names(panel) == ["quant"]


def test_findings_on_another_graph_are_not_shown(panel: NodesPanel, window: MainWindow) -> None:
    from viewer.models import chain

    window.document.refine(Model(Path("/models/found.onnx"), "ONNX model", chain(9)))
    assert panel.table.sheet is None and panel.table.rowCount() == 9


def test_a_column_that_says_nothing_of_any_node_is_left_out(panel: NodesPanel, window: MainWindow) -> None:
    without = findings(with_blame=False)
    window.document.take_findings(without)
    assert panel.view.isColumnHidden(VERDICT)


def test_columns_are_chosen_and_the_choice_is_kept(panel: NodesPanel, window: MainWindow) -> None:
    number = KEYS.index("quantized")
    assert panel.view.isColumnHidden(number)
    panel._widths._choose(number, True, 2000)
    assert not panel.view.isColumnHidden(number)
    assert window.settings.is_on("column.quantized", False)


def test_every_column_but_the_name_can_be_chosen(panel: NodesPanel) -> None:
    from errorflow_viewer.panels.node_view import columns_menu

    menu = columns_menu(panel, panel._widths, 400)
    assert len(menu.actions()) == 2 + len(COLUMNS)
    assert [action.text() for action in menu.actions()][2] == "Relative error"
    menu.deleteLater()


def test_n_goes_from_the_worst_node_to_the_next(panel: NodesPanel, window: MainWindow) -> None:
    visited = []
    for key in ("worst.next", "worst.next", "worst.previous", "worst.previous"):
        window.commands.made[key].trigger()
        visited.append(window.document.state.node)
    assert [NODES[node] for node in visited if node is not None] == ["conv2", "quant", "conv2", "conv1"]


def test_n_stays_within_the_search(panel: NodesPanel, window: MainWindow) -> None:
    window.document.search_for("relu1 or quant or tail")
    visited, said = [], []
    for key in ("worst.next", "worst.next", "worst.next", "worst.previous"):
        window.commands.made[key].trigger()
        visited.append(NODES[window.document.state.node or 0])
        said.append(window.status.currentMessage())
    assert visited == ["quant", "relu1", "quant", "relu1"]
    assert said[:2] == ["Worst nodes: 1 of 2, within the search", "Worst nodes: 2 of 2, within the search"]


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ("tail", "No node within the search was measured."),
        ("xyz", "The search finds no node: there is no worst one in it."),
    ],
)
def test_n_says_so_where_the_search_has_no_worst_node(
    panel: NodesPanel, window: MainWindow, search: str, said: str
) -> None:
    window.document.search_for(search)
    window.commands.made["worst.next"].trigger()
    assert window.status.currentMessage() == said
    assert window.document.state.node is None


def test_what_is_nearest_is_said_where_nothing_is_found(panel: NodesPanel, window: MainWindow) -> None:
    window.document.search_for("sqnr>70")
    assert panel.stack.currentWidget() is panel.no_match
    assert panel.no_match.sentence.text() == "No node has sqnr>70; the best is 60.00 dB."
    panel.no_match.button.click()
    assert window.document.state.search == ""


def test_where_nobody_is_to_blame_the_worst_node_is_shown(panel: NodesPanel, window: MainWindow) -> None:
    window.commands.made["worst.blamed"].trigger()
    assert window.document.state.node == NODES.index("conv2")


def test_n_does_so_in_the_list_as_well(panel: NodesPanel, window: MainWindow) -> None:
    QTest.keyClick(panel.view, Qt.Key.Key_N)
    assert window.document.state.node == NODES.index("conv2")
    QTest.keyClick(panel.view, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert window.document.state.node == NODES.index("conv1")


def test_without_a_comparison_there_is_no_worst_node(window: MainWindow) -> None:
    window.document.open(Model(Path("/models/found.onnx"), "ONNX model", graph()))
    window.commands.refresh()
    assert not window.commands.made["worst.next"].isEnabled()


def test_the_row_of_what_the_pointer_is_on_elsewhere_is_marked(panel: NodesPanel, window: MainWindow) -> None:
    window.document.pointed.emit(NODES.index("quant"))
    assert panel.table.pointed == panel.table.item_at(1) == NODES.index("quant")
    window.document.pointed.emit(None)
    assert panel.table.pointed is None


def test_the_pointer_on_a_row_points_at_its_node_everywhere(
    panel: NodesPanel, window: MainWindow, qtbot: QtBot
) -> None:
    seen: list[object] = []
    window.document.pointed.connect(seen.append)
    spot = panel.view.visualRect(panel.table.index(1, NAME)).center()
    QTest.mouseMove(panel.view.viewport(), QPoint(5, 5))
    QTest.mouseMove(panel.view.viewport(), spot)
    qtbot.waitUntil(lambda: NODES.index("quant") in seen)
    QApplication.sendEvent(panel.view, QEvent(QEvent.Type.Leave))
    assert seen[-1] is None


def typed(panel: NodesPanel, text: str) -> list[str]:
    panel.focus_search()
    panel.search.clear()
    QTest.keyClicks(panel.search, text)
    return [offer.text for offer in panel.offers.table.items]


def test_what_may_come_next_is_offered_and_tab_takes_it(panel: NodesPanel) -> None:
    assert typed(panel, "verd") == ["verdict:"]
    assert panel.offers.isVisible()
    QTest.keyClick(panel.search, Qt.Key.Key_Tab)
    assert panel.search.text() == "verdict:" and panel.search.hasFocus()
    QTest.keyClick(panel.search, Qt.Key.Key_Down)
    QTest.keyClick(panel.search, Qt.Key.Key_Down)
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert panel.search.text() == "verdict:amplifier " and names(panel) == ["quant"]
    assert not panel.offers.isVisible()


def test_escape_closes_what_is_offered_and_then_clears_the_field(panel: NodesPanel) -> None:
    typed(panel, "verd")
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert not panel.offers.isVisible() and panel.search.text() == "verd"
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    assert panel.search.text() == ""


def test_enter_goes_to_the_next_match_while_nothing_is_chosen(panel: NodesPanel, window: MainWindow) -> None:
    assert typed(panel, "co") != []
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    assert panel.search.text() == "co" and window.document.state.node is not None


def test_nothing_is_offered_that_needs_two_runs_without_them(panel: NodesPanel, window: MainWindow) -> None:
    window.document.take_findings(None)
    assert typed(panel, "verd") == []
    assert typed(panel, "type:qu") == ["QuantizeLinear"]


def test_the_graph_marks_what_is_found_by_what_was_found(panel: NodesPanel, window: MainWindow, qtbot: QtBot) -> None:
    def marked() -> set[str]:
        view, matches = window._graph_view, window.view._screen._signs.matches
        if view.shown is None or matches is None:
            return set()
        return {view.shown.drawing.labels[box] for box in matches.nonzero()[0]}

    qtbot.waitUntil(lambda: window._graph_view.shown is not None)
    window.document.search_for("verdict:origin")
    qtbot.waitUntil(lambda: marked() == {"Relu"})
    window.document.search_for("flipped:yes or nan:yes")
    qtbot.waitUntil(lambda: marked() == {"QuantizeLinear", "Conv"})


def long_list(window: MainWindow) -> tuple[Graph, NodesPanel]:
    """A chain of 300 nodes, of which a part is in sight."""
    builder = GraphBuilder("long")
    builder.input("x0")
    for number in range(300):
        builder.node("Relu", [f"x{number}"], [f"x{number + 1}"], name=f"relu{number}")
    graph = builder.build()
    window.document.open(Model(Path("/models/long.onnx"), "ONNX model", graph))
    panel = window.panels.by_key["nodes"].content
    assert isinstance(panel, NodesPanel)
    return graph, panel


def test_the_list_begins_at_the_worst_when_a_comparison_comes(window: MainWindow) -> None:
    model, panel = long_list(window)
    bar = panel.view.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert bar.value() > 0
    window.document.take_findings(Findings.of(model, Comparison((row("x300", {"relative_l2": 0.5}),))))
    assert names(panel)[0] == "relu299"
    assert bar.value() == 0
    bar.setValue(50)
    window.document.take_findings(Findings.of(model, Comparison((row("x300", {"relative_l2": 0.6}),))))
    assert bar.value() == 50


def test_the_selected_node_stays_in_sight_when_the_order_changes(window: MainWindow) -> None:
    model, panel = long_list(window)
    window.document.select(node=150)
    assert panel.view.sees_current()
    window.document.take_findings(Findings.of(model, Comparison((row("x151", {"relative_l2": 0.5}),))))
    assert names(panel)[0] == "relu150"
    assert panel.view.sees_current()
    other = Findings.of(model, Comparison((row("x151", {"relative_l2": 0.5}), row("x7", {"relative_l2": 0.9}))))
    panel.view.verticalScrollBar().setValue(100)
    window.document.take_findings(other)
    assert panel.view.verticalScrollBar().value() == 100  # who looks elsewhere is left there


@pytest.mark.parametrize("width", [220, 300, 700])
def test_titles_are_whole_or_abbreviated_and_never_cut(panel: NodesPanel, window: MainWindow, width: int) -> None:
    panel.resize(width, 400)
    header = panel.view.horizontalHeader()
    assert isinstance(header, Header)
    metrics = QFontMetrics(font(LABEL))
    for column in range(panel.table.columnCount()):
        if not header.isSectionHidden(column) and column != NAME:
            option = QStyleOptionHeader()
            header.initStyleOptionForIndex(option, column)
            assert metrics.horizontalAdvance(option.text) + ROOM <= header.sectionSize(column)
            assert "…" not in option.text
    whole = panel.table.headerData(ACCUMULATED, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert isinstance(whole, str) and "Relative error" in whole


def test_names_that_differ_in_the_middle_stay_apart_in_a_narrow_list(window: MainWindow) -> None:
    builder = GraphBuilder()
    scopes = [f"/block{block}/{scope}/conv/Conv" for block in (1, 2) for scope in ("expand", "depthwise", "project")]
    for number, scope in enumerate(scopes):
        builder.node("Conv", [f"t{number}"], [f"t{number + 1}"], name=scope)
    window.document.open(Model(Path("/models/blocks.onnx"), "ONNX model", builder.build()))
    content = window.panels.by_key["nodes"].content
    assert isinstance(content, NodesPanel)
    shown = set()
    for place, name in enumerate(scopes):
        option = QStyleOptionViewItem()
        option.rect.setWidth(130)
        content.view.cells.initStyleOption(option, content.table.index(place, NAME))
        shown.add(option.text)
        assert content.table.data(content.table.index(place, NAME), Qt.ItemDataRole.ToolTipRole).startswith(name)
    assert len(shown) == len(scopes)


def test_while_no_node_is_measured_none_is_the_worst(panel: NodesPanel, window: MainWindow) -> None:
    found, next_worst = findings(), window.commands.made["worst.next"]
    assert next_worst.isEnabled()
    unmeasured = tuple(replace(row, values={}) for row in found.comparison.rows)
    window.document.take_findings(Findings.of(found.graph, replace(found.comparison, rows=unmeasured)))
    assert not window.commands.made["worst.next"].isEnabled()
