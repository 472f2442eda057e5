"""A field for a note: what is typed is one step of undo, from where one comes to where one leaves."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPlainTextEdit

from errorflow_viewer.look import PADDING


class NoteEdit(QPlainTextEdit):
    """`name` says what it is on."""

    typed = Signal(str)
    left = Signal()

    def __init__(self, name: str, hint: str, height: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFixedHeight(height)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)  # a dropped file is opened, not typed
        self.document().setDocumentMargin(PADDING)
        self.textChanged.connect(lambda: self.typed.emit(self.toPlainText()))

    def show_text(self, text: str) -> None:
        """What was written; the cursor stays where nothing changed."""
        if self.toPlainText() != text:
            with QSignalBlocker(self):
                self.setPlainText(text)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()
