"""Fields of the form that lead to files: samples, and what is right of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from errorflow.study.evaluate.asked import LabelledSet
from errorflow_viewer.panels.form_parts import Choice
from errorflow_viewer.panels.runs.evaluate_words import called

SAMPLES = "Samples (*.npy *.npz *.bin *.tar *.jpg *.jpeg *.png *.bmp *.webp);;All files (*)"
LABELS = "Labels (*.txt *.csv *.npy *.npz);;All files (*)"
# What rows of the lists stand for.
SIMULATIONS, GIVEN, FOLDER, FILES = "simulations", "given", "folder", "files"
BY_FOLDER, BY_FLOAT, BY_FILE, FILE = "by folder", "by float", "by file", "file"


class SamplesChoice(Choice):
    """Those of the simulation, a folder, or files."""

    chosen = Signal(object)  # tuple of paths

    def __init__(self, folder: Callable[[], str]) -> None:
        super().__init__("Samples")
        self._folder = folder
        self._data: tuple[str, ...] = ()
        self._count = 0
        self.activated.connect(self._take)

    def show_data(self, data: tuple[str, ...], count: int = 0) -> None:
        """`count`: of samples in them; 0: nobody knows."""
        self._data, self._count = data, count
        known = f" ({count:,})" if count else ""
        first = ("Of the simulation" + ("" if data else known), SIMULATIONS)
        given = [(called(data) + known, GIVEN)] if data else []
        ways = [("Choose a folder…", FOLDER), ("Choose files…", FILES)]
        self.show_rows([first, *given, *ways], GIVEN if data else SIMULATIONS)
        self.setToolTip("\n".join(data) if data else "Those that errors are measured on")

    def _take(self, at: int) -> None:
        key = self.itemData(at)
        self.show_data(self._data, self._count)  # until something is chosen it is what it was
        if key == SIMULATIONS:
            self.chosen.emit(())
        elif key == FOLDER:
            ask(self, "A folder with samples", self._start, "", QFileDialog.FileMode.Directory, self._give)
        elif key == FILES:
            ask(self, "Samples", self._start, SAMPLES, QFileDialog.FileMode.ExistingFiles, self._give)

    @property
    def _start(self) -> str:
        return str(Path(self._data[0]).parent) if self._data else self._folder()

    def _give(self, paths: Sequence[str]) -> None:
        self.chosen.emit(tuple(paths))


class LabelsChoice(Choice):
    """The folders of samples, a file, or what the float model answers."""

    # A LabelledSet as it was, but for the labels.
    edited = Signal(object)

    def __init__(self, folder: Callable[[], str]) -> None:
        super().__init__("Labels")
        self._folder = folder
        self._asked, self._classes = LabelledSet(), 0
        self.activated.connect(self._take)

    def show_set(self, asked: LabelledSet, classes: int) -> None:
        self._asked, self._classes = asked, classes
        folders = [(f"A folder per class ({classes:,})", BY_FOLDER)] if classes else []
        file = [(asked.labels.name, BY_FILE)] if asked.labels is not None else []
        none = "None" if asked.evaluator is not None else "Float model's answers"
        rows = [*folders, (none, BY_FLOAT), *file, ("Choose a file…", FILE)]
        self.show_rows(rows, way_of(asked, classes))
        self.setToolTip(str(asked.labels) if asked.labels is not None else "What is right of each sample")

    def _take(self, at: int) -> None:
        key = self.itemData(at)
        self.show_set(self._asked, self._classes)
        if key in (BY_FOLDER, BY_FLOAT):
            self.edited.emit(with_labels(self._asked, None, by_folder=key == BY_FOLDER))
        elif key == FILE:
            start = self._folder() if self._asked.labels is None else str(self._asked.labels.parent)
            ask(self, "Labels", start, LABELS, QFileDialog.FileMode.ExistingFile, self._give)

    def _give(self, paths: Sequence[str]) -> None:
        self.edited.emit(with_labels(self._asked, Path(paths[0]), by_folder=True))


def with_labels(asked: LabelledSet, labels: Path | None, *, by_folder: bool) -> LabelledSet:
    return replace(asked, labels=labels, by_folder=by_folder)


def way_of(asked: LabelledSet, classes: int) -> str:
    """Where what is right comes from."""
    if asked.labels is not None:
        return BY_FILE
    return BY_FOLDER if asked.by_folder and classes else BY_FLOAT


def ask(
    parent: QWidget,
    title: str,
    start: str,
    kinds: str,
    mode: QFileDialog.FileMode,
    chosen: Callable[[Sequence[str]], None],
) -> None:
    """Without stopping the window."""
    dialog = QFileDialog(parent.window(), title, start, kinds)
    dialog.setFileMode(mode)
    if mode == QFileDialog.FileMode.Directory:
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.filesSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
