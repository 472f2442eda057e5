"""The form with its title, cross and button: it stands beside the list of runs while it is wanted."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import ErrorflowError, dataclass, replace
from errorflow.study.evaluate.asked import LabelledSet
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.document.evaluating import Evaluating
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.layouts import spaced, text_label
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.panels.form_fields import FileField
from errorflow_viewer.panels.form_parts import Choice, Count, Fields, Note, Problem, column
from errorflow_viewer.panels.runs.evaluate_words import called, runs_text, said, warning

if TYPE_CHECKING:
    from errorflow.study.evaluate.labelled_set import LabelledSummary


TITLE, SIMULATE = "Evaluate", "Simulate first…"
AFTERWARDS = "Runs are what is evaluated: simulate one, and this form comes back"
_CTRL = Qt.KeyboardModifier.ControlModifier
_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
# Logical px: it is as wide whatever it says.
_BUTTON = 84


class EvaluatePane(QWidget):
    """Hidden at first. `selected` are the names of the runs that are selected in the list."""

    opened = Signal()
    closed = Signal()
    # It was closed by somebody who goes on elsewhere.
    left = Signal()

    def __init__(self, desk: Desk, selected: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._desk = desk
        self._evaluating: Evaluating = desk.studies.evaluating
        self._selected = selected
        self._is_narrowed = False
        # The model that it was opened for.
        self._model: Path | None = None
        self.form = EvaluateForm(lambda: start_of(desk.document.folder))
        self.cross, self.button = QToolButton(), QPushButton(TITLE)
        self.cross.setToolTip("Close (Esc)")
        self.cross.setAccessibleName("Close the form")
        icons.follow(self.cross, "close")
        self.button.setProperty("primary", True)
        self.button.setMinimumWidth(_BUTTON)
        self._lay_out()
        self._connect()
        self.hide()

    def _lay_out(self) -> None:
        title = text_label("Evaluate on", role="strong")
        head = spaced(QHBoxLayout(), GRID, (PADDING, 0, GRID, 0))
        head.addWidget(title, 1)
        # Above the fields, which need all the room below: the panel is low.
        head.addWidget(self.button)
        head.addWidget(self.cross)
        box = spaced(QVBoxLayout(self), GRID)
        box.addLayout(head)
        box.addWidget(self.form, 1)

    def _connect(self) -> None:
        follow(self, self._evaluating.changed, self.refresh)
        self._desk.derived.add(self._evaluating.looking(), widget=self)
        self.form.edited.connect(lambda asked: self._evaluating.choose(asked))
        self.form.narrowed.connect(self.narrow)
        self.cross.clicked.connect(lambda: self.leave())
        self.button.clicked.connect(lambda: self.press())

    def reveal(self) -> None:
        """The keyboard stays where it is."""
        self._model = self._desk.document.session.model
        self.show()
        self.opened.emit()

    def open_form(self) -> None:
        self.reveal()
        self.form.samples.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Leaves; what runs goes on."""
        if not self.isHidden():
            self._close()
            self.left.emit()

    def _close(self) -> None:
        self._is_narrowed = False
        self.hide()
        self.closed.emit()

    def narrow(self, is_narrowed: bool) -> None:
        """Whether only the selected runs are meant."""
        self._is_narrowed = is_narrowed
        self.refresh()

    def press(self) -> None:
        if self._evaluating.busy:
            self._evaluating.stop()
        elif self._evaluating.lacks_run:
            self._evaluating.simulate_first()
        elif self.button.isEnabled():
            # The fields are greyed out then, and the keyboard would be lost to another panel.
            self.button.setFocus(Qt.FocusReason.OtherFocusReason)
            self._evaluating.evaluate(self._selected() if self._narrows else ())

    @property
    def _narrows(self) -> bool:
        """Whether one can choose: of a single run one cannot."""
        return self._is_narrowed and len(self._desk.document.session.trials) > 1

    def refresh(self) -> None:
        if not self.isHidden() and self._model != self._desk.document.session.model:
            self._close()
        if not self.isVisible():
            return
        evaluating, chosen = self._evaluating, len(self._selected())
        known = EvaluateContext(evaluating.seen, evaluating.outputs, len(self._desk.document.session.trials), chosen)
        self.form.show_set(evaluating.labelled, known, self._is_narrowed)
        self.form.show_problem(evaluating.error, self._desk.appearance.theme)
        self.form.setEnabled(not evaluating.busy)
        lack = evaluating.lack
        if not lack and self._narrows and not chosen:
            lack = "Select runs in the list."
        is_first = evaluating.lacks_run
        self.button.setText("Stop" if evaluating.busy else SIMULATE if is_first else TITLE)
        self.button.setEnabled(evaluating.busy or is_first or not lack)
        self.button.setToolTip("" if evaluating.busy else AFTERWARDS if is_first else lack)

    # Events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS and event.modifiers() & _CTRL:
            self.press()
        else:
            super().keyPressEvent(event)


# The form: on what runs are evaluated for real, and which of them.

_PYTHON = "Python files (*.py);;All files (*)"
_LABELS = "A number per line, name,label per line, or an .npy of whole numbers; classes count from 0 on"
_EVALUATOR = "A Python file with evaluate(run) and good_enough(original, new)"
# Logical px, of the labels of fields.
_LABEL_WIDTH = 64


@dataclass(frozen=True, slots=True)
class EvaluateContext:
    """Facts that a choice can be made of."""

    # None: nobody has looked yet.
    seen: "LabelledSummary | None" = None
    outputs: tuple[str, ...] = ()
    # How many, of all and of those that are selected.
    runs: int = 0
    selected: int = 0


