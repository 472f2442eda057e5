"""Changes of a model since another run: lines for people, a table, and values for programs."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from errorflow.case.model import Case
from errorflow.case.regression.limits import Held
from errorflow.case.regression.lines import (
    KINDS,
    RegressionLine,
    Since,
    blame_before,
    change_text,
    numbers_text,
    summary_lines,
    verdict_text,
    verdicts_text,
)
from errorflow.report.blame import shares_data
from errorflow.report.tables import csv_text

VERSION = 1
_HEAD = ("kind", "tensor", "node", "type", "metric", "before", "now", "change", "verdict before", "verdict now")


def listed(since: Since, lines: Sequence[RegressionLine]) -> Iterator[str]:
    """A line each: kind, change, numbers, name, verdicts, and what else is to be said."""
    numbers = [numbers_text(since, line) for line in lines]
    width = max(map(len, numbers), default=0)
    for line, told in zip(lines, numbers, strict=True):
        change = change_text(since, line)
        more = "; ".join(filter(None, (verdicts_text(line), *line.notes)))
        label = KINDS[line.kind].label if line.kind in ("worse", "better", "same") else line.kind
        yield f"{label:<9} {change:>11}  {told:<{width}}  {line.name}{f'  ({more})' if more else ''}"


def since_csv(since: Since, lines: Sequence[RegressionLine]) -> str:
    return csv_text((*_HEAD, "output", "notes"), (_cells(since, line) for line in lines))


def _cells(since: Since, line: RegressionLine) -> list[str]:
    graph = since.change.now.graph
    return [
        line.kind,
        line.name,
        graph.title(line.node) if line.node >= 0 else "",
        line.op_type,
        since.change.metric.key,
        "" if line.kind == "new" else _number(line.before),
        "" if line.kind == "gone" else _number(line.now),
        "" if line.kind in ("new", "gone") else _number(line.change),
        line.verdict_before,
        line.verdict_now,
        "yes" if line.is_output else "no",
        "; ".join(line.notes),
    ]


def _number(value: float) -> str:
    return f"{value:.6g}"


def since_json(
    since: Since, before: Case, now: Case, lines: Sequence[RegressionLine], held: Sequence[Held]
) -> dict[str, Any]:
    """Makes all of it; what is no number is null."""
    blames = {"before": blame_before(since.change.before), "now": since.change.now.blame}
    return {
        "version": VERSION,
        **{
            key: {
                "file": str(side.path),
                "compared": side.about,
                "verdict": None if (blame := blames[key]) is None else blame.model.kind,
                "verdict_text": None if blame is None else blame.model.text,
                "top": [] if blame is None else shares_data(blame),
                "problems": list(side.unread),
            }
            for key, side in (("before", before), ("now", now))
        },
        "metric": since.change.metric.key,
        "counts": dict(since.counts),
        "verdict": verdict_text(since),
        "summary": summary_lines(since),
        "tensors": [_line_json(line) for line in lines],
        "limits": [_held_json(each) for each in held],
    }


def _line_json(line: RegressionLine) -> dict[str, Any]:
    return {
        "kind": line.kind,
        "tensor": line.name,
        "type": line.op_type,
        "before": _json_number(line.before),
        "now": _json_number(line.now),
        "change": _json_number(line.change),
        "verdict_before": line.verdict_before,
        "verdict_now": line.verdict_now,
        "output": line.is_output,
        "notes": list(line.notes),
    }


def _held_json(held: Held) -> dict[str, Any]:
    return {
        "limit": held.limit.text,
        "holds": not held.broken,
        "told": held.text,
        "broken": [{"name": case.name, "numbers": case.numbers, "why": case.broken} for case in held.broken],
    }


def _json_number(value: float) -> float | None:
    return value if math.isfinite(value) else None
