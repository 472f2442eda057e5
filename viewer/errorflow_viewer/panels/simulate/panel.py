"""The panel of the simulation: what is needed, the button, how far it is, and what came of it."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from errorflow.base import ErrorflowError, Progress, dataclass, field, replace
from errorflow.base.codec import Between, Codec, Each, OddError
from errorflow.base.files import is_file, is_folder
from errorflow.case.session.model import Simulation
from errorflow.run.samples.asked import Pictures, SampleSpec
from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.simulation_saving import copy_command_of, export_model, save_calibration, save_plan
from errorflow_viewer.document.deploying import KEY as DEPLOYING
from errorflow_viewer.document.deploying import deployed
from errorflow_viewer.document.derived import Derived
from errorflow_viewer.document.derived_table import listed, looked
from errorflow_viewer.document.simulation_work import KEY, OPEN
from errorflow_viewer.document.state import State
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.jobs import Step, ignore_failure
from errorflow_viewer.kit.layouts import text_button
from errorflow_viewer.kit.look import GRID, PADDING, Theme
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.form_parts import Note, Problem, column
from errorflow_viewer.panels.simulate.actions import deploy
from errorflow_viewer.panels.simulate.draft import SimulationDraft, first, sizes_left
from errorflow_viewer.panels.simulate.form import SimulationForm
from errorflow_viewer.panels.simulate.knowledge import Knowledge
from errorflow_viewer.panels.simulate.remedying import KEY as CORRECTING
from errorflow_viewer.panels.simulate.remedying import can_correct, toggle_correction
from errorflow_viewer.panels.simulate.told import SimulationSummary, in_panel

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.deployed import Deployed
    from errorflow.study.simulate.outcome import Outcome


MODEL, SAMPLES, PLAN_FILE, TELLING = "simulate model", "simulate samples", "simulate plan", "simulate result"
_READS = "model", "session.model", "session.setup", "session.simulation", "simulated"
# What the foot shows, and its button cancels.
RUNNING = (OPEN, KEY, DEPLOYING, CORRECTING)
NOTHING = "Open a float model to see what quantization does to it, node by node, without a script and without an NPU."
REFUSED = "This model cannot be run."
APPLY = "Press Simulate to apply what was changed."
AS_ON_VIEW = "This is what is on view."
NO_SAMPLES = "Give samples first."
LOOKING = "Looking at the samples …"


def _to_tell(state: State) -> "tuple[Bench, Outcome, Deployed | None] | None":
    simulated = state.simulated
    if simulated is None or simulated.outcome is None:
        return None
    return simulated.bench, simulated.outcome, deployed(simulated.bench, simulated.outcome.plan)


# What was given for a model at other times, as the settings keep it. Rubbish counts as nothing remembered.

# Of samples that were given before, so many are offered again.
MOST = 6
_LAYOUTS, _COLOURS = ("", "NCHW", "NHWC"), ("rgb", "bgr")


@dataclass(frozen=True, slots=True)
class Remembered:
    """`paths`: newest first."""

    paths: Each[tuple[tuple[str, ...], ...]] = ()
    dims: Each[Mapping[str, Annotated[int, Between(1)]]] = field(default_factory=dict)
    pictures: Pictures = field(default_factory=Pictures)

    def with_asked(self, asked: SampleSpec) -> "Remembered":
        others = tuple(each for each in self.paths if each != asked.paths)
        paths = (asked.paths, *others)[:MOST] if asked.paths else self.paths
        return replace(self, paths=paths, dims={**self.dims, **asked.dims}, pictures=asked.pictures)

    def still_there(self) -> "Remembered":
        """Leaves out samples of which a part is gone; to be called in the background."""
        kept = (each for each in self.paths if all(is_file(path) or is_folder(path) for path in map(Path, each)))
        return replace(self, paths=tuple(kept))


def remembered(rows: object) -> Remembered:
    """Reads what the settings kept."""
    try:
        found: Remembered = Codec().read(Remembered, rows, notes=[])
    except OddError:
        return Remembered()
    pictures = found.pictures
    layout = pictures.layout if pictures.layout in _LAYOUTS else ""
    colour = pictures.colour if pictures.colour in _COLOURS else "rgb"
    paths = tuple(each for each in found.paths if each)[:MOST]
    return replace(found, paths=paths, pictures=replace(pictures, layout=layout, colour=colour))


class SimulatePanel(QWidget):
    """Shows a `SimulationDraft`; it becomes a simulation when the button is pressed."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._path: Path | None = None
        self._simulation: Simulation | None = None
        self._remembered = Remembered()
        # The user has touched the form, or what it says comes from elsewhere.
        self._is_given = False
        self.known = Knowledge()
        # What the samples were that were looked at last.
        self._looked_at: tuple[SampleSpec, tuple[str, ...]] | None = None
        self._questions: dict[str, Callable[[Progress], Any] | None] = {}
        self.nothing = Empty(NOTHING, "Open a model…", desk.ask_for_file)
        self.refused = Empty(REFUSED, "Compare two runs…", lambda: desk.commands.run("compare"))
        self.form, self.foot, self.failure = SimulationForm(), Foot(), Problem()
        self.stack = QStackedWidget()
        content = QWidget()
        inside = column(content, 0)
        inside.addWidget(self.form, 1)
        inside.addWidget(self.foot)
        self.content = content
        for widget in (self.nothing, self.refused, content):
            self.stack.addWidget(widget)
        column(self, 0).addWidget(self.stack)
        self._fill_foot()
        self._connect()
        desk.derived.add(*self._questions_asked())
        drop, work = partial(self._show_told, None), lambda wish: SimulationSummary.of(*wish)
        told = listed(TELLING, "Telling the result", ("simulated",), _to_tell, work, self._show_told, drop)
        desk.derived.add(told, widget=self)
        if self._document.model is not None:
            self._on_changed({"model", "session.simulation", "simulated"})

    @property
    def draft(self) -> SimulationDraft:
        return self.form.draft

    @property
    def lack(self) -> str:
        """Reason why it cannot be started; "": it can."""
        found = self.known.found
        if not self.draft.has_samples:
            return NO_SAMPLES
        if found is None or self._is_looking:
            return LOOKING
        left = sizes_left(found.asks, self.draft.asked.dims)
        if found.problem is not None:
            return f"Say the size of {', '.join(left)}." if left else "These samples do not fit."
        return ""

    def start(self) -> None:
        """Simulates what the form says."""
        if self.lack or self.stack.currentWidget() is not self.content:
            return
        simulating, before, draft = self._desk.studies.simulating, self._document.session.simulation, self.draft
        self.failure.say("")
        self._remember()
        bench, plan = simulating.bench, draft.plan
        if before is None or bench is None or plan is None or not bench.suits(draft.basis, plan):
            simulating.start(draft.basis, plan)
        elif plan != before.plan:
            simulating.edit("Simulate another plan", plan)
        else:
            simulating.again()

    # How it is put together

    def _fill_foot(self) -> None:
        desk, add = self._desk, self.foot.add
        self.foot.box.insertWidget(0, self.failure)
        self._on_view = [
            add("Export QDQ model…", "Write the quantized model as ONNX", lambda: export_model(desk)),
            add("Save plan as…", "Write what is quantized and how", lambda: save_plan(desk)),
            add("Save calibration as…", "Write the range of each tensor", lambda: save_calibration(desk)),
        ]
        self._copy = add("Copy command", "Copy the same as a call of the command line", self._copy_command)

    def _connect(self) -> None:
        desk, form, foot = self._desk, self.form, self.foot
        form.edited.connect(self._on_edited)
        form.plan_file.connect(self._read_plan)
        form.other_files.connect(lambda paths: desk.open(paths[0]))
        form.result.sample.connect(lambda sample: desk.studies.simulating.look_at(sample))
        form.result.verdict.connect(lambda: desk.panels.show("verdict"))
        form.result.rank.connect(lambda: desk.studies.ranking.begin())
        form.result.export.connect(lambda: export_model(desk))
        form.result.deploy.connect(lambda: deploy(desk))
        form.steps.biases.connect(lambda: toggle_correction(desk))
        form.result.leave.connect(lambda: desk.studies.simulating.leave())
        foot.start.connect(self.start)
        foot.cancel.connect(self._cancel)
        desk.studies.simulating.asked.connect(self._on_asked)
        follow(self, self._document.changed, self._on_changed, _READS)
        follow(self, desk.derived.changed, self._on_derived, (OPEN, KEY))
        follow(self, desk.jobs.changed, self._on_jobs)
        self._dress(desk.appearance.theme)
        desk.appearance.changed.connect(self._on_theme)  # its own method: it ends with the panel

    # What follows from the document

    def _on_changed(self, fields: Collection[str]) -> None:
        session = self._document.session
        if {"model", "session.model", "session.setup"} & set(fields):
            self._take_model()
        if "session.simulation" in fields and session.simulation is not None:
            merged = self.draft.merged(self._simulation, session.simulation)
            self._simulation, self._is_given = session.simulation, True
            self._show(merged)
        elif "session.simulation" in fields:
            self._simulation = None
            self._show(self.draft)
        if "simulated" in fields:
            self._show_state()

    def _take_model(self) -> None:
        model, path = self._document.model, self._document.session.model
        if model is None or path != self._path:
            self._desk.jobs.cancel(PLAN_FILE)  # of the model before
            self._ask(MODEL, None)
            self._ask(SAMPLES, None)
        if model is None or path is None:
            self._path, self._simulation, self.known = None, None, Knowledge()
            self.form.show_draft(SimulationDraft(), self.known, ())  # with nothing left of the graph
            self.stack.setCurrentWidget(self.nothing)
            return
        if path != self._path:
            self._path, self._is_given, self._simulation = path, False, None
            self._remembered = remembered(self._desk.settings.samples_of(path))
            self.known, self._looked_at = Knowledge(), None
            self.failure.say("")
            self.form.show_draft(SimulationDraft(), self.known, ())
            simulation = self._document.session.simulation
            if simulation is not None:
                self._simulation, self._is_given = simulation, True
                self.form.draft = SimulationDraft(simulation.basis, simulation.plan)
        if self.known.refused is None:  # else that is said until more is known
            self.stack.setCurrentWidget(self.content)

        bench = self._desk.studies.simulating.bench
        is_back = bench is not None and bench.floated.back is not None
        before, setup = self._remembered, self._document.session.setup
        self._ask(MODEL, lambda p: (Knowledge.of_model(model, path, is_back, setup, p), before.still_there()))

    def _questions_asked(self) -> Iterator[Derived[Any, Any]]:
        for name, text, take in (
            (MODEL, "Looking at the model", self._take_known),
            (SAMPLES, "Looking at the samples", self._take_looked),
        ):
            row = looked(name, text, partial(self._asked, name), lambda ask, p: ask(p), take, ignore_failure)
            yield replace(row, shown=False)

    def _asked(self, name: str, _: State) -> Callable[[Progress], Any] | None:
        return self._questions.get(name)

    def _ask(self, name: str, question: Callable[[Progress], Any] | None) -> None:
        """Sets what the form wants to know; None: nothing any more."""
        self._questions[name] = question
        self._desk.derived.follow(name)

    def _take_known(self, found: tuple[Knowledge, Remembered]) -> None:
        known, self._remembered = found
        if known.wanted != self.known.wanted:  # the file was written anew, or nothing was known of it
            self._looked_at = None
        self.known = replace(known, found=self.known.found, others_count=self.known.others_count)
        if known.refused is not None:
            self.refused.sentence.setText(f"{known.refused.message}\n\n{in_panel(known.refused.hint)}")
            self.stack.setCurrentWidget(self.refused)
            return
        self.stack.setCurrentWidget(self.content)
        self._show(self.draft if self._is_given else self._proposed(known))

    def _proposed(self, known: Knowledge) -> SimulationDraft:
        """Proposes, before the user's first choice, what was given for this model before, or lies next to it."""
        last = self._remembered
        draft = first(known.is_quantized)
        offered = (*last.paths, *known.nearby)
        dims = {name: size for name, size in last.dims.items() if name in known.opens}
        return draft.given(paths=offered[0] if offered else (), dims=dims, pictures=last.pictures)

    # What the form says

    def _on_edited(self, draft: SimulationDraft) -> None:
        self._is_given = True
        self.failure.say("")
        self._show(draft)

    def _show(self, draft: SimulationDraft) -> None:
        self.form.draft = draft
        if draft.has_samples and self._looked_at != (draft.asked, draft.basis.others):
            self._look(draft)
        self._refresh()

    def _look(self, draft: SimulationDraft) -> None:
        if not self.known.wanted:
            return
        known, asked, others = self.known, draft.asked, draft.basis.others
        self._looked_at = asked, others
        self._ask(SAMPLES, lambda progress: known.looked(asked, others, progress))

    def _take_looked(self, known: Knowledge) -> None:
        self.known = replace(self.known, found=known.found, others_count=known.others_count)
        self._refresh()

    @property
    def _is_looking(self) -> bool:
        return self._desk.derived.running(SAMPLES) is not None

    def _refresh(self) -> None:
        self.form.show_folder(self._desk.settings.last_folder)
        offered = (*self._remembered.paths, *self.known.nearby)
        self.form.show_draft(self.draft, self.known, offered)
        self._show_state()

    def _show_state(self) -> None:
        simulation, lack, busy = self._document.session.simulation, self.lack, self._desk.studies.simulating.busy
        is_same = simulation is not None and self.draft.is_of(simulation)
        self.form.can_correct = is_same and not busy and can_correct(self._desk)
        self.form.steps.show_steps(self.draft.plan, self.form.can_correct)
        said = "" if simulation is None else APPLY if not is_same else AS_ON_VIEW if self._is_seen else ""
        self.foot.state.say("" if busy else lack if lack else said)
        self.foot.simulate.setEnabled(not lack)
        self.foot.simulate.setText("Simulate again" if is_same and not busy else "Simulate")
        for enable in self._on_view:
            enable(simulation is not None and self._desk.studies.simulating.bench is not None)
        self._copy(self.draft.has_samples)

    @property
    def _is_seen(self) -> bool:
        """Whether what is on view is of the plan that the session says: it may have failed, or been cancelled."""
        simulation, simulated = self._document.session.simulation, self._document.state.simulated
        if simulation is None or simulated is None or simulated.outcome is None:
            return False
        return simulated.outcome.plan == simulation.plan

    def _read_plan(self, path: Path) -> None:
        def work(_: Progress) -> SimulationDraft:
            from errorflow.quant.plan_file import read_plan

            return SimulationDraft(plan=read_plan(path), file=path)

        def take(read: SimulationDraft) -> None:
            own = read.plan is not None and read.plan.coded is not None
            draft = replace(self.draft, plan=read.plan, file=read.file)
            self._on_edited(draft.based(own=own))

        self._desk.jobs.start(PLAN_FILE, f"Reading {path.name}", work, take, self._on_failed)

    # What came of it

    def _show_told(self, told: SimulationSummary | None) -> None:
        if self.form.result.isHidden():  # it comes above what was being filled in
            self.form.verticalScrollBar().setValue(0)
        was_deployed = not self.form.result.deployed.isHidden()
        self.form.result.show_told(told, self._desk.studies.simulating.busy, self._desk.appearance.theme)
        self.form.steps.show_told(None if told is None else told.steps, self._desk.appearance.theme)
        self.form.line.setVisible(told is not None)
        if told is not None and told.deployed is not None and not was_deployed:
            QTimer.singleShot(0, self.form, self._show_deployed)  # when it has its place

    def _show_deployed(self) -> None:
        self.form.ensureWidgetVisible(self.form.result.deployed, 0)

    def _dress(self, theme: Theme) -> None:
        for problem in self.findChildren(Problem):
            problem.dress(theme)

    def _on_theme(self, theme: Theme) -> None:
        self._dress(theme)
        self._show_told(self.form.result.told)

    def _on_jobs(self, steps: tuple[Step, ...]) -> None:
        own = tuple(step for step in steps if step.key in RUNNING)
        self.foot.show_steps(own)
        self._show_state()
        result = self.form.result
        if result.told is not None:
            result.show_told(result.told, self._desk.studies.simulating.busy, self._desk.appearance.theme)

    def _on_derived(self, names: Collection[str]) -> None:
        for error in filter(None, map(self._desk.derived.error, sorted(names))):
            self._on_failed(error)

    def _on_failed(self, error: ErrorflowError) -> None:
        self.failure.say(in_panel(error.message), in_panel(error.hint))

    def _cancel(self) -> None:
        for key in RUNNING:
            self._desk.jobs.cancel(key)

    # What the user wants

    def _on_asked(self) -> None:
        in_front = not self.visibleRegion().isEmpty()
        if in_front and not self.lack and not self._desk.studies.simulating.busy:
            self.start()
            return
        self._desk.panels.show("simulate")
        data = self._document.session.labelled.data
        if data and not self.draft.has_samples and not self._is_given:
            self._show(self.draft.given(paths=data))  # what is labelled can calibrate, too
        if self.stack.currentWidget() is self.content:
            (self.form.samples.choice if self.lack else self.foot.simulate).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _remember(self) -> None:
        if self._path is not None:
            self._remembered = self._remembered.with_asked(self.draft.asked)
            self._desk.settings.set_samples_of(self._path, self._remembered)

    def _copy_command(self) -> None:
        if self._path is not None:
            copy_command_of(self._desk, self._path, self.draft.basis, self.draft.plan)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.start()
        else:
            super().keyPressEvent(event)


