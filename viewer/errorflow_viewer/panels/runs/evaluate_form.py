"""The form: on what runs are evaluated for real, and which of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from errorflow.base.errors import ErrorflowError
from errorflow.study.evaluate.asked import LabelledSet
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.panels.form_fields import FileField
from errorflow_viewer.panels.form_parts import Choice, Count, Fields, Note, Problem, column
from errorflow_viewer.panels.runs.evaluate_fields import BY_FLOAT, LabelsChoice, SamplesChoice, way_of
from errorflow_viewer.panels.runs.evaluate_words import runs_text, said, warning

if TYPE_CHECKING:
    from errorflow.study.evaluate.labelled_set import Seen

_PYTHON = "Python files (*.py);;All files (*)"
_LABELS = "A number per line, name,label per line, or an .npy of whole numbers; classes count from 0 on"
_EVALUATOR = "A Python file with evaluate(run) and good_enough(original, new)"
# Logical px, of the labels of fields.
_LABEL_WIDTH = 64


@dataclass(frozen=True, slots=True)
class Known:
    """What is there to be asked for."""

    # None: nobody has looked yet.
    seen: "Seen | None" = None
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

    def show_set(self, asked: LabelledSet, known: Known, is_narrowed: bool) -> None:
        """Nothing is told of it."""
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
        """Where one can see it."""
        is_new = error is not None and said(error.message) != self.problem.what.said
        self.problem.dress(theme)
        if error is None:
            self.problem.say("")
            return
        self.problem.say(said(error.message), said(error.hint))
        if is_new:
            self.verticalScrollBar().setValue(0)


def start_of(folder: Path | None) -> str:
    """Where dialogs begin."""
    return str(Path.home() if folder is None else folder)


def _row(text: str, widget: QWidget, tip: str = "") -> Fields:
    """Of its own, so that it can be hidden."""
    found = Fields(_LABEL_WIDTH)
    found.add(text, widget, tip)
    return found
