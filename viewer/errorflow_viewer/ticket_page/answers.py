"""The form of the ticket: what is known stands in it already, and may be overwritten."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from errorflow.bundle.form import FIELDS
from errorflow_viewer.look import GAP, GRID
from errorflow_viewer.ticket_page.answer import LongAnswer

HEIGHT = 28
_LABELS = 220


class Answers(QWidget):
    """A line per field, under the headings of the form."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.lines = {field.key: LongAnswer(HEIGHT) if field.is_long else QLineEdit() for field in FIELDS}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(0, _LABELS)
        row, section = 0, ""
        for field in FIELDS:
            if field.section != section:
                section, head = field.section, QLabel(field.section)
                head.setProperty("role", "strong")
                head.setContentsMargins(0, GAP if row else 0, 0, 0)
                grid.addWidget(head, row, 0, 1, 2)
                row += 1
            label, line = QLabel(field.label), self.lines[field.key]
            label.setWordWrap(True)
            label.setBuddy(line)
            line.setAccessibleName(field.label)
            line.setPlaceholderText(field.tip)
            line.setToolTip(field.tip)
            if isinstance(line, QLineEdit):
                line.setFixedHeight(HEIGHT)
            line.setAcceptDrops(False)  # a dropped file is opened, not typed
            line.textEdited.connect(lambda _: self.changed.emit())
            label.setMinimumHeight(HEIGHT)
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(line, row, 1)
            row += 1
        # What the form knew when it was filled in last: whatever else stands there is the user's.
        self._known: Mapping[str, str] = {}

    @property
    def answers(self) -> dict[str, str]:
        """The user's own."""
        given = {key: line.text().strip() for key, line in self.lines.items()}
        return {key: text for key, text in given.items() if text and text != self._known.get(key, "")}

    def show_known(self, known: Mapping[str, str]) -> None:
        """What is known by now, where the user wrote nothing else."""
        own = self.answers
        self._known = known
        for key, line in self.lines.items():
            text = own.get(key, known.get(key, ""))
            if line.text() != text and not line.hasFocus():
                line.setText(text)
                if isinstance(line, QLineEdit):
                    line.setCursorPosition(0)

    def forget(self) -> None:
        """Another case is on view."""
        for line in self.lines.values():
            line.clear()
