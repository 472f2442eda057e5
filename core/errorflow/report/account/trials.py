"""Wishes for the plan; what was tried, with its results."""

import math
from collections.abc import Iterator, Sequence

from errorflow.compare.metrics import METRICS
from errorflow.graph.build import counted
from errorflow.quant.changes import beginning, brief, changes
from errorflow.quant.plan import Plan
from errorflow.report.account.model import AccountTable
from errorflow.report.runs_text import before_of
from errorflow.study.simulate.text import changed
from errorflow.study.simulate.trial import Accuracy, Trial

_SHOWN = ("relative_l2", "sqnr", "cosine")
_METRICS = tuple(metric for metric in METRICS if metric.key in _SHOWN)
# Of what was changed by hand, so much is told one by one.
_MOST = 60


def changes_table(plan: Plan | None) -> AccountTable:
    """A row per wish, against what the plan began as; empty: there is none."""
    found = () if plan is None else changes(beginning(plan), plan)
    if not found:
        return AccountTable((), ())
    rows = [(each.who if each.who else "The whole plan", each.what) for each in found[:_MOST]]
    if len(found) > _MOST:
        rows.append((f"… and {len(found) - _MOST:,} more", ""))
    return AccountTable(("What", "Wished instead"), tuple(rows))


def trials_table(trials: Sequence[Trial], shown: str) -> AccountTable:
    """A row per run with its worst output; empty: nothing was tried."""
    if not trials:
        return AccountTable((), ())
    is_counted = any(trial.accuracy is not None for trial in trials)
    labels = (f"{metric.label} of the worst output" for metric in _METRICS)
    heads = ("Run", "What changed", *(("Measured for real",) if is_counted else ()), *labels, "Verdict", "Samples")
    rows = tuple(tuple(_cells(before, trial, shown, is_counted)) for before, trial in before_of(trials))
    first = 3 if is_counted else 2
    return AccountTable(heads, rows, frozenset(range(first, first + len(_METRICS))))


def _cells(before: Trial | None, trial: Trial, shown: str, is_counted: bool) -> Iterator[str]:
    yield f"{trial.name} (on view)" if trial.name == shown else trial.name
    yield brief(changed(before, trial))
    if is_counted:
        yield accuracy_text(trial.accuracy)
    for metric in _METRICS:
        value = _worst(trial, metric.key, metric.higher_is_better)
        yield "" if math.isnan(value) else metric.text(value)
    yield trial.verdict
    yield f"{trial.samples} (made up)" if trial.made_up else trial.samples


def accuracy_text(found: Accuracy | None) -> str:
    """Writes what was counted, the float model beside it; "": nothing was."""
    if found is None:
        return ""
    count = max(found.samples, 1)
    told = [
        f"{key} {right / count:.2%} (float {found.original_right.get(key, 0) / count:.2%})"
        for key, right in found.right.items()
    ]
    if found.measure:
        told.append(f"{found.measure} {found.value:.6g} (float {found.original_value:.6g})")
    return f"{', '.join(told)}, of {counted(found.samples, 'sample', 'samples')}"


def _worst(trial: Trial, key: str, higher_is_better: bool) -> float:
    values = [numbers[key] for numbers in trial.outputs.values() if key in numbers]
    if not values or any(math.isnan(value) for value in values):
        return math.nan
    return min(values) if higher_is_better else max(values)
