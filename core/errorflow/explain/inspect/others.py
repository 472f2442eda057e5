"""Questions about the other model: the same weight there."""

from collections.abc import Callable
from typing import Protocol

from errorflow.base import Progress, dataclass
from errorflow.compare.match.model import Pair

NO_OTHER = "Only the model on view is at hand: open the other one as the second graph, or compare both models."


@dataclass(frozen=True, slots=True)
class OtherWeight:
    """`pair` None: `text` says why there is none; else, what the weight is compared with."""

    text: str
    pair: Pair | None = None
    # The candidate is no file's: a plan makes it of the reference.
    planned: bool = False


class OtherWeights(Protocol):
    """Weights of the other model."""

    def find(self, node: int, place: int) -> OtherWeight:
        """Finds what a node of the model on view reads as an input, in both models."""
        ...


# Opens the other model when it is first asked for; None: there is none.
AskWeights = Callable[[Progress], OtherWeights | None]
