"""Numbers of a ranking: one per part, the order, shares of the error, and numbers for the nodes of a graph.

Parts may be known on different samples. What each does over all of them is told by what the whole plan does to the
samples on which it is known and to the others, so that parts are comparable from the first sample on.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics.metric import Metric
from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.quant.selecting import keys_of
from errorflow.study.rank.model import Doubles, Measure, Ranking

Numbers = NDArray[np.int64]
Bools = NDArray[np.bool_]
# Over samples: as if they were one large tensor (of metrics that powers tell, else their mean); as the vendor has it;
# the one in the middle; the worst one.
Over = Literal["pooled", "mean", "median", "worst"]
# Metrics whose powers add up.
RATIOS = ("relative_l2", "sqnr")


@dataclass(frozen=True, eq=False)
class PartSpread:
    """Spread of each part over samples, of each the mean over outputs; NaN where nothing is known."""

    best: Doubles
    median: Doubles
    worst: Doubles
    # Number of the engine's sample; -1: none.
    worst_sample: Numbers


def first_measure(ranking: Ranking) -> Measure:
    return ranking.question.measures[0]


def value(
    ranking: Ranking, measure: Measure | None = None, metric: str | None = None, over: Over = "pooled"
) -> Doubles:
    """Computes one number per part, over samples of each output and then over outputs; NaN: none, or nothing is known
    yet.

    As Horizon's tool has it, what is no number is skipped; so are outputs and samples that the part does not reach at
    all, of a metric that is infinite there. A mean of relative errors would be that of the samples on which the output
    is nearly nothing, so that by default their powers are added up. By default, too, it is what the part does over all
    samples, also where not all are known yet.
    """
    measure = first_measure(ranking) if measure is None else measure
    row = _metric(ranking, metric)
    kind = ranking.metrics[row]
    values = _known(ranking, measure, row)
    if over == "pooled":
        return mean(_pooled(ranking, measure, row), kind)
    by_output = np.stack([_over(values[:, output], kind, over) for output in range(values.shape[1])], axis=1)
    return mean(by_output, kind)


def spread(ranking: Ranking, measure: Measure | None = None, metric: str | None = None) -> PartSpread:
    measure = first_measure(ranking) if measure is None else measure
    row = _metric(ranking, metric)
    kind = ranking.metrics[row]
    values, known = _known(ranking, measure, row), ranking.done[measure]
    by_sample = np.stack([mean(values[:, :, place], kind) for place in range(values.shape[2])], axis=1)
    goodness = by_sample if kind.higher_is_better else -by_sample
    ranked = np.where(np.isnan(goodness), -np.inf, goodness)
    none = ~known.any(axis=1)
    worst, best = (np.where(known, ranked, np.inf).argmin(axis=1), np.where(known, ranked, -np.inf).argmax(axis=1))
    rows, numbers = np.arange(len(known)), np.array(ranking.samples)
    return PartSpread(
        np.where(none, np.nan, by_sample[rows, best]),
        np.where(none, np.nan, _over(by_sample, kind, "median")),
        np.where(none, np.nan, by_sample[rows, worst]),
        np.where(none, -1, numbers[worst]),
    )


def order(
    ranking: Ranking, measure: Measure | None = None, metric: str | None = None, over: Over = "pooled"
) -> Numbers:
    """Numbers of the parts, those first that matter most.

    That is for impact the worst value, and for recovery the best one: what is no number is worst of all. While it is
    made, those come last of which nothing is known yet, by what is expected.
    """
    measure = first_measure(ranking) if measure is None else measure
    return ordered(ranking, measure, metric, value(ranking, measure, metric, over))


def ordered(ranking: Ranking, measure: Measure, metric: str | None, found: Doubles) -> Numbers:
    """Orders by other values; of several rows of values an order each."""
    row = _metric(ranking, metric)
    tiers = np.where(ranking.done[measure].any(axis=1), 0, 1)
    return _ordered(
        ranking, measure, found, tiers, ranking.metrics[row].higher_is_better, _broken(ranking, measure, row)
    )


def own_order(ranking: Ranking, measure: Measure | None = None) -> Numbers:
    """The same by the user's own measure."""
    assert ranking.own is not None
    measure = first_measure(ranking) if measure is None else measure
    own = ranking.own
    found = own.values[measure]
    tiers = np.where(own.done[measure], 0, 1)
    return _ordered(ranking, measure, found, tiers, own.higher_is_better, np.isnan(found))


