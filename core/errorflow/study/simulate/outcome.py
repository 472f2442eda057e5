"""Outcome: what one run of a plan on samples found."""

from collections.abc import Mapping
from typing import Literal

from errorflow.base.values import dataclass, field
from errorflow.compare.model import Comparison
from errorflow.explain.blame.model import Floats
from errorflow.explain.findings.model import Findings
from errorflow.quant.assign import Assigned
from errorflow.quant.plan import Plan
from errorflow.run.engine.table import Table
from errorflow.study.simulate.answers import Answers
from errorflow.study.simulate.noise import Noise
from errorflow.study.simulate.sides import Sides

# Errors on one sample with estimated verdicts; on all samples, split exactly; and who makes the noise of the outputs.
Depth = Literal["quick", "exact", "complete"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """Outcome of one run of a plan."""

    plan: Plan
    assigned: Assigned
    # Sample by sample.
    table: Table
    # All samples together.
    comparison: Comparison
    findings: Findings
    # By node, its own error when it is fed with the reference; NaN where it was not measured.
    node_errors: Floats
    # None: it was not asked for.
    noise: Noise | None = None
    # Number of the sample whose worst output is worst, which was looked at closely; -1: no output was.
    worst_sample: int = -1
    # By output that holds probabilities, once all samples were looked at.
    answers: Mapping[str, Answers] = field(default_factory=dict)
    # By bad output, what weights alone bring, and what activations alone.
    sides: Mapping[str, Sides] = field(default_factory=dict)
    depth: Depth = "complete"
