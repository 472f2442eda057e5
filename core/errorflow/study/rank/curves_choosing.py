"""Choice of what a curve goes along: a ranking's parts, worst first, and what is known of each alone."""

from dataclasses import replace

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.graph.model import Graph
from errorflow.quant.plan import Plan
from errorflow.study.rank.curves_recovery import Impacts, RecoveryRequest
from errorflow.study.rank.model import Ground, Part, Ranking
from errorflow.study.rank.reading import order, value


def worst_first(ranking: Ranking, graph: Graph) -> tuple[Part, ...]:
    """Raises a `UsageError` where the ranking is of another model."""
    for part in ranking.parts:
        missing = next((name for name in part.tensors if graph.tensor_index(name) is None), None)
        if missing is not None:
            raise UsageError(
                f"The ranking is of another model: this one has no tensor {missing[:100]}.",
                "Rank this model, by `errorflow sensitivity`.",
            )
    return tuple(ranking.parts[number] for number in order(ranking).tolist())


def picked(ranking: Ranking, parts: tuple[Part, ...], threshold: float) -> tuple[Part, ...]:
    """Chooses parts whose impact alone, in the first metric, is the threshold or worse, or no number."""
    if "impact" not in ranking.done:
        raise UsageError("The ranking does not say what each part does alone.", "Rank with --measure impact.")
    metric = ranking.metrics[0]
    found = value(ranking, "impact")
    good = found > threshold if metric.higher_is_better else found < threshold
    known = {part.name for part, is_good in zip(ranking.parts, good.tolist(), strict=True) if not is_good}
    return tuple(part for part in parts if part.name in known)


def with_impacts(
    wish: RecoveryRequest, ranking: Ranking, plan: Plan, ground: Ground, samples: int, outputs: tuple[str, ...]
) -> RecoveryRequest:
    """The same with what the ranking measured already, where it is about the same plan, metrics, outputs, samples.

    `ground`: of the bench. What was measured of another model, other data or with other ranges is measured again.
    """
    wanted = tuple(range(samples)) if wish.samples is None else wish.samples
    mine = ranking.plan, ranking.ground, ranking.samples, ranking.outputs
    same = mine == (plan, ground, wanted, outputs)
    if not same or "impact" not in ranking.done or not set(wish.metrics) <= set(ranking.question.metrics):
        return wish
    rows = [ranking.question.metrics.index(key) for key in wish.metrics]
    values, done = ranking.values["impact"], [bool(row.all()) for row in ranking.done["impact"]]
    impacts: Impacts = {
        part.name: np.stack([values[row, at] for row in rows]) for at, part in enumerate(ranking.parts) if done[at]
    }
    return replace(wish, impacts=impacts)
