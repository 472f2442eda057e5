"""Blame as lines for people, as JSON for programs, and as a table of nodes."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from errorflow.base.language import say
from errorflow.explain.blame.flow import largest
from errorflow.explain.blame.front import ends
from errorflow.explain.blame.limits import CLEAN, CLEARLY, NOTICEABLE
from errorflow.explain.blame.model import Blame, Contribution, ModelVerdict, Remedy, Verdict
from errorflow.explain.difference.precision import NodePrecision, NodePrecisions
from errorflow.explain.findings.model import Findings, State
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.graph.unit import unit, unit_title
from errorflow.report.tables import csv_text, exact_number

_COLUMNS = ("accumulated", "share", "introduced", "inherited", "introduced share", "gain")
_PRECISION = ("requested", "requested by", "effective", "effective by", "precision")
# Names of the front's first nodes in a line.
FIRST = 3


def blame_lines(blame: Blame) -> Iterator[str]:
    """The verdict on the model, who brings how much, where it begins, and what to do."""
    model, graph = blame.model, blame.graph
    yield model.text
    if len(model.top) > 1:
        for each in model.top:
            share = f"{each.share * 100:3.0f} %" if model.is_gain else f"{model.told(each.share):>8}"
            between = f" ({model.range_text(each.node)})" if model.range_text(each.node) else ""
            yield f"  {share}{between}  {unit_title(graph, each.node)} ({described(blame, each.node)})"
        if model.swaps:
            first, second = (unit_title(graph, each.node) for each in model.top[:2])
            yield say("Other samples may put {} before {}.", second, first)
    first = ends(blame).tolist()
    if first and model.kind != "nothing":
        more = say(" and {} more", f"{len(first) - FIRST:,}") if len(first) > FIRST else ""
        named = ", ".join(unit_title(graph, node) for node in first[:FIRST])
        where = say("{}{} (beyond {}, or raised there)", named, more, f"{CLEARLY * CLEAN:g}")
        yield say("It turns clearly bad at {}; {}.", where, followed(int(blame.front.sum()) - len(first)))
    for node in dict.fromkeys([*(each.node for each in model.top[:1]), *first[:1]]):
        if node in blame.notes:
            yield say("{}: {}.", unit_title(graph, node), blame.notes[node])
    if model.advice:
        yield say("What to do:")
        yield from (f"  {advice.text}" for advice in model.advice)


def described(blame: Blame, node: int) -> str:
    """Describes a node in a few words; one that adds an error of its own by that, whatever else it passes on."""
    error, own = float(blame.accumulated[node]), float(blame.introduced[node])
    if blame.adds(node) and math.isfinite(error) and math.isfinite(own):
        return say("introduces {}, relative error {}", f"{own:.2g}", f"{error:.2g}")
    how = blame.word(node)
    return how if math.isnan(error) else say("{}, relative error {}", how, f"{error:.2g}")


def followed(count: int) -> str:
    """Says what the error of the first bad nodes explains."""
    if count <= 0:
        return say("nothing follows from it")
    return say("{} behind {} explained by it", counted(count, "node", "nodes"), say("is") if count == 1 else say("are"))


def estimated(why: str) -> str:
    """Says why nothing of a verdict is exact."""
    return say("Estimated, since no node could be run: {}", why)


def blame_data(blame: Blame) -> dict[str, Any]:
    """The same as plain values that `json` takes, with the verdicts on all outputs."""
    graph, counts = blame.graph, np.bincount(blame.verdicts, minlength=len(Verdict)).tolist()
    return {
        **_verdict(blame, blame.model),
        "in_part": blame.in_part,
        "top": shares_data(blame),
        "outputs": [
            {"tensor": blame.graph.tensor_names[tensor], **_verdict(blame, verdict)}
            for tensor, verdict in blame.model.outputs
        ],
        "front": {"first": [graph.title(node) for node in ends(blame).tolist()], "nodes": int(blame.front.sum())},
        "nodes": {verdict.word: counts[verdict] for verdict in Verdict},
        "exact": int(blame.exact.sum()),
        "advice": [
            {"key": advice.key, "text": advice.text, "why": advice.why, "source": advice.source}
            for advice in blame.model.advice
        ],
    }


def shares_data(blame: Blame) -> list[dict[str, Any]]:
    ranges = blame.model.ranges
    return [
        {"node": blame.graph.title(each.node), "share": each.share, "range": ranges.get(each.node)}
        for each in contributors(blame)
    ]


def contributors(blame: Blame) -> Iterator[Contribution]:
    """Yields all nodes with a share of the blame that is worth a word, the largest first."""
    for node in largest(np.nan_to_num(blame.blame_shares), len(blame.graph)).tolist():
        if blame.blame_shares[node] >= NOTICEABLE:
            yield Contribution(node, float(blame.blame_shares[node]))


def blamed_csv(findings: Findings, precisions: NodePrecisions | None = None) -> str:
    """A line per node; empty where findings hold no blame. `precisions` are further columns, of types."""
    blame = findings.blame
    head = [
        *("name", "type", "verdict", "method", "layer"),
        *_COLUMNS,
        "states",
        "note",
        *(_PRECISION if precisions else ()),
    ]
    if blame is None:
        return csv_text(head, ())
    graph, states = blame.graph, findings.node_states.tolist()
    words = {found: "; ".join(State(bit).words for bit in State if found & bit) for found in set(states)}
    columns = (blame.introduced, blame.inherited, blame.shares, blame.gains)
    lines = (
        [
            graph.title(node),
            graph.op_types[node],
            blame.word(node),
            blame.method(node),
            unit(graph, node),
            _number(float(blame.accumulated[node])),
            exact_number(float(blame.blame_shares[node])),
            *(_number(float(column[node])) for column in columns),
            words[states[node]],
            _note(findings, blame, node),
            *([] if precisions is None else _precision(precisions.of(node))),
        ]
        for node in range(len(graph))
    )
    return csv_text(head, lines)


def _precision(found: NodePrecision) -> list[str]:
    sides = (("", "") if said is None else (said.dtype, said.by) for said in (found.requested, found.effective))
    return [*(cell for side in sides for cell in side), "differs" if found.differs else ""]


def _note(findings: Findings, blame: Blame, node: int) -> str:
    told, note = findings.told_behind(node), blame.notes.get(node, "")
    return note if told in note else "; ".join(filter(None, (told, note)))


def _verdict(blame: Blame, verdict: ModelVerdict) -> dict[str, Any]:
    return {
        "kind": verdict.kind,
        "text": verdict.text,
        # Whose error the shares are parts of.
        "output": blame.graph.tensor_names[verdict.output] if verdict.output >= 0 else None,
        "contributors": verdict.contributors if math.isfinite(verdict.contributors) else None,
        "top": [{"node": blame.graph.title(each.node), "share": each.share} for each in verdict.top],
        "remedy": None if verdict.remedy is None else remedy_data(blame.graph, verdict.remedy),
    }


def remedy_data(graph: Graph, remedy: Remedy) -> dict[str, Any]:
    """Plain values of the smallest set that was seen to work; errors are relative, null where they are infinite."""
    before, after = (error if math.isfinite(error) else None for error in (remedy.before, remedy.after))
    return {
        "nodes": [graph.title(node) for node in remedy.nodes],
        "with": [graph.title(node) for node in remedy.others],
        "of": remedy.of,
        "before": before,
        "after": after,
        "gain": remedy.gain,
        "interact": remedy.interact,
    }


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6g}"
