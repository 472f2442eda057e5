"""Values over samples, before and after they are coded."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from errorflow.explain.inspect.distribution import Distribution, distribution, thresholds_of
from errorflow.explain.inspect.spread import FLIERS, thinned
from errorflow.graph.qparams import QParams
from errorflow.quant.fake import fake_quantize

Array = NDArray[Any]
CODES = QParams((0.1,), (0,), 8, True)


def _seen(samples: Sequence[Array], qparams: QParams | None = CODES, axis: int | None = 1) -> Distribution:
    pairs = [(array, None if qparams is None else fake_quantize(array, qparams)) for array in samples]
    return distribution("t", lambda: iter(pairs), qparams=qparams, axis=axis)


def _samples(count: int = 3, channels: int = 4) -> list[Array]:
    dice = np.random.default_rng(2)
    return [dice.standard_normal((1, channels, 6, 6)).astype(np.float32) for _ in range(count)]


def test_all_samples_are_counted() -> None:
    samples = _samples()
    found = _seen(samples)
    every = np.concatenate([array.reshape(-1) for array in samples])
    assert (found.samples, found.count, found.shape) == (3, every.size, (1, 4, 6, 6))
    assert (found.low, found.high) == (every.min(), every.max())
    assert found.before.sum() == every.size
    assert found.after is not None
    coded = fake_quantize(every, CODES)
    assert found.after.sum() == np.count_nonzero(coded)
    assert found.errors is not None
    assert found.errors.sum() == np.count_nonzero(coded.astype(np.float64) - every.astype(np.float64))


def test_what_stays_in_float_has_no_second_side() -> None:
    found = _seen(_samples(), None)
    assert (found.after, found.errors, found.thresholds, found.clipped) == (None, None, None, 0)


def test_thresholds_are_the_values_of_the_ends_of_the_codes() -> None:
    found = _seen(_samples())
    assert found.thresholds == pytest.approx((-12.8, 12.7))
    lows, highs = thresholds_of(QParams((0.5, 2.0), (10, 0), 8, False, 0))
    assert (lows.tolist(), highs.tolist()) == ([-5.0, 0.0], [122.5, 510.0])


def test_what_lies_beyond_them_is_counted() -> None:
    values = np.array([[[-20.0, -12.84, 0.0, 12.74, 12.76, 30.0]]], np.float32)
    assert _seen([values]).clipped == 3
    channels = QParams((0.1, 1.0), (0, 0), 8, True, 1)
    both = np.array([[[20.0, 1.0], [20.0, 200.0]]], np.float32)
    assert _seen([both], channels).clipped == 2
    assert _seen([both], channels).thresholds is None


def test_zeros_are_told_apart_from_bars() -> None:
    found = _seen([np.array([[[0.0, 0.0, 1.0, 2.0]]], np.float32)])
    assert (found.zeros, int(found.before.sum())) == (2, 2)


def test_what_is_no_number_is_left_out_and_told() -> None:
    found = _seen([np.array([[[np.nan, np.inf, 1.0, 2.0]]], np.float32)])
    assert (found.broken, found.count, found.low, found.high) == (2, 2, 1.0, 2.0)
    assert "2 values are NaN or infinite" in found.note


def test_channels_have_the_box_of_all_their_samples() -> None:
    samples = _samples()
    found = _seen(samples).channels
    assert found is not None and found.exact
    for channel in range(4):
        values = np.concatenate([array[:, channel].reshape(-1) for array in samples]).astype(np.float64)
        quartiles = np.percentile(values, (25, 50, 75))
        np.testing.assert_allclose([found.first[channel], found.median[channel], found.third[channel]], quartiles)
        assert (found.low[channel], found.high[channel]) == (values.min(), values.max())
        assert found.mean[channel] == pytest.approx(values.mean())
        reach = 1.5 * (quartiles[2] - quartiles[0])
        inside = values[(values >= quartiles[0] - reach) & (values <= quartiles[2] + reach)]
        assert (found.whisker_low[channel], found.whisker_high[channel]) == (inside.min(), inside.max())
        outside = values[(values < inside.min()) | (values > inside.max())]
        np.testing.assert_array_equal(found.fliers[channel], thinned(np.unique(outside)))


def test_many_values_are_thinned_and_their_ends_are_exact() -> None:
    dice = np.random.default_rng(1)
    samples = [dice.standard_normal((2, 40_000)).astype(np.float32) for _ in range(2)]
    samples[1][1, 7] = 99.0
    found = _seen(samples, axis=0).channels
    assert found is not None and not found.exact
    assert found.high[1] == 99.0
    assert found.fliers[1][-1] == 99.0
    assert len(found.fliers[1]) <= FLIERS
    assert found.median[1] == pytest.approx(0, abs=0.05)


def test_quiet_channels_are_shares_of_all() -> None:
    values = np.ones((1, 4, 8), np.float32) * np.array([16.0, 7.0, 1.0, 0.0])[None, :, None]
    found = _seen([values.astype(np.float32)]).channels
    assert found is not None
    assert [found.quiet(bits) for bits in (1, 2, 3, 4)] == [0.75, 0.5, 0.5, 0.25]
    assert found.loudest == 0


def test_what_is_all_zero_has_no_quiet_channels() -> None:
    found = _seen([np.zeros((1, 4, 8), np.float32)]).channels
    assert found is not None
    assert found.quiet(1) == 0.0


@pytest.mark.parametrize("axis", [None, 5])
def test_without_channels_there_are_none(axis: int | None) -> None:
    assert _seen(_samples(), axis=axis).channels is None


def test_shapes_of_samples_may_differ() -> None:
    dice = np.random.default_rng(1)
    found = _seen([dice.standard_normal((1, 3, side)).astype(np.float32) for side in (5, 9)])
    assert found.count == 3 * 14
    assert found.channels is not None
    assert len(found.channels) == 3


@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=3, max_side=6), elements=st.floats(width=32)))
def test_whatever_the_values_all_are_counted(values: Array) -> None:
    found = _seen([values, values])
    assert found.count + found.broken == 2 * values.size
    assert found.before.sum() + found.zeros == found.count
    assert 0 <= found.clipped <= found.count
    spread = found.channels
    if spread is not None:
        known = ~np.isnan(spread.median)
        rows = (spread.whisker_low, spread.first, spread.median, spread.third, spread.whisker_high)
        for lower, upper in pairwise(rows):
            assert (lower[known] <= upper[known]).all()
