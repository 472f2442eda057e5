"""The user's own measure of a plan, such as the accuracy of what the model is made for."""

from typing import Protocol

from errorflow.quant.plan import FLOAT, Plan


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
