"""The way through a flow, as values: what is found out of a step, what the user writes down, and where that leads."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base import UsageError, dataclass, replace
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import GuideProgress
from errorflow.guides.gathering import (
    of_accuracy,
    of_alignment,
    of_curves,
    of_ends,
    of_findings,
    of_outliers,
    of_ranking,
    of_search,
    together,
)
from errorflow.guides.judging import JudgedStep, asked_of, judge, seen_of, with_seen
from errorflow.guides.model import OUTCOME_LABELS, Flow, SeenResult, Step

if TYPE_CHECKING:
    from errorflow.explain.findings.model import Findings
    from errorflow.study.rank.model import Ranking
    from errorflow.study.simulate.trial import Accuracy

_SHARES = ("float_accuracy", "accuracy")
_COUNTS = ("calibration_images",)
TABLE = "table"
# Of a count, what nobody can mean.
_LARGEST = 1e9


def seen_now(
    step: Step,
    setup: Setup | None = None,
    findings: "Findings | None" = None,
    ranking: "Ranking | None" = None,
    accuracy: "Accuracy | None" = None,
    simulated: bool = False,
) -> SeenResult:
    """Finds what is on view as far as this step is about it. Tables are read again, as their files have more in
    them.
    """
    found: list[SeenResult] = []
    keys = {check.key for check in step.checks}
    if findings is not None and is_of(step, setup, simulated) and step.scenario != TABLE:
        found.append(of_findings(findings))
    if findings is not None and simulated and "simulated" in keys:  # whose error that is makes no names for commands
        found.append(of_ends(findings))
    if ranking is not None and ranking.complete and "sensitive" in keys:
        found.append(of_ranking(ranking))
    if accuracy is not None and "accuracy" in dict(asked_of(step)):
        found.append(of_accuracy(accuracy))
    return together(found)


def seen_in_result(step: Step, result: object) -> SeenResult:
    """Finds what was worked out beside the model on view: curves, two pipelines, a search, loud channels."""
    from errorflow.explain.outliers.model import OutlierTable
    from errorflow.study.align.model import Alignment
    from errorflow.study.rank.curves import Curves
    from errorflow.study.search.model import Search

    keys = {check.key for check in step.checks}
    if isinstance(result, Curves) and ("curves" if result.kind == "cumulative" else "partial") in keys:
        return of_curves(result)
    if isinstance(result, Alignment) and "alike" in keys:
        is_measured = any(row.measured for row in result.rows)
        return of_alignment(result.fault is None if is_measured else None, result.text)
    if isinstance(result, Search) and "fewest" in keys:
        return of_search(result)
    if isinstance(result, OutlierTable) and "outliers" in keys:
        return of_outliers(result)
    return SeenResult()


def is_of(step: Step, setup: Setup | None, simulated: bool = False) -> bool:
    """Whether what is compared is what this step compares; one without a comparison takes what is simulated."""
    if not step.scenario:
        return simulated and any(check.key == "output" for check in step.checks)
    return not simulated and setup is not None and setup.scenario == step.scenario


def found_out(
    progress: GuideProgress, step: Step, seen: SeenResult, when: str, files: Mapping[str, Path]
) -> GuideProgress:
    """Adds what was found, and how the step ended by that. What only the user can say stays open."""
    if not seen.numbers and not seen.texts:
        return progress
    known = with_seen(progress, step.key, seen)
    known = known.with_step(step.key, files={**known.step(step.key).files, **files})
    return judged_anew(known, step, when)


def judged_anew(progress: GuideProgress, step: Step, when: str) -> GuideProgress:
    """Judges how the step ends by all that is known of it."""
    outcome = judged_of(progress, step).outcome
    if step.by_hand or not outcome or outcome == progress.step(step.key).outcome:
        return progress
    return progress.with_step(step.key, outcome=str(outcome), when=when)


def proposed_of(progress: GuideProgress, step: Step) -> str:
    """Proposes how a step that only the user ends would end by what was measured; "": it has ended, or nothing says."""
    is_open = step.by_hand and not progress.step(step.key).outcome
    return str(judged_of(progress, step).outcome) if is_open else ""


def judged_of(progress: GuideProgress, step: Step) -> JudgedStep:
    return judge(step, seen_of(progress.step(step.key)))


def with_number(progress: GuideProgress, step: Step, name: str, value: float | None, when: str) -> GuideProgress:
    """The user wrote down a number; None: none any more."""
    others = {key: number for key, number in progress.step(step.key).numbers.items() if key != name}
    numbers = others if value is None else {**others, name: value}
    changed = progress.with_step(step.key, numbers=numbers)
    if value is None and not judged_of(changed, step).outcome and not step.by_hand:
        return changed.with_step(step.key, outcome="", when="")
    return judged_anew(changed, step, when)


def with_file(progress: GuideProgress, step: Step, need: str, path: Path | None) -> GuideProgress:
    others = {key: given for key, given in progress.step(step.key).files.items() if key != need}
    return progress.with_step(step.key, files=others if path is None else {**others, need: path})


def begun(flow: Flow, answers: Mapping[str, str], before: GuideProgress | None) -> GuideProgress:
    """Begins at the first step; what is known of the user's files stays."""
    fresh = GuideProgress(flow.key, dict(answers), flow.steps[0].key)
    return fresh if before is None else replace(fresh, given=before.given)


