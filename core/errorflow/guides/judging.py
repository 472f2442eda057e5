"""End of a step: its checks, and the outcome that they make."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from errorflow.base.values import dataclass, replace
from errorflow.case.session.model import GuideProgress, StepProgress
from errorflow.guides.model import ACCUSING, OUTCOMES, Checked, Flow, Outcome, SeenResult, Step, Way

# What all steps of a flow take alike, whichever it was given to.
SHARED = ("samples", "labels")


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """Checks of a step in its order, and what they make; "": not known yet."""

    checked: tuple[Checked, ...]
    outcome: Outcome | str = ""
    # What the outcome stands on: the label of the check that decided, and what it found.
    evidence: str = ""


def judge(step: Step, seen: SeenResult) -> JudgedStep:
    """The first check that was measured decides, but for those that stand aside."""
    checked = tuple(check.look(seen) for check in step.checks)
    deciding = [found for check, found in zip(step.checks, checked, strict=True) if not check.aside]
    state = next((found.state for found in deciding if found.state != "not measured"), "")
    outcome = _outcome(step, state, seen)
    if outcome == "passed" and _lacks_what_counts(step, checked):
        outcome = "undecided"
    return JudgedStep(checked, outcome, _evidence(step, checked) if outcome else "")


def _lacks_what_counts(step: Step, checked: Sequence[Checked]) -> bool:
    open_ = [check.counts and found.state == "not measured" for check, found in zip(step.checks, checked, strict=True)]
    return any(open_) and any(way.outcome == "undecided" for way in step.ways)


def _evidence(step: Step, checked: Sequence[Checked]) -> str:
    """The first check that was measured, in words."""
    both = zip(step.checks, checked, strict=True)
    told = ((check, found.text) for check, found in both if found.state != "not measured")
    return next((f"{check.label}: {text}" for check, text in told if not check.aside), "")


def _outcome(step: Step, state: str, seen: SeenResult) -> Outcome | str:
    kind = seen.texts.get("kind", "")
    told = [way.outcome for way in step.ways]
    if kind == "inputs differ" and kind in told and state:  # whatever the numbers are, they compare two things
        return kind
    if state in ("", "passed"):
        return state
    if seen.numbers.get("wide") and "exhausted" in told:
        return "exhausted"
    fits = next((each for each in ACCUSING if each == kind and each in told), None)
    return state if fits is None else fits


def with_seen(progress: GuideProgress, step: str, seen: SeenResult) -> GuideProgress:
    """Adds numbers to a step; what was known of it and is not looked for anew stays."""
    known = progress.step(step)
    numbers = {name: value for name, value in {**known.numbers, **seen.numbers}.items() if not math.isnan(value)}
    return progress.with_step(step, numbers=numbers, texts={**known.texts, **seen.texts})


def seen_of(step: StepProgress) -> SeenResult:
    """Reads what a session keeps of a step."""
    return SeenResult(step.numbers, step.texts)


def asked_of(step: Step) -> tuple[tuple[str, str], ...]:
    """The numbers that the user may write down, each with its label."""
    return tuple(dict.fromkeys(each for check in step.checks for each in check.asked))


def finished(progress: GuideProgress, step: Step, outcome: str, when: str) -> GuideProgress:
    """The step is done and ended so; one stays at it, to read where it leads."""
    return replace(progress.with_step(step.key, outcome=outcome, when=when), at=step.key)


def led(progress: GuideProgress, way: Way) -> GuideProgress:
    """Goes to the step that a way leads to, which is done anew where it was done before."""
    flow, _, step = way.to.rpartition("/")
    if flow and flow != progress.flow:
        return replace(progress, flow=flow, answers={}, at=step, steps=_into(progress, flow, step))
    key = step if flow else way.to
    again = progress.with_step(key, outcome="", when="") if progress.step(key).outcome else progress
    return replace(again, at=key)


def _into(progress: GuideProgress, flow: str, at: str) -> Mapping[str, StepProgress]:
    """Takes along under its name what another guide found, and what its steps were given and the new one takes, too."""
    from errorflow.guides.table import flow_of

    before, target = flow_of(progress.flow), flow_of(flow).step(at)
    done = {key if "/" in key else f"{before.key}/{key}": step for key, step in progress.steps.items() if step.outcome}
    needs = {} if target is None else {wanted.need.key: wanted.need for wanted in target.wanted}
    files = {
        need.key: path
        for step in before.steps
        for need in (wanted.need for wanted in step.wanted)
        if needs.get(need.key) == need and (path := progress.step(step.key).files.get(need.key)) is not None
    }
    asked = {} if target is None else dict(asked_of(target))
    # That of the other model was another one's.
    known = [step.numbers["float_accuracy"] for step in progress.steps.values() if "float_accuracy" in step.numbers]
    numbers = {"float_accuracy": known[-1]} if known and "float_accuracy" in asked else {}
    return {**done, at: StepProgress(files=files, numbers=numbers)} if files or numbers else done


def now(flow: Flow, progress: GuideProgress) -> Step:
    """The step that one is at."""
    found = flow.step(progress.at)
    return flow.steps[0] if found is None else found


def state_of(flow: Flow, progress: GuideProgress, step: Step) -> str:
    """`done`, `close`, `failed`, `now` or `later`, as the list of steps shows it."""
    outcome = progress.step(step.key).outcome
    if outcome in OUTCOMES:
        return {"passed": "done", "undecided": "close", "close": "close", "doubt": "close"}.get(outcome, "failed")
    return "now" if now(flow, progress).key == step.key else "later"


def carried_file(flow: Flow, progress: GuideProgress, step: Step, need: str) -> Path | None:
    """Finds what an earlier step was given for the same thing; None: nothing was."""
    if need in SHARED:
        return next((path for each in flow.steps if (path := progress.step(each.key).files.get(need))), None)
    wanted = next((each for each in step.wanted if each.need.key == need), None)
    if wanted is None or wanted.carried is None or flow.step(wanted.carried[0]) is None:
        return None
    return progress.step(wanted.carried[0]).files.get(wanted.carried[1])
