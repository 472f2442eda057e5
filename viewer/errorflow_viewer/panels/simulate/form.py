"""The form: what the boxes say goes into a draft, and the draft is shown in the boxes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

from errorflow.base.errors import ErrorflowError
from errorflow.quant.plan import Plan
from errorflow.quant.presets import Preset
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, Step, find, remaking, step_text
from errorflow.run.samples.asked import Pictures
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.dividing import divided
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.drop import dropped_files
from errorflow_viewer.kit.layouts import rule
from errorflow_viewer.kit.look import GAP, PADDING, Theme
from errorflow_viewer.panels.form_parts import Choice, Count, Fields, Group, Link, Note, column, show_value
from errorflow_viewer.panels.sections import breakable, plain, soft
from errorflow_viewer.panels.simulate.draft import SimulationDraft
from errorflow_viewer.panels.simulate.knowledge import Knowledge
from errorflow_viewer.panels.simulate.plan_box import PlanBox
from errorflow_viewer.panels.simulate.remedying import ANEW, drops_correction
from errorflow_viewer.panels.simulate.result_box import ResultBox
from errorflow_viewer.panels.simulate.samples_box import FILTER, SamplesBox, called
from errorflow_viewer.panels.simulate.smoothing import STRENGTH_TOLD, THRESHOLD_TOLD, share
from errorflow_viewer.panels.simulate.steps_told import ToldChange, ToldSteps
from errorflow_viewer.panels.simulate.told import PREPROCESSINGS, in_panel, method_told, numbers_text, parsed_numbers


class SimulationForm(QScrollArea):
    """Scrolls down, and sideways where text is so large that its buttons do not fit."""

    edited = Signal(object)  # SimulationDraft
    plan_file = Signal(object)  # Path
    other_files = Signal(object)  # list of paths that are no samples

    def __init__(self) -> None:
        super().__init__()
        self.draft = SimulationDraft()
        # Whether biases can be measured now: what the draft says is on view.
        self.can_correct = False
        self.result = ResultBox()
        self.samples, self.pictures, self.sizes = SamplesBox(), PicturesBox(), SizesBox()
        self.plan, self.steps = PlanBox(), StepsBox()
        self.ranges, self.division = RangesBox(), DivisionBox()
        self.line = rule()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAcceptDrops(True)
        page = QWidget()
        box = column(page, GAP)
        box.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        for widget in (self.result, self.line, self.samples, self.pictures, self.sizes):
            box.addWidget(widget)
        for group in (self.plan, self.steps, self.ranges, self.division):
            box.addWidget(group)
        box.addStretch(1)
        self.setWidget(page)
        self._connect()

    def sizeHint(self) -> QSize:
        """No more height than it needs: what holds the panel would scroll as well, and the foot with it."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def _connect(self) -> None:
        self.samples.chosen.connect(self.take_paths)
        self.samples.made_up.connect(
            lambda seed, count: self._edit(self.draft.given(paths=(), seed=seed, count=count).based(others=()))
        )
        self.pictures.changed.connect(self._take_pictures)
        self.sizes.changed.connect(lambda dims: self._edit(self.draft.given(dims=dims)))
        self.division.changed.connect(lambda fields: self._edit(self.draft.based(**fields)))
        self.plan.own.connect(self._take_own)
        self.plan.preset.connect(self._take_preset)
        self.plan.file.connect(self.plan_file)
        self.plan.reference.connect(lambda path: self._edit(self.draft.based(reference=path)))
        self.steps.changed.connect(lambda plan: self._edit(replace(self.draft, plan=plan)))
        self.ranges.method.connect(lambda key: self._edit(self.draft.based(method=key, calibration=None)))
        self.ranges.file.connect(lambda path: self._edit(self.draft.based(method="", calibration=path)))

    def show_draft(self, draft: SimulationDraft, known: Knowledge, offered: tuple[tuple[str, ...], ...]) -> None:
        """Shows a draft without telling of it."""
        self.draft = draft
        basis, found = draft.basis, known.found
        has_own = known.is_quantized and basis.own
        self.samples.show_samples(draft.asked, offered)
        self.samples.show_recognised(found if draft.has_samples else None, draft.has_samples)
        self.pictures.setVisible(found is not None and found.kind == "pictures" and draft.has_samples)
        self.pictures.show_pictures(draft.asked.pictures)
        self.sizes.show_sizes(() if found is None or not draft.has_samples else found.asks, draft.asked.dims)
        self.plan.show_plan(draft, known.is_quantized, known.graph)
        self.steps.show_steps(draft.plan, self.can_correct)
        self.ranges.show_ranges(basis, draft.plan, has_own)
        has_ranges = has_own or basis.calibration is not None
        count = 0 if found is None else found.count
        self.division.show_division(basis, count, has_ranges, known.others_count if basis.others else None)
        self.line.setVisible(not self.result.isHidden())

    def show_folder(self, folder: str) -> None:
        """Shows where dialogs begin."""
        self.samples.folder = self.plan.folder = self.ranges.folder = self.division.folder = folder

    def take_paths(self, paths: tuple[str, ...]) -> None:
        """Samples of the user's, in place of those before; sizes that were said for those hold as long as they fit."""
        basis = replace(self.draft.basis, samples=None, calibrate_on=None)
        self._edit(replace(self.draft, basis=basis).given(paths=tuple(paths), seed=None))

    def _take_pictures(self, pictures: Pictures) -> None:
        self._edit(self.draft.given(pictures=pictures))

    def _take_own(self) -> None:
        """Takes what the model has, with which nothing is calibrated."""
        draft = replace(self.draft, plan=None, file=None)
        self._edit(draft.based(own=True, method="", calibration=None))

    def _take_preset(self, row: Preset) -> None:
        # What was found for biases holds for the plan before.
        steps = () if self.draft.plan is None else remaking(self.draft.plan.steps)
        draft = replace(self.draft, plan=replace(row.plan, steps=steps), file=None)
        self._edit(draft.based(own=False))

    def _edit(self, draft: SimulationDraft) -> None:
        if draft != self.draft:
            self.draft = draft
            self.edited.emit(draft)

    # Events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        paths = dropped_files(event.mimeData())
        if not paths:
            event.ignore()
            return
        event.acceptProposedAction()
        self.samples.show_aim(not any(map(_is_for_window, paths)))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self.samples.show_aim(False)

    def dropEvent(self, event: QDropEvent) -> None:
        paths = dropped_files(event.mimeData())
        event.acceptProposedAction()
        self.samples.show_aim(False)
        if any(map(_is_for_window, paths)):
            self.other_files.emit(paths)
        elif paths:
            self.take_paths(tuple(map(str, paths)))