class EvaluateForm(QScrollArea):
    """Scrolls down only. What does not matter to what is asked is not shown."""

    edited = Signal(object)  # LabelledSet
    # Whether only the selected runs are meant.
    narrowed = Signal(bool)

    def __init__(self, folder: Callable[[], str]) -> None:
        super().__init__()
        self._asked = LabelledSet()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.problem, self.note = Problem(), Note()
        self.samples, self.labels = SamplesChoice(folder), LabelsChoice(folder)
        self.evaluator = FileField("Evaluator", _PYTHON, folder)
        self.output, self.runs = Choice(), Choice()
        self.seconds = Count("", 1)
        self.seconds.setSuffix(" s")
        self._rows = {
            "labels": _row("Labels", self.labels, _LABELS),
            "evaluator": _row("Evaluator", self.evaluator, _EVALUATOR),
            "seconds": _row("Time limit", self.seconds, "What takes longer for one run is stopped"),
            "output": _row("Output", self.output, "The one with the scores, a number per class"),
            "runs": _row("Runs", self.runs, "The float model is evaluated beside them"),
        }
        page = QWidget()
        box = column(page, GRID)
        box.setContentsMargins(PADDING, 0, PADDING, GRID)
        box.addWidget(self.problem)
        box.addWidget(_row("Samples", self.samples))
        box.addWidget(self.note)
        for row in self._rows.values():
            box.addWidget(row)
        box.addStretch(1)
        self.setWidget(page)
        self._connect()

    def _connect(self) -> None:
        def edit(**changes: object) -> None:
            self.edited.emit(replace(self._asked, **changes))  # type: ignore[arg-type]  # the dataclass has the names

        # Labels in a file are those of other samples; folders of classes count again.
        self.samples.chosen.connect(lambda paths: edit(data=paths, labels=None, by_folder=True))
        self.labels.edited.connect(self.edited)
        self.evaluator.chosen.connect(lambda path: edit(evaluator=path))
        self.seconds.valueChanged.connect(lambda seconds: edit(seconds=float(seconds)))
        self.output.activated.connect(lambda at: edit(output=self.output.itemData(at)))
        self.runs.activated.connect(lambda at: self.narrowed.emit(bool(self.runs.itemData(at))))

    def show_set(self, asked: LabelledSet, known: EvaluateContext, is_narrowed: bool) -> None:
        """Shows a set without telling of it."""
        self._asked = asked
        classes = 0 if known.seen is None else known.seen.classes
        self.samples.show_data(asked.data, 0 if known.seen is None else known.seen.samples)
        self.note.say(warning(known.seen))
        self.labels.show_set(asked, classes)
        self.evaluator.show_path(asked.evaluator)
        self.seconds.show_value(int(asked.seconds))
        first = known.outputs[0] if known.outputs else ""
        rows: Sequence[tuple[str, object]] = [(name, name) for name in known.outputs]
        self.output.show_rows(rows, asked.output if asked.output else first)
        whole, some = runs_text(known.runs, False), runs_text(known.selected, True)
        self.runs.show_rows([(whole, False), (some, True)], is_narrowed)
        counts = asked.evaluator is None or way_of(asked, classes) != BY_FLOAT
        self._rows["output"].setVisible(len(known.outputs) > 1 and counts)
        self._rows["seconds"].setVisible(asked.evaluator is not None)
        self._rows["runs"].setVisible(known.runs > 1)

    def show_problem(self, error: ErrorflowError | None, theme: Theme) -> None:
        """Shows a problem where one can see it."""
        is_new = error is not None and said(error.message) != self.problem.what.said
        self.problem.dress(theme)
        if error is None:
            self.problem.say("")
            return
        self.problem.say(said(error.message), said(error.hint))
        if is_new:
            self.verticalScrollBar().setValue(0)


def start_of(folder: Path | None) -> str:
    """Finds where dialogs begin."""
    return str(Path.home() if folder is None else folder)


def _row(text: str, widget: QWidget, tip: str = "") -> Fields:
    """Makes a row of its own, so that it can be hidden."""
    found = Fields(_LABEL_WIDTH)
    found.add(text, widget, tip)
    return found


# Fields of the form that lead to files: samples, and what is right of them.

SAMPLES = "Samples (*.npy *.npz *.bin *.tar *.jpg *.jpeg *.png *.bmp *.webp);;All files (*)"
LABELS = "Labels (*.txt *.csv *.npy *.npz);;All files (*)"
# What rows of the lists stand for.
SIMULATIONS, GIVEN, FOLDER, FILES = "simulations", "given", "folder", "files"
BY_FOLDER, BY_FLOAT, BY_FILE, FILE = "by folder", "by float", "by file", "file"


class SamplesChoice(Choice):
    """Choice of samples: those of the simulation, a folder, or files."""

    chosen = Signal(object)  # tuple of paths

    def __init__(self, folder: Callable[[], str]) -> None:
        super().__init__("Samples")
        self._folder = folder
        self._data: tuple[str, ...] = ()
        self._count = 0
        self.activated.connect(self._take)

    def show_data(self, data: tuple[str, ...], count: int = 0) -> None:
        """Shows files. `count`: of samples in them; 0: unknown."""
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
    """Says where what is right comes from."""
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
    """Asks for a file without stopping the window."""
    dialog = QFileDialog(parent.window(), title, start, kinds)
    dialog.setFileMode(mode)
    if mode == QFileDialog.FileMode.Directory:
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    dialog.filesSelected.connect(chosen)
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
