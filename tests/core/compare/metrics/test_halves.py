"""All of float16 becomes the same numbers in float32 as numpy makes of it."""

import numpy as np
import pytest

from errorflow.compare.metrics.halves import to_singles

ALL = np.arange(1 << 16).astype(np.uint16).view(np.float16)


@pytest.mark.parametrize(
    "values", [ALL, ALL[np.isfinite(ALL)], ALL[np.isfinite(ALL)].reshape(1024, -1)[::3, 5::2], ALL[:0]]
)
def test_every_value_keeps_its_bits(values: np.ndarray) -> None:
    out = np.empty(values.shape, np.float32)

    to_singles(values, out)

    assert out.tobytes() == values.astype(np.float32).tobytes()


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_is_seen_among_other_values(special: float) -> None:
    values = np.full(100, -1.5, np.float16)
    values[37] = special
    out = np.empty(100, np.float32)

    to_singles(values, out)

    assert np.array_equal(out, values, equal_nan=True)
