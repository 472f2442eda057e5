"""The summary of a comparison as JSON for other programs, and as lines for people."""

import json
import math
from collections.abc import Iterator
from typing import Any

from errorflow import __version__
from errorflow.compare.model import Row
from errorflow.compare.summary import Summary
from errorflow.graph.build import counted
from errorflow.match.rules import RULE_OF
from errorflow.metrics import METRICS

# Of the file that is written; it changes when a program that reads it would have to.
VERSION = 1
_SHOWN = ("cosine", "relative_l2", "sqnr")


def summary_json(summary: Summary) -> str:
    """The whole summary; numbers that JSON lacks (NaN, infinities) are texts."""
    return json.dumps(summary_data(summary), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def summary_data(summary: Summary) -> dict[str, Any]:
    return {
        "errorflow": __version__,
        "version": VERSION,
        "verdict": {"key": summary.verdict.key, "text": summary.verdict.text},
        "tensors": {
            "measured": summary.measured,
            "not measured": sum(count for _, count in summary.notes),
            "notes": dict(summary.notes),
            "matched by": {RULE_OF[key].label if key in RULE_OF else key: count for key, count in summary.rules},
            "states": dict(summary.states),
        },
        "outputs": [_row(row) for row in summary.outputs],
        "worst": [_row(row) for row in summary.worst],
        "first suspicious": [
            {"rule": suspect.rule, "tensor": suspect.tensor, "value": _plain(suspect.value), "tensors": suspect.count}
            for suspect in summary.suspects
        ],
        "limits": [
            {"limit": broken.limit.text, "kept": not broken.count, "broken by": broken.count, "worst": broken.worst}
            for broken in summary.limits
        ],
    }


def summary_lines(summary: Summary) -> Iterator[str]:
    """What someone at a terminal wants to know first."""
    yield summary.verdict.text
    yield f"{counted(summary.measured, 'tensor', 'tensors')} measured" + "".join(
        f"; {count:,} × {text}" for text, count in summary.notes[:4]
    )
    if len(summary.notes) > 4:
        yield f"  and {len(summary.notes) - 4:,} other reasons: see tensors.csv"
    yield from (f"{text}: {counted(count, 'tensor', 'tensors')}" for text, count in summary.states)
    if summary.worst and summary.verdict.key != "good":
        yield "Worst by relative error:"
        yield from (f"  {row.tensor}  {_numbers(row)}" for row in summary.worst[:5])
    for suspect in summary.suspects:
        yield f"First with {suspect.rule}: {suspect.tensor} ({suspect.value:g}); {suspect.count:,} in all"
    for broken in summary.limits:
        if broken.count:
            tensors = counted(broken.count, "tensor", "tensors")
            yield f"Limit {broken.limit.text} is broken by {tensors}, worst by {broken.worst}"
        else:
            yield f"Limit {broken.limit.text} is kept"


def _numbers(row: Row) -> str:
    return ", ".join(
        f"{metric.label} {metric.text(row.values[metric.key])}"
        for metric in METRICS
        if metric.key in _SHOWN and metric.key in row.values
    )


def _row(row: Row) -> dict[str, Any]:
    return {
        "tensor": row.tensor,
        "operator": row.node,
        "type": row.op_type,
        "values": {key: _plain(value) for key, value in row.values.items()},
        "states": list(row.states),
    }


def _plain(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
