"""Steps that make a model easier to quantize, before it is: what the user decides, as values.

The first two rewrite the float model so that it still computes the same; the last one shifts what the quantized model
adds, and leaves the float model alone.
"""

import math
from collections.abc import Iterable, Sequence

from errorflow.base import UsageError, dataclass

STRENGTH, THRESHOLD = 0.6, 0.2


@dataclass(frozen=True, slots=True)
class Equalize:
    """Weights of layers behind each other are made equally large, channel by channel."""


@dataclass(frozen=True, slots=True)
class Smooth:
    """Channels of activations that are louder than others are divided, and the weights behind them multiplied.

    `strength`: how much of the difference moves into the weights, from 0 to 1. `threshold`: tensors are smoothed of
    whose channels at least that share loses three bits or more to the loudest one.
    """

    strength: float = STRENGTH
    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        for name, value in (("strength", self.strength), ("threshold", self.threshold)):
            if not (math.isfinite(value) and 0 <= value <= 1):
                raise UsageError(
                    f"The {name} of smoothing lies between 0 and 1, and {value:g} does not.",
                    f"Pulsar2 begins with a strength of {STRENGTH} and a threshold of {THRESHOLD}.",
                )


@dataclass(frozen=True, slots=True)
class CorrectBiases:
    """Correction that is added to the outputs of layers while their weights are coded; by the first tensor of each."""

    shifts: tuple[tuple[str, tuple[float, ...]], ...] = ()


Step = Equalize | Smooth | CorrectBiases
# In the order in which they are taken: what comes later counts on what came before.
KINDS: tuple[type[Step], ...] = (Equalize, Smooth, CorrectBiases)


def with_step(steps: Sequence[Step], step: Step) -> tuple[Step, ...]:
    """Puts a step in place of another one of its kind; shifts that were found for another float model are dropped."""
    if step in steps:
        return tuple(steps)
    return _sorted([step, *_without(steps, type(step))])


def without_step(steps: Sequence[Step], kind: type[Step]) -> tuple[Step, ...]:
    return _sorted(_without(steps, kind)) if find(steps, kind) is not None else tuple(steps)


def find(steps: Iterable[Step], kind: type[Step]) -> Step | None:
    return next((step for step in steps if isinstance(step, kind)), None)


def remaking(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Chooses the steps that make another float model."""
    return tuple(step for step in steps if not isinstance(step, CorrectBiases))


def shifts_of(steps: Iterable[Step]) -> dict[str, tuple[float, ...]]:
    return {name: shift for step in steps if isinstance(step, CorrectBiases) for name, shift in step.shifts}


def step_text(step: Step) -> str:
    """Writes a step as a list shows it."""
    if isinstance(step, Equalize):
        return "layers equalized"
    if isinstance(step, Smooth):
        return f"outliers smoothed, strength {step.strength:g}, threshold {step.threshold:g}"
    return f"biases of {len(step.shifts):,} layer{'' if len(step.shifts) == 1 else 's'} corrected"


def _without(steps: Sequence[Step], kind: type[Step]) -> list[Step]:
    gone = {kind} if kind is CorrectBiases else {kind, CorrectBiases}
    return [step for step in steps if type(step) not in gone]


def _sorted(steps: Iterable[Step]) -> tuple[Step, ...]:
    return tuple(sorted(steps, key=lambda step: KINDS.index(type(step))))
