"""Trial: what came of a plan, small enough to be kept, a line in the list of what was tried."""

import math
from collections.abc import Mapping

from errorflow.base.values import dataclass, field
from errorflow.quant.plan import Plan
from errorflow.study.simulate.basis import Basis


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Accuracy of a run on labelled samples, or what the user's evaluator says of it; the float model beside."""

    # What was counted on which samples, in words.
    about: str
    samples: int = 0
    # By what it is called, such as `top-1`: so many right, of the run and of the float model.
    right: Mapping[str, int] = field(default_factory=dict)
    original_right: Mapping[str, int] = field(default_factory=dict)
    # The user's own measure, by its name; "": there is none.
    measure: str = ""
    value: float = math.nan
    original_value: float = math.nan
    # What it means, in sentences about “it”.
    told: tuple[str, ...] = ()
    # Only runs with the same one are compared: it stands for samples and labels, wherever they lie.
    identity: str = ""
    # Of the user's own measure: the digest of its file, and what it says of the run; None: nobody asked.
    evaluator: str = ""
    higher_is_better: bool = True
    good: bool | None = None


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
    # The same as `outputs`, of the sample in the middle and of the worst one.
    medians: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    worsts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    # The number of the sample whose worst output is worst; -1: not known.
    worst_sample: int = -1
    # Of those that the basis names, the first that was evaluated, and how many were; 0: not known.
    first: int = 0
    count: int = 0
    # The method that ranges were found by, where the basis leaves that to the preset.
    method: str = ""
    # What flows in the model: so many tensors, of these in float and in 16 bits; the others have fewer.
    tensors: int = 0
    float_tensors: int = 0
    wide_tensors: int = 0
    # The same of what is multiplied by: constants, and the bytes that all of them take.
    weights: int = 0
    float_weights: int = 0
    wide_weights: int = 0
    weight_bytes: int = 0

    # Which values were evaluated, whatever files they came from; "": not known.
    data: str = ""
    # None: it was not evaluated for real.
    accuracy: Accuracy | None = None

    def is_on_samples_of(self, other: "Trial") -> bool:
        """Whether numbers of both may be compared."""
        if self.data and other.data:
            return self.data == other.data
        one, two = ((each.basis.asked, each.basis.others, each.first, each.count) for each in (self, other))
        return one == two and self.samples == other.samples
