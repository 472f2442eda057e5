"""Proves that an installed app works: the real window draws a real model."""

import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from errorflow.sample import SAMPLES
from errorflow_viewer.window import MainWindow
from errorflow_viewer.wishes import OPEN

LOOK_EVERY = 50
GIVE_UP = 60_000


class SelfTest(QObject):
    """Opens the first sample and waits for its picture; the process ends with 0 if it comes."""

    def __init__(self, window: MainWindow, crash: Callable[[], str]) -> None:
        super().__init__(window)
        self._crash = crash
        self._window = window
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_EVERY)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        self._window.open(SAMPLES[0].model)
        self._timer.start()
        QTimer.singleShot(GIVE_UP, self, lambda: self._end(1, "no picture came in time"))

    def _look(self) -> None:
        window = self._window
        errors = [row.notice.text for row in window.banners.rows if row.notice.kind == "error"]
        if self._crash():
            self._end(1, self._crash())
        elif errors:
            self._end(1, errors[0])
        elif window.document.model is not None and not window.jobs.running(OPEN):
            tones = _tones(window.view.picture())
            count = len(window.document.model.graph)
            self._end(0, f"{count} nodes drawn") if tones > 2 else self._end(1, "the picture of the graph is empty")

    def _end(self, code: int, text: str) -> None:
        self._timer.stop()
        if sys.stdout is not None:  # a bundle without a console has none
            sys.stdout.write(f"self-test: {'ok' if code == 0 else 'failed'}, {text}\n")
            sys.stdout.flush()
        QApplication.exit(code)


def _tones(image: QImage) -> int:
    """How many different colours a picture holds, looking at every 4th pixel."""
    return len({image.pixel(x, y) for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)})
