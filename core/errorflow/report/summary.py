"""The summary of a comparison as JSON for other programs, and as lines for people."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from errorflow import __version__
from errorflow.base.codec import spelled
from errorflow.compare.limits import BrokenLimit
from errorflow.compare.match.rules import RULE_OF
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Row
from errorflow.compare.states import state_texts
from errorflow.compare.summary import ComparisonSummary
from errorflow.graph.build import counted

# Of the file that is written; it changes when a program that reads it would have to.
VERSION = 1
_SHOWN = tuple(metric for metric in METRICS if metric.key in ("cosine", "relative_l2", "sqnr"))
# Lines of each kind.
MOST = 5


def summary_data(summary: ComparisonSummary) -> dict[str, Any]:
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
        "beyond the limits": _first(summary.beyond),
        "NaN or infinite only in the candidate": _first(summary.not_finite),
        "worst": [_row(row) for row in summary.worst],
        "first suspicious": [
            {
                "rule": suspect.rule,
                "tensor": suspect.tensor,
                "value": spelled(suspect.value, "nan"),
                "tensors": suspect.count,
            }
            for suspect in summary.suspects
        ],
        "not measured of the vendor's rules": list(summary.unruled),
        "limits": [_limit(broken) for broken in summary.limits],
    }


def summary_lines(summary: ComparisonSummary) -> Iterator[str]:
    """Yields what a reader at a terminal wants to know first."""
    yield summary.verdict.text
    if summary.not_finite:
        count, first = counted(len(summary.not_finite), "tensor", "tensors"), summary.not_finite[0].tensor
        yield f"NaN or infinite in the candidate only: {count}, first {first}"
    if summary.beyond:
        count, first = counted(len(summary.beyond), "tensor", "tensors"), summary.beyond[0].tensor
        yield f"Beyond the limits: {count}, first {first}"
        yield "Worst by relative error:"
        yield from worst_lines(_different(sorted(summary.beyond, key=_error, reverse=True))[:MOST])
    if summary.suspects:
        yield "By the vendor's rules:"
        width = max(len(suspect.rule) for suspect in summary.suspects)
        for each in summary.suspects:
            yield f"  {each.rule:<{width}}  {counted(each.count, 'tensor', 'tensors')}, first {each.tensor}"
    lacking = sum(count for _, count in summary.notes)
    yield f"{counted(summary.measured, 'tensor', 'tensors')} measured{f', {lacking:,} not:' if lacking else ''}"
    yield from _counts(summary.notes[:MOST])
    if len(summary.notes) > MOST:
        yield f"  and {len(summary.notes) - MOST:,} other reasons: see tensors.csv"
    if summary.states:
        yield "Worth knowing of those measured:"
        yield from _counts(summary.states)
    yield from limit_lines(summary.limits)


def samples_lines(samples: Mapping[str, ComparisonSummary]) -> Iterator[str]:
    """Yields one line for each of the worst inputs, whatever their number is, and one for each limit."""
    beyond = {name: summary for name, summary in samples.items() if summary.beyond}
    inputs = counted(len(samples), "input", "inputs")
    yield f"{len(beyond):,} of {inputs} {'has' if len(beyond) == 1 else 'have'} tensors beyond the limits."
    if beyond:
        yield "Worst by relative error:"
        yield from worst_lines(
            [
                replace(summary.worst[0], tensor=f"{name}: {names_text(summary.worst[0])}", reference=None)
                for name, summary in sorted(beyond.items(), key=lambda item: _error(item[1].worst[0]), reverse=True)
            ][:MOST]
        )
    not_finite = [name for name, summary in samples.items() if summary.not_finite]
    if not_finite:
        what = counted(len(not_finite), "input", "inputs")
        yield f"NaN or infinite in the candidate only: {what}, first {not_finite[0]}"
    unmeasured = [name for name, summary in samples.items() if not summary.measured]
    if unmeasured:
        yield f"Nothing could be measured: {counted(len(unmeasured), 'input', 'inputs')}, first {unmeasured[0]}"
    for limits in zip(*(summary.limits for summary in samples.values()), strict=True):
        broken = [name for name, limit in zip(samples, limits, strict=True) if not limit.kept]
        where = f"is not kept by {counted(len(broken), 'input', 'inputs')}, first {broken[0]}" if broken else "is kept"
        yield f"Limit {limits[0].limit.text} {where}"


def _error(row: Row) -> float:
    value = row.value("relative_l2")
    return math.inf if math.isnan(value) else value


def _different(rows: Iterable[Row]) -> list[Row]:
    """Removes rows that say again what is said: the same tensor of one run, and the same numbers."""
    found: list[Row] = []
    seen: set[tuple[str, str, str]] = set()
    for row in rows:
        numbers = str(dict(row.values))  # in which NaN is NaN
        sides = (("reference", row.reference), ("candidate", row.candidate))
        names = {(side, info.name, numbers) for side, info in sides if info is not None}
        if seen.isdisjoint(names):
            found.append(row)
        seen |= names
    return found


def names_text(row: Row) -> str:
    """The tensor, and what the other run calls it if that is another name."""
    other = "" if row.reference is None else row.reference.name
    return f"{row.tensor}, against {other}" if other and other != row.tensor else row.tensor


def worst_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Numbers in columns, then the name, which may be long."""
    lines = [
        [metric.text(row.values[metric.key]) if metric.key in row.values else "" for metric in _SHOWN] for row in rows
    ]
    head = [metric.label for metric in _SHOWN]
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    for cells, name in zip([head, *lines], ["", *map(names_text, rows)], strict=True):
        padded = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        yield f"  {'  '.join((*padded, name))}".rstrip()


def limit_lines(limits: Sequence[BrokenLimit]) -> Iterator[str]:
    for broken in limits:
        limit, worst = broken.limit, ""
        if broken.worst is not None:
            worst = f"{limit.metric.text(broken.worst.values[limit.metric.key])} in {broken.worst.tensor}"
        if not broken.asked:
            yield f"Limit {limit.text} is not kept: no tensor has this metric"
        elif broken.kept:
            yield f"Limit {limit.text} is kept, at worst {worst}"
        else:
            yield f"Limit {limit.text} is broken by {counted(broken.count, 'tensor', 'tensors')}, at worst {worst}"


def _counts(texts: Sequence[tuple[str, int]]) -> Iterator[str]:
    width = max((len(f"{count:,}") for _, count in texts), default=0)
    yield from (f"  {f'{count:,}':>{width}} × {text}" for text, count in texts)


def _limit(broken: BrokenLimit) -> dict[str, Any]:
    worst = "" if broken.worst is None else broken.worst.tensor
    return {"limit": broken.limit.text, "kept": broken.kept, "broken by": broken.count, "worst": worst}


def _first(rows: Sequence[Row]) -> dict[str, Any]:
    return {"tensors": len(rows), "first": rows[0].tensor if rows else ""}


def _row(row: Row) -> dict[str, Any]:
    return {
        "tensor": row.tensor,
        "reference tensor": "" if row.reference is None else row.reference.name,
        "candidate tensor": "" if row.candidate is None else row.candidate.name,
        "operator": row.node,
        "type": row.op_type,
        "values": {key: spelled(value, "nan") for key, value in row.values.items()},
        "states": list(state_texts(row)),
    }
