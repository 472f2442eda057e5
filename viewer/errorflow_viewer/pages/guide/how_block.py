"""One way to obtain something: a command to copy, or a file that is shown, copied and saved."""

from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QToolButton, QVBoxLayout

from errorflow.base.files import write_atomic
from errorflow.base.language import Verbatim
from errorflow.guides.commands import broken
from errorflow.guides.facts import Facts
from errorflow.guides.model import How
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import BODY, GRID, PADDING
from errorflow_viewer.kit.scaling import OWN_SIZE, fixed_font

# Of a file so many lines are seen at once.
MOST_LINES = 16


class HowBlock(QFrame):
    """Its title, what is copied and saved, and the text, as it is; that of a file is folded away at first."""

    def __init__(self, desk: Desk, how: How, facts: Facts, is_open: bool = False) -> None:
        super().__init__()
        self._desk = desk
        self.how = how
        self.text = how.text(facts)
        self.file = "" if how.file is None else how.file(facts)
        self.setProperty("role", "code")
        box = spaced(QVBoxLayout(self), GRID, (PADDING, GRID, PADDING, GRID))
        box.addLayout(self._make_head())
        self._body: QPlainTextEdit | QLabel | None = None
        self._box = box
        if not self.file or is_open:
            self.unfold(True)
        if how.note:
            note = text_label(how.note, role="label", wraps=True)
            box.addWidget(note)

    def _make_head(self) -> QHBoxLayout:
        self.fold = QToolButton()
        self.fold.setArrowType(Qt.ArrowType.RightArrow)
        self.fold.setCheckable(True)
        self.fold.setToolTip("Show or hide what is in it")
        self.fold.setAccessibleName(f"Show {self.file}")
        self.fold.toggled.connect(self.unfold)
        title = text_label(self.how.title, wraps=True)
        name = text_label(self.file, muted=True)
        self.copy = text_button("Copy", lambda: self._copy())
        self.copy.setProperty("link", True)
        self.copy.setAccessibleName(f"Copy: {self.how.title}")
        self.save = text_button("Save…", lambda: self._ask_where())
        self.save.setProperty("link", True)
        self.save.setAccessibleName(f"Save {self.file}")
        row = QHBoxLayout()
        row.setSpacing(PADDING)
        row.addWidget(self.fold)
        row.addWidget(title, 1)
        row.addWidget(name)
        row.addWidget(self.copy)
        row.addWidget(self.save)
        if not self.file:
            self.fold.hide()
            self.save.hide()
        return row

    @property
    def is_open(self) -> bool:
        return self._body is not None and not self._body.isHidden()

    def unfold(self, on: bool) -> None:
        """The text is laid out when it is seen for the first time."""
        if self._body is None and on:
            self._body = self._make_file() if self.file else self._make_command()
            self._box.insertWidget(1, self._body)
        if self._body is not None:
            self._body.setVisible(on)
        self.fold.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self.fold.setChecked(on)

    def _make_command(self) -> QLabel:
        label = text_label(Verbatim(broken(self.text)), wraps=True, plain=True)
        label.setFont(fixed_font(BODY))
        flags = Qt.TextInteractionFlag
        label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        label.setAccessibleName(f"{self.how.title}: {self.text}")
        return label

    def _make_file(self) -> QPlainTextEdit:
        field = Lines(self.text)
        field.setAccessibleName(self.file)
        return field

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self._desk.say(f"Copied {self.file if self.file else 'the command'}")

    def _ask_where(self) -> None:
        kind = "Settings (*.json *.cfg *.yaml)" if self.how.form == "file" else "Python scripts (*.py)"
        ask_where(self, self._desk, f"Save {self.file}", self.file, (kind, "All files (*)"), self._write)

    def _write(self, target: Path) -> None:
        self._desk.jobs.start(
            "guide file",
            f"Writing {target.name}",
            lambda _: write_atomic(target, self.text),
            lambda _: self._desk.say(f"Wrote {target}"),
            lambda error: self._desk.say(f"{error.message} {error.hint}"),
        )


class Lines(QPlainTextEdit):
    """A file as it is, as high as its lines are."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._count = min(text.count("\n") + 1, MOST_LINES)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setProperty(OWN_SIZE, True)
        self.setFont(fixed_font(BODY))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setFixedHeight(self.fontMetrics().lineSpacing() * self._count + 3 * PADDING)
