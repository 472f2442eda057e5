"""The trials of a session: each plan that was seen through is one."""

from dataclasses import replace
from typing import TYPE_CHECKING

from errorflow.session.model import Session

if TYPE_CHECKING:
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.outcome import Outcome


def with_trial(session: Session, outcome: "Outcome", bench: "Bench") -> Session:
    """One that is known already has its numbers renewed."""
    from errorflow.simulate.trying import trial_of

    trials, key = session.trials, (outcome.plan, bench.basis)
    at = next((number for number, each in enumerate(trials) if (each.plan, each.basis) == key), None)
    if at is None:
        return replace(session, trials=(*trials, trial_of(_fresh(session), outcome, bench)))
    return replace(session, trials=(*trials[:at], trial_of(trials[at].name, outcome, bench), *trials[at + 1 :]))


def _fresh(session: Session) -> str:
    """A name that no trial has."""
    taken = {trial.name for trial in session.trials}
    return next(name for number in range(1, len(taken) + 2) if (name := f"Run {number}") not in taken)
