"""How to tell by its numbers which generation of msaccucmp wrote a table: one of them meant the square."""

import math

# Half of the last digit that the tool prints.
HALF_DIGIT = 0.5e-6
# The other generations add up in another order and in other types.
OTHER_SUMS = 1e-4


def squared_euclidean(file_value: float, recomputed: float) -> bool:
    """Whether a RelativeEuclideanDistance is the square of what it should be: so from August 2023 to June 2024.

    `recomputed` is the distance as it should be. Where the distance and its square look the same – both 0, both 1 –
    nothing can be told, and the answer is no.
    """
    if not math.isfinite(file_value) or not math.isfinite(recomputed):
        return False
    return _same(file_value, recomputed**2) and not _same(file_value, recomputed)


def _same(printed: float, computed: float) -> bool:
    return math.isclose(printed, computed, rel_tol=OTHER_SUMS, abs_tol=HALF_DIGIT)
