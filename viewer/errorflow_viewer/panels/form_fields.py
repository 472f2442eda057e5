"""Fields of the form that others do not have: a file, and a number that may be left open."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QSizePolicy, QToolButton, QWidget

from errorflow_viewer.kit import icons
from errorflow_viewer.kit.layouts import spaced, text_button
from errorflow_viewer.kit.look import GRID


class FileField(QWidget):
    """The name of a file that is chosen with a click, and a cross that takes it away."""

    chosen = Signal(object)  # Path or None

    def __init__(self, title: str, kinds: str, folder: Callable[[], str]) -> None:
        super().__init__()
        self._title, self._kinds, self._folder = title, kinds, folder
        self.path: Path | None = None
        self.button = text_button("Choose…", self.ask)
        self.button.setAccessibleName(title)
        self.button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clear = QToolButton()
        self.clear.setToolTip("Take it away")
        self.clear.setAccessibleName(f"No {title.lower()}")
        icons.follow(self.clear, "clear")
        self.clear.clicked.connect(lambda: self.chosen.emit(None))
        row = spaced(QHBoxLayout(self), GRID)
        row.addWidget(self.button, 1)
        row.addWidget(self.clear)
        self.show_path(None)

    def show_path(self, path: Path | None) -> None:
        self.path = path
        text = "Choose…" if path is None else path.name
        self.button.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, 150).replace("&", "&&"))
        self.button.setToolTip("" if path is None else str(path))
        self.clear.setVisible(path is not None)

    def ask(self) -> None:
        """Asks for a file without stopping the window."""
        start = self._folder() if self.path is None else str(self.path.parent)
        dialog = QFileDialog(self.window(), self._title, start, self._kinds)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda text: self.chosen.emit(Path(text)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


# What a field takes: a number; a share, also as `90 %`; or per cent, of which the share is told.
Unit = Literal["number", "share", "percent"]


class Number(QLineEdit):
    """`changed` has the number, or None where nothing is written; what is none is marked, stays, and is not told."""

    changed = Signal(object)  # float or None
    # Why what is written does not count; "": it does.
    judged = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setMaxLength(24)
        self.unit: Unit = "number"
        self.lack = ""
        self._shown: float | None = None
        self.editingFinished.connect(self.finish)
        self.textEdited.connect(lambda _: self._relent())

    def show_number(self, number: float | None) -> None:
        """Shows a number; what is being typed stays, and so does what is none, unless the number has become another
        one.
        """
        is_own = self.lack or (self.hasFocus() and self.isModified())
        if is_own and number == self._shown:
            return
        self._shown = number
        self._write(number)

    def forget(self) -> None:
        """Forgets what is written but did not count: something else is wanted now."""
        if self.lack or self.isModified():
            self._write(self._shown)

    def finish(self) -> None:
        """Takes what is written, or marks it."""
        number, lack = self.read()
        self._judge(lack)
        if not lack and number != self._shown:
            self.changed.emit(number)

    def read(self) -> tuple[float | None, str]:
        """The number, and why there is none although something is written."""
        text = self.text().strip()
        if not text:
            return None, ""
        bare = text.removesuffix("%").strip().replace(",", ".")
        is_percent = text.endswith("%")
        try:
            number = float(bare)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            return None, f"“{text}” is no number."
        return self._in_unit(number, text, is_percent)

    def _in_unit(self, number: float, text: str, is_percent: bool) -> tuple[float | None, str]:
        if self.unit == "percent":
            return number / 100, ""
        if self.unit == "number":
            return (None, f"“{text}” is a share, and this is none: write a number.") if is_percent else (number, "")
        share = number / 100 if is_percent else number
        return (share, "") if abs(share) <= 1 else (None, f"{number:g} is more than all: write {number / 100:g}.")

    def _write(self, number: float | None) -> None:
        shown = number if number is None or self.unit != "percent" else number * 100
        with QSignalBlocker(self):
            self.setText("" if shown is None else f"{shown:.12g}")
        self._judge("")

    def _relent(self) -> None:
        """Relents: nothing is marked as wrong while the user types, but what is put right counts at once."""
        if self.lack and not self.read()[1]:
            self._judge("")

    def _judge(self, lack: str) -> None:
        if lack != self.lack:
            self.lack = lack
            self.setProperty("wrong", bool(lack))
            self.style().unpolish(self)
            self.style().polish(self)
            self.setAccessibleDescription(lack)
            self.judged.emit(lack)
