"""The form of the ticket: what is known stands in it already, and may be overwritten."""

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, QSizeF, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QPlainTextEdit, QWidget

from errorflow.report.bundle.form import FIELDS
from errorflow_viewer.kit.look import GAP, GRID
from errorflow_viewer.kit.scaling import OWN_SIZE, px

# An answer of more than a line: as high as its text, so that all of it is seen.
# Lines that are seen without scrolling.
MOST = 8


class LongAnswer(QPlainTextEdit):
    """Can what the form asks of a line. `height`: of an empty one."""

    textEdited = Signal(str)

    def __init__(self, height: int) -> None:
        super().__init__()
        self._least = height
        self.setProperty("role", "field")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(GRID)
        self.setViewportMargins(GRID, 1, GRID, 0)  # the text begins where that of a line does
        self.setProperty(OWN_SIZE, True)
        self.setFixedHeight(px(height))
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.textChanged.connect(lambda: self.textEdited.emit(self.text()))

    def text(self) -> str:
        return self.toPlainText()

    def setText(self, text: str) -> None:
        """Nobody typed it."""
        with QSignalBlocker(self):
            self.setPlainText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.document().size())

    def _fit(self, size: QSizeF) -> None:
        """Of a plain text the layout counts lines."""
        lines = min(max(int(size.height()), 1), MOST)
        around = 2 * (GRID + self.frameWidth()) + 1
        self.setFixedHeight(max(px(self._least), lines * self.fontMetrics().lineSpacing() + around))
        is_cut = size.height() > MOST
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if is_cut else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)


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
