"""Plots that can be seen in windows of their own, and the one of these windows that was in front last."""

from typing import Protocol

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QAbstractButton


class LargePlot(Protocol):
    """A window with a plot."""

    @property
    def has_plot(self) -> bool: ...

    def ask_where(self) -> None: ...

    def copy_picture(self) -> None: ...

    def copy_numbers(self) -> None: ...


class LargePlots(QObject):
    """Panels offer theirs by the button that opens it; windows come and go."""

    changed = Signal()  # what can be opened, or which is in front

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._buttons: dict[str, QAbstractButton] = {}
        # The last one in front at the end.
        self._windows: list[LargePlot] = []

    def offer(self, panel: str, button: QAbstractButton) -> None:
        self._buttons[panel] = button
        button.installEventFilter(self)

    def can_open(self, panel: str) -> bool:
        return panel in self._buttons and self._buttons[panel].isEnabled()

    def open(self, panel: str) -> None:
        if self.can_open(panel):
            self._buttons[panel].click()

    @property
    def front(self) -> LargePlot | None:
        """Plot in front; None: no plot is seen large."""
        return next((window for window in reversed(self._windows) if window.has_plot), None)

    def come(self, window: LargePlot) -> None:
        """Brings a window to the front."""
        self._windows = [*(other for other in self._windows if other is not window), window]
        self.changed.emit()

    def go(self, window: LargePlot) -> None:
        """Forgets a window that is closed."""
        self._windows = [other for other in self._windows if other is not window]
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.EnabledChange:
            self.changed.emit()
        return super().eventFilter(watched, event)
