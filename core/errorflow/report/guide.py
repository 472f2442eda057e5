"""A guide on a terminal, and as plain values for programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from errorflow.base.values import dataclass
from errorflow.case.scenarios.call import call_of
from errorflow.case.scenarios.filling import Filling
from errorflow.case.scenarios.found import Discovered
from errorflow.case.session.model import GuideProgress
from errorflow.guides.facts import Facts, word
from errorflow.guides.judging import JudgedStep
from errorflow.guides.lying import filling_of, row_of
from errorflow.guides.model import (
    OUTCOME_LABELS,
    OUTCOME_WHEN,
    Flow,
    GuideAnswer,
    GuideQuestion,
    How,
    Step,
    StepNeed,
    Way,
)

_NOTHING = "Nothing that decides was measured."
MARKS = {"passed": "+", "close": "~", "failed": "-", "not measured": "?"}


@dataclass(frozen=True)
class FlowInput:
    """Facts for a flow: names for its commands, and what lies in folders."""

    flow: Flow
    facts: Facts
    progress: GuideProgress
    discovered: Discovered
    # Scripts are printed in full.
    whole: bool = False


def flows_lines(flows: Sequence[Flow], questions: Sequence[GuideQuestion]) -> Iterator[str]:
    """Yields all flows, and the questions that lead to them."""
    for flow in flows:
        yield f"{flow.title} [{flow.key}]"
        yield f"  {flow.story}"
        yield f"  {len(flow.steps)} steps: {', '.join(step.key for step in flow.steps)}"
        yield ""
    yield "Which one?"
    for question in questions:
        yield f"  {question.title}"
        for answer in question.answers:
            keys = [flow.key for flow in flows if flow.answers.get(question.key) == answer.key]
            yield f"    {answer.title}: {', '.join(keys)}"
    yield ""
    yield "`errorflow guide FLOW` prints the steps of one, with commands to copy."


def flow_lines(told: FlowInput, steps: Sequence[Step]) -> Iterator[str]:
    flow = told.flow
    yield f"{flow.title} [{flow.key}]"
    yield f"{flow.story}"
    if flow.source:
        yield f"Follows: {flow.source}"
    for step in steps:
        yield ""
        yield from _step_lines(told, step)
    yield from (f"! {problem}" for problem in told.discovered.problems)


def _step_lines(told: FlowInput, step: Step) -> Iterator[str]:
    number = told.flow.steps.index(step) + 1
    yield f"Step {number} of {len(told.flow.steps)}: {step.title} [{step.key}]"
    yield f"  {step.why}"
    yield from (f"  - {text}" for text in step.advice)
    filling = filling_of(told.flow, step, told.progress, told.discovered)
    for wanted in step.wanted:
        yield from _wanted_lines(told, step, wanted, filling)
    for how in step.how:
        yield from _how_lines(told, how, "  ")
    for do in step.do:
        where = f" ({do.where} in the window)" if do.where else ""
        yield f"  Then: {do.label}{where}"
        if do.call is not None:
            yield f"    {do.call(told.facts)}"
        elif not do.action and step.scenario and step.scenario != "table":
            yield f"    {_compare(step, filling)}"
        if do.label == "Compare":
            yield f"    Add --session {word(told.facts.case)} to keep it for the report and the ticket."
    yield from (f"  Check: {check.label}: {check.rule}" for check in step.checks)
    yield from (_way_line(told.flow, way) for way in step.ways)


def _compare(step: Step, filling: Filling) -> str:
    row = row_of(step)
    lack = filling.lack(row)
    return f"Not yet. {lack}" if lack else call_of(filling.setup(row))


def _way_line(flow: Flow, way: Way) -> str:
    return f"  {OUTCOME_WHEN[way.outcome]}: {_named(flow, way.to)}. {way.why}"


def _named(flow: Flow, to: str) -> str:
    step = flow.step(to)
    return f"guide {to}" if step is None else f"step {flow.steps.index(step) + 1}, {step.title}"


def _wanted_lines(told: FlowInput, step: Step, wanted: StepNeed, filling: Filling) -> Iterator[str]:
    need = wanted.need
    path = filling.setup(row_of(step)).file(need.key)
    head = "Needs" if need.required else "Takes"
    fitting = filling.fitting(need)
    if path is not None:
        note = filling.note(row_of(step), need)
        yield f"  {head}: {need.label}: {told.discovered.shown(path)}{f' ({note})' if note else ''}"
        return
    if fitting:
        names = ", ".join(told.discovered.shown(found.path) for found in fitting)
        yield f"  {head}: {need.label}: {names}?"
    else:
        missing = "missing" if need.required else "not given"
        yield f"  {head}: {need.label}: {missing}. {need.what} {need.obtain}"
    for how in wanted.how:
        yield from _how_lines(told, how, "    ")


def _how_lines(told: FlowInput, how: How, indent: str) -> Iterator[str]:
    text = how.text(told.facts)
    if how.file is None:
        yield f"{indent}{how.title}:"
        yield f"{indent}  {text}"
    else:
        yield f"{indent}{how.title}: {how.file(told.facts)}"
        if how.form == "file" or told.whole:
            yield from (f"{indent}  | {line}" for line in text.splitlines())
    if how.note:
        yield f"{indent}  {how.note}"


def judged_lines(flow: Flow, step: Step, judged: JudgedStep) -> Iterator[str]:
    """The checks, what they make, and where that leads."""
    yield f"{flow.title}, step {flow.steps.index(step) + 1} of {len(flow.steps)}: {step.title}"
    for check, found in zip(step.checks, judged.checked, strict=True):
        yield f"  {MARKS[found.state]} {check.label} ({check.rule}): {found.text}"
    if not judged.outcome:
        yield from (_way_line(flow, way) for way in step.ways) if step.by_hand else [_NOTHING]
        return
    yield f"Outcome: {OUTCOME_LABELS[judged.outcome]}."
    if judged.evidence:
        yield f"It stands on: {judged.evidence}"
    way = step.way(judged.outcome)
    if way is not None:
        yield f"Next: {_named(flow, way.to)}. {way.why}"


# As values


def flows_data(flows: Sequence[Flow], questions: Sequence[GuideQuestion]) -> dict[str, Any]:
    return {
        "flows": [_flow_data(flow) for flow in flows],
        "questions": [
            {"key": row.key, "title": row.title, "answers": [_answer_data(answer) for answer in row.answers]}
            for row in questions
        ],
    }


def _answer_data(answer: GuideAnswer) -> dict[str, str]:
    return {"key": answer.key, "title": answer.title, "story": answer.story}


def _flow_data(flow: Flow) -> dict[str, Any]:
    return {
        "key": flow.key,
        "title": flow.title,
        "story": flow.story,
        "vendor": flow.vendor,
        "source": flow.source,
        "answers": dict(flow.answers),
        "steps": [step.key for step in flow.steps],
    }


def flow_data(told: FlowInput, steps: Sequence[Step]) -> dict[str, Any]:
    found = {**_flow_data(told.flow), "steps": [_step_data(told, step) for step in steps]}
    return {**found, "problems": list(told.discovered.problems)}


def _step_data(told: FlowInput, step: Step) -> dict[str, Any]:
    filling = filling_of(told.flow, step, told.progress, told.discovered)
    files = filling.setup(row_of(step)).files
    return {
        "key": step.key,
        "title": step.title,
        "why": step.why,
        "scenario": step.scenario,
        "optional": step.optional,
        "advice": list(step.advice),
        "needs": [
            {
                "key": each.need.key,
                "label": each.need.label,
                "required": each.need.required,
                "file": str(files[each.need.key]) if each.need.key in files else None,
                "how": [_how_data(told.facts, how) for how in each.how],
            }
            for each in step.wanted
        ],
        "how": [_how_data(told.facts, how) for how in step.how],
        "do": [
            {"label": do.label, "where": do.where, "call": "" if do.call is None else do.call(told.facts)}
            for do in step.do
        ],
        "compare": _compare(step, filling) if step.scenario and step.scenario != "table" else "",
        "checks": [
            {"key": check.key, "label": check.label, "rule": check.rule, "source": check.source}
            for check in step.checks
        ],
        "ways": [{"outcome": way.outcome, "to": way.to, "why": way.why} for way in step.ways],
    }


def _how_data(facts: Facts, how: How) -> Mapping[str, str]:
    file = "" if how.file is None else how.file(facts)
    return {"title": how.title, "form": how.form, "file": file, "text": how.text(facts), "note": how.note}


def judged_data(flow: Flow, step: Step, judged: JudgedStep) -> dict[str, Any]:
    way = step.way(judged.outcome) if judged.outcome else None
    checks = [
        {"key": check.key, "label": check.label, "rule": check.rule, "state": found.state, "text": found.text}
        for check, found in zip(step.checks, judged.checked, strict=True)
    ]
    return {
        "flow": flow.key,
        "step": step.key,
        "checks": checks,
        "outcome": judged.outcome,
        "evidence": judged.evidence,
        "next": None if way is None else {"to": way.to, "why": way.why},
    }
