"""Changes that steps made to a model, as values."""

from collections.abc import Mapping
from typing import Literal

from errorflow.base.values import dataclass, field
from errorflow.graph.model import Model

What = Literal["smoothed", "equalized", "corrected"]
# Of a channel that is so many bits below the loudest one so many are lost.
LEVEL = 3


@dataclass(frozen=True, slots=True)
class ScaleSpread:
    """Distance of channels in bits: log₂ of the largest over the median channel, of what is not zero."""

    activations: float = float("nan")
    weights: float = float("nan")
    # The share of the channels of the activations that lose 3 bits or more.
    share: float = float("nan")


@dataclass(frozen=True, slots=True)
class ChannelScaling:
    """Change of one tensor: channel by channel it was divided, what makes it with it, and what reads it multiplied."""

    what: What
    tensor: str
    # The nodes whose constants changed.
    makers: tuple[str, ...]
    readers: tuple[str, ...]
    channels: int
    # The least and the largest factor; of a correction, what is added.
    low: float
    high: float
    before: ScaleSpread = ScaleSpread()
    after: ScaleSpread = ScaleSpread()
    # The node that was put in, where no maker could take the factors; "": none was needed.
    inserted: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A tensor that a step could have changed, and why it did not."""

    what: What
    tensor: str
    reason: str


@dataclass(frozen=True, eq=False)
class Remade:
    """A float model that computes the same. Its nodes and tensors have the numbers that they had; new ones follow."""

    model: Model
    changes: tuple[ChannelScaling, ...]
    skipped: tuple[Skipped, ...] = ()
    # Tensors whose values are other ones, though the outputs are the same.
    rescaled: frozenset[str] = frozenset()
    # Constants whose values are other ones.
    rewritten: frozenset[str] = frozenset()
    facts: Mapping[str, str] = field(default_factory=dict)
