"""The form: what the boxes say goes into a draft, and the draft is shown in the boxes."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from errorflow.quant.presets import Preset
from errorflow.quant.steps import remaking
from errorflow.run.samples.asked import Pictures
from errorflow_viewer.kit.drop import dropped_files
from errorflow_viewer.kit.look import GAP, PADDING
from errorflow_viewer.panels.form_parts import column, rule
from errorflow_viewer.panels.simulate.division_box import DivisionBox
from errorflow_viewer.panels.simulate.draft import Draft
from errorflow_viewer.panels.simulate.knowledge import Knowledge
from errorflow_viewer.panels.simulate.pictures_box import PicturesBox
from errorflow_viewer.panels.simulate.plan_box import PlanBox
from errorflow_viewer.panels.simulate.ranges_box import RangesBox
from errorflow_viewer.panels.simulate.result_box import ResultBox
from errorflow_viewer.panels.simulate.samples_box import SamplesBox
from errorflow_viewer.panels.simulate.sizes_box import SizesBox
from errorflow_viewer.panels.simulate.steps_box import StepsBox


class Form(QScrollArea):
    """Scrolls down, and sideways where text is so large that its buttons do not fit."""

    edited = Signal(object)  # Draft
    plan_file = Signal(object)  # Path
    other_files = Signal(object)  # list of paths that are no samples

    def __init__(self) -> None:
        super().__init__()
        self.draft = Draft()
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

    def show_draft(self, draft: Draft, known: Knowledge, offered: tuple[tuple[str, ...], ...]) -> None:
        """Nothing is told of it."""
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
        """Where dialogs begin."""
        self.samples.folder = self.plan.folder = self.ranges.folder = self.division.folder = folder

    def take_paths(self, paths: tuple[str, ...]) -> None:
        """Samples of the user's, in place of those before; sizes that were said for those hold as long as they fit."""
        basis = replace(self.draft.basis, samples=None, calibrate_on=None)
        self._edit(replace(self.draft, basis=basis).given(paths=tuple(paths), seed=None))

    def _take_pictures(self, pictures: Pictures) -> None:
        self._edit(self.draft.given(pictures=pictures))

    def _take_own(self) -> None:
        """With what the model has nothing is calibrated."""
        draft = replace(self.draft, plan=None, file=None)
        self._edit(draft.based(own=True, method="", calibration=None))

    def _take_preset(self, row: Preset) -> None:
        # What was found for biases holds for the plan before.
        steps = () if self.draft.plan is None else remaking(self.draft.plan.steps)
        draft = replace(self.draft, plan=replace(row.plan, steps=steps), file=None)
        self._edit(draft.based(own=False))

    def _edit(self, draft: Draft) -> None:
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
