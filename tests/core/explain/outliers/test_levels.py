"""Levels of channels, and what a row makes of them."""

from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from errorflow.explain.outliers.levels import LEVELS, SPARSE, levels
from errorflow.explain.outliers.model import Outliers, OutlierTable

MAXIMA = arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1e30))


def row(*maxima: float, tensor: str = "t") -> Outliers:
    return Outliers(tensor, "activation", 1, np.array(maxima, np.float64))


@given(MAXIMA)
def test_the_loudest_channel_has_level_zero_and_no_other_less(maxima: NDArray[np.float64]) -> None:
    found = levels(maxima)
    assert (found >= 0).all()
    assert maxima.max() == 0 or found[maxima.argmax()] == 0


@given(MAXIMA)
def test_a_channel_is_sparse_or_its_maximum_is_the_tensors_by_two_to_its_level(maxima: NDArray[np.float64]) -> None:
    found = levels(maxima)
    living = np.isfinite(found)
    np.testing.assert_allclose(maxima[living] * 2.0 ** found[living], maxima.max(), rtol=1e-9)
    assert (maxima[~living] <= maxima.max() * 2.0**-SPARSE).all()


@given(MAXIMA, st.integers(-60, 60))
def test_levels_do_not_know_the_unit(maxima: NDArray[np.float64], power: int) -> None:
    assume((maxima * 2.0**power >= np.finfo(np.float64).tiny).all() or not maxima.all())
    np.testing.assert_array_equal(levels(np.floor(maxima)), levels(np.floor(maxima) * 2.0**power))


@given(MAXIMA)
def test_shares_fall_with_the_level_and_leave_room_for_the_sparse(maxima: NDArray[np.float64]) -> None:
    made = row(*maxima.tolist())
    shares = [made.share(level) for level in (0, *LEVELS)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] + made.sparse == pytest.approx(1)


@given(MAXIMA, st.randoms())
def test_no_number_of_a_row_knows_the_order_of_its_channels(maxima: NDArray[np.float64], dice: Random) -> None:
    mixed = maxima.tolist()
    dice.shuffle(mixed)
    one, other = row(*maxima.tolist()), row(*mixed)
    assert (one.median, one.most, one.sparse) == (other.median, other.most, other.sparse)


@given(st.integers(0, 23), st.integers(3, 30))
def test_one_channel_that_is_louder_costs_the_median_one_as_many_bits(power: int, channels: int) -> None:
    made = row(*[0.75] * (channels - 1), 0.75 * 2.0**power)
    assert (made.median, made.most) == (power, power)
    assert made.effective_bits(8) == max(0, 8 - power)
    assert made.loud[0] == (channels - 1 if power else 0)


def test_a_silent_channel_is_sparse_and_has_no_level() -> None:
    made = row(1.0, 0.0, 0.125, 2.0**-25)
    assert made.sparse == 0.5
    assert (made.most, made.median) == (3, 1.5)
    assert [made.share(level) for level in LEVELS] == [0.25, 0, 0, 0]
    assert (made.quiet.tolist(), made.loud.tolist()) == ([2, 0], [0, 2])


def test_a_tensor_of_zeros_loses_nothing() -> None:
    made = row(0.0, 0.0)
    assert (made.sparse, made.median, made.most, made.effective_bits()) == (1, 0, 0, 8)


def test_the_worst_is_where_the_median_channel_loses_most() -> None:
    table = OutlierTable(
        "m", (row(1, 1, 1, tensor="even"), row(1, 1, 64, tensor="loud"), row(1e-6, 1, 1, tensor="quiet"))
    )
    assert [each.tensor for each in table.worst] == ["loud", "quiet", "even"]