TIP = "Quantize in simulation and paint the errors (Ctrl+Enter)"


class Foot(QFrame):
    """Stays where it is while the form scrolls."""

    start = Signal()
    cancel = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.state = Note()
        self.step = Note()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of the simulation")
        self.simulate = text_button("Simulate", lambda: self.start.emit(), TIP)
        self.simulate.setProperty("primary", True)
        self.stop = text_button("Cancel", lambda: self.cancel.emit(), "Cancel what is being simulated (Esc)")
        self.more = QPushButton("More")
        self.more.setToolTip("Save, export, copy")
        self.menu = QMenu(self.more)
        self.menu.setToolTipsVisible(True)
        self.more.setMenu(self.menu)
        row = self._row = QHBoxLayout()
        row.setSpacing(PADDING)
        row.addWidget(self.simulate)
        row.addWidget(self.stop)
        row.addStretch(1)
        row.addWidget(self.more)
        box = self.box = QVBoxLayout(self)
        box.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        box.setSpacing(GRID)
        for widget in (self.state, self.step, self.bar):
            box.addWidget(widget)
        box.addLayout(row)
        self.show_steps(())

    def event(self, event: QEvent) -> bool:
        """Buttons that have no room side by side stand one below the other."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            buttons = [button for button in (self.simulate, self.stop, self.more) if not button.isHidden()]
            wide = sum(button.sizeHint().width() for button in buttons) + (len(buttons) + 2) * PADDING
            ways = QBoxLayout.Direction
            self._row.setDirection(ways.LeftToRight if wide <= self.width() else ways.TopToBottom)
        return super().event(event)

    def add(self, text: str, tip: str, run: Callable[[], None]) -> Callable[[bool], None]:
        """A line of the menu; what is given back turns it on and off."""
        action = self.menu.addAction(text)
        action.setToolTip(tip)
        action.triggered.connect(lambda _=False: run())
        return action.setEnabled

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        """Shows the steps of what is simulated; none: nothing is."""
        for widget in (self.bar, self.stop):
            widget.setVisible(bool(steps))
        self.step.say(f"{steps[-1].text} …" if steps else "")
        if steps:
            step = steps[-1]
            self.bar.setRange(0, 1000 if step.total > 0 else 0)
            self.bar.setValue(min(1000, step.done * 1000 // step.total) if step.total > 0 else 0)
