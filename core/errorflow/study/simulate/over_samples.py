"""Spread of a tensor over each sample of a simulation."""

from collections.abc import Sequence

import numpy as np

from errorflow.base.values import dataclass
from errorflow.compare.metrics.metric import Metric
from errorflow.run.engine.rows import Doubles
from errorflow.run.engine.table import Table, spread


@dataclass(frozen=True, slots=True)
class OverSamples:
    """Spread of one tensor and metric; `worst_sample` is a number of the engine's, as those of `samples` are."""

    samples: tuple[int, ...]
    values: Doubles
    median: float
    best: float
    worst: float
    worst_sample: int


def over_samples(table: Table, tensor: str, metric: Metric) -> OverSamples | None:
    """Finds the spread; None: it was measured on no sample."""
    if tensor not in table.places:
        return None
    sums = [table.sums(tensor, place) for place in range(len(table.samples))]
    with np.errstate(all="ignore"):
        values = np.array([np.nan if each is None else metric.of(each) for each in sums], np.float64)
    known = np.array([each is not None for each in sums], np.bool_)
    if not known.any():
        return None
    found = spread(values[known][:, np.newaxis], metric.higher_is_better)
    samples = tuple(np.array(table.samples)[known].tolist())
    # What is no number is the worst there is, where it was measured.
    broken = np.isnan(values[known])
    worst = int(np.argmax(broken)) if broken.any() else int(found.worst_sample[0])
    return OverSamples(
        samples,
        values[known],
        float(found.median[0]),
        float(found.best[0]),
        float(values[known][worst]),
        samples[worst],
    )


def worst_first(table: Table, outputs: Sequence[str], metric: Metric) -> tuple[int, ...]:
    """The numbers of the samples, those first that are worst at any output."""
    worst = np.full(len(table.samples), np.inf)
    for name in outputs:
        found = over_samples(table, name, metric)
        if found is not None:
            places = [table.samples.index(sample) for sample in found.samples]
            goodness = found.values if metric.higher_is_better else -found.values
            worst[places] = np.minimum(worst[places], np.where(np.isnan(goodness), -np.inf, goodness))
    return tuple(table.samples[place] for place in np.argsort(worst, kind="stable").tolist())