def _is_for_window(path: Path) -> bool:
    """A model or a session is opened, all else is meant as samples."""
    return path.suffix.lower() in (".onnx", ".errorflow", ".om")


NOT_SAID = "not said"
# Of names, in px: they are longer than other labels, and numbers shorter.
NAMES = 148


class SizesBox(Group):
    """A field for each; hidden where there is none."""

    changed = Signal(object)  # dict of those that were said

    def __init__(self) -> None:
        super().__init__("Open sizes")
        self.counts: dict[str, Count] = {}
        self._fields = Fields(NAMES)
        self.note = Note()
        self.add(self._fields, self.note)
        self.hide()

    def show_sizes(self, names: Sequence[str], dims: Mapping[str, int]) -> None:
        if list(self.counts) != list(names):
            self._make(names)
        for name, count in self.counts.items():
            count.show_value(dims.get(name, 0))
        lacking = [name for name in names if name not in dims]
        self.note.say("The model leaves them open, and the samples do not say them." if lacking else "")
        self.setVisible(bool(names))

    def _make(self, names: Sequence[str]) -> None:
        self.box.removeWidget(self._fields)
        self._fields.deleteLater()
        self._fields = Fields(NAMES)
        self.counts = {}
        for name in names:
            count = Count(NOT_SAID)
            count.valueChanged.connect(lambda _: self.changed.emit(self._said()))
            self._fields.add(name, count, f"The size of {name} in each sample")
            self.counts[name] = count
        self.box.insertWidget(1, self._fields)

    def _said(self) -> dict[str, int]:
        return {name: count.value() for name, count in self.counts.items() if count.value()}


