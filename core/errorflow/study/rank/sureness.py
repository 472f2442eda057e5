"""Sureness of an order: which ranks other samples would give, and whether what was not run can change the first."""

import numpy as np

from errorflow.base.values import dataclass
from errorflow.study.rank.model import Doubles, Measure, Ranking
from errorflow.study.rank.reading import (
    RATIOS,
    Bools,
    Numbers,
    first_measure,
    harms,
    levels,
    mean,
    of_ratio,
    order,
    ordered,
    ratios,
    totals,
)

# Draws of the samples, fewer of so many numbers; ranks that one of twenty draws goes beyond, at either end, are told.
_DRAWS, _FEWEST, _MOST = 200, 20, 4_000_000
_RARELY = 0.05
# Parts are clear of each other by so many standard deviations of what is not known yet. Single parts differ by a
# factor of four from sample to sample (measured on 14 real models), so that it is not the normal distribution's.
_CLEAR = 4.0
# Parts behind the first N are looked at, too: the next 4 N on two samples, 2 N on three, N on five.
LOOK = 4
# What a part's own spread counts beside that of all, in samples.
_SHARED = 4


@dataclass(frozen=True, eq=False)
class Sureness:
    """Sureness of ranks, from 0: what becomes of them when samples are drawn anew, as a bootstrap has it."""

    # By part: but for a twentieth of the draws at either end it is between these.
    low: Numbers
    high: Numbers
    # By place in the order: the next one comes before it in more than a twentieth of the draws.
    swaps: Bools

    def alike(self, most: int) -> list[tuple[int, int]]:
        """Places of the first so many, first and last, between which neighbours swap."""
        found: list[tuple[int, int]] = []
        for place in np.flatnonzero(self.swaps[: most - 1]).tolist():
            begin = found.pop()[0] if found and found[-1][1] == place else place
            found.append((begin, place + 1))
        return found


def leading(parts: int, first: int = 0) -> int:
    """Counts the parts that are of interest: if nothing is said ten, of fewer than 80 an eighth, five at least."""
    return min(parts, first if first else max(5, min(10, parts // 8)))


@np.errstate(all="ignore")
def sureness(ranking: Ranking, measure: Measure | None = None) -> Sureness | None:
    """Draws samples anew; None: one sample tells nothing. What is not known of what was not run counts, too."""
    measure = first_measure(ranking) if measure is None else measure
    metric, samples = ranking.metrics[0], len(ranking.samples)
    if samples < 2:
        return None
    dice, count = np.random.default_rng(0), len(ranking.parts) * len(ranking.outputs)
    draws = max(_FEWEST, min(_DRAWS, _MOST // max(1, count)))
    times = dice.multinomial(samples, np.full(samples, 1 / samples), draws).astype(float)
    known = harms(ranking, measure, 0)
    weights, sizes = levels(ranking, 0, pooled=metric.key in RATIOS)
    filled = np.where(np.isfinite(known), known, ratios(known, weights)[..., np.newaxis] * weights)
    doubt = doubts(known, weights) * dice.standard_normal((draws, len(known), 1))
    ratio = np.maximum(np.tensordot(times, filled, (1, 2)) + doubt, 0.0) / (times @ sizes.T)[:, np.newaxis]
    ranked = order(ranking, measure)
    found = np.argsort(ordered(ranking, measure, None, mean(of_ratio(ratio, metric), metric)), axis=1)
    low, high = np.quantile(found, (_RARELY, 1 - _RARELY), axis=0, method="nearest")
    inside = found[:, ranked]
    return Sureness(low, high, np.mean(inside[:, 1:] < inside[:, :-1], axis=0) > _RARELY)


@np.errstate(all="ignore")
def undecided(ranking: Ranking, measure: Measure, first: int) -> list[int]:
    """Finds the parts that need one more sample before the order of the first so many is decided."""
    known, weights = harms(ranking, measure, 0), levels(ranking, 0, pooled=ranking.metrics[0].key in RATIOS)[0]
    done = ranking.done[measure]
    whole = np.maximum(weights.sum(axis=1), np.finfo(float).tiny)
    found, off = (each.mean(axis=1) for each in (totals(known, weights) / whole, doubts(known, weights) / whole))
    # What is no number is first, whatever else it does.
    found[(done[:, np.newaxis] & ~np.isfinite(known)).any(axis=(1, 2))] = np.nan
    return unclear(order(ranking, measure), found, off, done.sum(axis=1), first, len(ranking.samples))


@np.errstate(all="ignore")
def unclear(
    ranked: Numbers, found: Doubles, off: Doubles, counts: Numbers, first: int, samples: int, look: int = LOOK
) -> list[int]:
    """Finds the parts to be looked at on one more sample.

    Those of the first, and those behind them that may belong there, as long as they are not clear of each other.
    """
    behind = np.maximum(1, np.arange(len(ranked)) - min(first, len(ranked)) + 1)
    depths = np.where(np.arange(len(ranked)) < first, samples, np.minimum(samples, 1 + look * first // behind))
    open_ = np.zeros(len(ranked), bool)
    there = counts[ranked]
    for part in ranked[:first].tolist():
        is_clear = np.abs(found[ranked] - found[part]) > _CLEAR * np.hypot(off[ranked], off[part])
        near = (ranked != part) & (~is_clear | (np.minimum(there, counts[part]) < 2))
        open_[ranked[near & (there < depths)]] = True
        open_[part] |= bool((near & (counts[part] < depths)).any())
    return [part for part in ranked.tolist() if open_[part]]


def decided(ranking: Ranking, first: int = 0) -> int:
    """Counts the parts that are first whatever comes of what was not run; 0 as long as that may change their order."""
    measures, count = ranking.question.measures, leading(len(ranking.parts), first)
    known = all(ranking.done[each].any(axis=1).all() for each in measures)
    return count if known and not any(undecided(ranking, each, count) for each in measures) else 0


@np.errstate(all="ignore")
def doubts(known: Doubles, weights: Doubles) -> Doubles:
    """Doubts of `totals`, parts × outputs: the standard deviation of what is not known yet.

    From sample to sample a part makes more or less of what the whole plan does; how much so is told by the samples on
    which it is known, and by those of all parts: one that did nothing so far may do as they do.
    """
    there = np.isfinite(known)
    seen, usual = np.where(there, weights, 0.0), ratios(known, weights)
    off = np.divide(known, weights, out=np.zeros_like(known), where=there & (weights > 0)) - usual[..., np.newaxis]
    squares, more = (np.where(seen > 0, off, 0.0) ** 2).sum(axis=2), np.maximum(there.sum(axis=2) - 1, 0)
    spread = (_SHARED * squares.sum(axis=0) / np.maximum(1, more.sum(axis=0)) + squares) / (_SHARED + more)
    sizes, whole = seen.sum(axis=2), weights.sum(axis=1)
    rest = np.divide(whole - sizes, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    unseen = np.where(there, 0.0, weights**2).sum(axis=2) + (seen**2).sum(axis=2) * rest**2
    return np.asarray(np.sqrt(spread * unseen), np.float64)
