"""While Qt looks for a screen: what it says before it gives up becomes a sentence, instead of an abort."""

import os
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

# What is kept of what Qt says, in lines.
MOST = 100


class PlatformWatch:
    """Around the making of the application. Qt ends the process when it finds no screen; then this ends it first."""

    def __init__(self) -> None:
        # The latest last.
        self.said: list[str] = []
        self._before: Callable[..., None] | None = None

    def __enter__(self) -> "PlatformWatch":
        self._before = qInstallMessageHandler(self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        qInstallMessageHandler(self._before)

    def _hear(self, kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
        self.said = [*self.said, message][-MOST:]
        if kind == QtMsgType.QtFatalMsg:
            from errorflow_viewer import emergency, obstacles

            os._exit(emergency.tell(obstacles.of_platform(self.said, os.environ)))
