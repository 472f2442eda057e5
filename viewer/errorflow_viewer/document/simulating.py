"""Actions of users on a simulation: begin, change, look at and leave it. What comes of it follows from the session."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from errorflow.base.values import dataclass, replace
from errorflow.case.session.model import Session
from errorflow.graph.model import Model
from errorflow.quant.plan import Plan
from errorflow.study.simulate.basis import Basis
from errorflow_viewer.document.derived import Deriving
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.opening_jobs import take_back
from errorflow_viewer.document.simulation_news import SAMPLES, notices_of
from errorflow_viewer.document.simulation_work import KEY, OPEN, end, show
from errorflow_viewer.document.state import Coming, Simulated
from errorflow_viewer.kit.banner import Notice
from errorflow_viewer.kit.following import follow
from errorflow_viewer.kit.jobs import Jobs

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench

CLOSE = "close bench"
# What the first step is called, and the one that ends it.
BEGIN, LEAVE = "Simulate", "Leave the simulation"
_ON_VIEW = frozenset(("model", "bench", "coming", "session.simulation"))


@dataclass(frozen=True, slots=True)
class SimulatingStage:
    """Interface that simulating has to the window."""

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
    withheld: Callable[[], bool] = lambda: False  # whether nothing can be run here, which it says


class Simulating(QObject):
    """A session that says what is simulated is simulated when its model is on view."""

    # Somebody wants to simulate: whoever holds the form brings it, or starts.
    asked = Signal()

    def __init__(
        self, document: Document, derived: Deriving, jobs: Jobs, stage: SimulatingStage, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._document, self._derived, self._jobs, self._stage = document, derived, jobs, stage
        # It has to be closed.
        self._open: Bench | None = None
        derived.ways[OPEN] = "Change…", stage.ask
        follow(self, document.changed, self._on_changed, ("bench", "session.simulation", *_ON_VIEW))

    @property
    def busy(self) -> bool:
        return any(self._derived.running(key) is not None for key in (OPEN, KEY))

    @property
    def bench(self) -> "Bench | None":
        """Bench; None: nothing is simulated, or it is only being prepared."""
        return self._document.state.bench

    # What users do

    def start(
        self, basis: Basis, plan: Plan | None = None, text: str = BEGIN, begun: Callable[[], None] | None = None
    ) -> None:
        """Calibrates on other samples or in another way, and simulates; without a plan as the model suggests it.

        What is on view stays until it is known that this works: then `begun` is called. `text`: of the step.
        """
        simulation = self._document.session.simulation
        if self._document.session.model is not None and not self._stage.withheld():
            take_back(self._jobs)
            before = None if simulation is None else simulation.plan
            self._document.learn(coming=Coming(basis, plan, before, text, begun))

    def edit(self, text: str, plan: Plan) -> None:
        """Edits the plan on the same bench, as one step that can be undone."""
        simulation = self._document.session.simulation
        if simulation is not None and not self._stage.withheld():
            self._document.edit(text, simulation=replace(simulation, plan=plan))

    def look_at(self, sample: int) -> None:
        """Looks at the tensors of that sample; -1: of the worst."""
        simulation = self._document.session.simulation
        if simulation is not None:
            self._document.edit("Look at a sample", simulation=replace(simulation, sample=sample))
            case, run = self._document.state.case, self._derived.running(KEY)
            if run is not None and case is not None and case.outcome is not None and case.outcome.plan == run.plan:
                show(self._document, run, case)  # as far as it is known

    def leave(self) -> None:
        """Back to what was on view before anything was simulated."""
        self._document.edit(LEAVE, simulation=None)

    def again(self) -> None:
        """Goes on with what was cancelled or failed."""
        simulation, simulated = self._document.session.simulation, self._document.state.simulated
        if simulation is None:
            self._stage.ask()
        elif self.bench is None or not self.bench.suits(simulation.basis, simulation.plan):
            self._derived.ask(OPEN)
        else:
            if simulated is not None:
                self._document.take_simulated(simulated.forgets(simulation.plan))
            self._derived.ask(KEY)

    def tell(self, notice: Notice) -> None:
        """Tells, for those that have no messages of their own."""
        self._stage.notify(notice)

    def end(self) -> None:
        """The window is closed, and its jobs have ended."""
        bench, self._open = self._open, None
        if bench is not None:
            self._document.learn(bench=None)
            end(bench)

    # What follows from the document

    def _on_changed(self, fields: Collection[str]) -> None:
        session = self._document.session
        if "bench" in fields:
            self._change_bench()
        if "session.simulation" in fields and session.simulation is None and session.bundle is None:
            self._go_back(is_same="model" not in fields)
        elif not _ON_VIEW.isdisjoint(fields):
            self._lay()

    def _change_bench(self) -> None:
        """Changes the bench: what is told of its samples takes the place of what was told of those before."""
        old, self._open = self._open, self.bench
        self._stage.dismiss(SAMPLES)
        if old is not None:  # in the background: it waits until what was cancelled has let go of it
            self._jobs.quietly(f"{CLOSE} {id(old)}", "Ending the simulation", lambda _: end(old))
        if self.bench is not None:
            self._stage.stop_comparing()
            for notice in notices_of(self.bench, self._stage.ask):
                self._stage.notify(notice)

    def _lay(self) -> None:
        """Lays a model on view before it is simulated, where it was read again, or read back, or has more nodes."""
        state, bench = self._document.state, self.bench
        simulation = state.session.simulation if state.coming is None else None
        if state.model is None or bench is None or simulation is None or state.simulated is not None:
            return
        if bench.suits(simulation.basis, simulation.plan):
            if state.model.path != bench.model.path:
                self._stage.show(bench.model, state.session)
            else:
                self._document.take_simulated(Simulated(bench))

    def _go_back(self, is_same: bool) -> None:
        """Goes back to what was on view before, if it is the same model still: nothing is simulated any more."""
        bench, session = self.bench, self._document.session
        self._document.take_bench(None)
        if not is_same or self._document.model is None:
            return
        self._document.take_case(None)
        if bench is None or bench.is_users:
            self._stage.compare_again()
        elif bench.floated.back is None:
            self._stage.show(bench.floated.model, session)
        elif session.model is not None:
            self._stage.open(session.model, session)
