"""Several simulations beside each other, for people: what changed, what came of it, and at which nodes."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.compare.metrics.metric import Metric, places
from errorflow.explain.findings.change import change_scale, changes_of, ranked, signed, signs_of
from errorflow.quant.changes import brief
from errorflow.report.runs import before_of
from errorflow.report.tables import csv_text
from errorflow.study.simulate.stored import StoredRun
from errorflow.study.simulate.text import changed

# Of the nodes that changed, so many are named.
MOST = 10


def run_lines(runs: Sequence[StoredRun], metric: Metric, most: int = MOST) -> Iterator[str]:
    """Each run, and against the first one the nodes that became worse or better."""
    for before, trial in before_of([run.trial for run in runs]):
        told = brief(changed(before, trial))
        yield f"{trial.name}: {told if told else 'nothing changed'}"
        for output, values in trial.outputs.items():
            yield f"  {output}: {metric.label} {metric.text(values.get(metric.key, math.nan))}"
        if trial.verdict:
            yield f"  {trial.verdict}"
    for run in runs[1:]:
        yield ""
        yield from _against(run, runs[0], metric, most)


def changes_csv(runs: Sequence[StoredRun], metric: Metric) -> str:
    """A line per run (but the first) and tensor that both have."""
    head = ["run", "against", "tensor", "node", "type", metric.key, f"{metric.key}_before", "change", "turn"]
    return csv_text(head, _change_rows(runs, metric))


def _change_rows(runs: Sequence[StoredRun], metric: Metric) -> Iterator[list[str]]:
    for run in runs[1:]:
        for each in _changes(run, runs[0], metric):
            numbers = (f"{value:.6g}" for value in (each.now, each.before, each.change))
            yield [run.trial.name, runs[0].trial.name, each.tensor, each.node, each.op_type, *numbers, each.word]


class _Changed:
    """One tensor of two runs."""

    def __init__(self, row: tuple[str, str, str], now: float, before: float, change: float, turn: int) -> None:
        self.tensor, self.node, self.op_type = row
        self.now, self.before, self.change, self.turn = now, before, change, turn

    @property
    def word(self) -> str:
        return {1: "worse", -1: "better"}.get(self.turn, "same")


def _changes(run: StoredRun, first: StoredRun, metric: Metric) -> list[_Changed]:
    """Worse first, behind them what is better, behind these what is the same."""
    known = {row.tensor: row for row in first.comparison.rows if metric.key in row.values}
    rows = [row for row in run.comparison.rows if metric.key in row.values and row.tensor in known]
    now = np.array([row.values[metric.key] for row in rows], np.float64)
    before = np.array([known[row.tensor].values[metric.key] for row in rows], np.float64)
    found = changes_of(metric, now, before)
    lying = places(change_scale(metric), found)
    turns = signs_of(lying)
    order = np.argsort(-ranked(lying), kind="stable").tolist()
    return [
        _Changed(
            (rows[at].tensor, rows[at].node, rows[at].op_type),
            float(now[at]),
            float(before[at]),
            float(found[at]),
            int(turns[at]),
        )
        for at in order
    ]


def _against(run: StoredRun, first: StoredRun, metric: Metric, most: int) -> Iterator[str]:
    title = f"{run.trial.name} against {first.trial.name}"
    if not run.is_of_model_of(first):
        names = f" ({run.model}, before {first.model})" if run.model and first.model else ""
        yield f"{title}: of another model{names}, their numbers cannot be compared."
        return
    if not run.trial.is_on_samples_of(first.trial):
        yield f"{title}: on other samples, their numbers cannot be compared."
        return
    found, scale = _changes(run, first, metric), change_scale(metric)
    worse, better = ([each for each in found if each.turn == turn] for turn in (1, -1))
    yield f"{title}: {len(worse):,} of {len(found):,} tensors worse, {len(better):,} better."
    for each in (*worse[:most], *better[:most]):
        change = signed(scale.text(each.change), each.change)
        who = each.node if each.node else each.tensor
        numbers = f"{metric.label} {metric.text(each.now)}, before {metric.text(each.before)}"
        yield f"  {each.word}  {who}: {numbers}: {change}"
