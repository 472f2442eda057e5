"""Plan by which the model is quantized: a preset, as it is already, as it was switched by hand, or from a file."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QToolButton

from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.quant.presets import PRESETS, Preset
from errorflow_viewer.kit import icons
from errorflow_viewer.panels.form_parts import Choice, Group, Link, Note, Problem
from errorflow_viewer.panels.simulate.draft import SimulationDraft

OWN_PLAN, FILE, AS_IT_IS = "own", "file", "as it is"
OWN_TEXT = "As it is quantized"
OWN_TOLD = "The codes and scales that the model has already; the float model is read out of it."
REFERENCE_TOLD = "Weights are those of the quantized model, which are rounded already."


class PlanBox(Group):
    """A list, and below it in full what the choice means."""

    own = Signal()
    preset = Signal(object)  # Preset
    file = Signal(object)  # Path
    reference = Signal(object)  # Path, or None: the weights of the quantized model

    def __init__(self) -> None:
        super().__init__("Quantized as")
        self.folder = str(Path.home())
        self.choice = Choice("Quantized as")
        self.choice.activated.connect(self._on_chosen)
        self.told, self.problem = Note(), Problem()
        self.float_model = Link()
        self.float_model.clicked.connect(self._ask_for_reference)
        self.no_float_model = QToolButton()
        self.no_float_model.setToolTip("Take the weights of the quantized model")
        self.no_float_model.setAccessibleName("Take the weights of the quantized model")
        self.no_float_model.clicked.connect(lambda: self.reference.emit(None))
        icons.follow(self.no_float_model, "close")
        row = QHBoxLayout()
        row.addWidget(self.float_model)
        row.addWidget(self.no_float_model)
        row.addStretch(1)
        self.add(self.choice, self.told, self.problem)
        self.box.addLayout(row)
        self._shown = SimulationDraft()
        self._is_quantized = False
        self._graph: Graph | None = None

    def show_plan(self, draft: SimulationDraft, is_quantized: bool, graph: Graph | None = None) -> None:
        """`graph`: that the plan speaks of, as soon as it is known."""
        self._shown, self._is_quantized, self._graph = draft, is_quantized, graph
        bare = None if draft.plan is None else replace(draft.plan, steps=())
        same = next((row for row in PRESETS if row.plan == bare), None)
        rows: list[tuple[str, object]] = [(OWN_TEXT, OWN_PLAN)] if is_quantized else []
        rows += [(row.label, row.key) for row in PRESETS]
        is_own = draft.plan is None or (draft.plan.coded is not None and not draft.plan.rules + draft.plan.tensors)
        chosen = OWN_PLAN if is_own else AS_IT_IS if same is None else same.key
        if chosen == AS_IT_IS:
            rows.append((plan_called(draft), AS_IT_IS))
        rows.append(("A plan from a file…", FILE))
        self.choice.show_rows(rows, chosen)
        self.told.say(*_told(draft, same, is_own, graph))
        self._show_reference(draft.basis.reference, is_quantized)

    def _show_reference(self, path: Path | None, is_quantized: bool) -> None:
        self.float_model.setVisible(is_quantized)
        self.no_float_model.setVisible(is_quantized and path is not None)
        self.float_model.setText("Give the float model…" if path is None else f"Weights of {path.name}")
        self.float_model.setToolTip(REFERENCE_TOLD if path is None else str(path))

    def _on_chosen(self, at: int) -> None:
        value = self.choice.itemData(at)
        found = next((row for row in PRESETS if row.key == value), None)
        if value == FILE:
            self.show_plan(self._shown, self._is_quantized, self._graph)
            self.ask_for_file()
        elif value == OWN_PLAN:
            self.own.emit()
        elif found is not None:
            self.preset.emit(found)

    def ask_for_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "A plan", self.folder, "Plans (*.json);;All files (*)")
        if path:
            self.file.emit(Path(path))

    def _ask_for_reference(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "The float model", self.folder, "ONNX models (*.onnx)")
        if path:
            self.reference.emit(Path(path))


def plan_called(draft: SimulationDraft) -> str:
    """A plan that is none of the presets."""
    if draft.file is not None:
        return draft.file.name
    begun = begun_as(draft.plan)
    return f"{begun}, changed" if begun else "A plan of your own"


def begun_as(plan: Plan | None) -> str:
    """Names what it was before the first switch; "": nothing with a name."""
    if plan is None or plan.coded is not None:
        return OWN_TEXT
    return next((row.label for row in PRESETS if row.key == plan.preset), "")


def _told(draft: SimulationDraft, same: Preset | None, is_own: bool, graph: Graph | None) -> tuple[str, ...]:
    if is_own:
        return (OWN_TOLD,)
    if same is not None:
        return f"Mimics: {same.mimics}", f"Leaves out: {same.leaves_out}"
    return () if draft.plan is None or graph is None else _switches(graph, draft.plan)


def _switches(graph: Graph, plan: Plan) -> tuple[str, ...]:
    """Lists how much was switched, however few rules say so."""
    from errorflow.quant.switching import overrides

    counts = ((len(overrides(graph, plan)), "node", "nodes"), (len(plan.tensors), "tensor", "tensors"))
    told = [counted(*count) for count in counts if count[0]]
    return (f"{' and '.join(told)} switched.",) if told else ()
