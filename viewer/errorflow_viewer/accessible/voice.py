"""Says aloud what changed without anybody having moved there: readers only follow the keyboard by themselves."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from errorflow_viewer.tongue.door import said


class Voice(QObject):
    """`spoke` hears of each announcement and whether it interrupts."""

    spoke = Signal(str, bool)

    def say(self, source: QObject, text: str, urgent: bool = False) -> None:
        """`source`: the widget that shows it. An urgent text does not wait until all else is read."""
        if not text:
            return
        self.spoke.emit(text, urgent)
        if QAccessible.isActive():
            event = QAccessibleAnnouncementEvent(source, said(text))
            levels = QAccessible.AnnouncementPoliteness
            event.setPoliteness(levels.Assertive if urgent else levels.Polite)
            QAccessible.updateAccessibility(event)


VOICE = Voice()
