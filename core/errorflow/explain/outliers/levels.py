"""Levels: how many bits of a tensor's scale each channel does not use."""

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
# A channel that stays below 2⁻²⁴ of the loudest is nothing beside it, as far as float32 goes: it counts as sparse.
SPARSE = 24.0
# Those whose shares Pulsar2 prints.
LEVELS = (3, 4, 5, 6)


def levels(maxima: Doubles) -> Doubles:
    """log₂(largest of all / largest of the channel), from 0 for the loudest; infinite for a channel that is sparse.

    `maxima`: the largest size that a value has in each channel, none negative; NaN counts as zero.
    """
    known = np.where(np.isfinite(maxima), maxima, 0.0)
    top = known.max(initial=0.0)
    if top <= 0:
        return np.full(len(known), np.inf)
    with np.errstate(divide="ignore", over="ignore"):  # what is nothing is infinitely far below
        found = np.log2(top / known)
    return np.where(found > SPARSE, np.inf, found)
