"""Results of steps before quantization, in few words."""

import math
from typing import TYPE_CHECKING

from errorflow.base.values import dataclass

if TYPE_CHECKING:
    from errorflow.study.rewrites.model import ChannelScaling
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.outcome import Outcome

# Of each kind so many are told, those that were worst first.
MOST = 5


@dataclass(frozen=True, slots=True)
class ToldChange:
    """Change in words. `before` and `after`: how far the usual channel is below the loudest one; or what is added, in
    `after`.
    """

    tensor: str
    what: str
    before: str
    after: str
    tip: str


@dataclass(frozen=True, slots=True)
class ToldSteps:
    lines: tuple[str, ...]
    # The same, with why some tensors were left as they are.
    reasons: str
    changes: tuple[ToldChange, ...]
    # How many others there are.
    more: int

    @classmethod
    def of(cls, bench: "Bench", outcome: "Outcome") -> "ToldSteps":
        from errorflow.study.simulate.applied import applied

        found = applied(bench, outcome.plan)
        kinds = (found.of("smoothed"), found.of("equalized"), found.of("corrected"))
        chosen = [change for changes in kinds for change in sorted(changes, key=_rank)[:MOST]]
        said = tuple(found.lines(reasons=False))
        return cls(said, "\n".join(found.lines()), tuple(map(_told, chosen)), len(found.changes) - len(chosen))


def _rank(change: "ChannelScaling") -> float:
    """Low for what was worst."""
    if change.what == "corrected":
        return -max(abs(change.low), abs(change.high))
    found = change.before.activations if change.what == "smoothed" else change.before.weights
    return -found if math.isfinite(found) else math.inf


def _told(change: "ChannelScaling") -> ToldChange:
    who = ", ".join((*change.makers, change.inserted) if change.inserted else change.makers)
    behind = f" → {', '.join(change.readers)}" if change.readers else ""
    if change.what == "corrected":
        added = f"{change.low:+.3g} … {change.high:+.3g}"
        return ToldChange(change.tensor, change.what, "", added, f"{who}: added to {change.channels:,} biases")
    smoothed = change.what == "smoothed"
    before, after = (side.activations if smoothed else side.weights for side in (change.before, change.after))
    factors = f"{change.channels:,} channels divided by {change.low:.3g} … {change.high:.3g}"
    return ToldChange(change.tensor, change.what, f"{before:.1f}", f"{after:.1f} bits", f"{who}{behind}: {factors}")
