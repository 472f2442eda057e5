"""Nodes and tensors as plain rows, which the page's own script shows, sorts and finds."""

import math
from typing import Any

from errorflow.explain.findings.model import Findings, State
from errorflow.graph.model import Graph
from errorflow.report.content import Content

# Digits of numbers: more than anybody reads would make the file larger.
_DIGITS = 5
_LONGEST = 400
_UNKNOWN = (None,) * 5


def page_data(case: Content) -> dict[str, Any]:
    graph, findings = case.graph, case.findings
    scales = [] if findings is None else list(findings.scales)[:8]
    return {
        "metrics": [
            {
                "key": each.key,
                "label": each.label,
                "formula": each.formula,
                "better": "high" if each.higher_is_better else "low",
            }
            for each in scales
        ],
        "nodes": [_node(case, node) for node in range(len(graph))],
        "tensors": [] if findings is None else _tensors(graph, findings, [each.key for each in scales]),
    }


def _node(case: Content, node: int) -> list[Any]:
    """Name, type, depth, verdict, how that is known, then numbers: accumulated, the share of blame, introduced,
    inherited, the introduced share; states, note.
    """
    graph, findings = case.graph, case.findings
    name = graph.title(node)
    head: list[Any] = [name, graph.op_types[node]]
    mine = case.notes.get(name, "")
    if findings is None:
        return [*head, node, "", "", *_UNKNOWN, "", mine]
    blame, states = findings.blame, int(findings.node_states[node])
    words = "; ".join(State(bit).words for bit in State if states & bit)
    depth = int(findings.depths[node])
    if blame is None:
        return [*head, depth, "", "", *_UNKNOWN, words, mine]
    share, numbers = float(blame.blame_shares[node]), (blame.introduced, blame.inherited, blame.shares)
    note = "\n".join(filter(None, (blame.notes.get(node, "")[:_LONGEST], mine)))
    return [
        *head,
        depth,
        blame.word(node),
        blame.method(node),
        number(float(blame.accumulated[node])),
        # One number at every door: with all its digits.
        None if math.isnan(share) else share,
        *(number(float(column[node])) for column in numbers),
        words,
        note,
    ]


def _tensors(graph: Graph, findings: Findings, keys: list[str]) -> list[list[Any]]:
    """Name, the node that makes it (-1: none), type, shape, states, note, and a number per metric."""
    found = []
    for tensor, numbers in findings.placed.about.items():
        row = findings.comparison.rows[numbers[0]]
        found.append(
            [
                graph.tensor_names[tensor],
                int(graph.producers[tensor]),
                row.dtype,
                "×".join(map(str, row.shape)),
                "; ".join(row.states),
                row.note[:_LONGEST],
                *(number(row.value(key)) for key in keys),
            ]
        )
    return found


def number(value: float) -> float | str | None:
    """JSON knows neither NaN nor infinity; None: it was not measured."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return float(f"{value:.{_DIGITS}g}")
