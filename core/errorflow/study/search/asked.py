"""Options of a search, as a form has them: plain values, which sessions keep and the start of the app loads."""

from pathlib import Path
from typing import Literal

from errorflow.base.values import dataclass
from errorflow.study.rank.asked import Kind

# Worse than the original by so much, by such a share of it, or a number that must be reached.
Way = Literal["bound", "drop", "relative"]
# All samples as if they were one tensor, their mean, or the worst of them.
Over = Literal["pooled", "mean", "worst"]


@dataclass(frozen=True, slots=True)
class Sought:
    """The fewest parts that must not be quantized as planned for what to be how good."""

    # `top1`, `top5`, …, `agreement`, or a key of METRICS; of no meaning with an evaluator.
    measure: str = "relative_l2"
    way: Way = "bound"
    # None: what the metric calls good, or what the evaluator says.
    limit: float | None = None
    # Outputs that count; (): all. Answers are those of the first.
    outputs: tuple[str, ...] = ()
    over: Over = "pooled"
    # Right answers, and the user's evaluator with the seconds that it may take for one run.
    labels: Path | None = None
    evaluator: Path | None = None
    seconds: float = 3600.0
    # Key of a strategy; of no meaning with a file of the user's own.
    strategy: str = "noise"
    own_strategy: Path | None = None
    # What is raised as one, to what, and by what it is ranked.
    kind: Kind = "unit"
    to: Literal["float", 16] = "float"
    by: Literal["noise", "amct"] = "noise"
    # Evaluations at most; None: as many as it takes.
    most: int | None = None
