"""Ranking of a model's parts: plain values, also while it is being made."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, field
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.quant.plan import Plan
from errorflow.study.rank.asked import KINDS, MEASURES, Kind, Measure, Part, Question

Doubles = NDArray[np.float64]
__all__ = [
    "KINDS",
    "MEASURES",
    "Doubles",
    "Ground",
    "Kind",
    "Measure",
    "OwnMeasure",
    "Part",
    "Question",
    "Ranking",
    "can_be_asked",
]


_METRICS = frozenset(metric.key for metric in METRICS)


def can_be_asked(question: Question) -> bool:
    return bool(question.metrics) and _METRICS.issuperset(question.metrics) and bool(question.measures)


@dataclass(frozen=True, slots=True)
class Ground:
    """Ground of the numbers beside plan and question: digests of the model, of the samples' values and of ranges."""

    model: str
    data: str
    ranges: str


@dataclass(frozen=True, eq=False)
class OwnMeasure:
    """Values of the user's own measure; NaN where nothing is known yet, and where it gives none."""

    label: str
    higher_is_better: bool
    # By measure: of each part.
    values: Mapping[Measure, Doubles]
    done: Mapping[Measure, NDArray[np.bool_]]
    # Of the whole plan, and of the model in float.
    whole: float
    floating: float
    # Of the measure itself: another one's values are not gone on with.
    digest: str = ""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Ranking as far as it is known; arrays have NaN where nothing is yet."""

    question: Question
    plan: Plan
    # In the order of running.
    parts: tuple[Part, ...]
    outputs: tuple[str, ...]
    samples: tuple[int, ...]
    # By measure: metrics × parts × outputs × samples.
    values: Mapping[Measure, Doubles]
    # By measure: what was measured, parts × samples. A value that was and is NaN is none because the model makes none.
    done: Mapping[Measure, NDArray[np.bool_]]
    # Σ (c − r)² of each part alone: parts × outputs × samples; empty where impact was not asked for.
    powers: Doubles
    # The whole plan: metrics × outputs × samples; its error power and the reference's: outputs × samples.
    whole: Doubles
    whole_powers: Doubles
    sizes: Doubles
    # Of each part what to expect before it is measured, in shares of the error; NaN: nothing to go by.
    expected: Doubles
    # By the name of a part what is odd about it, such as why it was not measured.
    notes: Mapping[str, str] = field(default_factory=dict)
    # How many values each output has: outputs × samples; 0 where nothing is known yet.
    counts: Doubles = field(default_factory=lambda: np.zeros((0, 0)))
    # None: there is no measure of the user's own.
    own: OwnMeasure | None = None
    # None: nobody said.
    ground: Ground | None = None

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        known = {metric.key: metric for metric in METRICS}
        return tuple(known[key] for key in self.question.metrics)

    @property
    def complete(self) -> bool:
        return all(done.all() for done in self._all_done)

    @property
    def _all_done(self) -> tuple[NDArray[np.bool_], ...]:
        return (*self.done.values(), *(() if self.own is None else self.own.done.values()))

    @property
    def share_done(self) -> float:
        counts = [(int(done.sum()), done.size) for done in self._all_done]
        total = sum(size for _, size in counts)
        return sum(number for number, _ in counts) / total if total else 1.0
