"""What was tried, as a table of a page."""

import math
from collections.abc import Sequence
from html import escape

from errorflow.graph.build import counted
from errorflow.metrics import METRICS
from errorflow.simulate.trial import Accuracy, Trial

_SHOWN = ("relative_l2", "sqnr", "cosine")


def trials_table(trials: Sequence[Trial], shown: str) -> str:
    """The worst output of each counts; "": nothing was tried."""
    if not trials:
        return ""
    metrics = [metric for metric in METRICS if metric.key in _SHOWN]
    is_counted = any(trial.accuracy is not None for trial in trials)
    heads = ["Run", *(["Measured for real"] if is_counted else []), *(metric.label for metric in metrics)]
    heads += ["Verdict", "Samples"]
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    rows = []
    for trial in trials:
        name = f"{trial.name} (on view)" if trial.name == shown else trial.name
        numbers = [_worst(trial, metric.key, metric.higher_is_better) for metric in metrics]
        cells = [name, *([accuracy_text(trial.accuracy)] if is_counted else [])]
        cells += [*(metric.text(value) for metric, value in zip(metrics, numbers, strict=True))]
        cells += [trial.verdict, trial.samples]
        rows.append("<tr>" + "".join(f"<td class='wrap'>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return (
        f"<h2>What was tried</h2><div class='scroll'><table class='plain'><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def accuracy_text(found: Accuracy | None) -> str:
    """What was counted, the float model beside it; "": nothing was."""
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
