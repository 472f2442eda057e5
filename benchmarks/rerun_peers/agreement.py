"""How far two rankings of the same units agree."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TOP = 5


@dataclass(frozen=True, slots=True)
class Agreement:
    """Rank correlation over `count` units; who is on top of both, or of one alone; differences in decibels."""

    count: int
    spearman: float
    shared: tuple[str, ...]
    only_ours: tuple[str, ...]
    only_theirs: tuple[str, ...]
    median: float
    largest: float

    @property
    def text(self) -> str:
        text = f"Spearman {self.spearman:.4f} over {self.count} units, top {TOP}: {len(self.shared)} of {TOP} the same"
        if self.only_ours:
            text += f" (ours {', '.join(self.only_ours)}; theirs {', '.join(self.only_theirs)})"
        return f"{text}; difference {self.median:.2g} dB in the middle, {self.largest:.2g} dB at most"


def agreement(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Agreement:
    """Scores in decibels, the lowest being the worst."""
    names = [name for name in theirs if name in ours]
    mine, other = (np.array([scores[name] for name in names]) for scores in (ours, theirs))
    tops = [_top(names, scores) for scores in (mine, other)]
    apart = np.abs(mine - other)
    return Agreement(
        len(names),
        spearman(mine, other),
        tuple(name for name in tops[0] if name in tops[1]),
        tuple(name for name in tops[0] if name not in tops[1]),
        tuple(name for name in tops[1] if name not in tops[0]),
        float(np.median(apart)) if names else 0.0,
        float(apart.max(initial=0)),
    )


def spearman(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The correlation of ranks; those that are equal share theirs."""
    if len(one) < 2:
        return float("nan")
    with np.errstate(all="ignore"):
        return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _top(names: list[str], scores: NDArray[np.float64]) -> list[str]:
    return [names[place] for place in np.argsort(scores, kind="stable")[:TOP]]


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, of, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    shared: NDArray[np.float64] = (ends - (counts - 1) / 2)[of]
    return shared
