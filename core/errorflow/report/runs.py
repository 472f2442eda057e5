"""Table of what was tried: what changed from run to run, and its results."""

import math
from collections.abc import Iterator, Mapping, Sequence

from errorflow.compare.metrics import METRICS
from errorflow.quant.changes import brief
from errorflow.report.tables import csv_text
from errorflow.study.simulate.text import changed
from errorflow.study.simulate.trial import Accuracy, Trial

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
