"""Numbers of a ranking: one per part, the order, shares of the error, and numbers for the nodes of a graph."""

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
_RATIOS = ("relative_l2", "sqnr")


@dataclass(frozen=True, eq=False)
class PartSpread:
    """Spread of each part over samples, of each the mean over outputs; NaN where nothing is known."""

    best: Doubles
    median: Doubles
    worst: Doubles
    # Number of the engine's sample; -1: none.
    worst_sample: Numbers


def settled(ranking: Ranking, measure: Measure) -> tuple[int, ...]:
    """Places of the samples on which all parts were measured of which anything is known yet."""
    done = ranking.done[measure]
    known = done[done.any(axis=1)]
    return tuple(np.flatnonzero(known.all(axis=0)).tolist()) if len(known) else ()


def ahead(ranking: Ranking, measure: Measure) -> Bools:
    """The parts that were measured on more samples than others: those that promised most."""
    done = ranking.done[measure]
    places = list(settled(ranking, measure))
    rest = np.delete(done, places, axis=1).any(axis=1)
    return np.asarray(rest if places else np.zeros(len(done), bool), np.bool_)


def first_measure(ranking: Ranking) -> Measure:
    return ranking.question.measures[0]


def value(
    ranking: Ranking, measure: Measure | None = None, metric: str | None = None, over: Over = "pooled"
) -> Doubles:
    """Computes one number per part, over samples of each output and then over outputs; NaN: none, or nothing is known
    yet.

    As Horizon's tool has it, what is no number is skipped; so are outputs and samples that the part does not reach at
    all, of a metric that is infinite there. A mean of relative errors would be that of the samples on which the output
    is nearly nothing, so that by default their powers are added up.
    """
    measure = first_measure(ranking) if measure is None else measure
    row = _metric(ranking, metric)
    kind = ranking.metrics[row]
    values = _known(ranking, measure, row)
    if over == "pooled" and kind.key in _RATIOS:
        return _mean(_pooled(ranking, measure, values, kind), kind)
    by_output = np.stack([_over(values[:, output], kind, over) for output in range(values.shape[1])], axis=1)
    return _mean(by_output, kind)


def spread(ranking: Ranking, measure: Measure | None = None, metric: str | None = None) -> PartSpread:
    measure = first_measure(ranking) if measure is None else measure
    row = _metric(ranking, metric)
    kind = ranking.metrics[row]
    values, known = _known(ranking, measure, row), ranking.done[measure]
    by_sample = np.stack([_mean(values[:, :, place], kind) for place in range(values.shape[2])], axis=1)
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
    made, those come first that were looked at more closely, and last those that were not yet, by what is expected.
    """
    measure = first_measure(ranking) if measure is None else measure
    row = _metric(ranking, metric)
    known, leading = np.asarray(ranking.done[measure].any(axis=1), np.bool_), ahead(ranking, measure)
    found = np.where(leading, *(value(_on(ranking, measure, group), measure, metric, over) for group in (True, False)))
    broken = _broken(ranking, measure, row)
    tiers = np.where(leading, 0, np.where(known, 1, 2))
    return _ordered(ranking, measure, found, tiers, ranking.metrics[row].higher_is_better, broken)


def _on(ranking: Ranking, measure: Measure, leading: bool) -> Ranking:
    """Reduces to the samples on which parts are compared: those ahead with each other, and the others."""
    done, first = ranking.done[measure], ahead(ranking, measure)
    group = done[first if leading else ~first & done.any(axis=1)]
    common = group.all(axis=0) if len(group) else np.zeros(done.shape[1], bool)
    common = common if common.any() else group.any(axis=0)
    return replace(ranking, done={**ranking.done, measure: done & common})


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
    places = list(settled(ranking, "impact"))
    there = ranking.powers[:, :, places] if places else ranking.powers
    done = ranking.done["impact"][:, places] if places else ranking.done["impact"]
    broken = (np.isnan(there) & done[:, np.newaxis]).any(axis=2)
    powers = np.where(broken, 0.0, np.nan_to_num(there).sum(axis=2))
    totals = powers.sum(axis=0)
    found: Doubles = np.divide(powers, totals, out=np.zeros_like(powers), where=totals > 0)
    return np.where(broken, np.nan, found)


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


def _pooled(ranking: Ranking, measure: Measure, values: Doubles, metric: Metric) -> Doubles:
    """Parts × outputs, as if all samples were one tensor.

    Of a sample on which the output is nothing at all a recovery does not tell the power: others speak for it, and where
    there are none, it stays as bad as it is.
    """
    there, bad = ~np.isnan(values), values == (np.inf if metric.key == "relative_l2" else -np.inf)
    with np.errstate(all="ignore"):
        sizes = np.where(there, ranking.sizes, 0.0)
        if measure == "impact":
            powers = ranking.powers
        else:
            powers = sizes * (values**2 if metric.key == "relative_l2" else 10 ** (-values / 10))
        power = np.where(there & ~np.isnan(powers), powers, 0.0).sum(axis=2)
        size = sizes.sum(axis=2)
        ratio = np.where(power > 0, power / size, np.where((size == 0) & bad.any(axis=2), np.inf, 0.0))
        found = np.sqrt(ratio) if metric.key == "relative_l2" else -10 * np.log10(ratio)
    return np.where(there.any(axis=2), found, np.nan)


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
    result: Numbers = np.lexsort((np.arange(len(found)), expected, middle, order_of_broken, tiers))
    return result


def _over(values: Doubles, metric: Metric, over: Over) -> Doubles:
    """Computes over the last axis, without what is no number."""
    if over in ("mean", "pooled"):
        return _mean(values, metric)
    if not values.shape[-1]:
        return np.full(values.shape[:-1], np.nan)
    goodness = values if metric.higher_is_better else -values
    known = (~np.isnan(goodness)).sum(axis=-1)
    ranked = np.sort(np.where(np.isnan(goodness), np.inf, goodness), axis=-1)
    place = np.zeros_like(known) if over == "worst" else np.maximum(known - 1, 0) // 2
    found = np.take_along_axis(ranked, place[..., np.newaxis], axis=-1)[..., 0]
    found = np.where(known > 0, found, np.nan)
    return found if metric.higher_is_better else -found


def _mean(values: Doubles, metric: Metric) -> Doubles:
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
