"""Switch of a node in a word: as pictures, lists and searches show it."""

from enum import IntEnum

from errorflow.quant.plan import FLOAT, PLANNED
from errorflow.quant.precision import Precision
from errorflow.quant.switching import Pair


class Kept(IntEnum):
    """0: it is as planned."""

    FLOAT = 1
    BITS_16 = 2
    BITS_8 = 3
    BITS_4 = 4
    # Only its weights, only its activations, or each to something else.
    PART = 5

    @property
    def word(self) -> str:
        """Word on a mark, and in a search."""
        return {Kept.FLOAT: "float", Kept.PART: "part"}.get(self, str(_BITS.get(self, "")))

    @property
    def text(self) -> str:
        """Text in a legend."""
        if self in _BITS:
            return f"switched to {_BITS[self]} bits"
        return "kept in float" if self == Kept.FLOAT else "switched in part"


_BITS = {Kept.BITS_16: 16, Kept.BITS_8: 8, Kept.BITS_4: 4}
_OF_BITS = {bits: kept for kept, bits in _BITS.items()}


def kept_of(pair: Pair) -> Kept | None:
    """Finds the state; None: it is as planned."""
    activations, weights = pair
    if (activations, weights) == (PLANNED, PLANNED):
        return None
    if (activations, weights) == (FLOAT, FLOAT):
        return Kept.FLOAT
    if isinstance(activations, Precision) and isinstance(weights, Precision) and activations.bits == weights.bits:
        return _OF_BITS[activations.bits]
    return Kept.PART
