"""What came of a plan, small enough to be kept: a line in the list of what was tried."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from errorflow.quant.plan import Plan
from errorflow.simulate.basis import Basis


@dataclass(frozen=True, slots=True)
class Trial:
    """A plan that was simulated, by the name that the user knows it by."""

    name: str
    plan: Plan
    # On other samples numbers mean something else.
    basis: Basis = field(default_factory=Basis)
    # By output of the model and by the metric's key, all samples together.
    outputs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    verdict: str = ""
    # Which samples, in words.
    samples: str = ""
    made_up: bool = False
