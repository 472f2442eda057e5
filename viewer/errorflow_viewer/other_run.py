"""Simulates the run that is compared with, on ranges of its own where it had others."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph
from errorflow.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.session.model import Session, Simulation
from errorflow.simulate.basis import Basis
from errorflow.simulate.trial import Trial
from errorflow_viewer.document import Document
from errorflow_viewer.finding import prepared
from errorflow_viewer.jobs import Give, Jobs

if TYPE_CHECKING:
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.outcome import Outcome

AGAINST = "against"


class OtherRun:
    """Keeps `State.simulated.against` in step with what the session says."""

    def __init__(
        self,
        document: Document,
        jobs: Jobs,
        known: "Callable[[Plan], Outcome | None]",
        fail: Callable[[ErrorflowError], None],
        dropped: Callable[[], None],
    ) -> None:
        self._document = document
        self._jobs = jobs
        self._known = known
        self._fail = fail
        self._dropped = dropped
        # The bench on view, and what is compared with there or is being simulated for that.
        self._of: tuple[Bench, Plan, Basis] | None = None

    def follow(self, simulation: Simulation) -> None:
        simulated = self._document.state.simulated
        trial = trial_named(self._document.session, simulation.against)
        if simulated is None or trial is None:
            self.forget()
            self._take(None)
            return
        wanted = simulated.bench, trial.plan, trial.basis
        if self._of == wanted and (simulated.against is not None or self._jobs.running(AGAINST)):
            return
        self.forget()
        self._of = wanted
        known = self._known(trial.plan) if trial.basis == simulated.bench.basis else None
        if known is not None:
            self._take(known)
        else:
            self._simulate(simulated.bench, trial)

    def forget(self) -> None:
        """Nothing is compared with any more."""
        self._of = None
        self._jobs.cancel(AGAINST)

    def _simulate(self, bench: "Bench", trial: Trial) -> None:
        self._take(None)  # what is there is of another run
        graph = self._document.graph

        def work(progress: Progress, _give: "Give[Outcome]") -> "Outcome":
            return _simulated(bench, trial, graph, progress)

        text = f"Simulating {trial.name}"
        self._jobs.start_in_parts(AGAINST, text, work, self._take, self._take, self._fail, self._drop)

    def _drop(self) -> None:
        if self._of is not None:  # the user does not want to wait for it
            self._dropped()

    def _take(self, outcome: "Outcome | None") -> None:
        simulated = self._document.state.simulated
        if simulated is not None and simulated.against is not outcome:
            self._document.take_simulated(replace(simulated, against=outcome))


def _simulated(bench: "Bench", trial: Trial, graph: Graph | None, progress: Progress) -> "Outcome":
    from errorflow.case.simulating import outcome_of
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.floated import floated

    if bench.suits(trial.basis, trial.plan):
        return prepared(outcome_of(bench, trial.plan, quick=True, progress=progress), graph)
    with (
        floated(bench.floated.path, trial.basis.reference, progress) as model,
        Bench.open(model, trial.basis, trial.plan, progress=progress) as other,
    ):
        return prepared(outcome_of(other, trial.plan, quick=True, progress=progress), graph)


def trial_named(session: Session, name: str) -> Trial | None:
    return next((trial for trial in session.trials if trial.name == name), None)


def trial_on_view(session: Session) -> Trial | None:
    """The one whose plan and basis are simulated now; None: it is not known yet, or nothing is simulated."""
    simulation = session.simulation
    if simulation is None:
        return None
    wanted = simulation.plan, simulation.basis
    return next((trial for trial in session.trials if (trial.plan, trial.basis) == wanted), None)
