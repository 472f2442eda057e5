"""Making of an account from a case."""

import math
from collections.abc import Iterator, Mapping

from errorflow.base.language import capital
from errorflow.case.said import MADE_UP
from errorflow.case.session.model import Painting
from errorflow.compare.metrics.metric import Scale
from errorflow.explain.blame.model import Blame, Verdict
from errorflow.explain.findings.model import Findings
from errorflow.explain.findings.problems import unmeasured
from errorflow.graph.build import counted
from errorflow.report.account.choosing import nodes_that_matter
from errorflow.report.account.model import (
    Account,
    AccountFact,
    Card,
    JudgedOutput,
    Lack,
    accuracy_text,
    changes_table,
    trials_table,
)
from errorflow.report.blame import estimated
from errorflow.report.content import Content, NodeEvidence
from errorflow.report.paint import PAINTED

# Of what lacks for one reason, so many are named.
_NAMED = 5
_INTRODUCED = "what this node itself adds: its candidate's version against its reference's, on the candidate's inputs"
_INHERITED = "what arrives from upstream, after passing through this node"
_ACCUMULATED = "the tensor in the whole candidate run against the same tensor in the reference run"


def account_of(case: Content) -> Account:
    blame = None if case.findings is None else case.findings.blame
    compared = _compared(case)
    if case.findings is None:
        notes = tuple(case.notes.items())
        wished = changes_table(case.plan)
        return Account(
            case.title, len(case.graph), compared, changed=wished, note=case.note, notes=notes, form=_form(case)
        )
    head, sentence = ("", "No verdict was worked out for this comparison.") if blame is None else blame.model.parted
    return Account(
        case.title,
        len(case.graph),
        compared,
        (MADE_UP,) if case.made_up or MADE_UP in case.compared else (),
        "nothing" if blame is None else blame.model.kind,
        head,
        capital(sentence),
        "" if blame is None else surety(blame),
        next((accuracy_text(trial.accuracy) for trial in case.trials if trial.name == case.shown), ""),
        case.stages,
        () if blame is None else tuple(_cards(case, case.findings, blame)),
        () if blame is None else tuple(_outputs(blame)),
        changes_table(case.plan),
        trials_table(case.trials, case.shown),
        () if blame is None else blame.model.advice,
        tuple(_lacks(case.findings)),
        case.problems,
        case.note,
        tuple(case.notes.items()),
        _form(case),
    )


def _form(case: Content) -> tuple[AccountFact, ...]:
    return tuple(AccountFact(label, answer) for label, answer in case.form.items())


def _compared(case: Content) -> tuple[AccountFact, ...]:
    model = AccountFact("Nodes of the graph", f"{len(case.graph):,}")
    if case.sides:
        return (*(AccountFact(label, text) for label, text in case.sides.items()), model)
    return (*(AccountFact("", line) for line in case.compared if line != MADE_UP), model)


def surety(blame: Blame) -> str:
    """Says how the verdict is known."""
    exact = int(blame.exact.sum())
    if exact:
        return f"{counted(exact, 'node was', 'nodes were')} run once more on what the candidate gave: exact."
    if blame.why:
        return estimated(blame.why)
    return "Estimated from what was measured before and behind each node."


def _cards(case: Content, findings: Findings, blame: Blame) -> Iterator[Card]:
    seen = {each.node: each for each in case.evidence}
    scale = findings.scale(case.painting.metric, case.painting.limits)
    for node in nodes_that_matter(blame):
        found = seen.get(node, NodeEvidence(node, ""))
        note = blame.notes.get(node, "")
        yield Card(
            node,
            case.graph.title(node),
            case.graph.op_types[node],
            blame.word(node),
            blame.method(node),
            float(blame.blame_shares[node]),
            blame.blamed_text(node),
            tuple(_numbers(findings, blame, node, scale)),
            meaning(blame, node),
            found.picture,
            " ".join(map(_sentence, filter(None, (note, *found.lines)))),
        )


def _sentence(text: str) -> str:
    """Makes a sentence with a capital and a full stop; names of tools stay as they are."""
    first = text.partition(" ")[0]
    return f"{text[:1].upper() if first.isalpha() else text[:1]}{text[1:].rstrip('.')}."


_MEANINGS: Mapping[Verdict, str] = {
    Verdict.ORIGIN: "The error is mostly introduced here.",
    Verdict.CARRIER: "The error comes from upstream and is passed on about as it came.",
    Verdict.AMPLIFIER: "The error comes from upstream and grows clearly on the way through.",
    Verdict.HEALER: "The inputs are bad, and the output is good again.",
    Verdict.CLEAN: "The error is below the limit.",
    Verdict.NOT_MEASURED: "It was not measured.",
}


def meaning(blame: Blame, node: int) -> str:
    """Explains a node's verdict in one line."""
    if blame.adds(node):
        return "It adds an error of its own that counts at the output, beside what comes from upstream."
    return _MEANINGS[blame.verdict(node)]


def _numbers(findings: Findings, blame: Blame, node: int, scale: Scale | None) -> Iterator[AccountFact]:
    """Each named by its measure and its metric."""
    parts = (
        ("accumulated", blame.accumulated, _ACCUMULATED),
        ("introduced", blame.introduced, _INTRODUCED),
        ("inherited", blame.inherited, _INHERITED),
    )
    for name, column, tip in parts:
        value = float(column[node])
        if not math.isnan(value):
            yield AccountFact(f"{name} · {PAINTED.label.lower()}", PAINTED.text(value), f"{PAINTED.formula}: {tip}")
    if scale is not None and scale.key != PAINTED.key:
        value = float(findings.worst(scale)[1][node])
        if not math.isnan(value):
            yield AccountFact(f"accumulated · {scale.label}", scale.text(value), f"{scale.formula}: {_ACCUMULATED}")


def _outputs(blame: Blame) -> Iterator[JudgedOutput]:
    """Yields the outputs; of a single one the verdict on the model says all."""
    if len(blame.model.outputs) > 1:
        for tensor, verdict in blame.model.outputs:
            yield JudgedOutput(tensor, blame.graph.tensor_names[tensor], verdict.kind, verdict.text)


def _lacks(findings: Findings) -> Iterator[Lack]:
    for group in unmeasured(findings.comparison, findings):
        names = tuple(item.text for item in group.items[:_NAMED])
        yield Lack(group.title, len(group.items), names, group.hint)


def painted_by(findings: Findings, painting: Painting) -> str:
    """The metric on view with its limits, in a line; "": nothing was measured."""
    scale = findings.scale(painting.metric, painting.limits)
    if scale is None:
        return ""
    return f"{scale.label} ({scale.formula}): good up to {scale.limit(scale.good)}, bad from {scale.limit(scale.bad)}"
