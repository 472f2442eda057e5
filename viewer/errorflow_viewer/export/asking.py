"""Asks where a picture is to go, without stopping the window: the answer comes when it is given."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.kit.settings import PICTURE_SCALES

# Where a picture is to go, and how fine it is to be.
Answer = Callable[[Path, int], None]
_LABELS = {"svg": "SVG", "pdf": "PDF", "html": "HTML", "csv": "Tables as CSV"}


def ask_where(window: QWidget, desk: Desk, title: str, name: str, kind: str, answer: Answer) -> QFileDialog:
    """Shows a dialog that proposes a file name; a PNG's scale is chosen with its type. Remembers folder and scale."""
    settings, beside = desk.settings, desk.document.folder
    dialog = QFileDialog(window, title, str(Path(settings.export_folder(beside)) / f"{name}.{kind}"))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    filters = _filters(kind)
    dialog.setNameFilters(list(filters))
    dialog.selectNameFilter(next(text for text, scale in filters.items() if scale in (0, settings.picture_scale)))
    dialog.setDefaultSuffix(kind)

    def take(chosen: str) -> None:
        path, scale = with_ending(Path(chosen), kind), filters.get(dialog.selectedNameFilter(), 0)
        settings.remember_export(path.parent, beside)
        if scale:
            settings.picture_scale = scale
        answer(path, scale)

    dialog.fileSelected.connect(take)
    dialog.open()
    return dialog


def _filters(kind: str) -> dict[str, int]:
    """The types that can be chosen, and the scale that each stands for; 0: there is none to choose."""
    if kind != "png":
        return {f"{_LABELS[kind]} (*.{kind})": 0}
    return {f"PNG, {scale}× the pixels of the screen (*.png)": scale for scale in PICTURE_SCALES}


def with_ending(path: Path, kind: str) -> Path:
    return path if path.suffix.lower() == f".{kind}" else path.with_name(f"{path.name}.{kind}")
