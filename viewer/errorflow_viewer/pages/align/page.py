"""Two pipelines side by side: what each saved above, what came of it below."""

import csv
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import write_atomic
from errorflow.case.scenarios.found import Kind
from errorflow.case.scenarios.scenario import Need
from errorflow.report.alignment import alignment_csv, alignment_json, number_text, share_text
from errorflow.study.align.call import AlignRequest, aligned, call_of
from errorflow.study.align.model import STEPS, Alignment, AlignRow, AlignSide, Stage
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import Table, add_read
from errorflow_viewer.document.derived_table import looked
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit.layouts import (
    Flow,
    call_line,
    clear_layout,
    page_foot,
    scrolled,
    spaced,
    text_button,
    text_label,
)
from errorflow_viewer.kit.look import DISPLAY, GAP, GRID, PADDING
from errorflow_viewer.kit.scaling import GROWS_LESS
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.wording import in_window
from errorflow_viewer.pages.guide.need_row import LABELS, NeedRow
from errorflow_viewer.pages.guide.shapes_row import ShapesRow

KEY = "align"
WIDTH = 1160
_STORY = (
    "Much of what is taken for a loss by quantization happens before the model or behind it. Let both pipelines save "
    "the same steps for one and the same picture."
)


class AlignPage(QWidget):
    """Keeps what was chosen for as long as the window is open."""

    left = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/align-two-pipelines.md")
        self._desk = desk
        self.setAccessibleName("Align two pipelines")
        self.paths: dict[str, Path] = {}
        self.found: Alignment | None = None
        self._shapes: tuple[str, ...] = ()
        # What is being found out, or stands below.
        self._asked: AlignRequest | None = None
        # The user chose the model; else it is the one on view.
        self._is_own_model = False
        self.rows = {need.key: NeedRow(need) for need in NEEDS}
        for key, row in self.rows.items():
            row.changed.connect(lambda path, key=key: self.give(key, path))
        self.tolerances = Tolerances()
        self.tolerances.changed.connect(self._refresh)
        self.shapes = ShapesRow()
        self.shapes.changed.connect(self._give_shapes)
        self.verdict, self.advice = QLabel(), QLabel()
        self.lines = AlignLines()
        self.lines.setAccessibleName("What came of it, step by step")
        self.lines.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lines.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.lines.customContextMenuRequested.connect(self._show_menu)
        self._result = self._make_result()
        self._result.hide()
        box = spaced(QVBoxLayout(self))
        box.addWidget(self._scrolled(), 1)
        box.addWidget(self._make_foot())
        text = "Setting both pipelines side by side"
        alignment = looked(KEY, text, lambda _: self.wish, aligned, self.show_found, self._fail)
        desk.derived.add(replace(alignment, by_itself=False, holds=lambda *_: True))
        self._refresh()

    # What is chosen

    def give(self, key: str, path: Path | None) -> None:
        if key == "model":
            self._is_own_model = path is not None
        self._put(key, path)
        self._refresh()

    def take_model(self) -> None:
        """Takes the model on view, if none was chosen; it can only help."""
        model = self._desk.document.model
        if not self._is_own_model:
            is_of_use = model is not None and model.format == "ONNX model"
            self._put("model", model.path if model is not None and is_of_use else None)
        self._refresh()

    def _put(self, key: str, path: Path | None) -> None:
        if path is None:
            self.paths.pop(key, None)
        else:
            self.paths[key] = path

    @property
    def wish(self) -> AlignRequest | None:
        """Wish of the page; None: it lacks something."""
        if not {"a", "b"} <= set(self.paths) or self.tolerances.lack:
            return None
        picture, model = self.paths.get("picture"), self.paths.get("model")
        return AlignRequest(self.paths["a"], self.paths["b"], picture, model, self._shapes, self.tolerances.values)

    def _give_shapes(self, shapes: tuple[str, ...] | None) -> None:
        self._shapes = () if shapes is None else shapes
        self._refresh()

    def _forget(self) -> None:
        """Forgets what runs or stands below: it is not about what is chosen now."""
        self._asked = self.found = None
        self._desk.derived.stop(KEY)
        self._result.hide()

    def _refresh(self) -> None:
        if self._asked is not None and self._asked != self.wish:
            self._forget()
        for key, row in self.rows.items():
            row.folder = self._desk.settings.last_folder
            row.show_choice(self.paths.get(key), "", (), ())
        self.shapes.setVisible(bool(self._shapes) or any(map(_is_raw, self.paths.values())))
        self.shapes.show_shapes(self._shapes, (), "")
        wish = self.wish
        lacking = next((key.upper() for key in ("a", "b") if key not in self.paths), "")
        lack = f"Choose what {lacking} saved, or drop its folder onto its line." if lacking else self.tolerances.lack
        self.call.setText(lack if wish is None else call_of(wish))
        self.copy_call.setVisible(wish is not None)
        self.align.setEnabled(wish is not None)
        self.save.setEnabled(self.found is not None)

    # What comes of it

    def start(self) -> None:
        self._asked = self.wish
        if self._asked is not None:
            self._desk.derived.ask(KEY)

    def show_found(self, found: Alignment) -> None:
        self.found = found
        self._show_rows(found)
        self._refresh()
        self._desk.document.worked_out.emit(found)

    def menu(self) -> QMenu:
        """Makes the menu of what can be taken away of the result."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_read(menu, self._desk, self._read, "alignment", self.found is not None)
        return menu

    def _read(self, done: Callable[[Table], None]) -> None:
        if self.found is not None:
            head, *rows = csv.reader(alignment_csv(self.found).splitlines())
            done(Table(head, rows))

    def _show_menu(self, spot: QPoint) -> None:
        self.menu().popup(self.lines.mapToGlobal(spot))

    def _show_rows(self, found: Alignment) -> None:
        self.verdict.setText(found.text)
        rest = " ".join(filter(None, (found.advice, *found.notes)))
        self.advice.setText(rest)
        self.advice.setVisible(bool(rest))
        self.lines.show_rows(found.rows)
        self._result.show()
        self._column.adjustSize()
        self.area.verticalScrollBar().setValue(self._result.y())

    def _fail(self, error: ErrorflowError) -> None:
        self.found = None
        self._show_rows(Alignment((), None, in_window(error.message), "", in_window(error.hint)))
        self._refresh()

    def _ask_where(self) -> None:
        settings, beside = self._desk.settings, self.paths["a"].parent if "a" in self.paths else None
        start = Path(settings.export_folder(beside)) / "alignment.csv"
        dialog = QFileDialog(self, "Save the alignment", str(start), "Tables (*.csv);;For programs (*.json)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setDefaultSuffix("csv")
        dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix("json" if "json" in kind else "csv"))
        dialog.fileSelected.connect(lambda chosen: self.save_to(Path(chosen)))
        dialog.fileSelected.connect(lambda chosen: settings.remember_export(Path(chosen).parent, beside))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save_to(self, target: Path) -> None:
        if self.found is None:
            return
        text = (alignment_json if target.suffix.lower() == ".json" else alignment_csv)(self.found)
        self._desk.jobs.start(
            f"{KEY} file",
            f"Writing {target.name}",
            lambda _: write_atomic(target, text),
            lambda _: self._desk.say(f"Wrote {target}"),
            lambda error: self._desk.say(f"{error.message} {error.hint}"),
        )

    # How it is laid out

    def _make_result(self) -> QWidget:
        self.verdict.setProperty("role", "title")
        self.advice.setProperty("muted", True)
        for label in (self.verdict, self.advice):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        result = QWidget()
        column = spaced(QVBoxLayout(result), PADDING, (PADDING, GAP, PADDING, 0))
        for widget in (self.verdict, self.advice, self.lines):
            column.addWidget(widget)
        return result

    def _scrolled(self) -> QScrollArea:
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        inside = spaced(QVBoxLayout(column), 0, (GAP, GAP, GAP, GAP))
        title = QLabel("Align two pipelines")
        title.setFont(font(DISPLAY, strong=True))
        story = text_label(_STORY, muted=True, wraps=True)
        inside.addWidget(title)
        inside.addSpacing(PADDING)
        inside.addWidget(story)
        inside.addSpacing(PADDING)
        for row in (*self.rows.values(), self.tolerances, self.shapes):
            inside.addWidget(row)
        inside.addWidget(self._result)
        inside.addStretch(1)
        self.area = scrolled(column)
        page = self.area.widget()
        assert page is not None, "it was just given one"
        self._column = page
        return self.area

    def _make_foot(self) -> QFrame:
        self.call, self.copy_call = call_line()
        self.save = text_button("Save…", self._ask_where, "The rows as a table (.csv), or for programs (.json)")
        self.back = text_button("Back", lambda: self.left.emit())
        self.align = text_button("Align", self.start)
        self.align.setProperty("primary", True)
        return page_foot(WIDTH, self.call, self.copy_call, self.save, self.back, self.align)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.align.isEnabled():
            self.start()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def _is_raw(path: Path) -> bool:
    """Whether it holds bare values, whose shapes have to be stated."""
    try:
        return path.suffix == ".bin" or (path.is_dir() and any(file.suffix == ".bin" for file in path.iterdir()))
    except OSError:  # it is gone, which is told when it is opened
        return False


# What an alignment takes.

_SAVED: frozenset[Kind] = frozenset(("arrays", "npy", "raw"))
_HOW = "Save preprocessed.npy, output.npy and postprocessed.npy into a folder, or an .npz with such names."
A = Need("a", "A: the pipeline that is right", "What the training code saved for one picture.", _SAVED, _HOW)
B = Need("b", "B: the pipeline to be judged", "What the board's code saved for the same one.", _SAVED, _HOW)
PICTURE = Need(
    "picture",
    "The original picture",
    "Then ways to resize are tried on it, and that of each side is named.",
    frozenset(("raw-file",)),
    "PNG, JPEG, BMP or WebP.",
    required=False,
)
MODEL = Need(
    "model",
    "The float model",
    "Is run on both inputs: then it is known whether they alone explain the outputs.",
    frozenset(("onnx",)),
    "An ONNX model.",
    required=False,
)
NEEDS = (A, B, PICTURE, MODEL)


_WIDTH = 88
_TIP = "The largest difference that is none; 1e-4 and 1e-3 are those of Pulsar2's guide, that of the output is ours"


class Tolerances(QFrame):
    """Looks like the needs above it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "need")
        mark = QLabel("")
        mark.setFixedWidth(16)
        label = text_label("Tolerances", role="strong")
        label.setProperty(GROWS_LESS, True)
        label.setFixedWidth(LABELS)
        self.fields: dict[Stage, QLineEdit] = {}
        row = Flow(PADDING)
        for step in STEPS:
            field = QLineEdit(f"{step.tolerance:g}")
            field.setFixedWidth(_WIDTH)
            field.setToolTip(_TIP)
            field.setAccessibleName(f"Tolerance of the {step.label.lower()}")
            field.textChanged.connect(lambda _: self.changed.emit())
            self.fields[step.key] = field
            text = text_label(step.label, muted=True)
            named = QWidget()
            pair = spaced(QHBoxLayout(named), PADDING, (0, 0, PADDING, 0))
            pair.addWidget(text)
            pair.addWidget(field)
            row.addWidget(named)
        grid = QGridLayout(self)
        grid.setContentsMargins(PADDING, GRID, PADDING, GRID)
        grid.setHorizontalSpacing(GAP)
        grid.addWidget(mark, 0, 0)
        grid.addWidget(label, 0, 1)
        middle = QWidget()
        middle.setLayout(row)
        row.setContentsMargins(0, 0, 0, 0)
        grid.addWidget(middle, 0, 2)
        grid.setColumnStretch(2, 1)

    @property
    def values(self) -> dict[Stage, float]:
        """Values that are numbers."""
        found = {stage: _number(field.text()) for stage, field in self.fields.items()}
        return {stage: value for stage, value in found.items() if value is not None}

    @property
    def lack(self) -> str:
        """Says what is wrong with one of them, in a sentence."""
        known = self.values
        bad = next((step for step in STEPS if step.key not in known), None)
        return "" if bad is None else f"The tolerance of the {bad.label.lower()} is no number, such as 1e-3."


