"""An error in two parts: what the node introduced, and what it inherited."""

import math

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Array = NDArray[np.generic]
# Values that are worked on at a time: three arrays of float64 of them stay small.
PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class Split:
    """Parts of an error in units of the reference's norm; `share` is <introduced, error> / <error, error>, NaN without
    an error.
    """

    accumulated: float
    introduced: float
    inherited: float
    share: float


def split(candidate: Array, again: Array, reference: Array) -> Split:
    """Splits the error by what the candidate has, what the original node makes of the candidate's inputs, and what is
    right.

    What is infinite or NaN where the reference is not is an infinite error, introduced if the original node does not
    make it out of the same inputs.
    """
    sides = [array.reshape(-1) for array in (candidate, again, reference)]
    sums = np.zeros(5)
    broken = np.zeros(2, bool)
    for start in range(0, sides[0].size, PIECE):
        mine, made, golden = (np.asarray(side[start : start + PIECE], np.float64) for side in sides)
        finite = np.isfinite(golden)
        good = finite & np.isfinite(mine) & np.isfinite(made)
        broken |= (bool((finite & ~np.isfinite(mine)).any()), bool((finite & ~np.isfinite(made)).any()))
        if not good.all():
            mine, made, golden = mine[good], made[good], golden[good]
        introduced, inherited = mine - made, made - golden
        error = introduced + inherited
        sums += (error @ error, introduced @ introduced, inherited @ inherited, introduced @ error, golden @ golden)
    return _split(sums, broken)


def _split(sums: NDArray[np.float64], broken: NDArray[np.bool_]) -> Split:
    error, introduced, inherited, mixed, size = sums.tolist()
    mine_broken, made_broken = broken.tolist()
    relative = _relative(error, size), _relative(introduced, size), _relative(inherited, size)
    if mine_broken or made_broken:
        return Split(
            math.inf if mine_broken else relative[0],
            math.inf if mine_broken != made_broken else relative[1],
            math.inf if made_broken else relative[2],
            (0.0 if made_broken else 1.0) if mine_broken else math.nan,
        )
    return Split(*relative, share=mixed / error if error else math.nan)


def _relative(power: float, size: float) -> float:
    if not power:
        return 0.0
    return math.sqrt(power / size) if size else math.inf