def shares(ranking: Ranking) -> Doubles:
    """Parts × outputs: of the error power that all parts make, each of them alone; 0 where there is none.

    NaN for a part of whose power some is no number, which the others are measured without.
    """
    if not len(ranking.powers):
        return np.full((len(ranking.parts), len(ranking.outputs)), np.nan)
    powers = powers_of(ranking)
    broken = np.isnan(powers)
    powers = np.where(broken, 0.0, powers)
    totals = powers.sum(axis=0)
    found: Doubles = np.divide(powers, totals, out=np.zeros_like(powers), where=totals > 0)
    return np.where(broken, np.nan, found)


def powers_of(ranking: Ranking) -> Doubles:
    """Powers of the error that each part alone makes over all samples, parts × outputs; NaN where some is no number."""
    done = ranking.done["impact"][:, np.newaxis]
    found = totals(np.where(done, ranking.powers, np.nan), levels(ranking, 0, pooled=True)[0])
    return np.where((done & np.isnan(ranking.powers)).any(axis=2), np.nan, found)


@np.errstate(all="ignore")
def totals(known: Doubles, weights: Doubles) -> Doubles:
    """Totals over all samples, parts × outputs: what is known of them, and the rest by `ratios`."""
    there = np.isfinite(known)
    rest = np.where(there, 0.0, weights).sum(axis=2)
    return np.asarray(np.where(there, known, 0.0).sum(axis=2) + ratios(known, weights) * rest, np.float64)


@np.errstate(all="ignore")
def ratios(known: Doubles, weights: Doubles) -> Doubles:
    """Ratios of what a part makes to what the whole plan does, parts × outputs."""
    there = np.isfinite(known)
    seen = np.where(there, weights, 0.0).sum(axis=2)
    found: Doubles = np.divide(np.where(there, known, 0.0).sum(axis=2), seen, out=np.zeros_like(seen), where=seen > 0)
    return found


@np.errstate(all="ignore")
def levels(ranking: Ranking, row: int, *, pooled: bool) -> tuple[Doubles, Doubles]:
    """Levels of harm that the whole plan does to each sample, outputs × samples, and how much the sample counts.

    Where the whole plan does nothing, all samples are alike.
    """
    sizes = np.nan_to_num(ranking.sizes) if pooled else np.ones_like(ranking.sizes)
    harm = ranking.whole_powers if pooled else np.abs(ranking.whole[row] - ranking.metrics[row].best)
    harm = np.where(np.isfinite(harm), harm, 0.0)
    return np.where(harm.sum(axis=1, keepdims=True) > 0, harm, sizes), sizes


@np.errstate(all="ignore")
def harms(ranking: Ranking, measure: Measure, row: int) -> Doubles:
    """Harms that add up over samples, powers or distances from the best, parts × outputs × samples; NaN: not known."""
    metric, values = ranking.metrics[row], _known(ranking, measure, row)
    if metric.key not in RATIOS:
        return np.abs(values - metric.best)
    if measure == "impact":
        return np.where(np.isnan(values), np.nan, ranking.powers)
    return ranking.sizes * (values**2 if metric.key == "relative_l2" else 10 ** (-values / 10))


@np.errstate(all="ignore")
def of_ratio(ratio: Doubles, metric: Metric) -> Doubles:
    """Computes values of a metric from what adds up over samples, as a share of all."""
    if metric.key in RATIOS:
        return np.sqrt(ratio) if metric.key == "relative_l2" else -10 * np.log10(ratio)
    return metric.best - ratio if metric.higher_is_better else metric.best + ratio


def notes(ranking: Ranking) -> Mapping[str, str]:
    """Notes by the name of a part what is odd about it: also on how many samples it leaves what is no number."""
    found = dict(ranking.notes)
    for measure in ranking.question.measures:
        which = f"{measure} is " if len(ranking.question.measures) > 1 else ""
        for name, text in without_number(ranking, measure).items():
            found[name] = f"{found[name]}; {which}{text}" if found.get(name) else f"{which}{text}"
    return found


def without_number(ranking: Ranking, measure: Measure) -> Mapping[str, str]:
    """Notes by the name of a part on how many samples it leaves what is no number, which means and sums go without."""
    values, done = ranking.values[measure], ranking.done[measure]
    bad, known = (np.isnan(values).any(axis=(0, 2)) & done).sum(axis=1), done.sum(axis=1).tolist()
    return {
        ranking.parts[part].name: f"no number in {bad[part]:,} of {counted(known[part], 'sample', 'samples')}"
        for part in np.flatnonzero(bad).tolist()
    }


