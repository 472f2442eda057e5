"""Large plots are saved and copied."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from errorflow_viewer.panels.inspector.panel import InspectorPanel
from errorflow_viewer.plots.figures import file_name, with_ending
from errorflow_viewer.plots.profile_sheet import ProfileSheet
from errorflow_viewer.window.window import MainWindow
from viewer.panels.large_plots.sheets import LARGE, NODES, WORST, enlarge


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

    def test_a_window_that_is_closed_is_gone(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        opened = enlarge(panel, "errors", qtbot)
        gone: list[None] = []
        opened.destroyed.connect(lambda: gone.append(None))
        opened.close()
        qtbot.waitUntil(lambda: bool(gone))
        assert enlarge(panel, "errors", qtbot).isVisible()

    @pytest.mark.parametrize("key", [Qt.Key.Key_C, Qt.Key.Key_S])
    def test_what_comes_of_its_work_is_heard_after_it_was_closed(
        self, panel: InspectorPanel, window: MainWindow, qtbot: QtBot, tmp_path: Path, key: Qt.Key
    ) -> None:
        opened = enlarge(panel, "errors", qtbot)
        path = tmp_path / "plot.csv"
        QGuiApplication.clipboard().clear()
        opened.save(path) if key == Qt.Key.Key_S else opened.copy_numbers()
        opened.close()
        qtbot.waitUntil(lambda: not window.jobs.steps)
        assert path.exists() or QGuiApplication.clipboard().text().startswith("from,to,")

    def test_the_menu_is_ours(self, panel: InspectorPanel, qtbot: QtBot) -> None:
        opened = enlarge(panel, "histogram", qtbot)
        menu = opened.menu()
        texts = [action.text() for action in menu.actions()]
        assert "Reference" in texts and "Copy numbers as CSV" in texts and not any("Export" in text for text in texts)
        menu.close()

    @pytest.mark.parametrize(
        ("name", "chosen", "then"),
        [("a", "SVG picture (*.svg)", "a.svg"), ("a.csv", "PNG picture (*.png)", "a.csv"), ("a.b", "", "a.b.png")],
    )
    def test_a_name_gets_an_ending(self, name: str, chosen: str, then: str) -> None:
        assert with_ending(Path(name), chosen) == Path(then)

    @pytest.mark.parametrize(("title", "name"), [("Values of /a/b:0", "Values of _a_b_0"), ("..", "plot")])
    def test_a_title_is_a_name(self, title: str, name: str) -> None:
        assert file_name(title) == name
