"""Plots in windows of their own: opened from a panel, followed, kept, zoomed, saved."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from errorflow.compare.model import Comparison, Row
from errorflow.dump import TensorInfo
from errorflow.findings.profile import RELATIVE
from errorflow.graph.model import Model
from errorflow_viewer.palette import find
from errorflow_viewer.panels.inspector.content import Content
from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.panels.inspector.plots import MANY_POINTS
from errorflow_viewer.panels.profile.panel import ProfilePanel
from errorflow_viewer.plots.figure_sheet import FigureSheet
from errorflow_viewer.plots.map_sheet import MapSheet
from errorflow_viewer.plots.profile_sheet import ProfileSheet
from errorflow_viewer.plots.saving import file_name, with_ending
from errorflow_viewer.plots.sheet import Sheet
from errorflow_viewer.plots.window import PlotWindow
from errorflow_viewer.state import Compared
from errorflow_viewer.window import MainWindow
from evidence_tensors import Opened, opened_sample
from viewer.models import chain

RELU, STEM = "/block2/depthwise/act/Relu", "/stem/conv/Conv"
LARGE = ("histogram", "errors", "scatter", "channels", "planes")
INFO = TensorInfo("", "float32", (1,), 4)
NODES, WORST = 40, 20


@pytest.fixture(scope="module")
def sample() -> Opened:
    return opened_sample("loud_channel")


@pytest.fixture
def panel(window: MainWindow, qtbot: QtBot, sample: Opened) -> InspectorPanel:
    """A feature map is selected."""
    window.show_panel("inspector")
    panel = window.docks.by_key["inspector"].content
    assert isinstance(panel, InspectorPanel)
    window.document.open(replace(sample.model, path=Path("/models/loud.onnx")))
    window.document.take_compared(Compared(sample.findings.comparison, sample.match))
    qtbot.waitUntil(lambda: window.document.state.findings is not None, timeout=30_000)
    select(panel.content, window, qtbot, RELU)
    return panel


@pytest.fixture
def profile(window: MainWindow, qtbot: QtBot) -> ProfileSheet:
    values = {node: 0.9 if node == WORST else 0.01 + node / 1000 for node in range(NODES) if node != 5}
    rows = (Row(f"t{node + 1}", INFO, INFO, {RELATIVE.key: value, "cosine": 0.5}) for node, value in values.items())
    window.document.open(Model(Path("/models/chain.onnx"), "ONNX model", chain(NODES)))
    window.document.take_compared(Compared(Comparison(tuple(rows))))
    panel = profile_panel(window)
    qtbot.waitUntil(panel.enlarge.isEnabled)
    QTest.mouseClick(panel.enlarge, Qt.MouseButton.LeftButton)
    sheet = sheet_of(panel.large.window, qtbot)
    assert isinstance(sheet, ProfileSheet)
    return sheet


def profile_panel(window: MainWindow) -> ProfilePanel:
    content = window.docks.by_key["profile"].content
    assert isinstance(content, ProfilePanel)
    return content


def select(content: Content, window: MainWindow, qtbot: QtBot, name: str) -> None:
    graph = window.document.graph
    assert graph is not None
    window.document.select(node=graph.node_index(name))
    qtbot.waitUntil(lambda: is_complete(content), timeout=30_000)


def is_complete(content: Content) -> bool:
    subject = content.subject
    return subject is not None and subject.looked is not None and subject.looked.complete


def sheet_of(opened: PlotWindow | None, qtbot: QtBot) -> Sheet:
    assert opened is not None
    qtbot.waitExposed(opened)
    QApplication.processEvents()
    assert opened.sheet is not None
    return opened.sheet


def enlarge(panel: InspectorPanel, key: str, qtbot: QtBot) -> PlotWindow:
    QTest.mouseClick(panel.content.buttons.by_key[key], Qt.MouseButton.LeftButton)
    QTest.mouseClick(panel.enlarge, Qt.MouseButton.LeftButton)
    large = panel.content.views[key].large
    assert large is not None and large.window is not None
    sheet_of(large.window, qtbot)
    return large.window


def spot(sheet: Sheet, x: float, y: float) -> QPoint:
    """Where a place of the axes is in the first box."""
    found: QPoint = sheet.mapFromScene(sheet.boxes[0].mapViewToScene(QPointF(x, y)))
    return found


def heard(sheet: Sheet) -> list[str]:
    texts: list[str] = []
    sheet.said.connect(texts.append)
    return texts


def turn_wheel(sheet: Sheet, at: QPoint, notches: int) -> None:
    port = sheet.viewport()
    spot, none = QPointF(at), Qt.MouseButton.NoButton
    event = QWheelEvent(
        spot, QPointF(port.mapToGlobal(at)), QPoint(), QPoint(0, 120 * notches), none,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(port, event)


def hover(sheet: Sheet, at: QPoint) -> None:
    """On no screen the cursor would be over whatever window was there first."""
    port, none = sheet.viewport(), Qt.MouseButton.NoButton
    move, keys = QEvent.Type.MouseMove, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(move, QPointF(at), QPointF(port.mapToGlobal(at)), none, none, keys)
    QApplication.sendEvent(port, event)


def drag(sheet: Sheet, start: QPoint, end: QPoint, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    port, none = sheet.viewport(), Qt.KeyboardModifier.NoModifier
    QTest.mousePress(port, button, none, start)
    for share in (0.3, 0.6, 1.0):
        QTest.mouseMove(port, start + (end - start) * share, 15)
    QTest.mouseRelease(port, button, none, end, 15)


def commands(window: MainWindow) -> dict[str, Callable[[], None]]:
    """What the palette offers about large plots."""
    found = [item for item in find("plots in large size", window) if item.text.startswith("Plots in large size: ")]
    return {item.text.removeprefix("Plots in large size: "): item.run for item in found}


class TestOpening:
    @pytest.mark.parametrize("theme", ["light", "dark"])
    @pytest.mark.parametrize("key", LARGE)
    def test_every_view_opens_in_both_themes(
        self, key: str, theme: str, panel: InspectorPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        window.set_theme("dark" if theme == "dark" else "light")
        opened = enlarge(panel, key, qtbot)
        assert opened.sheet is not None and len(colors(opened.sheet)) > 3
        ground = QColor(opened.sheet.theme.surface)
        assert ground.lightness() < 60 if theme == "dark" else ground.lightness() > 200
        assert opened.windowTitle().endswith("– Errorflow") and opened.name.text()

    @pytest.mark.parametrize("key", ["values", "facts"])
    def test_what_is_no_plot_is_not_enlarged(self, key: str, panel: InspectorPanel, qtbot: QtBot) -> None:
        QTest.mouseClick(panel.content.buttons.by_key[key], Qt.MouseButton.LeftButton)
        assert not panel.enlarge.isEnabled()

    @pytest.mark.parametrize("how", ["key", "double click", "menu"])
    def test_there_are_other_ways(self, how: str, panel: InspectorPanel, qtbot: QtBot) -> None:
        QTest.mouseClick(panel.content.buttons.by_key["errors"], Qt.MouseButton.LeftButton)
        view = panel.content.views["errors"]
        plot = view.widget.plot  # type: ignore[attr-defined]  # it is one with a plot
        if how == "key":
            QTest.keyClick(plot, Qt.Key.Key_F)
        elif how == "double click":
            QTest.mouseDClick(plot, Qt.MouseButton.LeftButton)
        else:
            plot.menu().actions()[0].trigger()
        assert view.large is not None and view.large.is_open

    def test_there_is_one_window_per_kind(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        first = enlarge(panel, "histogram", qtbot)
        assert enlarge(panel, "errors", qtbot) is not first
        assert enlarge(panel, "histogram", qtbot) is first

    def test_escape_closes_and_the_size_is_remembered(
        self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        opened = enlarge(panel, "histogram", qtbot)
        opened.resize(777, 555)
        QTest.keyClick(opened, Qt.Key.Key_Escape)
        assert not opened.isVisible() and opened.sheet is None
        again = PlotWindow(panel._desk, "histogram", "Histogram", window)
        assert (again.width(), again.height()) == (777, 555)
        again.deleteLater()

    def test_it_closes_with_the_main_window(self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot) -> None:
        opened = enlarge(panel, "histogram", qtbot)
        window.close()
        assert not opened.isVisible()

    def test_everything_has_a_name_for_those_who_cannot_see_it(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        for key in LARGE:
            opened = enlarge(panel, key, qtbot)
            kinds = (QSpinBox, QLineEdit, Sheet)
            fields = [widget for widget in opened.findChildren(QWidget) if isinstance(widget, kinds)]
            assert [widget for widget in fields if not widget.accessibleName()] == []
            buttons = opened.findChildren(QAbstractButton)
            assert [button for button in buttons if not (button.accessibleName() or button.text())] == []


class TestCommands:
    """What the menu and the palette do."""

    def test_the_inspectors_plot_is_opened(self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot) -> None:
        QTest.mouseClick(panel.content.buttons.by_key["facts"], Qt.MouseButton.LeftButton)
        assert "Show large plot" not in commands(window)
        QTest.mouseClick(panel.content.buttons.by_key["errors"], Qt.MouseButton.LeftButton)
        commands(window)["Show large plot"]()
        large = panel.content.views["errors"].large
        assert large is not None and large.is_open

    def test_its_key_works_as_soon_as_there_is_a_plot(self, panel: InspectorPanel, window: MainWindow) -> None:
        QTest.mouseClick(panel.content.buttons.by_key["errors"], Qt.MouseButton.LeftButton)
        assert window.commands.made["plot.inspector"].isEnabled()
        QTest.mouseClick(panel.content.buttons.by_key["facts"], Qt.MouseButton.LeftButton)
        assert not window.commands.made["plot.inspector"].isEnabled()

    def test_the_profile_is_opened_though_its_panel_is_hidden(
        self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        window.hide_panel("profile")
        commands(window)["Show large profile"]()
        assert isinstance(sheet_of(profile_panel(window).large.window, qtbot), ProfileSheet)

    def test_the_plot_in_front_is_copied(self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot) -> None:
        assert "Copy picture of large plot" not in commands(window)
        first, last = enlarge(panel, "histogram", qtbot), enlarge(panel, "errors", qtbot)
        assert window.plots.front is last
        QGuiApplication.clipboard().clear()
        commands(window)["Copy picture of large plot"]()
        assert last.sheet is not None
        assert QGuiApplication.clipboard().image().size() == last.sheet.image().size()
        commands(window)["Copy numbers of large plot"]()
        qtbot.waitUntil(lambda: "," in QGuiApplication.clipboard().text())
        last.close()
        assert window.plots.front is first
        first.close()
        assert not {"Copy picture of large plot", "Save large plot as PNG, SVG or CSV…"} & set(commands(window))

    def test_the_plot_in_front_is_saved(self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot) -> None:
        opened = enlarge(panel, "histogram", qtbot)
        commands(window)["Save large plot as PNG, SVG or CSV…"]()
        (dialog,) = opened.findChildren(QFileDialog)
        assert dialog.windowTitle() == "Save the plot"
        dialog.close()

    def test_one_that_shows_nothing_is_not_in_front(
        self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        enlarge(panel, "histogram", qtbot)
        window.document.select()
        assert window.plots.front is None


class TestFollowing:
    def test_it_follows_the_selection(self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot) -> None:
        opened = enlarge(panel, "histogram", qtbot)
        assert RELU in opened.name.text()
        select(panel.content, window, qtbot, STEM)
        assert STEM in opened.name.text()

    def test_it_follows_while_another_view_is_on_show(
        self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        opened = enlarge(panel, "errors", qtbot)
        QTest.mouseClick(panel.content.buttons.by_key["facts"], Qt.MouseButton.LeftButton)
        select(panel.content, window, qtbot, STEM)
        assert STEM in opened.name.text()

    def test_it_follows_while_the_panel_is_hidden(
        self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        opened = enlarge(panel, "errors", qtbot)
        window.hide_panel("inspector")
        select(panel.content, window, qtbot, STEM)
        assert STEM in opened.name.text()
        opened.close()
        assert panel.content.subject is None

    def test_kept_it_stays_until_it_is_let_go(self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot) -> None:
        opened = enlarge(panel, "scatter", qtbot)
        QTest.mouseClick(opened.pin, Qt.MouseButton.LeftButton)
        select(panel.content, window, qtbot, STEM)
        assert RELU in opened.name.text()
        QTest.mouseClick(opened.pin, Qt.MouseButton.LeftButton)
        assert STEM in opened.name.text()

    def test_without_a_selection_it_says_that_there_is_nothing(
        self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot
    ) -> None:
        opened = enlarge(panel, "histogram", qtbot)
        window.document.select()
        assert opened.stack.currentWidget() is opened.nothing

    def test_the_theme_changes_under_it(self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot) -> None:
        opened = enlarge(panel, "planes", qtbot)
        assert opened.sheet is not None
        before = opened.sheet.image(1.0).pixelColor(3, 60)
        window.set_theme("dark")
        assert opened.sheet.image(1.0).pixelColor(3, 60) != before


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


class TestTakingAway:
    @pytest.mark.parametrize("ending", ["png", "svg", "csv"])
    @pytest.mark.parametrize("key", LARGE)
    def test_every_plot_is_saved(
        self, key: str, ending: str, panel: InspectorPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path
    ) -> None:
        opened = enlarge(panel, key, qtbot)
        path = tmp_path / f"plot.{ending}"
        opened.save(path)
        qtbot.waitUntil(lambda: opened.told.text() == f"Saved as plot.{ending}", timeout=30_000)
        begins = {"png": b"\x89PNG", "svg": b"<?xml", "csv": b""}[ending]
        data = path.read_bytes()
        assert data.startswith(begins) and data.count(b"\n") > 2

    @pytest.mark.parametrize("key", LARGE)
    def test_what_is_zoomed_in_a_picture_stays_in_its_box(self, key: str, panel: InspectorPanel, qtbot: QtBot) -> None:
        sheet = enlarge(panel, key, qtbot).sheet
        assert sheet is not None
        sheet.zoom(8)
        root = ElementTree.fromstring(sheet.svg())
        space = "{http://www.w3.org/2000/svg}"
        boxes = root.findall(f"{space}svg")
        assert len(boxes) == len(sheet.boxes) and all(box.get("overflow") == "hidden" for box in boxes)
        # Those of the bars of shades.
        pictures = [each for group in root.findall(f"{space}g") for each in group.iter(f"{space}image")]
        names = [each.get("id") for each in root.iter() if each.get("id")]
        assert len(pictures) == (2 if key == "planes" else 0) and len(names) == len(set(names))

    def test_the_profile_is_saved_as_numbers(self, profile: ProfileSheet) -> None:
        lines = profile.numbers()().splitlines()
        assert len(lines) == NODES + 1 and lines[0].startswith("depth,name,type,") and ",0.9," in lines[WORST + 1]
        assert profile.svg().startswith(b"<?xml")

    def test_picture_and_numbers_are_copied(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        opened = enlarge(panel, "errors", qtbot)
        QTest.keyClick(opened, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().image().width() > opened.width()
        control = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        QTest.keyClick(opened, Qt.Key.Key_C, control)
        qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith("from,to,"))

    def test_what_cannot_be_written_is_told(self, panel: InspectorPanel, qtbot: QtBot, tmp_path: Path) -> None:
        opened = enlarge(panel, "errors", qtbot)
        opened.save(tmp_path / "nowhere" / "plot.csv")
        qtbot.waitUntil(lambda: "nowhere" in opened.told.text())

    def test_the_menu_is_ours(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        opened = enlarge(panel, "histogram", qtbot)
        menu = opened.menu()
        texts = [action.text() for action in menu.actions()]
        assert "Reference" in texts and "Copy numbers as CSV" in texts and not any("Export" in text for text in texts)
        menu.close()

    @pytest.mark.parametrize(
        ("name", "chosen", "then"),
        [
            ("a", "SVG picture (*.svg)", "a.svg"),
            ("a.csv", "PNG picture (*.png)", "a.csv"),
            ("a.b", "", "a.b.png"),
        ],
    )
    def test_a_name_gets_an_ending(self, name: str, chosen: str, then: str) -> None:
        assert with_ending(Path(name), chosen) == Path(then)

    @pytest.mark.parametrize(("title", "name"), [("Values of /a/b:0", "Values of _a_b_0"), ("..", "plot")])
    def test_a_title_is_a_name(self, title: str, name: str) -> None:
        assert file_name(title) == name


def test_pyqtgraph_is_loaded_by_the_first_large_window_only() -> None:
    code = """
import sys
from PySide6.QtWidgets import QApplication
import errorflow_viewer.window, errorflow_viewer.panels.inspector.content, errorflow_viewer.panels.profile.plot
print("pyqtgraph" in sys.modules)
import errorflow_viewer.plots.window
print("pyqtgraph" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def figure_sheet(opened: PlotWindow) -> FigureSheet:
    assert isinstance(opened.sheet, FigureSheet)
    return opened.sheet


def map_sheet(opened: PlotWindow) -> MapSheet:
    assert isinstance(opened.sheet, MapSheet)
    return opened.sheet


def colors(sheet: Sheet) -> set[int]:
    """Some of those that are seen."""
    image = sheet.image(1.0)
    return {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 5)}
