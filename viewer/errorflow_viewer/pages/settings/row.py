"""Row of the page: what it is, what it is set with, a mark where it was changed, and the way back."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.language import translated
from errorflow.base.values import dataclass, field
from errorflow_viewer.kit import caches
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import spaced, text_button, text_label
from errorflow_viewer.kit.look import GAP, GRID, PADDING, TARGET
from errorflow_viewer.pages.desk import PageDesk
from errorflow_viewer.panels.form_parts import Choice

# Setting: its words, and how it is read, given and put into effect. Rows of the table in `rows`.

Value = str | int | bool


def _never(_: PageDesk) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row. `options` of a choice are texts with their values; without any it is on or off."""

    key: str
    section: str
    name: str
    about: str
    read: Callable[[PageDesk], Value]
    give: Callable[[PageDesk, Value], None]
    default: Value
    options: Callable[[PageDesk], Sequence[tuple[str, Value]]] | None = None
    # A folder, in place of a choice.
    folder: Callable[[PageDesk], str] | None = None
    # Other words that it is found by.
    also_called: str = ""
    # Why it cannot be changed here; "": it can.
    held: Callable[[PageDesk], str] = _never
    # Something to look at below it.
    beside: Callable[[PageDesk], QWidget] | None = None


@dataclass(frozen=True, slots=True)
class Other:
    """A row that is no setting: something that is done, counted, or only said."""

    key: str
    section: str
    name: str
    about: str
    made: Callable[[PageDesk], QWidget] | None = None
    also_called: str = ""
    # Whether it makes sense here.
    wanted: Callable[[PageDesk], bool] = field(default=lambda _: True)


Row = Setting | Other


DEFAULT = "Reset to default"


class RowBox(QFrame):
    """Row of either kind. `changed` when another value is in effect."""

    changed = Signal()

    def __init__(self, row: Row, desk: PageDesk) -> None:
        super().__init__()
        self.row = row
        self._desk = desk
        self.setProperty("role", "setting")
        self.setObjectName(f"setting-{row.key}")
        self.control: Control | None = None
        self.extra: QWidget | None = None
        self.note = _words("")
        self.reset = text_button(DEFAULT, self.go_back)
        self.reset.setProperty("link", True)
        self.reset.setAccessibleName(f"{DEFAULT}: {row.name}")
        keeps = self.reset.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(keeps)
        self._lay(row)
        self.refresh()

    def _lay(self, row: Row) -> None:
        """Words at the left, what it is set with at the right."""
        words, grid = QVBoxLayout(), QGridLayout(self)
        words.setSpacing(GRID // 2)
        grid.setContentsMargins(GAP, PADDING, PADDING, PADDING)
        grid.setHorizontalSpacing(GAP * 2)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(0, 1)
        head: QWidget = _head(row.name)
        if isinstance(row, Setting):
            self.control = _control(row)
            self.control.wanted.connect(self.take)
            if isinstance(self.control, SwitchControl):
                head = self.control
            else:
                grid.addWidget(self.control, 0, 1, Qt.AlignmentFlag.AlignTop)
            if isinstance(self.control, FolderControl):
                self.control.refused.connect(self._refuse)
        words.addLayout(_beside(head, self.reset if isinstance(row, Setting) else None))
        words.addWidget(_words(row.about))
        words.addWidget(self.note)
        grid.addLayout(words, 0, 0)
        made = row.beside if isinstance(row, Setting) else row.made
        if made is not None:
            self.extra = made(self._desk)
            below = row.key in ("palette", "kept")
            place = (1, 0, 1, 2) if below else (0, 1, 1, 1)
            grid.addWidget(self.extra, *place, Qt.AlignmentFlag(0) if below else Qt.AlignmentFlag.AlignTop)

    # The value

    @property
    def value(self) -> Value | None:
        return self.row.read(self._desk) if isinstance(self.row, Setting) else None

    @property
    def is_changed(self) -> bool:
        return isinstance(self.row, Setting) and self.value != self.row.default

    def take(self, value: Value) -> None:
        """Puts it into effect."""
        if isinstance(self.row, Setting) and not self.row.held(self._desk) and value != self.value:
            self.row.give(self._desk, value)
        self.refresh()
        self.changed.emit()

    def go_back(self) -> None:
        if isinstance(self.row, Setting):
            self.take(self.row.default)

    def refresh(self) -> None:
        """Refreshes by the settings."""
        row, control = self.row, self.control
        self.setProperty("changed", self.is_changed)
        self.style().unpolish(self)
        self.style().polish(self)
        self.reset.setVisible(self.is_changed)
        if self.extra is not None:
            self.extra.update()
        if not isinstance(row, Setting) or control is None:
            self.note.hide()
            return
        held = row.held(self._desk)
        self._say(held)
        control.setEnabled(not held)
        if isinstance(control, FolderControl):
            control.show_folder("" if row.folder is None else row.folder(self._desk))
        elif (value := self.value) is not None:
            control.show_value(value, () if row.options is None else row.options(self._desk))

    def _refuse(self, folder: str) -> None:
        self._say(f"Nothing can be written to {folder}. Choose another folder.")

    def _say(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))

    # The search

    def matches(self, words: list[str]) -> bool:
        """Whether it matches by what it says, in English too, and by other words for it."""
        row = self.row
        said = f"{row.name} {row.about} {row.section} {row.also_called}"
        shown = f"{translated(row.name)} {translated(row.about)} {translated(row.section)}"
        text = f"{said} {shown}".lower()
        return all(word in text for word in words)


