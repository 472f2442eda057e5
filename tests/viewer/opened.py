"""A model is open in the window, and what was said of it."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from errorflow.base.sample import SAMPLES
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.window.window import MainWindow

SAMPLE = SAMPLES[0].model


def opened(window: MainWindow, qtbot: QtBot, path: Path = SAMPLE) -> None:
    window.open(path)
    qtbot.waitUntil(lambda: window.document.model is not None and not window.jobs.steps)


def said(window: MainWindow) -> list[Notice]:
    """All messages but the story of the sample."""
    return [row.notice for row in window.banners.rows if row.notice.key != "content"]
