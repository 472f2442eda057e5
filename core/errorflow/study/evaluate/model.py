"""Rule for good enough, and what was found of runs: plain values."""

import math
from collections.abc import Mapping
from typing import Literal

from errorflow.base.values import dataclass, field

# Worse than the original by so much; by so much of the original; or a number that must be reached, whatever it was.
Kind = Literal["drop", "relative", "bound"]
# Of the float model's score, what quantization may cost: what samples should be able to show.
FINE = 0.01


@dataclass(frozen=True, slots=True)
class Judgement:
    """Judgement of a run beside the original."""

    good: bool
    # How much worse it is than the original; where that is without end, as an SQNR is, than what is asked for. Below
    # zero: it is better. NaN: the evaluator gave no number.
    loss: float


@dataclass(frozen=True, slots=True)
class AcceptRule:
    """Rule of when a run is good enough."""

    kind: Kind
    limit: float

    def judged(self, original: float, new: float, higher_is_better: bool) -> Judgement:
        """Judges a value; what is no number is never good."""
        start = self.limit if self.kind == "bound" and math.isinf(original) else original
        loss = _loss(start, new, higher_is_better)
        if math.isnan(new) or (self.kind != "bound" and math.isnan(loss)):
            return Judgement(False, math.nan)
        edge = self.edge(original, higher_is_better)
        return Judgement(new >= edge if higher_is_better else new <= edge, loss)

    def edge(self, original: float, higher_is_better: bool) -> float:
        """The worst value that is good enough."""
        if self.kind == "bound":
            return self.limit
        drop = self.limit if self.kind == "drop" else self.limit * abs(original)
        return original - drop if higher_is_better else original + drop

    def text(self, higher_is_better: bool) -> str:
        """Writes the rule as a sentence has it, such as `at most 0.01 worse than the original`."""
        if self.kind == "bound":
            return f"{'at least' if higher_is_better else 'at most'} {self.limit:g}"
        amount = f"{self.limit:g}" if self.kind == "drop" else f"{self.limit:.3%}".replace(".000", "")
        return f"at most {amount} worse than the original"


def _loss(original: float, new: float, higher_is_better: bool) -> float:
    if original == new:
        return 0.0
    return original - new if higher_is_better else new - original


@dataclass(frozen=True, slots=True)
class Hits:
    """Number of samples that were answered right, in the first k answers."""

    k: int
    right: int
    count: int

    @property
    def share(self) -> float:
        return self.right / self.count if self.count else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the share if there were more such samples, at 95 % (Wilson's score interval)."""
        return wilson(self.right, self.count)


@dataclass(frozen=True, slots=True)
class Scored:
    """One run on the labelled samples."""

    # What the user calls it, such as the name of a file.
    name: str
    # By output the hits for each k; the first output is the one that is judged.
    hits: Mapping[str, tuple[Hits, ...]] = field(default_factory=dict)
    # What an evaluator of the user's says; NaN: there is none.
    value: float = math.nan
    judgement: Judgement | None = None
    # By output the samples that the original answers right and this run does not, and the other way round.
    lost: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    won: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    # How many samples have another first answer.
    changed: Mapping[str, int] = field(default_factory=dict)
    # Why there are no numbers, or what is odd about them.
    note: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The original beside all others."""

    model: str
    original: Scored
    runs: tuple[Scored, ...]
    samples: int
    # What the evaluator is called; "": there are labels only.
    evaluator: str = ""
    notes: tuple[str, ...] = ()


def too_few(found: Hits) -> str:
    """Says that so few samples do not show what is looked for; "": they do."""
    low, high = found.interval
    if high - low <= 2 * FINE:
        return ""
    needed = math.ceil(max(found.share * (1 - found.share), 0.01) * (1.96 / FINE) ** 2)
    return (
        f"{found.count:,} samples tell the share to within {(high - low) / 2:.1%}; to see a loss of 1 % about "
        f"{needed:,} are needed."
    )


# Of a normal distribution, within which 95 % lie.
_Z = 1.959963984540054


def wilson(right: int, count: int) -> tuple[float, float]:
    """Bounds of a share at 95 %; nothing is known of no samples."""
    if not count:
        return 0.0, 1.0
    share, square = right / count, _Z * _Z / count
    middle = (share + square / 2) / (1 + square)
    half = _Z / (1 + square) * math.sqrt(share * (1 - share) / count + square / (4 * count))
    # Rounding must not put the bounds beyond the share itself.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))
