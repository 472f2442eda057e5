"""The shapes of both sides, and the error of each pair."""

import weakref
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.compare import compare_match
from errorflow.compare.executors import Alone
from errorflow.compare.match.model import Match
from errorflow.compare.metrics.metric import badness
from errorflow.graph.dump import TensorInfo
from errorflow_viewer.panels.matches.panel import MatchesPanel
from errorflow_viewer.panels.matches.rows import CHOICES, ERROR, NOTE, OTHER_SHAPE, SHAPE, MatchLine, MatchRows
from errorflow_viewer.window.window import MainWindow
from stored_tensors import Made, made_pair
from table_cells import of_cell
from viewer.cases import case_with
from viewer.panels.matches.listing import metric, names, pick, rows_of


def info(shape: tuple[int, ...], original: tuple[int, ...] | None = None) -> TensorInfo:
    return TensorInfo("t", "float32", shape, 4, original_shape=original)


def cell(panel: MatchesPanel, row: int) -> str:
    return str(panel.table.index(row, ERROR).data())


def head(panel: MatchesPanel) -> str:
    return str(panel.table.headerData(ERROR, Qt.Orientation.Horizontal))


class TestShapes:
    def test_shapes_of_both_sides_stand_beside_the_names(self, panel: MatchesPanel) -> None:
        assert [panel.table.index(0, column).data() for column in (SHAPE, OTHER_SHAPE)] == ["1000", "1000"]
        assert [panel.table.index(5, column).data() for column in (SHAPE, OTHER_SHAPE)] == ["1000", ""]

    @pytest.mark.parametrize(
        ("mine", "golden", "shown"),
        [
            (info((1, 64, 56, 56)), info((1, 64, 56, 56)), ("1×64×56×56", "1×64×56×56")),
            (info((1, 56, 56, 64)), info((1, 64, 56, 56)), ("1×56×56×64", "≠ 1×64×56×56")),
            (info((1, 4, 56, 56, 16), (1, 64, 56, 56)), info((1, 64, 56, 56)), ("1×64×56×56", "1×64×56×56")),
            (info(()), info((1,)), ("scalar", "≠ 1")),
            (info((3,)), None, ("3", "")),
        ],
        ids=["same", "turned", "layout of an NPU", "scalar", "alone"],
    )
    def test_shapes_that_differ_stand_out(
        self, mine: TensorInfo, golden: TensorInfo | None, shown: tuple[str, str]
    ) -> None:
        rows = MatchRows((MatchLine("a", "b", "tensor-name", "", 0, shapes=(mine, golden)),))
        assert (rows.shown(0, SHAPE), rows.shown(0, OTHER_SHAPE)) == shown
        differs = shown[1].startswith("≠")
        assert [rows.stands_out(0, column) for column in (SHAPE, OTHER_SHAPE)] == [differs, differs]
        assert [rows.steps_back(0, column) for column in (SHAPE, OTHER_SHAPE)] == [not differs, not differs]
        assert CHOICES[3].holds(rows).tolist() == [differs]
        assert ("The shapes differ." in rows.tip(0)) is differs

    def test_a_layout_is_told_in_full(self) -> None:
        mine = replace(info((1, 1, 8, 8, 16), (1, 5, 8, 8)), layout="NC1HWC0")
        rows = MatchRows((MatchLine("a", "b", "", "", 0, shapes=(mine, info((1, 5, 8, 8)))),))
        assert "1×1×8×8×16 NC1HWC0, originally 1×5×8×8" in rows.tip(0)

    def test_shapes_sort_by_their_numbers(self) -> None:
        shapes = ((10, 2), (9, 2), (9, 10))
        rows = MatchRows(tuple(MatchLine("a", "a", "", "", 0, shapes=(info(shape), None)) for shape in shapes))
        assert rows.order(SHAPE).tolist() == [1, 2, 0]


class TestErrors:
    @pytest.fixture
    def panel(self, own_panel: MatchesPanel) -> MatchesPanel:
        return own_panel

    @pytest.fixture
    def window(self, own_window: MainWindow) -> MainWindow:
        return own_window

    def test_the_metric_on_view_is_shown_as_it_is_written(self, panel: MatchesPanel, window: MainWindow) -> None:
        row = rows_of(window)[0]
        assert head(panel) == metric("relative_l2").label
        assert cell(panel, 0) == metric("relative_l2").text(row.values["relative_l2"])
        assert cell(panel, 5) == "–"
        window.document.edit("Metric", painting=replace(window.document.session.painting, metric="cosine"))
        assert head(panel) == metric("cosine").label
        assert cell(panel, 0) == metric("cosine").text(row.values["cosine"])

    def test_its_colour_is_that_of_the_limits(self, panel: MatchesPanel, window: MainWindow) -> None:
        value = rows_of(window)[0].values["relative_l2"]
        assert of_cell(panel.table.index(0, ERROR), "badness") == badness(metric("relative_l2"), value)
        painting = replace(window.document.session.painting, limits={"relative_l2": (value / 4, value / 2)})
        window.document.edit("Limits", painting=painting)
        assert of_cell(panel.table.index(0, ERROR), "badness") == 1.0
        assert of_cell(panel.table.index(5, ERROR), "badness") is None

    def test_the_colours_follow_the_palette(self, panel: MatchesPanel, window: MainWindow) -> None:
        painting = replace(window.document.session.painting, palette="blue-orange")
        window.document.edit("Palette", painting=painting)
        assert panel.view.cells.palette == "blue-orange"

    def test_a_click_sorts_the_worst_first(self, panel: MatchesPanel, window: MainWindow) -> None:
        header = panel.view.horizontalHeader()
        place = QPoint(header.sectionViewportPosition(ERROR) + 40, header.height() // 2)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
        values = {row.tensor: row.values.get("relative_l2", -1.0) for row in rows_of(window)}
        worst = sorted(range(1, 6), key=lambda at: -values[f"t{at}"])
        assert names(panel)[:5] == [(f"t{at}", f"t{at}") for at in worst]

    def test_what_is_selected_stays_when_errors_move_rows(self, panel: MatchesPanel, window: MainWindow) -> None:
        panel.view.sortByColumn(ERROR, Qt.SortOrder.DescendingOrder)
        pick(panel, ("t6", ""), ("", "t7"))
        window.document.edit("Metric", painting=replace(window.document.session.painting, metric="cosine"))
        assert {line.candidate for line in panel._selected_lines()} == {"t6", ""}

    def test_a_pair_that_could_not_be_measured_says_why(
        self, panel: MatchesPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        found = Match((made_pair(1), replace(made_pair(2), candidate=Made(2, 10))))
        window.document.take_case(case_with(compare_match(found, crew=Alone()), found))
        qtbot.waitUntil(lambda: panel.table.rowCount() == 2 and panel.table.errors is not None)
        why = rows_of(window)[1].note
        assert why
        assert panel.table.index(1, NOTE).data() == why
        assert why in panel.table.index(1, ERROR).data(Qt.ItemDataRole.ToolTipRole)


def test_what_was_measured_of_a_closed_model_is_not_kept(
    own_panel: MatchesPanel, own_window: MainWindow, qtbot: QtBot
) -> None:
    panel, window = own_panel, own_window
    assert panel.table.rows is not None and panel.table.errors is not None
    rows = weakref.ref(panel.table.rows)
    window.document.close()
    qtbot.waitUntil(lambda: rows() is None)
