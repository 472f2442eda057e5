"""Percentiles are those of numpy, however many passes they take."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from errorflow.explain.inspect import summary
from errorflow.explain.inspect.summary import PercentileFinder, keys_of, value_of

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=64).map(lambda value: value + 0.0)
VALUES = arrays.arrays(np.float64, st.integers(1, 300), elements=FINITE)
PERCENTS = (0.0, 0.1, 25.0, 50.0, 99.9, 100.0)


def run(found: PercentileFinder, values: "np.ndarray[tuple[int], np.dtype[np.float64]]", pieces: int) -> int:
    passes, again = 0, True
    while again:
        for piece in np.array_split(values, pieces):
            found.feed(piece)
        again = found.turn()
        passes += 1
    return passes


@given(VALUES)
def test_keys_are_in_the_order_of_the_values_and_lead_back(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]",
) -> None:
    keys = keys_of(values)
    assert (np.argsort(keys, kind="stable") == np.argsort(values, kind="stable")).all()
    assert [value_of(int(key)) for key in keys] == values.tolist()


@given(VALUES, st.integers(1, 4), st.sampled_from([0, 1, 8, 1 << 20]))
def test_order_statistics_are_exact(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]", pieces: int, kept: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "KEPT", kept)
        found = PercentileFinder(PERCENTS)
        assert run(found, values, pieces) <= 4
    order = np.sort(values)
    for percent, value in zip(PERCENTS, found.values(), strict=True):
        place = (len(values) - 1) * percent / 100
        low, high = order[int(place)], order[min(int(place) + 1, len(values) - 1)]
        assert min(low, high) <= value <= max(low, high) or value == pytest.approx(low)


@given(arrays.arrays(np.float32, st.integers(1, 500), elements=st.floats(-1e6, 1e6, width=32)))
def test_between_two_values_it_is_as_numpy_has_it(values: "np.ndarray[tuple[int], np.dtype[np.float32]]") -> None:
    found = PercentileFinder(PERCENTS)
    run(found, values.astype(np.float64) + 0.0, 3)
    assert list(found.values()) == np.percentile(values.astype(np.float64) + 0.0, PERCENTS).tolist()


def test_of_no_values_there_are_none() -> None:
    found = PercentileFinder((50.0,))
    assert run(found, np.zeros(0), 1) == 1
    assert np.isnan(found.values()).all()
