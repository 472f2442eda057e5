"""What was tried as a table: what changed from run to run, and what came of it."""

import math
from collections.abc import Iterator, Mapping, Sequence

from errorflow.metrics import METRICS
from errorflow.quant.changes import brief
from errorflow.report.tables import csv_text
from errorflow.simulate.told import changed
from errorflow.simulate.trial import Trial

_HEAD = ("run", "changed", "output", *(metric.key for metric in METRICS))
_SPREAD = tuple(f"{which}_{metric.key}" for which in ("median_sample", "worst_sample") for metric in METRICS)
_REST = (
    *("worst_sample", "verdict", "samples", "made_up", "comparable_with_first", "tensors", "float_tensors"),
    *("wide_tensors", "weights", "float_weights", "wide_weights", "weight_bytes"),
)


def runs_csv(trials: Sequence[Trial]) -> str:
    """A line per run and output. Those on other samples than the first run say so."""
    return csv_text([*_HEAD, *_SPREAD, *_REST], _lines(trials))


def before_of(trials: Sequence[Trial]) -> Iterator[tuple[Trial | None, Trial]]:
    """Each run with the one before it."""
    yield from zip((None, *trials[:-1]), trials, strict=True)


def _lines(trials: Sequence[Trial]) -> Iterator[list[str]]:
    for before, trial in before_of(trials):
        what = brief(changed(before, trial))
        for output in trial.outputs if trial.outputs else ("",):
            yield [
                *(trial.name, what, output, *_numbers(trial.outputs, output)),
                *(*_numbers(trial.medians, output), *_numbers(trial.worsts, output)),
                *("" if trial.worst_sample < 0 else str(trial.worst_sample), trial.verdict, trial.samples),
                *("yes" if trial.made_up else "no", "yes" if trial.is_on_samples_of(trials[0]) else "no"),
                *_counts(trial),
            ]


def _counts(trial: Trial) -> Iterator[str]:
    """Empty where nobody knows: every model has tensors."""
    counts = (trial.tensors, trial.float_tensors, trial.wide_tensors)
    weights = (trial.weights, trial.float_weights, trial.wide_weights, trial.weight_bytes)
    yield from (str(count) if trial.tensors else "" for count in (*counts, *weights))


def _numbers(found: Mapping[str, Mapping[str, float]], output: str) -> Iterator[str]:
    for metric in METRICS:
        value = found.get(output, {}).get(metric.key, math.nan)
        yield "" if math.isnan(value) else f"{value:.6g}"
