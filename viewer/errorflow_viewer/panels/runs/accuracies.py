"""Accuracies of runs on a labelled set, as columns, and the float model as the row above them."""

import math
from collections.abc import Callable, Iterator, Sequence

from errorflow.base.values import dataclass, replace
from errorflow.quant.plan import Plan
from errorflow.study.simulate.trial import Accuracy, Trial
from errorflow_viewer.panels.runs.evaluate_words import told

FLOAT = "Float model"


@dataclass(frozen=True)
class Score:
    """A column of the evaluation that the float model's row is of; others are on other samples."""

    title: str
    tip: str
    # Whether it is of the same samples and labels, and counted or measured in the same way.
    fits: Callable[[Accuracy], bool]
    of: Callable[[Accuracy], float]
    shown: Callable[[float], str]
    higher_is_better: bool = True

    def text(self, trial: Trial) -> str:
        found = trial.accuracy
        return self.shown(self.of(found)) if found is not None and self.fits(found) else ""

    def value(self, trial: Trial) -> float:
        """NaN: it was not evaluated, or elsewhere."""
        found = trial.accuracy
        return self.of(found) if found is not None and self.fits(found) else math.nan


def float_model(trials: Sequence[Trial], now: str) -> Trial | None:
    """Finds it beside the run on view, or the one that was evaluated last; None: none was."""
    known = [trial for trial in trials if trial.accuracy is not None]
    chosen = next((trial for trial in known if trial.name == now), known[-1] if known else None)
    if chosen is None or chosen.accuracy is None:
        return None
    own = chosen.accuracy
    accuracy = replace(own, right=own.original_right, value=own.original_value, told=(), good=None)
    return Trial(FLOAT, Plan(), accuracy=accuracy)


def scores(original: Trial | None) -> Iterator[Score]:
    about = None if original is None else original.accuracy
    if about is None:
        return
    for key in about.right:
        tip = f"{_meaning(key)} · {about.about}"
        yield Score(key.capitalize(), tip, _counted_as(about, key), _share(key), _percent)
    if about.measure:
        tip = f"What {about.measure} gives · {about.about}"
        measured = _measured_as(about)
        yield Score(about.measure, tip, measured, lambda found: found.value, _number, about.higher_is_better)


def _counted_as(about: Accuracy, key: str) -> Callable[[Accuracy], bool]:
    return lambda found: found.identity == about.identity and key in found.right


def _measured_as(about: Accuracy) -> Callable[[Accuracy], bool]:
    wanted = about.identity, about.measure, about.evaluator
    return lambda found: (found.identity, found.measure, found.evaluator) == wanted


def accuracy_lines(trial: Trial) -> Iterator[str]:
    """Yields lines with how far the numbers can be trusted."""
    from errorflow.study.evaluate.model import wilson

    found = trial.accuracy
    if found is None:
        return
    yield f"Evaluated on {found.about}"
    for key, right in found.right.items():
        low, high = wilson(right, found.samples)
        share = _percent(_share(key)(found))
        yield f"{key.capitalize()}: {right:,} of {found.samples:,} = {share}, at 95 % between {low:.1%} and {high:.1%}"
    if found.measure:
        yield f"{found.measure}: {_number(found.value)}, float {_number(found.original_value)}"
    yield from told(trial)


def _meaning(key: str) -> str:
    k = key.removeprefix("top-")
    return "The share of samples whose first answer is right" if k == "1" else f"Right among the first {k} answers"


def _share(key: str) -> Callable[[Accuracy], float]:
    return lambda found: found.right.get(key, 0) / found.samples if found.samples else math.nan


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{share:.2%}"


def _number(value: float) -> str:
    return "no number" if math.isnan(value) else f"{value:.6g}"