class DivisionBox(Group):
    """Box with how many, and a sentence on what is done with them."""

    changed = Signal(object)  # dict of fields of the basis

    def __init__(self) -> None:
        super().__init__("Calibrated and evaluated on")
        self.folder = str(Path.home())
        self.samples, self.calibrate = Count("all"), Count("most")
        self.samples.valueChanged.connect(lambda value: self.changed.emit({"samples": value if value else None}))
        self.calibrate.valueChanged.connect(lambda value: self.changed.emit({"calibrate_on": value if value else None}))
        self.fields = Fields()
        self.fields.add("Take", self.samples, "So many samples are taken, from the first on")
        self.fields.add(
            "Calibrate on", self.calibrate, "So many of them find the ranges; errors are measured on the rest"
        )
        self.others = Link("Evaluate on other samples…")
        self.others.clicked.connect(self.ask_for_others)
        self.none = QToolButton()
        self.none.setToolTip("Evaluate on what calibration leaves of the samples")
        self.none.setAccessibleName("Evaluate on what calibration leaves")
        self.none.clicked.connect(lambda: self.changed.emit({"others": ()}))
        icons.follow(self.none, "close")
        self.text = Note()
        row = QHBoxLayout()
        row.addWidget(self.others)
        row.addWidget(self.none)
        row.addStretch(1)
        self.add(self.fields, self.text)
        self.box.addLayout(row)

    def show_division(self, basis: Basis, count: int, has_ranges: bool, others: int | None) -> None:
        """Shows a division. `count`: how many samples there are, 0 where that is unknown; `others`: of those to be
        measured on.
        """
        self.samples.show_value(0 if basis.samples is None else basis.samples)
        self.calibrate.show_value(0 if basis.calibrate_on is None else basis.calibrate_on)
        self.calibrate.setEnabled(not has_ranges)
        self.others.setText(f"On {called(basis.others)} …" if basis.others else "Evaluate on other samples…")
        self.others.setToolTip("\n".join(basis.others) if basis.others else "Measure errors on samples from elsewhere")
        self.none.setVisible(bool(basis.others))
        self.text.say(_sentence(basis, count, has_ranges, others) if count else "")

    def ask_for_others(self) -> None:
        paths, _ = QFileDialog.getOpenFileNames(self, "Samples to measure errors on", self.folder, FILTER)
        if paths:
            self.changed.emit({"others": tuple(paths)})


def _sentence(basis: Basis, count: int, has_ranges: bool, others: int | None) -> str:
    try:
        return divided(basis, count, has_ranges, others).text
    except ErrorflowError as error:
        return in_panel(str(error))


FILE, SAVED = "file", "saved"
OWN_TOLD = "The model's own scales count: nothing is calibrated."


class RangesBox(Group):
    """A list, and below it what the choice means."""

    method = Signal(str)  # "": that of the preset
    file = Signal(object)  # Path

    def __init__(self) -> None:
        super().__init__("Ranges")
        self.folder = str(Path.home())
        self.choice = Choice("Ranges")
        self.choice.activated.connect(self._on_chosen)
        self.told = Note()
        self.add(self.choice, self.told)
        self._shown: tuple[Basis, Plan | None, bool] = (Basis(), None, False)

    def show_ranges(self, basis: Basis, plan: Plan | None, has_own: bool) -> None:
        """`has_own`: of a model that is quantized already, whose scales count."""
        from errorflow.quant.calibrate import METHODS
        from errorflow.quant.calibrate.asked import method_of
        from errorflow.study.simulate.ranging import method_for

        self._shown = basis, plan, has_own
        self.choice.setVisible(not has_own)
        if has_own:
            self.told.say(OWN_TOLD)
            return
        usual = method_for(plan, Basis()) if plan is not None else METHODS[0].key
        rows: list[tuple[str, object]] = [(f"As the preset: {method_of(usual).label}", "")]
        rows += [(row.label, row.key) for row in METHODS]
        if basis.method and basis.method not in [row.key for row in METHODS]:
            rows.append((basis.method, basis.method))
        if basis.calibration is not None:
            rows.append((basis.calibration.name, SAVED))
        rows.append(("Ranges from a file…", FILE))
        self.choice.show_rows(rows, SAVED if basis.calibration is not None else basis.method)
        key = basis.method if basis.method else usual
        saved = "Ranges that were found at another time; all samples are left to measure errors on."
        self.told.say(saved if basis.calibration is not None else method_told(key))
        self.told.setToolTip("" if basis.calibration is not None else _formula(key))

    def _on_chosen(self, at: int) -> None:
        value = self.choice.itemData(at)
        if value == FILE:
            self.show_ranges(*self._shown)
            self.ask_for_file()
        elif value != SAVED:
            self.method.emit(value)

    def ask_for_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Saved ranges", self.folder, "Ranges (*.json);;All files (*)")
        if path:
            self.file.emit(Path(path))


