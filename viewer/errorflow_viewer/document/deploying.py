"""Runs the plan on view as it is deployed, and knows what came of each plan as long as the bench lives."""

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from errorflow.base.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.document.document import Document
from errorflow_viewer.document.state import Simulated, State

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.deployed import Deployed

KEY = "deployed"
TEXT = "Running as deployed"
_KNOWN: "WeakKeyDictionary[Bench, dict[Plan, Deployed]]" = WeakKeyDictionary()


def deployed(bench: "Bench", plan: Plan) -> "Deployed | None":
    """Finds the deployed run of a plan; None: that plan was not run as deployed."""
    return _KNOWN.get(bench, {}).get(plan)


def deployed_lines_of(simulated: Simulated | None, trial: Trial) -> tuple[str, ...]:
    """Writes how the outputs of a trial fare as deployed, a line each; empty where that is not known."""
    if simulated is None or trial.basis != simulated.bench.basis:
        return ()
    from errorflow.report.deployed import output_lines

    found = deployed(simulated.bench, trial.plan)
    return () if found is None else tuple(output_lines(found))


def wished(state: State) -> "tuple[Bench, Plan] | None":
    """The plan on view, if something is known of it, which this run is compared with."""
    simulated, simulation = state.simulated, state.session.simulation
    outcome = None if simulated is None else simulated.outcome
    if simulated is None or outcome is None or simulation is None or outcome.plan != simulation.plan:
        return None
    return simulated.bench, simulation.plan


def is_of_use(wish: "tuple[Bench, Plan]", state: State) -> bool:
    """Whether something is known still of the bench on which the plan that was on view is run."""
    simulated = state.simulated
    return simulated is not None and simulated.bench is wish[0] and simulated.outcome is not None


def ran(bench: "Bench", plan: Plan, progress: Progress) -> "Deployed":
    from errorflow.study.simulate.deployed import deploy_on

    return deploy_on(bench, plan, progress)


def keep(document: Document, wish: "tuple[Bench, Plan]", found: "Deployed") -> None:
    """Keeps a result as long as the bench lives, whatever plan is on view by now."""
    bench, plan = wish
    _KNOWN.setdefault(bench, {})[plan] = found
    if document.state.simulated is not None:
        # The same, anew: more is known of what is on the bench.
        document.take_simulated(replace(document.state.simulated))