# What a setting is set with: each shows a value without telling of it, and tells when the user wants another.

# Of lists of values, in px.
WIDTH = 240


class ChoiceControl(Choice):
    """Control of one of several values."""

    wanted = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setFixedWidth(WIDTH)
        self.activated.connect(self._want)

    def show_value(self, value: Value, options: Sequence[tuple[str, Value]]) -> None:
        self.show_rows(options, value)

    def _want(self, at: int) -> None:
        """Some settings take a while to show, with the list gone meanwhile."""
        self.hidePopup()
        self.wanted.emit(self.itemData(at))


class SwitchControl(QCheckBox):
    """Control that is on or off; its text is the name of the setting."""

    wanted = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setProperty("role", "strong")
        self.clicked.connect(lambda on: self.wanted.emit(bool(on)))

    def show_value(self, value: Value, _options: Sequence[tuple[str, Value]]) -> None:
        with QSignalBlocker(self):
            self.setChecked(bool(value))


class FolderControl(QWidget):
    """A folder, and a button that asks for another one."""

    wanted = Signal(object)
    refused = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.place = Elided(Qt.TextElideMode.ElideMiddle)
        self.place.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.place.setMinimumWidth(120)
        self.button = text_button("Choose…", self._ask)
        self.button.setAccessibleName(f"Choose: {name}")
        self._name, self._folder = name, ""
        row = spaced(QHBoxLayout(self), PADDING)
        row.addWidget(self.place, 1)
        row.addWidget(self.button)

    def show_folder(self, folder: str) -> None:
        self._folder = folder
        self.place.show_text(folder)
        self.place.setToolTip(folder)

    def _ask(self) -> None:
        dialog = QFileDialog(self, self._name, self._folder)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.take)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, folder: str) -> None:
        """Takes a folder, unless nothing can be written there."""
        if caches.writable(Path(folder)):
            self.wanted.emit(folder)
        else:
            self.refused.emit(folder)


Control = ChoiceControl | SwitchControl | FolderControl


def _control(row: Setting) -> Control:
    if row.folder is not None:
        control: Control = FolderControl(row.name)
    elif row.options is not None:
        control = ChoiceControl(row.name)
    else:
        control = SwitchControl(row.name)
    control.setAccessibleDescription(row.about)
    return control


def _head(text: str) -> QLabel:
    found = text_label(text, role="strong")
    found.setMinimumHeight(TARGET)  # as the way back beside it has
    return found


def _words(text: str) -> QLabel:
    found = text_label(text, muted=True, wraps=True)
    found.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return found


def _beside(head: QWidget, reset: QWidget | None) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(GAP)
    row.addWidget(head)
    if reset is not None:
        row.addWidget(reset)
    row.addStretch(1)
    return row


__all__ = ["DEFAULT", "Other", "RowBox", "Setting"]


# Bytes in words.

_UNITS = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def size_text(size: int) -> str:
    """Writes a size with two digits where it is small."""
    for unit, name in _UNITS:
        if size >= unit:
            number = size / unit
            return f"{number:.1f} {name}" if number < 10 and number != int(number) else f"{number:.0f} {name}"
    return f"{size} B"
