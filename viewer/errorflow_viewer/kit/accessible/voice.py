"""Voice that says what changed elsewhere: readers only follow the keyboard by themselves."""

import sys
from functools import cached_property

import shiboken6
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QWidget

from errorflow_viewer.kit.translation.door import said

# Of what was said in a window, so many can still be asked for: readers come late when much happens at once.
_KEPT = 8
# Milliseconds of silence before something is said. Where several things happen, as when a file is opened, much else
# comes in, and while Orca has not gone through that it drops notices; an urgent one waits for what belongs to it only.
_CALM, _MUCH, _URGENT = 500, 2500, 200
_ENDS = (".", "…", "!", "?", ":", "。", "！", "？")


class Utterance(QWidget):
    """Utterance: never seen, found by readers only."""


class Voice(QObject):
    """`spoke` hears of each announcement and whether it interrupts."""

    spoke = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__()
        # What each widget says, the latest last.
        self._waiting: dict[QWidget, str] = {}

    def say(self, source: QWidget, text: str, urgent: bool = False) -> None:
        """`source`: the widget that shows it; what it says later takes the place of what it has not said yet. An urgent
        text does not wait until all else is read."""
        if not text:
            return
        self.spoke.emit(text, urgent)
        if not QAccessible.isActive():
            return
        if sys.platform in ("win32", "darwin"):
            _announce(source, text, urgent)
            return
        self._waiting.pop(source, None)
        self._waiting[source] = said(text)
        if not self._hurries:
            self._calm.start(_URGENT if urgent else _CALM if len(self._waiting) == 1 else _MUCH)

    @property
    def _hurries(self) -> bool:
        """Whether something urgent waits, which what comes after it does not hold up."""
        return self._calm.isActive() and self._calm.interval() == _URGENT

    @cached_property
    def _calm(self) -> QTimer:
        timer = QTimer(self, singleShot=True)
        timer.timeout.connect(self.speak)
        return timer

    def speak(self) -> None:
        """Speaks all that waits, each window's in one go."""
        self._calm.stop()
        windows: dict[QWidget, list[str]] = {}
        for source, text in self._waiting.items():
            if shiboken6.isValid(source):
                windows.setdefault(source.window(), []).append(text)
        self._waiting.clear()
        for window, texts in windows.items():
            notify(window, " ".join(text if text.endswith(_ENDS) else f"{text}." for text in texts))


def _announce(source: QWidget, text: str, urgent: bool) -> None:
    event = QAccessibleAnnouncementEvent(source, said(text))
    levels = QAccessible.AnnouncementPoliteness
    event.setPoliteness(levels.Assertive if urgent else levels.Polite)
    QAccessible.updateAccessibility(event)


def notify(window: QWidget, text: str) -> Utterance:
    """A notice that appears: every Orca says it, and those before 45 know nothing of announcements."""
    # Not those of a dialog, which is a window within it.
    known = window.findChildren(Utterance, options=Qt.FindChildOption.FindDirectChildrenOnly)
    notice = known[0] if len(known) >= _KEPT else Utterance(window)
    notice.hide()
    notice.raise_()  # the latest last
    notice.setAccessibleName(text)
    QAccessible.updateAccessibility(QAccessibleEvent(notice, QAccessible.Event.ObjectShow))
    return notice


VOICE = Voice()
