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
from errorflow.workers import WorkerError
from errorflow_viewer.banner import Notice, notice_of
from errorflow_viewer.document import Document
from errorflow_viewer.finding import prepared
from errorflow_viewer.jobs import Give, Jobs, ignore_failure
from errorflow_viewer.other_run import AGAINST, OtherRun
from errorflow_viewer.state import Compared, Simulated
from errorflow_viewer.trials import with_trial
from errorflow_viewer.wishes import take_back

if TYPE_CHECKING:
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.outcome import Outcome

# What prepares the bench, and what runs a plan on it.
OPEN, KEY = "bench", "simulate"
CLOSE = "close bench"
NOTICE = "simulate"
# What the first step is called, and the one that ends it.
BEGIN, LEAVE = "Simulate", "Leave the simulation"
# Of so many plans all that was found is kept, so that going back to one shows it at once.
KNOWN = 6


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


class Simulating(QObject):
    """A session that says what is simulated is simulated when its model is on view."""

    # Somebody wants to simulate: whoever holds the form brings it, or starts.
    asked = Signal()
    failed = Signal(object)  # ErrorflowError

    def __init__(self, document: Document, jobs: Jobs, stage: Stage, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._jobs = jobs
        self._stage = stage
        self._bench: Bench | None = None
        # The file that the bench was opened for, or is being.
        self._path: Path | None = None
        # What the bench is being opened for.
        self._coming: Simulation | None = None
        # Newest last.
        self._known: dict[Plan, Outcome] = {}
        # What runs, or ran and was cancelled.
        self._running: Plan | None = None
        self._other = OtherRun(document, jobs, lambda plan: self._known.get(plan), partial(self._fail, self.again))
        document.changed.connect(self._on_changed)

    # What others may ask for

    @property
    def busy(self) -> bool:
        return any(self._jobs.running(key) for key in (OPEN, KEY))

    @property
    def bench(self) -> "Bench | None":
        """None: nothing is simulated, or it is only being prepared."""
        return self._bench

    def start(self, basis: Basis, plan: Plan | None = None) -> None:
        """Calibrates on other samples or in another way, and simulates; without a plan as the model suggests it.

        What is on view stays until it is known that this works.
        """
        path = self._document.session.model
        if path is None:
            return
        take_back(self._jobs)
        self._stage.dismiss(NOTICE)
        self._path = path
        self._prepare(path, basis, plan)

    def edit(self, text: str, plan: Plan) -> None:
        """Another plan on the same bench, as one step that can be undone."""
        simulation = self._document.session.simulation
        if simulation is not None:
            self._document.edit(text, simulation=replace(simulation, plan=plan))

    def choose(self, *, against: str | None = None, sample: int | None = None) -> None:
        """What of it is looked at."""
        simulation = self._document.session.simulation
        if simulation is not None:
            wanted = replace(
                simulation,
                against=simulation.against if against is None else against,
                sample=simulation.sample if sample is None else sample,
            )
            self._document.edit("Compare with another run" if sample is None else "Look at a sample", simulation=wanted)

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
        if self._bench is None:
            self._open(simulation)
        else:
            self._known.pop(simulation.plan, None)
            self._run(simulation)

    def tell(self, notice: Notice) -> None:
        """For whoever has no messages of his own."""
        self._stage.notify(notice)

    def stop(self) -> None:
        """Nothing more comes of what is under way, and the engine ends."""
        for key in (OPEN, KEY, AGAINST):
            self._jobs.cancel(key)
        self._path = self._coming = self._running = None
        self._close_bench()

    def end(self) -> None:
        """The window is closed, and its jobs have ended."""
        if self._bench is not None:
            self._bench.close()
            self._bench.floated.close()
            self._bench = None

    # What follows from the document

    def _on_changed(self, fields: Collection[str]) -> None:
        session = self._document.session
        if "model" in fields and (self._path not in (None, session.model) or self._was_read_again()):
            self.stop()
        if {"model", "session.simulation"} & set(fields):
            self._follow()

    def _was_read_again(self) -> bool:
        """Whether the file may be another one by now; what is read back is shown when the bench is there."""
        is_same = self._bench is not None and self._bench.floated.back is None
        return is_same and self._document.state.simulated is None and not self._jobs.running(OPEN)

    def _follow(self) -> None:
        simulation, model = self._document.session.simulation, self._document.model
        if simulation is None or model is None:
            self._leave()
        elif self._bench is None or not self._bench.suits(simulation.basis, simulation.plan):
            if self._coming is None or self._coming.basis != simulation.basis:
                self._open(simulation)
        elif self._lay(self._bench, model):
            self._run_or_show(simulation)

    def _leave(self) -> None:
        bench = self._bench
        if bench is None or self._document.session.simulation is not None:
            return
        was_read_back, path = bench.floated.back is not None, self._document.session.model
        self.stop()
        self._document.take_simulated(None)
        if self._document.model is None:
            return
        self._document.take_compared(None)
        if was_read_back and path is not None:
            self._stage.open(path, self._document.session)
        else:
            self._stage.compare_again()

    # The bench

    def _open(self, simulation: Simulation) -> None:
        path = self._document.session.model
        if path is not None:
            self._path = path
            self._prepare(path, simulation.basis, simulation.plan)

    def _prepare(self, path: Path, basis: Basis, plan: Plan | None) -> None:
        from errorflow.simulate.floated import floated

        self._jobs.cancel(KEY)
        self._jobs.cancel(AGAINST)
        self._coming = None if plan is None else Simulation(basis, plan)

        def work(progress: Progress) -> "Bench":
            from errorflow.simulate.bench import Bench

            progress.step(0, 0, f"Preparing {path.name}")
            model = floated(path, basis.reference, progress)
            try:
                return Bench.open(model, basis, plan, progress=progress)
            except BaseException:  # a cancel too: nobody gets to close it
                model.close()
                raise

        self._jobs.start(
            OPEN, f"Preparing {path.name}", work, partial(self._take_bench, path), partial(self._fail, self._ask_again)
        )

    def _take_bench(self, path: Path, bench: "Bench") -> None:
        old, self._bench, self._coming = self._bench, bench, None
        self._known, self._running = {}, None
        if old is not None:
            self._close(old)
        if self._document.session.model != path:
            self._close_bench()
            return
        self._stage.stop_comparing()
        self._document.take_simulated(None)
        before = self._document.session.simulation
        fresh = Simulation(bench.basis, bench.plan)
        wanted = fresh if before is None else replace(before, basis=bench.basis, plan=bench.plan)
        if before == wanted:
            self._follow()
        else:
            self._document.edit(BEGIN, simulation=wanted)
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
        """No verdict on samples that were made up is shown without that; what else was odd comes beside it."""
        if bench.made_up:
            text = "The samples were made up: this says nothing about the model in use."
            self._stage.notify(
                Notice("warning", text, "Give samples of real data.", "", "made up", "Samples…", self._stage.ask, True)
            )
        if bench.notes:
            more = f" And {len(bench.notes) - 3} more." if len(bench.notes) > 3 else ""
            self._stage.notify(
                Notice("info", bench.notes[0], " ".join(bench.notes[1:3]) + more, key="samples", of_model=True)
            )

    def _close_bench(self) -> None:
        bench, self._bench = self._bench, None
        self._known = {}
        if bench is not None:
            self._document.take_simulated(None)
            self._close(bench)

    def _close(self, bench: "Bench") -> None:
        """In the background: it waits until what was cancelled has let go of it."""

        def work(_: Progress) -> None:
            bench.close()
            bench.floated.close()

        self._jobs.start(f"{CLOSE} {id(bench)}", "Ending the simulation", work, lambda _: None, ignore_failure, False)

    # Plans

    def _run_or_show(self, simulation: Simulation) -> None:
        known = self._known.get(simulation.plan)
        shown = None if self._document.state.simulated is None else self._document.state.simulated.outcome
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
        self._other.follow(simulation)

    def _run(self, simulation: Simulation) -> None:
        bench = self._bench
        if bench is None:
            return
        plan, sample, graph = simulation.plan, max(simulation.sample, 0), self._document.graph

        def work(progress: Progress, give: "Give[Outcome]") -> "Outcome":
            from errorflow.simulate.outcome import gradually

            first, tell = min(sample, bench.engine.samples - 1), lambda known: give(prepared(known, graph))
            try:
                return prepared(gradually(bench.engine, plan, tell, sample=first, progress=progress), graph)
            except WorkerError:  # the engine has another process by now, which finds all of it again
                return prepared(gradually(bench.engine, plan, tell, sample=first, progress=progress), graph)

        self._jobs.start_in_parts(
            KEY, "Simulating", work, self._take, self._take_last, partial(self._fail, self.again), self._dropped
        )
        self._running = plan  # behind it: a run that another plan ends says nothing
        self._stage.dismiss(NOTICE)

    def _take(self, outcome: "Outcome") -> None:
        if outcome.plan == self._running:
            self._show(outcome)

    def _take_last(self, outcome: "Outcome") -> None:
        self._running = None
        self._remember(outcome)
        self._show(outcome)

    def _remember(self, outcome: "Outcome") -> None:
        self._known.pop(outcome.plan, None)
        self._known[outcome.plan] = outcome
        while len(self._known) > KNOWN:
            del self._known[next(iter(self._known))]

    def _show(self, outcome: "Outcome") -> None:
        simulated, simulation = self._document.state.simulated, self._document.session.simulation
        if simulated is None or simulation is None:
            return
        from errorflow.simulate.tensors import match_of

        sample = simulation.sample if simulation.sample >= 0 else max(outcome.worst_sample, 0)
        match = match_of(simulated.bench.engine, outcome.plan, outcome.comparison, sample)
        compared = Compared(outcome.comparison, match, outcome.findings.blame)
        self._document.take_outcome(replace(simulated, outcome=outcome), compared)
        if outcome.depth != "quick":
            self._document.revise(partial(with_trial, outcome=outcome, bench=simulated.bench))

    def _dropped(self) -> None:
        """The user cancelled: what was found stays; of a plan that nothing is known of the colours are another's."""
        simulation, simulated = self._document.session.simulation, self._document.state.simulated
        if simulation is None or simulated is None or self._running != simulation.plan:
            return
        outcome = simulated.outcome
        has_some = outcome is not None and outcome.plan == simulation.plan
        text = (
            "The simulation was cancelled." if has_some else "The simulation was cancelled before anything was known."
        )
        hint = "What is known stays on view." if has_some else "Colours are those of the plan before."
        self._stage.notify(Notice("info", text, hint, key=NOTICE, button="Go on", pressed=self.again, of_model=True))

    # What goes wrong

    def _ask_again(self) -> None:
        self._stage.ask()

    def _fail(self, again: Callable[[], None], error: ErrorflowError) -> None:
        """A second crash of the native runtime is one of those; the next run starts another process."""
        self._coming = self._running = None
        self.failed.emit(error)
        button = "Change…" if again == self._ask_again else "Try again"
        self._stage.notify(replace(notice_of(error, NOTICE), button=button, pressed=again, of_model=True))
