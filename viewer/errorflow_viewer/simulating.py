"""Simulates the plan of the session in the background: keeps bench, colours and verdict in step with it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Model
from errorflow.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.session.model import Session, Simulation
from errorflow.simulate.basis import Basis
from errorflow_viewer.banner import Notice
from errorflow_viewer.document import Document
from errorflow_viewer.jobs import Give, Jobs
from errorflow_viewer.simulation_news import NOTICE, SAMPLES, cancelled, failed, notices_of
from errorflow_viewer.state import Simulated
from errorflow_viewer.wishes import take_back

if TYPE_CHECKING:
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.outcome import Outcome
    from errorflow_viewer.benches import Coming

# What prepares the bench, and what runs a plan on it.
OPEN, KEY = "bench", "simulate"
CLOSE = "close bench"
# What is measured for another plan ends with its bench.
CORRECTING = "correct biases"
# What the first step is called, and the one that ends it.
BEGIN, LEAVE = "Simulate", "Leave the simulation"


@dataclass(frozen=True, slots=True)
class Stage:
    """What simulating needs of the window."""

    # Opens a model file, and gives the document that session.
    open: Callable[[Path, Session], None]
    # The same for a model that was made.
    show: Callable[[Model, Session], None]
    notify: Callable[[Notice], None]
    dismiss: Callable[[str], None]
    # Nothing more comes of a comparison, and the one of the session begins anew.
    stop_comparing: Callable[[], None]
    compare_again: Callable[[], None]
    # Lets the user change samples, calibration and plan.
    ask: Callable[[], None]
    # The run that is compared with is tried once more if it failed or was cancelled.
    again_beside: Callable[[], None]
    withheld: Callable[[], bool] = lambda: False  # whether nothing can be run here, which it says


class Simulating(QObject):
    """A session that says what is simulated is simulated when its model is on view."""

    # Somebody wants to simulate: whoever holds the form brings it, or starts.
    asked = Signal()
    failed = Signal(object)  # ErrorflowError
    # The user cancelled what was being prepared: whoever waits for it waits in vain.
    gave_up = Signal()

    def __init__(self, document: Document, jobs: Jobs, stage: Stage, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._stage = stage
        self._bench: Bench | None = None
        # The file that the bench was opened for, or is being.
        self._path: Path | None = None
        self._coming: Coming | None = None
        # What runs, or ran and was cancelled.
        self._running: Plan | None = None
        document.changed.connect(self._on_changed)

    # What others may ask for

    @property
    def busy(self) -> bool:
        return any(self._jobs.running(key) for key in (OPEN, KEY))

    @property
    def bench(self) -> "Bench | None":
        """None: nothing is simulated, or it is only being prepared."""
        return self._bench

    def start(
        self, basis: Basis, plan: Plan | None = None, text: str = BEGIN, begun: Callable[[], None] | None = None
    ) -> None:
        """Calibrates on other samples or in another way, and simulates; without a plan as the model suggests it.

        What is on view stays until it is known that this works: then `begun` is called. `text`: of the step.
        """
        path = self._document.session.model
        if path is None or self._stage.withheld():
            return
        take_back(self._jobs)
        simulation = self._document.session.simulation
        keeps = simulation is not None and simulation.plan == plan
        from errorflow_viewer.benches import Coming

        self._prepare(path, plan, Coming(basis, True, keeps, text, begun))

    def edit(self, text: str, plan: Plan) -> None:
        """Another plan on the same bench, as one step that can be undone."""
        simulation = self._document.session.simulation
        if simulation is not None and not self._stage.withheld():
            self._document.edit(text, simulation=replace(simulation, plan=plan))

    def look_at(self, sample: int) -> None:
        """At the tensors of that one; -1: of the worst."""
        simulation = self._document.session.simulation
        if simulation is not None:
            self._document.edit("Look at a sample", simulation=replace(simulation, sample=sample))

    def leave(self) -> None:
        """Back to what was on view before anything was simulated."""
        self._document.edit(LEAVE, simulation=None)

    def again(self) -> None:
        """Goes on with what was cancelled or failed."""
        simulation = self._document.session.simulation
        if simulation is None:
            self._stage.ask()
            return
        self._stage.dismiss(NOTICE)
        if self._bench is None or not self._bench.suits(simulation.basis, simulation.plan):
            self._open(simulation)
        else:
            if (simulated := self._document.state.simulated) is not None:
                self._document.take_simulated(simulated.forgets(simulation.plan))
            self._run(simulation)
            self._stage.again_beside()

    def tell(self, notice: Notice) -> None:
        """For whoever has no messages of his own."""
        self._stage.notify(notice)

    def stop(self) -> None:
        """Nothing more comes of what is under way, and the engine ends."""
        self._cancel()
        self._path = None
        self._close_bench()
        for key in (NOTICE, SAMPLES):
            self._stage.dismiss(key)

    def _cancel(self) -> None:
        """Nobody is told: something else is wanted by now."""
        self._coming = self._running = None
        for key in (OPEN, KEY):
            self._jobs.cancel(key)

    def end(self) -> None:
        """The window is closed, and its jobs have ended."""
        if self._bench is not None:
            _end(self._bench)
            self._bench = None

    # What follows from the document

    def _on_changed(self, fields: Collection[str]) -> None:
        session = self._document.session
        if "model" in fields and (self._path not in (None, session.model) or self._was_read_again()):
            self.stop()
        if session.bundle is None and {"model", "session.simulation"} & set(fields):
            self._follow(fields)

    def _was_read_again(self) -> bool:
        """Whether the file may be another one by now; what is read back is shown when the bench is there."""
        bench = self._bench
        is_same = bench is not None and bench.is_users and bench.model is not self._document.model
        return is_same and self._document.state.simulated is None and not self._jobs.running(OPEN)

    def _follow(self, fields: Collection[str] = ()) -> None:
        simulation, model = self._document.session.simulation, self._document.model
        if simulation is None or model is None:
            self._leave(fields)
        elif self._bench is None or not self._bench.suits(simulation.basis, simulation.plan):
            self._wait_for(simulation, fields)
        else:
            if self._coming is not None and not self._coming.is_asked:  # it was for what is not on view any more
                self._coming = None
                self._jobs.cancel(OPEN)
            if self._lay(self._bench, model):
                self._run_or_show(simulation)

    def _wait_for(self, simulation: Simulation, fields: Collection[str]) -> None:
        """Another bench, unless that is coming, or the user does not want to wait for it."""
        is_coming = self._coming is not None and self._coming.basis == simulation.basis
        was_cancelled = is_coming and not self._jobs.running(OPEN)
        if not is_coming or (was_cancelled and "session.simulation" in fields):
            self._open(simulation)

    def _leave(self, fields: Collection[str]) -> None:
        bench = self._bench
        if self._document.session.simulation is not None or (bench is None and "session.simulation" not in fields):
            return
        was_made, path = bench is not None and not bench.is_users, self._document.session.model
        self.stop()
        if self._document.model is None or (bench is None and "model" in fields):
            return
        self._document.take_case(None)
        if was_made and bench is not None and bench.floated.back is None:
            self._stage.show(bench.floated.model, self._document.session)
        elif was_made and path is not None:
            self._stage.open(path, self._document.session)
        else:
            self._stage.compare_again()

    # The bench

    def _open(self, simulation: Simulation) -> None:
        path = self._document.session.model
        if path is not None:
            from errorflow_viewer.benches import Coming

            self._prepare(path, simulation.plan, Coming(simulation.basis, False))

    def _prepare(self, path: Path, plan: Plan | None, coming: "Coming") -> None:
        self._cancel()
        self._stage.dismiss(NOTICE)
        self._path, self._coming = path, coming
        from errorflow_viewer.benches import end, opened

        def work(progress: Progress, _give: "Give[Bench]") -> "Bench":
            return opened(path, coming.basis, plan, progress)

        take, fail = partial(self._take_bench, path, coming), self._fail_bench
        self._jobs.start_in_parts(OPEN, f"Preparing {path.name}", work, take, take, fail, self._drop_bench, end)

    def _take_bench(self, path: Path, coming: "Coming", bench: "Bench") -> None:
        old, self._bench = self._bench, bench
        self._cancel()
        self._jobs.cancel(CORRECTING)
        if old is not None:
            self._close(old)
        if self._document.session.model != path:
            self._close_bench()
            return
        self._stage.stop_comparing()
        self._document.take_simulated(None)
        before = self._document.session.simulation
        wanted = coming.simulation(before, bench)
        if before == wanted:
            self._follow()
        else:
            self._document.edit(coming.text, simulation=wanted)
        if coming.begun is not None:
            coming.begun()
        self._tell_of(bench)

    def _lay(self, bench: "Bench", model: Model) -> bool:
        """Whether the model on the bench is the one on view; one that was read again, or read back, comes first."""
        if self._document.state.simulated is not None:
            return True
        if model.path != bench.model.path:
            self._stage.show(bench.model, self._document.session)
            return False
        self._document.take_simulated(Simulated(bench))
        return True

    def _tell_of(self, bench: "Bench") -> None:
        """Of its samples, in place of what was told of those before."""
        self._stage.dismiss(SAMPLES)
        for notice in notices_of(bench, self._stage.ask):
            self._stage.notify(notice)

    def _close_bench(self) -> None:
        bench, self._bench = self._bench, None
        self._jobs.cancel(CORRECTING)
        if bench is not None:
            self._document.take_simulated(None)
            self._close(bench)

    def _close(self, bench: "Bench") -> None:
        """In the background: it waits until what was cancelled has let go of it."""

        self._jobs.quietly(f"{CLOSE} {id(bench)}", "Ending the simulation", lambda _: _end(bench))

    # Plans

    def _run_or_show(self, simulation: Simulation) -> None:
        simulated = self._document.state.simulated
        known = None if simulated is None else simulated.knows(simulation.plan)
        shown = None if simulated is None else simulated.outcome
        if known is not None and known.depth == "complete":
            if self._jobs.running(KEY):
                self._jobs.cancel(KEY)
            self._running = None
            self._stage.dismiss(NOTICE)  # what was cancelled or failed was another plan
            self._show(known)
        elif self._running != simulation.plan or not self._jobs.running(KEY):
            self._run(simulation)
        elif shown is not None and shown.plan == simulation.plan:
            self._show(shown)

    def _run(self, simulation: Simulation) -> None:
        bench = self._bench
        if bench is None:
            return
        plan, sample, graph = simulation.plan, max(simulation.sample, 0), self._document.graph

        def work(progress: Progress, give: "Give[Outcome]") -> "Outcome":
            from errorflow_viewer.benches import run_on

            return run_on(bench, plan, sample, graph, progress, give)

        self._running = None  # a run that this one ends says nothing
        self._jobs.start_in_parts(KEY, "Simulating", work, self._take, self._take_last, self._fail, self._dropped)
        self._running = plan
        self._stage.dismiss(NOTICE)

    def _take(self, outcome: "Outcome") -> None:
        if outcome.plan == self._running:
            self._show(outcome)

    def _take_last(self, outcome: "Outcome") -> None:
        self._running = None
        self._show(outcome, keeps=True)

    def _show(self, outcome: "Outcome", keeps: bool = False) -> None:
        simulated, simulation = self._document.state.simulated, self._document.session.simulation
        if simulated is None or simulation is None:
            return
        from errorflow.case.simulating import case_of
        from errorflow_viewer.trials import noted, with_trial

        # Nothing was matched by hand for it.
        case = case_of(replace(self._document.session, hand_pairs=()), simulation, simulated.bench, outcome)
        simulated = simulated.keeps(outcome) if keeps else simulated
        self._document.take_outcome(replace(simulated, outcome=outcome), case)
        if outcome.depth != "quick":
            self._document.revise(partial(with_trial, found=noted(outcome, simulated.bench)))

    def _dropped(self) -> None:
        """The user cancelled: what was found stays; of a plan that nothing is known of the colours are another's."""
        simulation, simulated = self._document.session.simulation, self._document.state.simulated
        if simulation is None or simulated is None or self._running != simulation.plan:
            return
        outcome = simulated.outcome
        has_some = outcome is not None and outcome.plan == simulation.plan
        self._stage.notify(cancelled(has_some, True, self.again))

    def _drop_bench(self) -> None:
        """The user cancelled while it was prepared: what ran before goes on, or nothing can without that bench."""
        coming, simulation = self._coming, self._document.session.simulation
        if coming is None:
            return
        self.gave_up.emit()
        if simulation is None:
            return
        self._coming = None if coming.is_asked else coming
        if not self._go_on():
            self._stage.notify(cancelled(False, self._bench is not None, self.again))

    def _go_on(self) -> bool:
        """With what was under way on this bench before another one was asked for; False: it is not for this bench."""
        simulation, bench = self._document.session.simulation, self._bench
        if simulation is None or bench is None or not bench.suits(simulation.basis, simulation.plan):
            return False
        self._follow()
        return True

    # What goes wrong

    def _fail(self, error: ErrorflowError) -> None:
        """A second crash of the native runtime is one of those; the next run starts another process."""
        self._coming = self._running = None
        self.failed.emit(error)
        self._stage.notify(failed(error, "Try again", self.again))

    def _fail_bench(self, error: ErrorflowError) -> None:
        self._coming = None
        self.failed.emit(error)
        self._go_on()
        self._stage.notify(failed(error, "Change…", self._stage.ask))


def _end(bench: "Bench") -> None:
    from errorflow_viewer.benches import end

    end(bench)