def _number(text: str) -> float | None:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


# One array of both pipelines, as a line of the result.

HEADS = ("", "Step", "A", "B", "Largest difference", "Tolerance", "Beyond it")
_LABELS = {step.key: step.label for step in STEPS}
_NUMBERS = range(4, len(HEADS))
_MARKS = {"alike": "✓", "differs": "✗", "not compared": "○"}


def state_of(row: AlignRow) -> str:
    return "not compared" if not row.measured else "alike" if row.alike else "differs"


class AlignLines(QFrame):
    """Rows in one grid, so that their numbers stand below each other."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(PADDING, GRID, PADDING, GRID)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GRID)
        for column in range(1, 4):
            self._grid.setColumnStretch(column, 1)
        self.rows: tuple[AlignRow, ...] = ()

    def show_rows(self, rows: tuple[AlignRow, ...]) -> None:
        self.rows = rows
        clear_layout(self._grid)
        for column, text in enumerate(HEADS):
            self._grid.addWidget(_label(text, column in _NUMBERS, "label"), 0, column)
        line = 1
        for row in rows:
            for column, label in enumerate(_cells(row)):
                self._grid.addWidget(label, line, column)
            below = _why(row)
            if below is not None:
                self._grid.addWidget(below, line + 1, 1, 1, len(HEADS) - 1)
            line += 2


def _cells(row: AlignRow) -> list[QWidget]:
    state, gap = state_of(row), row.gap
    mark = _label(_MARKS[state], False, "strong")
    mark.setToolTip(state)
    mark.setAccessibleName(state)
    name = _label(f"{_LABELS[row.stage]}{f' {row.name}' if row.name else ''}", False, "strong")
    numbers = ("", "", "") if gap is None else (number_text(gap.largest), f"{row.tolerance:g}", share_text(gap.beyond))
    largest = _label(numbers[0], True)
    if gap is not None and gap.place:
        largest.setToolTip(f"max |a − b|, at {', '.join(map(str, gap.place))}; mean {number_text(gap.mean)}")
    return [mark, name, _side(row.a), _side(row.b), largest, _label(numbers[1], True), _label(numbers[2], True)]


def _side(side: AlignSide | None) -> QLabel:
    shape = "–" if side is None else f"{' × '.join(map(str, side.shape)) if side.shape else 'a value'}  {side.dtype}"
    label = _label(shape)
    if side is not None:
        label.setToolTip(side.name)
    return label


def _why(row: AlignRow) -> QWidget | None:
    texts = [] if row.cause is None else [row.cause.text]
    if row.cause is not None and not row.cause.whole and "resize" not in row.cause.keys:
        texts.append(f"What remains is up to {number_text(row.cause.remains)}.")
    if row.note:
        texts.append(f"{row.note[0].upper()}{row.note[1:]}.")
    if not texts and row.measured and not row.alike:
        texts.append("Nothing that was tried explains it.")
    if not texts:
        return None
    label = _label(" ".join(texts))
    label.setWordWrap(True)
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, PADDING)
    column.addWidget(label)
    return box


def _label(text: str, number: bool = False, role: str = "") -> QLabel:
    label = text_label(text, plain=True, selectable=True)
    side = Qt.AlignmentFlag.AlignRight if number else Qt.AlignmentFlag.AlignLeft
    label.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
    if role:
        label.setProperty("role", role)
    return label
