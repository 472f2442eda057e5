"""What the window keeps for the next start."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from errorflow_viewer.kit.settings import Settings
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow
from viewer.opened import SAMPLE, opened


def test_the_next_start_finds_everything_as_it_was(
    window: MainWindow, qtbot: QtBot, settings: Settings, appearance: Appearance, tmp_path: Path
) -> None:
    opened(window, qtbot)
    window.resize(1100, 650)
    window.panels.hide("nodes")
    window.set_theme("dark")
    window.close()
    second = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    second.show()
    qtbot.waitExposed(second)
    opened(second, qtbot)
    assert (second.width(), second.height()) == (1100, 650)
    assert not second.panels.is_shown("nodes") and second.panels.is_shown("details")
    assert settings.theme == "dark"
    second.close()
    second.deleteLater()


def test_closing_from_the_start_page_keeps_the_panels_of_before(
    window: MainWindow, qtbot: QtBot, settings: Settings
) -> None:
    opened(window, qtbot)
    window.panels.hide("nodes")
    window.close_model()
    layout = window._pages.layout
    window.close()
    assert settings.layout == layout


def test_a_layout_that_is_rubbish_falls_back_to_the_first_one(
    settings: Settings, appearance: Appearance, qtbot: QtBot, tmp_path: Path
) -> None:
    settings._store.setValue("window/layout", b"rubbish")
    settings._store.setValue("window/geometry", b"rubbish")
    window = MainWindow(settings, appearance, tmp_path / "errorflow.log")
    window.show()
    opened(window, qtbot)
    assert window.panels.is_shown("nodes") and window.panels.is_shown("details")
    window.close()
    window.deleteLater()


def test_an_opened_file_is_recent_and_a_sample_is_not(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    copy = tmp_path / "mine.onnx"
    copy.write_bytes(SAMPLE.read_bytes())
    opened(window, qtbot)
    window.close_model()
    opened(window, qtbot, copy)
    assert window.settings.recents == (copy,)
