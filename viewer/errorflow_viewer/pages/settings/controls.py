"""What a setting is set with: each shows a value without telling of it, and tells when the user wants another."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QSizePolicy, QWidget

from errorflow_viewer.kit import caches
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import spaced, text_button
from errorflow_viewer.kit.look import PADDING
from errorflow_viewer.pages.settings.model import Value
from errorflow_viewer.panels.form_parts import Choice

# Of lists of values, in px.
WIDTH = 240


class ChoiceControl(Choice):
    """One of several values."""

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
    """On or off; its text is the name of the setting."""

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
        """Unless nothing can be written there."""
        if caches.writable(Path(folder)):
            self.wanted.emit(folder)
        else:
            self.refused.emit(folder)


Control = ChoiceControl | SwitchControl | FolderControl
