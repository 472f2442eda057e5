"""Whether weights or activations bring the error of the outputs: each side is quantized alone.

It is the first question to an error, since the remedies of the two have nothing in common: scales per channel help
weights, another calibration or wider types help activations.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from errorflow.base.language import mapped, say
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.quant.assign import Assigned
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.simulate.answers import Answers, answers
from errorflow.study.simulate.pooled import pooled_sums

Side = Literal["weights", "activations"]
# What brings most: without it the error is half of what it was or less, which is what one bit more does.
HALF = 0.5
_TEXT = "Quantizing weights and activations alone"
_RELATIVE: Metric = next(metric for metric in METRICS if metric.key == "relative_l2")


@dataclass(frozen=True, slots=True)
class Sides:
    """Relative errors of an output, of all samples together; NaN where it could not be measured."""

    weights: float
    activations: float
    both: float
    # How many answers are the same, of an output that holds probabilities: with weights alone, with activations alone.
    said: tuple[str, str] = ("", "")

    @property
    def most(self) -> Side | None:
        """The side without which half of the error or more is gone, if that is so of one of them only."""
        return leading(self.weights, self.activations, HALF * self.both)

    @property
    def text(self) -> str:
        """Two half-sentences that name the numbers."""
        weights, activations = (say(" ({})", said) if said else "" for said in self.said)
        alone = say(
            "Weights alone bring a relative error of {}{}, activations alone {}{}.",
            f"{self.weights:.2g}",
            weights,
            f"{self.activations:.2g}",
            activations,
        )
        if self.most is None:
            return alone
        within = mapped(lambda words: words.replace("Weights", "weights", 1), alone)
        return say("{} bring most of it: {}", say(self.most.capitalize()), within)


def leading(weights: float, activations: float, enough: float) -> Side | None:
    """The side that alone brings more than what would be `enough`, where the other one alone does not."""
    if weights > enough >= activations:
        return "weights"
    return "activations" if activations > enough >= weights else None


def sides_of(engine: Engine, plan: Plan, outputs: Iterable[str], progress: Progress = SILENT) -> Mapping[str, Sides]:
    """Measures sides by output; none where the plan codes one side only, and the answer is known."""
    assigned, wanted = engine.assigned(plan), tuple(outputs)
    if not (wanted and assigned.constants and assigned.activations):
        return {}
    plans = [_alone(engine, plan, assigned, side) for side in (assigned.constants, assigned.activations)]
    tables = list(engine.run_many([*plans, plan], wanted, text=_TEXT, progress=progress))
    said = [answers(engine, each, progress) for each in plans]
    return {name: _sides(tables, said, name) for name in wanted}


def _sides(tables: Sequence[Table], said: Sequence[Mapping[str, Answers]], name: str) -> Sides:
    weights, activations, both = (_error(table, name) for table in tables)
    first, second = (each[name].text if name in each else "" for each in said)
    return Sides(weights, activations, both, (first, second))


def _alone(engine: Engine, plan: Plan, assigned: Assigned, side: Iterable[int]) -> Plan:
    """Plans one side alone with the ranges of the whole plan."""
    names = engine.graph.tensor_names
    wished = assigned.precisions(names)
    return plan.only({names[tensor]: wished[names[tensor]] for tensor in side})


def _error(table: Table, output: str) -> float:
    sums = pooled_sums(table, output)
    return float("nan") if sums is None else _RELATIVE.of(sums)
