"""The window on small screens, in large text and in each language, with all that can stand above the graph."""

from collections.abc import Iterator
from itertools import product

import pytest
from PySide6.QtCore import QCoreApplication, QSize
from pytestqt.qtbot import QtBot

from errorflow.base.language import LANGUAGES
from errorflow.case.scenarios.setup import Setup
from errorflow_viewer.commands.verdict_bar import AgainstBar, VerdictBar
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.style import Appearance
from errorflow_viewer.window.window import MainWindow
from viewer.simulated import SAMPLE

# Screens less what a title bar and a panel of the desktop take; the smallest with text as it is at first.
SMALL, LARGE_TEXT = QSize(1024, 560), QSize(1280, 690)
LONG = "It is /home/somebody/.config/Errorflow/errorflow.conf. Make it writable, or free some space."


@pytest.fixture
def speaking(window: MainWindow, appearance: Appearance) -> Iterator[MainWindow]:
    """Says everything in another language and in other sizes, and afterwards as before."""
    yield window
    appearance.set_text_size(100)
    window.speech.choose("en")


def least(window: MainWindow) -> QSize:
    for _ in range(5):  # a layout in a layout waits for the other
        QCoreApplication.processEvents()
    layout = window.layout()
    assert layout is not None
    return layout.totalMinimumSize()


def fits(size: QSize, room: QSize) -> bool:
    return size.width() <= room.width() and size.height() <= room.height()


def test_with_everything_above_the_graph_it_fits_small_screens(
    deep: MainWindow, speaking: MainWindow, appearance: Appearance
) -> None:
    for key in ("profile", "simulate", "verdict"):
        deep.panels.show(key)
    for number in range(3):
        ways = (("Open again", lambda: None),)
        deep.banners.show_notice(
            Notice(
                "warning", f"File {number} cannot be written.", LONG, "x\n" * 50, str(number), "Show report", ways=ways
            )
        )
    for bar in (*deep.findChildren(VerdictBar), *deep.findChildren(AgainstBar)):
        bar.show()
    deep._guiding.bar.show()
    for language, percent in product((each.key for each in LANGUAGES), (100, 200)):
        deep.speech.choose(language)
        appearance.set_text_size(percent)
        room = SMALL if percent == 100 else LARGE_TEXT
        assert fits(least(deep), room), f"{language}, {percent} %: {least(deep)}"


def test_no_state_makes_it_a_strip(speaking: MainWindow, appearance: Appearance) -> None:
    for percent in (100, 200):
        appearance.set_text_size(percent)
        size = least(speaking)
        assert size.width() >= 480 and size.height() >= 320 and fits(size, SMALL)


def test_on_a_small_screen_the_graph_of_a_comparison_has_more_than_half_of_the_width(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1024, 600)
    files = {"model": SAMPLE.model, "reference": SAMPLE.reference_run, "candidate": SAMPLE.candidate_run}
    window.comparisons.start(Setup("runs", files))
    qtbot.waitUntil(lambda: window.document.state.findings is not None and not window.jobs.steps)
    least(window)  # when all has found its place
    assert window.size() == QSize(1024, 600)
    assert {"nodes", "verdict", "profile"} <= {key for key in window.panels.by_key if window.panels.is_in_front(key)}
    assert window.view.width() >= 586 and window.view.height() >= 240
