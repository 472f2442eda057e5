"""Runners of many plans, an `Engine` or several executors, and the user's own measure of a plan."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from errorflow.base.progress import Progress
from errorflow.quant.plan import FLOAT, Plan
from errorflow.run.engine.table import Table


class PlanTables(Protocol):
    """Tables of what each plan does to the tensors, in the order of the plans; as `Engine.run_many`."""

    def run_many(
        self,
        plans: Sequence[Plan],
        tensors: Sequence[str],
        samples: Sequence[int],
        *,
        exactly: bool,
        text: str,
        progress: Progress,
    ) -> Iterator[Table]: ...


class Scorer(Protocol):
    """Scorer that gives one number for a whole plan; NaN where the measure gives none."""

    @property
    def label(self) -> str:
        """Name of the measure, such as `top-1 accuracy`."""
        ...

    @property
    def higher_is_better(self) -> bool: ...

    @property
    def identity(self) -> str:
        """Identity of all that its numbers hang on beside the model and the samples, such as what stands in a file."""
        ...

    def score(self, plan: Plan) -> float:
        """Runs the plan on what it is to be judged by; may take long, and may raise `Cancelled`."""
        ...


def floating(plan: Plan) -> Plan:
    """Makes a plan with nothing quantized: what the measure is of the model as it was."""
    return Plan(FLOAT, FLOAT, plan.biases, types=plan.types, preset=plan.preset, fitted=plan.fitted)
