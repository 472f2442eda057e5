"""Fields of the form that others do not have: a file, and a number that may be left open."""

import math
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QToolButton, QWidget

from errorflow_viewer import icons
from errorflow_viewer.look import GRID


class FileField(QWidget):
    """The name of a file that is chosen with a click, and a cross that takes it away."""

    chosen = Signal(object)  # Path or None

    def __init__(self, title: str, kinds: str, folder: Callable[[], str]) -> None:
        super().__init__()
        self._title, self._kinds, self._folder = title, kinds, folder
        self.path: Path | None = None
        self.button = QPushButton("Choose…")
        self.button.setAccessibleName(title)
        self.button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.button.clicked.connect(self.ask)
        self.clear = QToolButton()
        self.clear.setToolTip("Take it away")
        self.clear.setAccessibleName(f"No {title.lower()}")
        icons.follow(self.clear, "clear")
        self.clear.clicked.connect(lambda: self.chosen.emit(None))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GRID)
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
        """Without stopping the window."""
        start = self._folder() if self.path is None else str(self.path.parent)
        dialog = QFileDialog(self.window(), self._title, start, self._kinds)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda text: self.chosen.emit(Path(text)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class Number(QLineEdit):
    """`changed` has the number, or None where nothing is written; what is no number is marked and not told."""

    changed = Signal(object)  # float or None

    def __init__(self) -> None:
        super().__init__()
        self.setMaxLength(24)
        self.editingFinished.connect(self._tell)

    def show_number(self, number: float | None) -> None:
        text = "" if number is None else f"{number:.12g}"
        if not self.hasFocus() or self.read() != number:
            with QSignalBlocker(self):
                self.setText(text)

    def read(self) -> float | None:
        """NaN: it is none."""
        text = self.text().strip().removesuffix("%").replace(",", ".")
        if not text:
            return None
        try:
            number = float(text)
        except ValueError:
            return math.nan
        return number if math.isfinite(number) else math.nan

    def _tell(self) -> None:
        number = self.read()
        if number is None or not math.isnan(number):
            self.changed.emit(number)