def read_number(name: str, text: str) -> float | None:
    """Reads a number of the user's; None: nothing. Accuracies may be written as 78.8 % or 0.788."""
    written = text.strip().replace(",", ".") if name not in _COUNTS else text.strip().replace(",", "")
    if not written:
        return None
    percent = written.endswith("%")
    try:
        value = float(written.rstrip("%").strip())
    except ValueError as error:
        raise UsageError(f"{text.strip()[:40]} is no number.", "Write 0.788 or 78.8 %.") from error
    if name in _COUNTS:
        if not (0 < value < _LARGEST and value == int(value)):
            raise UsageError(f"{text.strip()[:40]} is no count.", "Write a whole number.")
        return value
    value = value / 100 if percent or (name in _SHARES and value > 1) else value
    if not (0 <= value <= 1 if name in _SHARES else -1 <= value <= 1):
        raise UsageError(f"{text.strip()[:40]} is no share.", "Write 0.788 or 78.8 %.")
    return value


def number_text(name: str, value: float) -> str:
    """Writes a number as a field shows it."""
    return f"{value:.0f}" if name in _COUNTS else f"{value * 100:g} %" if name in _SHARES else f"{value:.6g}"


@dataclass(frozen=True, slots=True)
class DoneStep:
    """A step that was done, as a line of what was found."""

    title: str
    outcome: str
    text: str
    when: str


def told(flow: Flow, progress: GuideProgress) -> tuple[DoneStep, ...]:
    """Lists the results of the steps so far, in the order of the flow: for the last step, and for a ticket."""
    from errorflow.guides.table import FLOWS

    # What another guide found before it led to this one stands under that one's name.
    others = [(f"{each.key}/{step.key}", step) for each in FLOWS if each is not flow for step in each.steps]
    found = []
    for key, step in (*others, *((step.key, step) for step in flow.steps)):
        known = progress.step(key)
        if not known.outcome:
            continue
        judged = judge(step, seen_of(known))
        texts = [
            f"{check.label}: {each.text}"
            for check, each in zip(step.checks, judged.checked, strict=True)
            if each.state != "not measured"
        ]
        outcome = OUTCOME_LABELS.get(known.outcome, known.outcome)
        found.append(DoneStep(step.title, outcome, " ".join(texts), known.when))
    return tuple(found)


def told_text(flow: Flow, progress: GuideProgress) -> str:
    """The same to paste into a ticket."""
    lines = [flow.title, f"Follows: {flow.source}" if flow.source else ""]
    for each in told(flow, progress):
        lines.append(f"{each.title}: {each.outcome} ({each.when}). {each.text}".rstrip())
    return "\n".join(filter(None, lines))
