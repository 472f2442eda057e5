"""Whether parts act on their own: what all do together beside what each does alone, and the same of pairs.

Noise of independent makers adds up. Where it does not, a ranking of single parts tells less than it seems to: parts
make each other worse, or one hides what another does.
"""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.rank.model import Doubles, Measure, Ranking
from errorflow.study.rank.parts import disjoint
from errorflow.study.rank.reading import order, powers_of
from errorflow.study.rank.switching import Switching
from errorflow.study.rank.tables import PlanTables

# The error power that single parts make, over what all of them make together. Below (3 dB less) they make each other
# worse, above (6 dB more) outputs saturate or errors cancel each other: then single parts tell nothing of the whole.
EXPLAINED = (0.5, 4.0)
# Parts of which all pairs are run.
TOP, MOST = 5, 60
# Both do more than the sum of each, less, or about as much.
Way = Literal["work together", "hide each other", "add up"]
# Of the larger of both, by which what they do together misses the sum.
_CLEARLY = 1 / 3
_TEXT = "Running pairs of parts"


@dataclass(frozen=True, slots=True)
class Explained:
    """Explained error of one output: what single parts do, over what all do together, in error power."""

    output: str
    ratio: float
    # None: single parts explain the whole, or some values are no numbers, and so is the ratio.
    way: Way | None

    @property
    def is_known(self) -> bool:
        return not math.isnan(self.ratio)

    @property
    def text(self) -> str:
        """A sentence."""
        if not self.is_known:
            return f"{self.output}: some values are no numbers: whether parts act on their own is not known."
        if self.way == "work together":
            times = f"{1 / self.ratio:.1f} times what" if self.ratio > 0 else "more than"
            return f"{self.output}: all parts together do {times} each does alone adds up to: they work together."
        if self.way == "hide each other":
            times = f"{self.ratio:.1f} times" if math.isfinite(self.ratio) else "more than"
            return (
                f"{self.output}: what each part does alone adds up to {times} what all do together: "
                "the output saturates, or errors cancel each other."
            )
        return f"{self.output}: what each part does alone adds up to what all do together."


@dataclass(frozen=True, eq=False)
class PartPair:
    """Two parts, by number. `powers`: outputs × (first, second, both); of recovery what of it is gone."""

    first: int
    second: int
    powers: Doubles

    def ratio(self, output: int) -> float:
        """Computes both over the sum of each; NaN where neither does anything, and where some values are no numbers."""
        first, second, both = self.powers[output].tolist()
        total = first + second
        return both / total if total else math.nan

    def way(self, output: int) -> Way | None:
        """Judges the pair; None: some values are no numbers."""
        first, second, both = self.powers[output].tolist()
        total = first + second
        if not (math.isfinite(total) and math.isfinite(both)):
            return None
        if abs(both - total) <= _CLEARLY * max(abs(total), abs(both)):
            return "add up"
        return "work together" if both > total else "hide each other"


@dataclass(frozen=True, eq=False)
class PartPairs:
    """Pairs of the parts that matter most."""

    measure: Measure
    outputs: tuple[str, ...]
    samples: tuple[int, ...]
    pairs: tuple[PartPair, ...]
    # Of each output, of the whole plan.
    whole: Doubles


def explained(ranking: Ranking) -> tuple[Explained, ...]:
    """Computes shares by output; none where parts overlap or are not all there, so that they make no sum.

    A sample on which one part makes what is no number says nothing of the others, and neither do the rest without it.
    """
    if ranking.question.only or not disjoint(ranking.question.kind) or "impact" not in ranking.done:
        return ()
    if not ranking.done["impact"].any(axis=1).all():
        return ()
    sums, wholes = powers_of(ranking).sum(axis=0), ranking.whole_powers.sum(axis=1)
    found = []
    for output, alone, whole in zip(ranking.outputs, sums.tolist(), wholes.tolist(), strict=True):
        ratio = alone / whole if whole else (1.0 if not alone else math.inf)
        way: Way | None = None
        if not math.isnan(ratio) and not EXPLAINED[0] <= ratio <= EXPLAINED[1]:
            way = "work together" if ratio < EXPLAINED[0] else "hide each other"
        found.append(Explained(output, ratio, way))
    return tuple(found)


def pairs_of(
    engine: Engine,
    ranking: Ranking,
    *,
    top: int = TOP,
    measure: Measure | None = None,
    samples: Sequence[int] = (),
    progress: Progress = SILENT,
    crew: PlanTables | None = None,
) -> PartPairs:
    """Runs each of the first `top` parts, and each pair of them, on these samples, or those of the ranking."""
    if not 2 <= top <= MOST:
        raise UsageError(f"Pairs are made of 2 to {MOST} parts.", "Give another number.")
    measure = ranking.question.measures[0] if measure is None else measure
    numbers = order(ranking, measure)[:top].tolist()
    pairs = list(combinations(numbers, 2))
    switching = Switching(engine.graph, ranking.plan, engine.assigned(ranking.plan))
    sets = [(), *((number,) for number in numbers), *pairs]
    plans = [
        switching.plan(measure, [ranking.parts[number] for number in numbers_], ranking.question.to)
        for numbers_ in sets
    ]
    chosen = tuple(samples) if samples else ranking.samples
    tables = (engine if crew is None else crew).run_many(
        plans, ranking.outputs, chosen, exactly=True, text=_TEXT, progress=progress
    )
    powers = {key: _powers(table, ranking.outputs) for key, table in zip(sets, tables, strict=True)}
    nothing = powers[()]
    gone = {key: found if measure == "impact" else nothing - found for key, found in powers.items()}
    made = tuple(PartPair(one, two, np.stack([gone[one,], gone[two,], gone[one, two]], axis=1)) for one, two in pairs)
    return PartPairs(measure, ranking.outputs, chosen, made, nothing)


def _powers(table: Table, outputs: Sequence[str]) -> Doubles:
    """Computes powers over all samples; NaN where one is no number."""
    found = np.zeros(len(outputs))
    for place, name in enumerate(outputs):
        for sample in range(len(table.samples)):
            sums = table.sums(name, sample)
            if sums is not None:
                found[place] += math.nan if sums.broken else float(sums.dd)
    return found