def _formula(key: str) -> str:
    from errorflow.quant.calibrate import METHODS

    return next((row.formula for row in METHODS if row.key == key), "")


OWN = "As said below"
RIGHT_SIZE = "They have the right size"
AS_THEY_ARE = "Each as large as it is"


class PicturesBox(Group):
    """A usual way, or each step by itself."""

    changed = Signal(object)  # Pictures

    def __init__(self) -> None:
        super().__init__("Pictures")
        self.pictures = Pictures()
        self.usual, self.layout_choice, self.colour, self.resize_choice = Choice(), Choice(), Choice(), Choice()
        self.usual.activated.connect(self._on_usual)
        self.mean, self.std = QLineEdit(), QLineEdit()
        for edit, nothing, name in ((self.mean, "0", "mean"), (self.std, "1", "std")):
            edit.setPlaceholderText(nothing)
            edit.editingFinished.connect(lambda edit=edit, name=name: self._on_numbers(edit, name))
        for choice, name in ((self.layout_choice, "layout"), (self.colour, "colour"), (self.resize_choice, "resize")):
            choice.activated.connect(lambda at, choice=choice, name=name: self._give(**{name: choice.itemData(at)}))
        fields = Fields()
        fields.add("As usual for", self.usual, "Fills in the fields below")
        fields.add("Resize", self.resize_choice, "How a picture is brought to the size that the model wants")
        fields.add("Mean", self.mean, "Subtracted from pixels of 0 … 255: one number, or one per channel of the model")
        fields.add("Std", self.std, "What pixels are divided by then: one number, or one per channel of the model")
        fields.add("Channels", self.colour, "The order of channels that the model was trained with")
        fields.add("Layout", self.layout_choice, "Where the model has its channels")
        self.how, self.sum = Note(), Note()
        self.add(fields, self.how, self.sum)

    def show_pictures(self, pictures: Pictures) -> None:
        from errorflow.run.samples.resizing import NONE, RESIZES

        self.pictures = pictures
        same = next((row.label for row in PREPROCESSINGS if _alike(row.pictures, pictures)), OWN)
        self.usual.show_rows([(OWN, OWN), *((row.label, row.label) for row in PREPROCESSINGS)], same)
        resizes = [(RIGHT_SIZE, ""), *((row.key, row.key) for row in RESIZES), (AS_THEY_ARE, NONE)]
        self.resize_choice.show_rows(resizes, pictures.resize)
        self.colour.show_rows([("RGB", "rgb"), ("BGR", "bgr")], pictures.colour)
        layouts = [("As the model's shape says", ""), ("NCHW", "NCHW"), ("NHWC", "NHWC")]
        self.layout_choice.show_rows(layouts, pictures.layout)
        for edit, numbers in ((self.mean, pictures.mean), (self.std, pictures.std)):
            if parsed_numbers(edit.text()) != numbers:
                with QSignalBlocker(edit):
                    edit.setText(numbers_text(numbers))
        told = next((row.text for row in RESIZES if row.key == pictures.resize), "")
        self.how.say(f"Resized {told}." if told else "")
        self.sum.say("Values are (pixel − mean) / std, with pixels from 0 to 255.")

    def _on_usual(self, at: int) -> None:
        label = self.usual.itemData(at)
        row = next((row for row in PREPROCESSINGS if row.label == label), None)
        if row is not None:
            own = {"layout": self.pictures.layout, "colour": self.pictures.colour}
            self.changed.emit(replace(row.pictures, **own))  # type: ignore[arg-type]  # two of its fields

    def _on_numbers(self, edit: QLineEdit, name: str) -> None:
        numbers = parsed_numbers(edit.text())
        if numbers is None:
            self.sum.say(f"“{edit.text()[:40]}” is no list of numbers: write 123.7, 116.3, 103.5.")
        else:
            self._give(**{name: numbers})

    def _give(self, **changed: Any) -> None:
        pictures = replace(self.pictures, **changed)
        if pictures != self.pictures:
            self.changed.emit(pictures)


def _alike(one: Pictures, other: Pictures) -> bool:
    """But for what depends on the model."""
    return (one.mean, one.std, one.resize) == (other.mean, other.std, other.resize)


