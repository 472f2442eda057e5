"""A text for a ticket: what happened, versions, the end of the log; read, copied, saved."""

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import write_atomic
from errorflow.base.language import ENGLISH, current
from errorflow_viewer.kit.look import BODY, GAP, PADDING
from errorflow_viewer.kit.scaling import fixed_font

SIZE = (760, 500)
NAME = "errorflow-report.txt"
# Whose home a path leads through.
_OWNER = re.compile(r"([\\/](?:home|Users)[\\/]+)[^\\/\s'\"]+")
FILE_NAMES = "It names files that you had open; the folder of your home is left out."
# Said where the window speaks another language.
IN_ENGLISH = "The report itself is in English: whoever repairs it may speak no other language."


class ReportWindow(QDialog):
    """Report window that does not block the main window. It may hold several reports, the first on top."""

    def __init__(self, title: str, advice: str, header: str, log: str) -> None:
        super().__init__()
        self._header = redacted(header)
        self._log = redacted(log)
        self._told: list[str] = []
        head = QLabel(title)
        head.setProperty("role", "title")
        text = QLabel(advice)
        text.setWordWrap(True)
        self.report = QPlainTextEdit()
        self.report.setReadOnly(True)
        # Tracebacks point with spaces.
        self.report.setFont(fixed_font(BODY))
        self.report.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.report.setAccessibleName("Report")
        self.said = QLabel(FILE_NAMES if current() is ENGLISH else f"{FILE_NAMES} {IN_ENGLISH}")
        self.said.setProperty("muted", True)
        self.said.setWordWrap(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 16, 16, 12)
        box.setSpacing(PADDING)
        for widget in (head, text):
            box.addWidget(widget)
        box.addWidget(self.report, 1)
        box.addWidget(self.said)
        self.buttons = self._make_buttons()
        box.addLayout(self.buttons)
        self.resize(*SIZE)
        self._show_report()

    def add(self, text: str) -> None:
        """Adds another report."""
        self._told.append(redacted(text))
        self._show_report()

    def add_button(self, text: str, pressed: Callable[[], None], first: bool = False) -> QPushButton:
        """Adds a button on the right; `first`: Enter takes it."""
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: pressed())
        self.buttons.addWidget(button)
        if first:
            button.setProperty("primary", True)
            button.setDefault(True)
            button.setFocus(Qt.FocusReason.OtherFocusReason)  # Enter takes it, so it must look so
        return button

    def _show_report(self) -> None:
        log = f"\nThe end of the log:\n{self._log}" if self._log else ""
        self.report.setPlainText("\n".join((self._header, *self._told)) + log)

    def _make_buttons(self) -> QHBoxLayout:
        self.copy = QPushButton("Copy for ticket")
        self.save = QPushButton("Save report…")
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._save)
        row = QHBoxLayout()
        row.setSpacing(PADDING)
        row.setContentsMargins(0, GAP - PADDING, 0, 0)
        for button in (self.copy, self.save):
            button.setAutoDefault(False)
            row.addWidget(button)
        row.addStretch(1)
        return row

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())
        self.said.setText("Copied.")

    def _save(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Save report", str(home() / NAME))
        if not path:
            return
        try:
            write_atomic(Path(path), self.report.toPlainText())
            self.said.setText(f"Saved as {Path(path).name}.")
        except ErrorflowError as error:
            self.said.setText(error.message)


def home() -> Path:
    """Finds the home of the user; of one that no system knows, the root."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def redacted(text: str) -> str:
    """Redacts the folder of the user's home, and the names in others'."""
    own = str(home())
    return _OWNER.sub(r"\1…", text.replace(own, "~") if len(own) > 1 else text)
