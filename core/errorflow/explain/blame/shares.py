"""Shares in words: of the error at the output that goes back to a node, and of a node's error that is its own."""

import math

from errorflow.base.language import say

# What is less is as good as none; up to the other a share does not read as none.
_LEAST, _LITTLE = 0.001, 0.005
TIP = "Its part of the error's power: <part, error> / <error, error>"


def within(share: float) -> float:
    """Limits a part to 0 … 1 of the whole: where one part takes away from the other, the rest is nothing."""
    return min(max(share, 0.0), 1.0)


def blame_text(share: float) -> str:
    """Writes the share of the error at the output in percent; "" where it is not known."""
    return "< 1 %" if _LEAST <= share <= _LITTLE else share_text(share)


def share_text(share: float, decimals: int = 0) -> str:
    """Writes a share in percent; "" where it is not known."""
    return "" if math.isnan(share) else f"{within(share) * 100:z.{decimals}f} %"


def share_tip(share: float, decimals: int = 1) -> str:
    """Explains the number, and that it was cut where it lies beyond the whole."""
    if math.isnan(share) or round(share * 100, decimals) == round(within(share) * 100, decimals):
        return TIP
    exact = f"{share * 100:.{decimals}f} %".replace("-", "−")
    return say("{}. The two parts cancel each other here, which makes it {}", TIP, exact)