EQUALIZE_TIP = "Make weights of layers behind each other equally large, per channel; the float model computes the same"
SMOOTH_TIP = "Move what is loud in few channels into the weights behind it; the float model computes the same"
BIASES_TIP = "Measure what layers are off on average, and take that off the biases of the quantized model"
TABLE_TIP = "Bits: how far the usual channel is below the loudest one, before and after"


class StepsBox(Group):
    """A row for each step; what they did stands below as soon as it is known."""

    changed = Signal(object)  # Plan
    biases = Signal()  # are to be measured, or to be left as they are

    def __init__(self) -> None:
        super().__init__("Remedies")
        self._plan: Plan | None = None
        # A correction went with the float model that it was measured on.
        self._is_dropped = False
        self.equalize, self.smooth = QCheckBox("Equalize layers"), QCheckBox("Smooth outliers")
        self.equalize.setToolTip(EQUALIZE_TIP)
        self.smooth.setToolTip(SMOOTH_TIP)
        self.strength, self.threshold = share(Smooth().strength, "Strength"), share(Smooth().threshold, "Threshold")
        self.fields = Fields()
        self.fields.add("Strength", self.strength, STRENGTH_TOLD)
        self.fields.add("Threshold", self.threshold, THRESHOLD_TOLD)
        self.correct = QPushButton("Correct biases")
        self.correct.setProperty("link", True)
        self.correct.setToolTip(BIASES_TIP)
        self.corrected, self.told, self.table = Note(), Note(), Note(muted=False)
        self.table.setToolTip(TABLE_TIP)
        self.equalize.toggled.connect(lambda on: self._turn(on, Equalize()))
        self.smooth.toggled.connect(lambda on: self._turn(on, self._smooth))
        for field in (self.strength, self.threshold):
            field.valueChanged.connect(lambda _: self._turn(True, self._smooth))
        self.correct.clicked.connect(lambda: self.biases.emit())
        self.add(self.equalize, self.smooth, self.fields, self.corrected, self.correct, self.told, self.table)
        self.show_steps(None, False)

    @property
    def _smooth(self) -> Smooth:
        return Smooth(round(self.strength.value(), 4), round(self.threshold.value(), 4))

    def show_steps(self, plan: Plan | None, can_correct: bool) -> None:
        """Shows the steps of a plan; None: it is not known yet. Nothing is told."""
        self._plan = plan
        steps = () if plan is None else plan.steps
        smooth, biases = find(steps, Smooth), find(steps, CorrectBiases)
        for box, kind in ((self.equalize, Equalize), (self.smooth, Smooth)):
            with QSignalBlocker(box):
                box.setChecked(find(steps, kind) is not None)
            box.setEnabled(plan is not None)
        if isinstance(smooth, Smooth):
            for field, value in ((self.strength, smooth.strength), (self.threshold, smooth.threshold)):
                show_value(field, value)
        self.fields.setVisible(smooth is not None)
        self._is_dropped = self._is_dropped and plan is not None and biases is None
        anew = ANEW if self._is_dropped else ""
        self.corrected.say(anew if biases is None else f"{_capital(step_text(biases))}.")
        self.correct.setText("Correct biases" if biases is None else "Leave biases as they are")
        self.correct.setEnabled(can_correct or biases is not None)

    def show_told(self, told: ToldSteps | None, theme: Theme) -> None:
        self.told.say(*(() if told is None else told.lines))
        self.told.setToolTip("" if told is None else told.reasons)
        rows = () if told is None else told.changes
        style = f"<style>i {{ color: {theme.muted}; font-style: normal; }}</style>"
        more = (
            f"<p>{soft(f'And {told.more:,} more; remedies.csv of the command line has all.')}</p>"
            if told is not None and told.more
            else ""
        )
        self.table.setText(f"{style}<table cellspacing='4'>{''.join(map(_row, rows))}</table>{more}")
        self.table.setVisible(bool(rows))

    def _turn(self, on: bool, step: Step) -> None:
        if self._plan is not None:
            plan = self._plan.with_step(step) if on else self._plan.without_step(type(step))
            self._is_dropped = self._is_dropped or drops_correction(self._plan, plan)
            self.changed.emit(plan)


def _row(change: ToldChange) -> str:
    numbers = f"{soft(change.before)} → {plain(change.after)}" if change.before else plain(change.after)
    return f"<tr><td>{breakable(plain(change.tensor))}</td><td align='right'>{numbers}</td></tr>"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
