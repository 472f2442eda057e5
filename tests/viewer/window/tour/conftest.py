"""The tour on the real sample in the real window."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from errorflow_viewer.window.tour import tour as module
from errorflow_viewer.window.tour.tour import Tour
from errorflow_viewer.window.window import MainWindow

Take = Callable[[], Tour]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done is told for a moment only."""
    monkeypatch.setattr(module, "TOLD", 1)


@pytest.fixture
def take(window: MainWindow, qtbot: QtBot) -> Take:
    """Begins the tour, and waits until the first step is told."""

    def begin() -> Tour:
        window.activateWindow()
        window.tour()
        tour = window._tour
        qtbot.waitUntil(lambda: tour.coach is not None and tour.coach.on_button.isEnabled())
        return tour

    return begin


def at(tour: Tour, key: str, qtbot: QtBot) -> None:
    """Where one has to come, with all that the step needs."""
    qtbot.waitUntil(
        lambda: (
            tour.step is not None
            and tour.step.key == key
            and tour.coach is not None
            and tour.coach.on_button.isEnabled()
            and not tour._is_done
        )
    )


def press(key: Qt.Key, control: bool = False) -> None:
    """As the system delivers it: whoever has the keyboard hears of it last."""
    held = Qt.KeyboardModifier.ControlModifier if control else Qt.KeyboardModifier.NoModifier
    target = QApplication.focusWidget() or QApplication.activeWindow()
    assert target is not None
    for kind in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
        QApplication.sendEvent(target, QKeyEvent(kind, key, held))
