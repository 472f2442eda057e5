"""A ranking as numbers per part: over its samples and outputs, which of them are known, and their order."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.metrics.metric import Metric, places
from errorflow.sensitivity.model import Doubles, Measure, Ranking

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
_FAR = 1e12
# Bars tell values apart down to so far below the good limit, in distances between the limits.
_LEAST = -3.0


@dataclass(frozen=True, eq=False)
class Scores:
    """One measure in one metric. A value is the mean over the samples so far, of the worst output."""

    ranking: Ranking
    measure: Measure
    metric: Metric

    @cached_property
    def values(self) -> Doubles:
        """By part; NaN where nothing was measured, or the model makes none."""
        return self._of_worst(self._means)

    @cached_property
    def measured(self) -> Bools:
        """By part: at least one sample was."""
        found: Bools = np.any(self._done, axis=1)
        return found

    @cached_property
    def places(self) -> Doubles:
        """By part: 0 at the metric's good limit, 1 at its bad one, and beyond them; NaN: nothing was measured."""
        return np.where(self.measured, _far(self.metric, self.values), np.nan)

    @cached_property
    def worst(self) -> Doubles:
        """By part the value of its worst sample."""
        return self._of_worst(self._at_worst)

    @cached_property
    def worst_samples(self) -> Ints:
        """By part the number of that sample; -1: nothing was measured."""
        if not self._done.size:
            return np.full(len(self.ranking.parts), -1, np.int64)
        at = np.argmax(self._badness.max(axis=1, initial=-np.inf), axis=1)
        return np.where(self.measured, np.array(self.ranking.samples, np.int64)[at], -1)

    @property
    def whole(self) -> float:
        """The same of the whole plan."""
        values = self.ranking.whole[self._at]
        if not values.size:
            return np.nan
        means = _mean(values, np.ones(values.shape, bool))
        return float(means[int(np.argmax(_far(self.metric, means)))])

    @cached_property
    def order(self) -> Ints:
        """Parts, first those that matter most; what was not measured is last, the most promising of it first."""
        ranks = -self.places if self.measure == "impact" else self.places
        promising = -np.nan_to_num(self.ranking.expected, nan=-1.0)
        return np.lexsort((promising, np.where(self.measured, ranks, np.inf))).astype(np.int64)

    @property
    def _at(self) -> int:
        return self.ranking.question.metrics.index(self.metric.key)

    @property
    def _done(self) -> Bools:
        return self.ranking.done[self.measure]

    @cached_property
    def _values(self) -> Doubles:
        """Parts × outputs × samples."""
        return self.ranking.values[self.measure][self._at]

    @cached_property
    def _badness(self) -> Doubles:
        return np.where(self._done[:, None, :], _far(self.metric, self._values), -np.inf)

    @cached_property
    def _means(self) -> Doubles:
        return _mean(self._values, np.broadcast_to(self._done[:, None, :], self._values.shape))

    @cached_property
    def _at_worst(self) -> Doubles:
        if not self._values.shape[2]:
            return np.full(self._values.shape[:2], np.nan)
        at = np.argmax(self._badness, axis=2)
        return np.take_along_axis(self._values, at[:, :, None], 2)[:, :, 0]

    def _of_worst(self, values: Doubles) -> Doubles:
        """By part that of the worst output."""
        if not values.shape[1]:
            return np.full(len(values), np.nan)
        found = values[np.arange(len(values)), np.argmax(_far(self.metric, values), axis=1)]
        return np.where(self.measured, found, np.nan)


def shares(ranking: Ranking) -> Doubles:
    """By part the power of its error over that of the whole plan, where it makes most of it; NaN: not known.

    Over the samples that both are known of. More than the whole is possible: errors may cancel each other.
    """
    count = len(ranking.parts)
    done = ranking.done.get("impact")
    if done is None or ranking.powers.ndim != 3 or not ranking.powers.size:
        return np.full(count, np.nan)
    known = done[:, None, :]
    own = np.where(known, ranking.powers, 0.0).sum(axis=2)
    whole = np.where(known, ranking.whole_powers[None], 0.0).sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(whole > 0, own / whole, np.nan)
    top = np.where(np.isnan(found), -np.inf, found).max(axis=1, initial=-np.inf)
    return np.where(done.any(axis=1) & (top > -np.inf), top, np.nan)


def _far(metric: Metric, values: Doubles) -> Doubles:
    """How bad values are, those that are none worst of all, and none without end."""
    with np.errstate(invalid="ignore"):
        found = np.clip(places(metric, values), -_FAR, _FAR)
    return np.where(np.isnan(values), 2 * _FAR, np.where(np.isnan(found), 0.0, found))


def _mean(values: Doubles, known: Bools) -> Doubles:
    """Along the samples; NaN where none is known."""
    count = known.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.where(known, values, 0.0).sum(axis=-1)
        found: Doubles = total / count
    return np.where(count > 0, found, np.nan)


def lengths(metric: Metric, values: Doubles) -> Doubles:
    """How long bars are, from 0 to 1, so that differences beyond the limits are to be seen too."""
    far = _far(metric, values)
    known = far[np.isfinite(values)]
    top, low = max(float(known.max(initial=1.0)), 1.0), max(float(known.min(initial=0.0)), _LEAST)
    return np.clip((far - low) / (top - low), 0.0, 1.0)
