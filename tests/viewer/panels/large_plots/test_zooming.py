"""One looks closer into a large plot."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow.explain.findings.profile import RELATIVE
from errorflow.graph.model import Model
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.plots import MANY_POINTS
from errorflow_viewer.plots.profile_sheet import ProfileSheet
from errorflow_viewer.window.window import MainWindow
from viewer.models import chain
from viewer.panels.large_plots.sheets import (
    WORST,
    colors,
    drag,
    enlarge,
    figure_sheet,
    heard,
    hover,
    map_sheet,
    profile_panel,
    spot,
    turn_wheel,
)


class TestFigure:
    def test_the_wheel_zooms_along_x_and_all_is_shown_again(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "histogram", qtbot))
        (low, high), y = sheet.box.viewRange()
        turn_wheel(sheet, spot(sheet, (low + high) / 2, sum(y) / 2), 4)
        near, same = sheet.box.viewRange()
        assert near[1] - near[0] < (high - low) * 0.7 and same == y
        QTest.keyClick(sheet, Qt.Key.Key_0)
        assert np.allclose(sheet.box.viewRange()[0], (low, high))

    def test_a_rubber_band_zooms_into_what_it_encloses(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "scatter", qtbot))
        (left, right), (low, high) = sheet.box.viewRange()
        at = [(1 - share) * left + share * right for share in (0.25, 0.75)]
        up = [(1 - share) * low + share * high for share in (0.75, 0.25)]
        drag(sheet, spot(sheet, at[0], up[0]), spot(sheet, at[1], up[1]))
        x, y = sheet.box.viewRange()
        assert x == pytest.approx(at, abs=(right - left) / 50)
        assert sorted(y) == pytest.approx(sorted(up), abs=(high - low) / 50)

    def test_dragging_moves_when_that_is_wanted(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        opened = enlarge(panel, "errors", qtbot)
        sheet = figure_sheet(opened)
        sheet.zoom(4)
        QTest.keyClick(sheet, Qt.Key.Key_M)
        before, y = sheet.box.viewRange()
        start = spot(sheet, sum(before) / 2, sum(y) / 2)
        drag(sheet, start, start + QPoint(-80, 0))
        after = sheet.box.viewRange()[0]
        assert after[0] > before[0] and after[1] - after[0] == pytest.approx(before[1] - before[0])

    def test_nobody_gets_lost_outside(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "histogram", qtbot))
        before = sheet.box.viewRange()
        sheet.zoom(0.1)
        assert np.allclose(sheet.box.viewRange(), before)

    def test_the_pointer_tells_the_counts(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "histogram", qtbot))
        texts = heard(sheet)
        x, y = sheet.box.viewRange()
        hover(sheet, spot(sheet, sum(x) / 2, sum(y) / 2))
        assert "Reference" in texts[-1] and "Candidate" in texts[-1]
        QTest.keyClick(sheet, Qt.Key.Key_Right)
        assert texts[-1] and sheet.cursor is not None

    def test_a_point_of_the_scatter_tells_its_error(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "scatter", qtbot))
        texts = heard(sheet)
        x, y = sheet.points.getData()
        hover(sheet, spot(sheet, float(x[0]), float(y[0])))
        assert texts[-1].startswith("Reference ") and "difference" in texts[-1]

    def test_the_scatter_has_more_points_than_the_panel(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "scatter", qtbot))
        subject = panel.content.subject
        assert subject is not None and subject.looked is not None and subject.looked.overview.points is not None
        at_hand = len(subject.looked.overview.points[0])
        assert at_hand <= len(sheet.points.getData()[0]) <= MANY_POINTS

    def test_the_count_can_be_logarithmic(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "histogram", qtbot))
        assert sheet.figure is not None
        before = sheet.figure.y.log
        QTest.keyClick(sheet, Qt.Key.Key_L)
        assert sheet.figure.y.log is not before
        assert figure_sheet(enlarge(panel, "scatter", qtbot)).log.isHidden()

    def test_a_click_in_the_legend_hides_a_layer(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "histogram", qtbot))
        before = colors(sheet)
        room = next(room for entry, room in sheet.legend.spots() if entry.label == "Candidate")
        at = sheet.mapFromScene(sheet.legend.mapToScene(room.center()))
        QTest.mouseClick(sheet.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
        assert ("Candidate", False) in sheet.labels and colors(sheet) != before

    def test_all_channels_are_there_and_the_worst_are_seen_first(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = figure_sheet(enlarge(panel, "channels", qtbot))
        subject = panel.content.subject
        assert subject is not None and subject.looked is not None and subject.looked.channels is not None
        assert sheet.figure is not None
        assert len(sheet.figure.x.names) == len(subject.looked.channels) and sheet.box.viewRange()[0][0] < 0


class TestMaps:
    def test_pictures_are_moved_together(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = map_sheet(enlarge(panel, "planes", qtbot))
        sheet.zoom(2)
        first, second, third = (box.viewRange() for box in sheet.boxes)
        assert np.allclose(first, second, atol=0.2) and np.allclose(first, third, atol=0.2)

    def test_it_steps_through_the_planes(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = map_sheet(enlarge(panel, "planes", qtbot))
        before, number = sheet.numbers()(), sheet.plane.value()
        QTest.keyClick(sheet, Qt.Key.Key_PageUp)
        assert sheet.plane.value() == number - 1 and sheet.numbers()() != before
        QTest.keyClick(sheet, Qt.Key.Key_PageDown)
        assert sheet.numbers()() == before

    def test_the_pointer_tells_all_three_values(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = map_sheet(enlarge(panel, "planes", qtbot))
        texts, before = heard(sheet), sheet.grab().toImage()
        hover(sheet, spot(sheet, 2.5, 1.5))
        assert texts[-1].startswith("Row 1, column 2: Reference ") and "Difference" in texts[-1]
        assert sheet.grab().toImage() != before
        QTest.keyClick(sheet, Qt.Key.Key_Down)
        assert texts[-1].startswith("Row 2, column 2")

    def test_levels_are_dragged_in_the_bar(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = map_sheet(enlarge(panel, "planes", qtbot))
        low, high = sheet.bars[0].levels
        sheet.bars[0].grips.setRegion((low, (low + high) / 2))
        assert tuple(sheet.tiles[1].image.levels) == pytest.approx((low, (low + high) / 2))
        sheet.fit()
        assert sheet.bars[0].levels == pytest.approx((low, high))

    def test_zero_stays_in_the_middle_of_differences(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = map_sheet(enlarge(panel, "planes", qtbot))
        low, high = sheet.bars[1].levels
        assert low == -high
        sheet.bars[1].grips.setRegion((low, high / 2))
        assert sheet.bars[1].levels == pytest.approx((-high / 2, high / 2))


class TestProfile:
    def test_a_click_selects_the_node(self, profile: ProfileSheet, window: MainWindow) -> None:
        at = spot(profile, WORST, 0.5)
        QTest.mouseClick(profile.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
        assert window.document.state.node == WORST and profile.selected == WORST

    def test_hovering_is_told_to_all(self, profile: ProfileSheet, window: MainWindow) -> None:
        pointed: list[object] = []
        window.document.pointed.connect(pointed.append)
        texts = heard(profile)
        hover(profile, spot(profile, 12, 0.5))
        assert pointed[-1] == 12 and "node12" in texts[-1] and RELATIVE.label in texts[-1]
        window.document.pointed.emit(7)
        assert profile.hovered == 7 and "node7" in texts[-1]

    def test_arrows_walk_over_what_was_not_measured(self, profile: ProfileSheet, window: MainWindow) -> None:
        window.document.select(node=4)
        QTest.keyClick(profile, Qt.Key.Key_Right)
        assert window.document.state.node == 6 == profile.selected

    def test_zooming_draws_it_anew_and_stops_at_few_nodes(self, profile: ProfileSheet) -> None:
        before = profile.image(1.0)
        for _ in range(30):
            profile.zoom(1.5)
        low, high = profile.box.viewRange()[0]
        assert high - low == pytest.approx(4.0) and profile.image(1.0) != before

    def test_it_closes_with_a_comparison(self, profile: ProfileSheet, window: MainWindow) -> None:
        opened = profile_panel(window).large.window
        window.document.open(Model(Path("/models/other.onnx"), "ONNX model", chain(3)))
        assert opened is not None and opened.stack.currentWidget() is opened.nothing

    def test_f_opens_it(self, profile: ProfileSheet, window: MainWindow) -> None:
        panel = profile_panel(window)
        assert panel.large.window is not None and panel.plot is not None
        panel.large.window.close()
        QTest.keyClick(panel.plot, Qt.Key.Key_F)
        assert panel.large.is_open
