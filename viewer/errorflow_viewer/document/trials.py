"""The trials of a session: each plan that was seen through is one."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from errorflow.case.session.model import Session
from errorflow.study.simulate.trial import Trial

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome

_NUMBERED = re.compile("Run ([0-9]{1,9})")
_NOTED: "WeakKeyDictionary[Outcome, Trial]" = WeakKeyDictionary()


def noted(outcome: "Outcome", bench: "Bench") -> Trial:
    """What is kept of it, without a name: worked out once, best in the background."""
    known = _NOTED.get(outcome)
    if known is None:
        from errorflow.study.simulate.trying import trial_of

        known = _NOTED[outcome] = trial_of("", outcome, bench)
    return known


def with_trial(session: Session, found: Trial) -> Session:
    """One that is known already has its numbers renewed."""
    trials, key = session.trials, (found.plan, found.basis)
    at = next((number for number, each in enumerate(trials) if (each.plan, each.basis) == key), None)
    if at is None:
        return replace(session, trials=(*trials, replace(found, name=_fresh(session))))
    return replace(session, trials=(*trials[:at], _renewed(trials[at], found), *trials[at + 1 :]))


def _renewed(before: Trial, found: Trial) -> Trial:
    """What was evaluated for real does not depend on what was simulated again."""
    return replace(found, name=before.name, accuracy=before.accuracy)


def _fresh(session: Session) -> str:
    """A number above all that are in use, also by those that were given another name since."""
    found = (_NUMBERED.fullmatch(trial.name) for trial in session.trials)
    return f"Run {max(len(session.trials), *(int(each[1]) for each in found if each), 0) + 1}"
