"""Tells when the window is seen for the first time, and when the first graph is: what can wait is begun then."""

import logging
import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

LOG = logging.getLogger(__name__)


class FirstFrame(QObject):
    """Each is told once. The lines of the log say what the start took; `benchmarks/start.py` reads them."""

    seen = Signal()

    def __init__(self, window: QWidget, canvas: QWidget, has_graph: Callable[[], bool]) -> None:
        super().__init__(window)
        self._window, self._canvas, self._has_graph = window, canvas, has_graph
        window.installEventFilter(self)
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            if watched is self._window:
                self._window.removeEventFilter(self)
                QTimer.singleShot(0, self, self._tell_frame)  # when it is painted
            elif watched is self._canvas and self._has_graph():
                self._canvas.removeEventFilter(self)
                QTimer.singleShot(0, self, lambda: _say("graph"))
        return False

    def _tell_frame(self) -> None:
        _say("frame")
        self.seen.emit()


def _say(what: str) -> None:
    LOG.info("first %s after %.3f s of the processor", what, time.process_time())
