"""A row of DEFINITIONS, and the formulas and conversions that several rows share."""

import math
from collections.abc import Callable
from typing import ClassVar, Literal

from errorflow.base.values import dataclass

# What was compared: see docs/words.md; "local" is a tensor before and after its own quantizer. "": none of them.
Measure = Literal["accumulated", "node", "impact", "recovery", "local", ""]


@dataclass(frozen=True, slots=True)
class Definition:
    """r is the reference, c the candidate, as everywhere."""

    # As the vendors stand.
    rank: ClassVar[int] = 0

    key: str
    vendor: str
    # As it stands in the file.
    name: str
    formula: str
    # None: neither way is better.
    higher_is_better: bool | None
    measure: Measure
    # The key of our metric that it can be turned into, and how; "": none.
    equals: str = ""
    convert: Callable[[float], float] | None = None
    misleads: str = ""

    def ours(self, value: float) -> float | None:
        """The value of our metric `equals`; None where there is none."""
        return None if self.convert is None else self.convert(value)


def same(value: float) -> float:
    return value


def doubled(value: float) -> float:
    return 2 * value


def root(value: float) -> float:
    return math.sqrt(value) if value >= 0 else math.nan


def complement(value: float) -> float:
    return 1 - value


def unhalved_cosine(value: float) -> float:
    return 2 * value - 1


def cosine_of_distance(value: float) -> float:
    """Two vectors of length 1 are √(2 − 2 cos) apart."""
    return 1 - value * value / 2


def decibels_of_ratio(value: float) -> float:
    """Converts a ratio of noise to signal."""
    if value == 0:
        return math.inf
    return -10 * math.log10(value) if value > 0 else math.nan


COSINE = "Σ r·c / (√Σ r² · √Σ c²)"
LENGTH = "√Σ (c − r)²"
MEAN_SQUARE = "Σ (c − r)² / n"
MEAN_ABSOLUTE = "Σ abs(c − r) / n"
MAX_ABSOLUTE = "max abs(c − r)"
RELATIVE = "abs(c / r − 1), 0 where abs(r) ≤ 2.2e−16"
UNIT = (
    "In the unit of the tensor, and larger for larger tensors: a cosine of 1 with a large distance is no contradiction."
)
SQUARED_UNIT = "In the square of the tensor's unit."
CONSUMER = (
    "The operator got the reference's input: it blames the operator that suffers from a bad scale, not the cause."
)
OUTPUT = "Seen at the model's output only: an operator on a side branch looks harmless."
FUSED = "Blank where the operator was fused into the next."
HIDES_NAN = "NaN is taken for 0 and infinity for ±10000 before: neither is seen."
