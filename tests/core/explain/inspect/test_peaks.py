"""One clear peak, or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from errorflow.explain.inspect.peaks import LEAST, PRESSED, peaks_of

DICE = np.random.default_rng(5)
NORMAL = DICE.standard_normal(20_000)


@pytest.mark.parametrize(
    ("values", "count"),
    [
        (NORMAL, 1),
        (np.maximum(NORMAL, 0), 1),
        (DICE.laplace(size=20_000), 1),
        (DICE.exponential(size=20_000), 1),
        (np.concatenate([NORMAL, NORMAL + 8]), 2),
        (np.concatenate([NORMAL - 9, NORMAL, NORMAL[:5000] + 9]), 3),
        # A bump that is a hundredth of the peak is none.
        (np.concatenate([NORMAL, NORMAL[:100] + 9]), 1),
        (DICE.standard_normal(300), 1),
        (np.full(1000, 3.0), 1),
        (DICE.integers(0, 2, 5000) + 1.0, 2),
    ],
)
def test_peaks_are_counted(values: np.ndarray[tuple[int], np.dtype[np.float64]], count: int) -> None:
    found = peaks_of(values)
    assert len(found.places) == count
    assert found.friendly is (count == 1)
    assert found.heights[0] == 1.0
    assert ("friendly" in found.text) is (count == 1)


def test_they_are_found_where_they_are() -> None:
    found = peaks_of(np.concatenate([NORMAL, NORMAL[:8000] + 8]))
    assert found.places == pytest.approx((0, 8), abs=0.4)
    assert found.heights[1] == pytest.approx(0.4, abs=0.1)


def test_few_large_values_are_told_which_the_rule_does_not_see() -> None:
    found = peaks_of(np.concatenate([NORMAL, [400.0]]))
    assert found.friendly
    assert found.used < PRESSED
    assert "of the range" in found.text
    assert not peaks_of(NORMAL).pressed


@pytest.mark.parametrize("values", [[], [1.0, 2.0], [0.0] * 1000, [np.nan] * 1000, [np.inf] * 50 + [1.0]])
def test_too_little_says_nothing(values: list[float]) -> None:
    found = peaks_of(np.array(values))
    assert found.friendly is None
    assert "Too few" in found.text


@given(arrays(np.float32, st.integers(0, 400), elements=st.floats(width=32)))
def test_whatever_the_values_there_is_an_answer(values: np.ndarray[tuple[int], np.dtype[np.float32]]) -> None:
    found = peaks_of(values)
    assert found.count <= values.size
    assert (found.friendly is None) == (found.count < LEAST)
    assert 0 <= found.used <= 1 + 1e-9
    assert all(0 < height <= 1 for height in found.heights)


@given(st.floats(1e-6, 1e6), st.booleans())
def test_the_unit_does_not_matter(unit: float, turned: bool) -> None:
    values = np.concatenate([NORMAL, NORMAL + 8]) * unit * (-1 if turned else 1)
    assert len(peaks_of(values).places) == 2
