"""Runs the plan on view as it is deployed, and knows what came of each plan as long as the bench lives."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from errorflow.errors import ErrorflowError
from errorflow.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.simulate.trial import Trial
from errorflow_viewer.banner import notice_of
from errorflow_viewer.desk import Desk
from errorflow_viewer.state import Simulated

if TYPE_CHECKING:
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.deployed import Deployed

KEY = "deployed"
TEXT = "Running as deployed"
_KNOWN: "WeakKeyDictionary[Bench, dict[Plan, Deployed]]" = WeakKeyDictionary()


def deployed(bench: "Bench", plan: Plan) -> "Deployed | None":
    """None: that plan was not run as deployed."""
    return _KNOWN.get(bench, {}).get(plan)


def deployed_lines_of(simulated: Simulated | None, trial: Trial) -> tuple[str, ...]:
    """How the outputs of a trial fare as deployed, a line each; empty where that is not known."""
    if simulated is None or trial.basis != simulated.bench.basis:
        return ()
    from errorflow.report.deployed import output_lines

    found = deployed(simulated.bench, trial.plan)
    return () if found is None else tuple(output_lines(found))


def can_deploy(desk: Desk) -> bool:
    """Whether something is known of the plan on view, which this run is compared with."""
    simulated, simulation = desk.document.state.simulated, desk.document.session.simulation
    if simulated is None or simulated.outcome is None or simulation is None:
        return False
    return simulated.outcome.plan == simulation.plan


def deploy(desk: Desk) -> None:
    """What comes of it is shown by the panel, which is brought."""
    simulated, simulation = desk.document.state.simulated, desk.document.session.simulation
    if simulated is None or simulation is None or not can_deploy(desk):
        return
    bench, plan = simulated.bench, simulation.plan

    def work(progress: Progress) -> "Deployed":
        from errorflow.simulate.deployed import deploy_on

        return deploy_on(bench, plan, progress)

    desk.show_panel("simulate")
    desk.jobs.start(KEY, TEXT, work, partial(_take, desk, bench, plan), partial(_fail, desk, bench))


def _take(desk: Desk, bench: "Bench", plan: Plan, found: "Deployed") -> None:
    _KNOWN.setdefault(bench, {})[plan] = found
    simulated = desk.document.state.simulated
    if simulated is not None and simulated.bench is bench:
        # The same, anew: more is known of what is on the bench.
        desk.document.take_simulated(replace(simulated))


def _fail(desk: Desk, bench: "Bench", error: ErrorflowError) -> None:
    """A bench that is gone has ended the run, which nobody waits for."""
    if desk.simulating.bench is bench:
        notice = notice_of(error, KEY)
        desk.simulating.tell(replace(notice, button="Try again", pressed=partial(deploy, desk)))
