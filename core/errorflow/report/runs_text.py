"""Several simulations beside each other, for people: what changed, what came of it, and at which nodes."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric, places
from errorflow.explain.findings.change import change_scale, changes_of, ranked, signed, signs_of
from errorflow.quant.changes import brief
from errorflow.report.tables import csv_text
from errorflow.study.simulate.stored import StoredRun
from errorflow.study.simulate.text import changed
from errorflow.study.simulate.trial import Accuracy, Trial

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


# Table of what was tried: what changed from run to run, and its results.

_HEAD = ("run", "changed", "output", *(metric.key for metric in METRICS))
_SPREAD = tuple(f"{which}_{metric.key}" for which in ("median_sample", "worst_sample") for metric in METRICS)
_REST = (
    *("worst_sample", "verdict", "samples", "made_up", "comparable_with_first", "tensors", "float_tensors"),
    *("wide_tensors", "weights", "float_weights", "wide_weights", "weight_bytes"),
)


_EVALUATED = ("evaluated_on", "evaluated_samples")
_MEASURED = ("measure", "value", "float_value", "good_enough")


def runs_csv(trials: Sequence[Trial]) -> str:
    """A line per run and output. Those on other samples than the first run say so.

    What was evaluated for real stands behind, with what the float model has of the same: no columns where nothing was.
    """
    counted = _counted(trials)
    own = () if not any(trial.accuracy for trial in trials) else (*_EVALUATED, *_tops(counted), *_MEASURED)
    return csv_text([*_HEAD, *_SPREAD, *_REST, *own], _lines(trials, counted))


def before_of(trials: Sequence[Trial]) -> Iterator[tuple[Trial | None, Trial]]:
    """Each run with the one before it."""
    yield from zip((None, *trials[:-1]), trials, strict=True)


def _counted(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Such as `top-1`, of any run."""
    known = (trial.accuracy for trial in trials if trial.accuracy is not None)
    return tuple(dict.fromkeys(key for accuracy in known for key in accuracy.right))


def _tops(counted: Sequence[str]) -> Iterator[str]:
    for key in counted:
        yield from (key, f"float_{key}")


def _lines(trials: Sequence[Trial], counted: Sequence[str]) -> Iterator[list[str]]:
    is_evaluated = any(trial.accuracy for trial in trials)
    for before, trial in before_of(trials):
        what = brief(changed(before, trial))
        for output in trial.outputs if trial.outputs else ("",):
            yield [
                *(trial.name, what, output, *_numbers(trial.outputs, output)),
                *(*_numbers(trial.medians, output), *_numbers(trial.worsts, output)),
                *("" if trial.worst_sample < 0 else str(trial.worst_sample), trial.verdict, trial.samples),
                *("yes" if trial.made_up else "no", "yes" if trial.is_on_samples_of(trials[0]) else "no"),
                *_counts(trial),
                *(_evaluated(trial.accuracy, counted) if is_evaluated else ()),
            ]


def _evaluated(found: Accuracy | None, counted: Sequence[str]) -> Iterator[str]:
    if found is None:
        yield from ("",) * (len(_EVALUATED) + 2 * len(counted) + len(_MEASURED))
        return
    yield from (found.about, str(found.samples))
    for key in counted:
        for right in (found.right, found.original_right):
            yield f"{right[key] / found.samples:.6g}" if key in right and found.samples else ""
    yield found.measure
    yield from ("" if math.isnan(value) else f"{value:.9g}" for value in (found.value, found.original_value))
    yield "" if found.good is None else "yes" if found.good else "no"


def _counts(trial: Trial) -> Iterator[str]:
    """Yields counts; empty where they are unknown: every model has tensors."""
    counts = (trial.tensors, trial.float_tensors, trial.wide_tensors)
    weights = (trial.weights, trial.float_weights, trial.wide_weights, trial.weight_bytes)
    yield from (str(count) if trial.tensors else "" for count in (*counts, *weights))


def _numbers(found: Mapping[str, Mapping[str, float]], output: str) -> Iterator[str]:
    for metric in METRICS:
        value = found.get(output, {}).get(metric.key, math.nan)
        yield "" if math.isnan(value) else f"{value:.6g}"
