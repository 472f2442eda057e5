"""The run that is compared with, simulated on ranges of its own where it had others."""

from typing import TYPE_CHECKING

from errorflow.base.progress import Progress
from errorflow.base.values import dataclass, field, replace
from errorflow.case.session.model import Session
from errorflow.graph.model import Graph
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.finding import prepared
from errorflow_viewer.document.state import State

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome

AGAINST = "against"


@dataclass(frozen=True)
class TrialRequest:
    """The bench on view, and what is compared with there, whatever it is called."""

    bench: "Bench"
    of: tuple[object, ...]
    trial: Trial = field(compare=False)
    graph: Graph | None = field(compare=False)


def wished(state: State) -> TrialRequest | None:
    simulated, simulation = state.simulated, state.session.simulation
    trial = None if simulation is None else trial_named(state.session, simulation.against)
    if state.model is None or simulated is None or trial is None:
        return None
    return TrialRequest(simulated.bench, (trial.plan, trial.basis), trial, state.place.graph(state.model))


def known(state: State, wish: TrialRequest) -> "Outcome | None":
    """Finds what is known already of that plan on the bench on view."""
    is_here = state.simulated is not None and wish.trial.basis == wish.bench.basis
    return state.simulated.knows(wish.trial.plan) if is_here and state.simulated is not None else None


def take(document: Document, outcome: "Outcome | None") -> None:
    simulated = document.state.simulated
    if simulated is not None and simulated.against is not outcome:
        document.take_simulated(replace(simulated, against=outcome))


def worked_out(wish: TrialRequest, progress: Progress) -> "Outcome":
    return _simulated(wish.bench, wish.trial, wish.graph, progress)


def _simulated(bench: "Bench", trial: Trial, graph: Graph | None, progress: Progress) -> "Outcome":
    from errorflow.case.simulating import outcome_of
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import floated

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
