"""Plots in windows of their own: opened from a panel, followed, kept, zoomed, saved."""

import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.plots.profile_sheet import ProfileSheet
from errorflow_viewer.plots.sheet import PlotSheet
from errorflow_viewer.plots.window import PlotWindow
from errorflow_viewer.window.window import MainWindow
from viewer.panels.large_plots.sheets import (
    LARGE,
    RELU,
    STEM,
    colors,
    commands,
    enlarge,
    profile_panel,
    select,
    sheet_of,
)


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
            kinds = (QSpinBox, QLineEdit, PlotSheet)
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
        window.panels.hide("profile")
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
        window.panels.hide("inspector")
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


def test_pyqtgraph_is_loaded_by_the_first_large_window_only() -> None:
    code = """
import sys
from PySide6.QtWidgets import QApplication
import errorflow_viewer.window.window, errorflow_viewer.panels.inspector.content, errorflow_viewer.panels.profile.plot
print("pyqtgraph" in sys.modules)
import errorflow_viewer.plots.window
print("pyqtgraph" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
