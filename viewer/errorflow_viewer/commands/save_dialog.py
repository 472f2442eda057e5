"""Asks where something is to go, without stopping the window, and writes it in the background."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow_viewer.commands.api import Desk

_ENDING = re.compile(r"\*(\.\w+)\)")


def ask_where(
    parent: QWidget, desk: Desk, title: str, name: str, kinds: Sequence[str], take: Callable[[Path], object]
) -> QFileDialog:
    """Proposes a name in the folder that was last written to, which is remembered.

    `kinds` are what Qt calls filters, such as `Tables (*.csv)`: a name without an ending gets that of the chosen one.
    """
    settings, beside = desk.settings, desk.document.folder
    dialog = QFileDialog(parent, title, str(Path(settings.export_folder(beside)) / name))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setNameFilters(list(kinds))
    suffix = Path(name).suffix
    dialog.selectNameFilter(next((kind for kind in kinds if _ending(kind) == suffix), kinds[0]))
    dialog.setDefaultSuffix(suffix.removeprefix("."))
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(_ending(kind).removeprefix(".")))

    def chosen(text: str) -> None:
        settings.remember_export(Path(text).parent, beside)
        take(Path(text))

    dialog.fileSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
    return dialog


def _ending(kind: str) -> str:
    """Finds the ending of a filter; "": it is for all files."""
    found = _ENDING.search(kind)
    return "" if found is None else found[1]