def at_output(ranking: Ranking, place: int) -> Ranking:
    """Takes the ranking as if the model had no other output."""
    one = slice(place, place + 1)
    return replace(
        ranking,
        outputs=ranking.outputs[one],
        values={measure: values[:, :, one] for measure, values in ranking.values.items()},
        powers=ranking.powers[:, one],
        whole=ranking.whole[:, one],
        whole_powers=ranking.whole_powers[one],
        sizes=ranking.sizes[one],
        counts=ranking.counts[one],
    )


def nodes_of(ranking: Ranking, graph: Graph, part: int) -> Iterator[int]:
    """Numbers of the nodes that a part is painted on: of what goes with those before it, only itself."""
    names = ranking.parts[part].nodes
    if ranking.question.kind in ("producer", "upstream"):
        names = names[:1]
    known = keys_of(graph).nodes
    for name in names:
        yield from known.get(name, ())


def _metric(ranking: Ranking, key: str | None) -> int:
    return 0 if key is None else ranking.question.metrics.index(key)


def _known(ranking: Ranking, measure: Measure, row: int) -> Doubles:
    """Parts × outputs × samples; NaN where nothing was measured."""
    found: Doubles = np.where(ranking.done[measure][:, np.newaxis], ranking.values[measure][row], np.nan)
    return found


def _broken(ranking: Ranking, measure: Measure, row: int) -> Bools:
    """Parts with a value that was measured and is none."""
    values, done = ranking.values[measure][row], ranking.done[measure]
    return np.asarray((np.isnan(values) & done[:, np.newaxis]).any(axis=(1, 2)), np.bool_)


@np.errstate(all="ignore")
def _pooled(ranking: Ranking, measure: Measure, row: int) -> Doubles:
    """Parts × outputs, as if all samples were one tensor, also those that are not known yet.

    Of a sample on which the output is nothing at all a recovery does not tell the power: others speak for it, and where
    there are none, it stays as bad as it is.
    """
    known, metric = harms(ranking, measure, row), ranking.metrics[row]
    weights, sizes = levels(ranking, row, pooled=metric.key in RATIOS)
    total, size = totals(known, weights), sizes.sum(axis=1)
    bad = (_known(ranking, measure, row) == (-np.inf if metric.higher_is_better else np.inf)).any(axis=2)
    ratio = np.where(total > 0, total / size, np.where((size == 0) & bad, np.inf, 0.0))
    return of_ratio(np.where(np.isfinite(known).any(axis=2), ratio, np.where(bad, np.inf, np.nan)), metric)


def _ordered(
    ranking: Ranking, measure: Measure, found: Doubles, tiers: Numbers, higher_is_better: bool, broken: Bools
) -> Numbers:
    badness = -found if higher_is_better else found
    badness = np.where(broken | np.isnan(badness), np.inf, badness)
    first = -badness if measure == "impact" else badness
    expected = -np.nan_to_num(ranking.expected)
    # What is broken goes before what is only infinitely bad.
    order_of_broken = np.where(broken, 0 if measure == "impact" else 2, 1)
    last = tiers == tiers.max(initial=0)
    unknown = last & np.isnan(found) & ~broken
    middle = np.where(unknown, expected, first)
    keys = np.broadcast_arrays(np.arange(found.shape[-1]), expected, middle, order_of_broken, tiers)
    result: Numbers = np.lexsort(keys)
    return result


def _over(values: Doubles, metric: Metric, over: Over) -> Doubles:
    """Computes over the last axis, without what is no number."""
    if over in ("mean", "pooled"):
        return mean(values, metric)
    if not values.shape[-1]:
        return np.full(values.shape[:-1], np.nan)
    goodness = values if metric.higher_is_better else -values
    known = (~np.isnan(goodness)).sum(axis=-1)
    ranked = np.sort(np.where(np.isnan(goodness), np.inf, goodness), axis=-1)
    place = np.zeros_like(known) if over == "worst" else np.maximum(known - 1, 0) // 2
    found = np.take_along_axis(ranked, place[..., np.newaxis], axis=-1)[..., 0]
    found = np.where(known > 0, found, np.nan)
    return found if metric.higher_is_better else -found


def mean(values: Doubles, metric: Metric) -> Doubles:
    """Averages over the last axis, without what is no number, and without what is as good as infinity beside what is
    not.
    """
    there = ~np.isnan(values)
    if np.isinf(metric.best):
        perfect = there & (values == metric.best)
        there &= ~perfect | (~(there & ~perfect)).all(axis=-1, keepdims=True)
    counts = there.sum(axis=-1)
    with np.errstate(all="ignore"):
        found: Doubles = np.where(there, values, 0.0).sum(axis=-1) / counts
    return np.where(counts > 0, found, np.nan)
