"""The runs of a session as rows: what each column says, and which run is best in it."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from errorflow.base.language import Verbatim, joined, said, say
from errorflow.base.values import dataclass, field
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.panels.runs.accuracies import Score, accuracy_lines, float_model, scores

if TYPE_CHECKING:
    from errorflow.quant.changes import Changed

NAME, CHANGED = 0, 1
# What everybody knows, beside the metric on view.
_USUAL = ("sqnr", "cosine", "relative_l2")
# What a table shows as more than nothing.
_LEAST_DECIBELS = 0.005
OTHER_SAMPLES, MADE_UP = "other samples", "made up"


@dataclass(frozen=True)
class RunColumn:
    """Column of the table; a number has a value by which the best run is found."""

    title: str
    tip: str
    text: Callable[["RunRows", Trial], str]
    value: Callable[[Trial], float] | None = None
    higher_is_better: bool = True
    # Whether a run may be called the best.
    is_worth: Callable[[Trial], bool] = lambda _: True
    # What has no room gives way first.
    is_wide: bool = False
    # Its numbers can be compared wherever there are any, on whatever samples errors were measured.
    stands_alone: bool = False


@dataclass(frozen=True, eq=False)
class RunRows:
    """`now` is the run on view, `against` the one that it is compared with, by name; "": none is."""

    trials: tuple[Trial, ...]
    now: str = ""
    against: str = ""
    metric: str = _USUAL[0]
    output: str = ""
    # What is known of a run as deployed, asked for when it is shown.
    deployed: Callable[[Trial], Sequence[str]] = lambda _: ()
    _changed: dict[str, "tuple[Changed, ...]"] = field(default_factory=dict)

    @cached_property
    def float_model(self) -> Trial | None:
        """Trial that runs stand beside where they were evaluated for real; None: none was."""
        return float_model(self.trials, self.now)

    @cached_property
    def listed(self) -> tuple[Trial, ...]:
        return self.trials if self.float_model is None else (self.float_model, *self.trials)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """Outputs of all runs, in the order of the model."""
        return tuple(dict.fromkeys(output for trial in self.trials for output in trial.outputs))

    @cached_property
    def shown_output(self) -> str:
        """The one that was chosen, or that with the least SQNR."""
        if self.output in self.outputs:
            return self.output
        trial = self.trials[self.place(self.now)] if self.trials else None
        if trial is None or not trial.outputs:
            return self.outputs[0] if self.outputs else ""
        return min(trial.outputs, key=lambda output: _worth(trial.outputs[output].get("sqnr", math.nan)))

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        """Metrics, that on view first."""
        keys = dict.fromkeys((self.metric, *_USUAL))
        known = {metric.key: metric for metric in METRICS}
        return tuple(known[key] for key in keys if key in known)

    @cached_property
    def columns(self) -> tuple[RunColumn, ...]:
        first = self.metrics[0]
        return (
            RunColumn("Run", "What it is called; F2 gives it another name", lambda _, trial: trial.name),
            RunColumn(
                "Changed",
                "What it does otherwise than the run before it; the first one, than its preset",
                lambda rows, trial: rows.changed_text(trial),
                is_wide=True,
            ),
            *map(_score_column, scores(self.float_model)),
            *(self._metric(metric, "outputs", metric.label, "all samples together") for metric in self.metrics),
            self._metric(first, "medians", "Median sample", "of the sample in the middle"),
            self._metric(first, "worsts", "Worst sample", "of the worst sample"),
            RunColumn(
                "Float, 16 bit",
                "What it costs: tensors and weights that are left in float, or have 16 bits",
                lambda rows, trial: "all in float" if trial is rows.float_model else cost_text(trial),
            ),
            RunColumn("Verdict", "Where its error comes from", lambda _, trial: trial.verdict, is_wide=True),
            RunColumn("Samples", "On which samples it was measured", lambda rows, trial: rows.samples_text(trial)),
        )

    def place(self, name: str) -> int:
        """Finds the place of a run; the last one where there is none of that name."""
        found = (at for at, trial in enumerate(self.trials) if trial.name == name)
        return next(found, len(self.trials) - 1)

    def is_comparable(self, trial: Trial, column: RunColumn | None = None) -> bool:
        """Whether it can be compared with the run on view."""
        if trial is self.float_model or (column is not None and column.stands_alone):
            return True
        return trial.is_on_samples_of(self.trials[self.place(self.now)])

    def best(self, column: RunColumn) -> frozenset[str]:
        """Finds by name those that show the best number of all that can be compared; none where all show the same."""
        value = column.value
        if value is None:
            return frozenset()
        found = [trial for trial in self.trials if self.is_comparable(trial, column) and not math.isnan(value(trial))]
        worth = [trial for trial in found if column.is_worth(trial)]
        if not worth or len({column.text(self, trial) for trial in found}) < 2:
            return frozenset()
        shown = column.text(self, (max if column.higher_is_better else min)(worth, key=value))
        return frozenset(trial.name for trial in worth if column.text(self, trial) == shown)

    def changes(self, trial: Trial) -> "tuple[Changed, ...]":
        if trial.name not in self._changed:
            from errorflow.study.simulate.text import changed

            at = self.place(trial.name)
            self._changed[trial.name] = changed(self.trials[at - 1] if at else None, trial)
        return self._changed[trial.name]

    def changed_text(self, trial: Trial) -> str:
        from errorflow.quant.changes import brief

        if trial is self.float_model:
            return "nothing is quantized"
        text = brief(self.changes(trial))
        return text if text else "nothing"

    def samples_text(self, trial: Trial) -> str:
        if trial is self.float_model:
            return ""
        told = [MADE_UP] if trial.made_up else []
        if not self.is_comparable(trial):
            told.append(OTHER_SAMPLES)
        return ", ".join(told) if told else f"{trial.count:,}"

    def tip(self, trial: Trial) -> str:
        """Writes all of a run, a line each."""
        if trial is self.float_model:
            return "\n".join((trial.name, *accuracy_lines(trial)))
        lines = [trial.name, *(f"• {each.text}" for each in self.changes(trial)), trial.verdict, trial.samples]
        if not self.is_comparable(trial):
            lines.append(f"On other samples than {self.now}: its numbers cannot be compared with those.")
        if trial.made_up:
            lines.append("The samples were made up: this says nothing about the model in use.")
        for output in trial.outputs:
            numbers = ((metric, trial.outputs[output].get(metric.key, math.nan)) for metric in self.metrics)
            told = joined(", ", (say("{} {}", say(metric.label), metric.text(value)) for metric, value in numbers))
            lines.append(say("{}: {}", output, told))
        lines.extend(accuracy_lines(trial))
        lines.extend(self.deployed(trial))
        lines.append(cost_tip(trial))
        return joined("\n", (Verbatim(lines[0]), *(said(line) for line in lines[1:] if line)))

    def _metric(self, metric: Metric, which: str, title: str, of: str) -> RunColumn:
        output = self.shown_output

        def value(trial: Trial) -> float:
            found: float = getattr(trial, which).get(output, {}).get(metric.key, math.nan)
            return found

        def text(_: RunRows, trial: Trial) -> str:
            number = value(trial)
            unknown = metric.key not in getattr(trial, which).get(output, {})
            return "" if unknown else metric.text(number)

        def is_worth(trial: Trial) -> bool:
            """Whether it is worth a mark: an output of nothing but zeros has 0 dB, and what is no better helps
            nothing.
            """
            decibels: float = getattr(trial, which).get(output, {}).get("sqnr", math.inf)
            return decibels >= _LEAST_DECIBELS

        tip = say("accumulated · {} of {}, {} · {}", said(metric.label), output, said(of), metric.formula)
        return RunColumn(title, tip, text, value, metric.higher_is_better, is_worth)


def _score_column(score: Score) -> RunColumn:
    return RunColumn(
        score.title,
        score.tip,
        lambda _, trial: score.text(trial),
        score.value,
        score.higher_is_better,
        stands_alone=True,
    )


def cost_text(trial: Trial) -> str:
    tensors = _tensors_text(trial.float_tensors, trial.wide_tensors)
    count = trial.float_weights + trial.wide_weights
    if not count:
        return tensors or "none"
    return f"{tensors} · {count:,} of the weights" if tensors else f"{count:,} of the weights"


def _tensors_text(count: int, number: int) -> str:
    """Writes how many are in float, and in 16 bits."""
    if count and number:
        return f"{count:,} float, {number:,} 16 bit"
    return f"{count:,} float" if count else f"{number:,} 16 bit" if number else ""


def cost_tip(trial: Trial) -> str:
    if not trial.tensors:
        return ""
    return (
        f"{trial.float_tensors:,} of {trial.tensors:,} tensors in float, {trial.wide_tensors:,} in 16 bit; "
        f"{trial.float_weights:,} of {trial.weights:,} weights in float, {trial.wide_weights:,} in 16 bit, "
        f"all of them {trial.weight_bytes / 1024:,.0f} KiB"
    )


def as_table(rows: RunRows, trials: Sequence[Trial]) -> str:
    """Writes what is shown, for a spreadsheet."""
    lines = [[column.title for column in rows.columns]]
    lines += [[column.text(rows, trial) for column in rows.columns] for trial in trials]
    return "\n".join("\t".join(" ".join(cell.split()) for cell in line) for line in lines) + "\n"


def _worth(value: float) -> float:
    return -math.inf if math.isnan(value) else value
