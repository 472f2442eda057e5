"""A histogram without a known range against the values themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from calibration_values import SPREADS, Values, seen
from errorflow.quant.calibrate.histogram import MANTISSA, Histogram
from errorflow.quant.fake import fake_quantize
from errorflow.quant.precision import Precision
from errorflow.quant.scales import qparams_of

FLOATS = arrays.arrays(
    np.float32, st.integers(1, 60), elements=st.floats(width=32, allow_nan=False, allow_infinity=False)
)
TINY = float(np.finfo(np.float32).tiny)
spreads = pytest.mark.parametrize("values", SPREADS.values(), ids=SPREADS.keys())


def add(histogram: Histogram, values: Values) -> None:
    histogram.add(values, values.min(), values.max())


def filled(values: Values) -> Histogram:
    histogram = Histogram()
    add(histogram, values)
    return histogram


@given(FLOATS)
def test_every_value_is_in_one_bin_that_is_narrow(values: Values) -> None:
    bins = filled(values).bins(float(values.min()), float(values.max()))
    assert bins.total == len(values)
    widest = np.maximum(np.maximum(abs(bins.starts), abs(bins.ends)) / 2**MANTISSA, TINY / 2**MANTISSA)
    assert (bins.ends - bins.starts <= widest).all()
    ordered = np.sort(values)
    at = np.repeat(np.arange(len(bins.counts)), bins.counts)
    assert (bins.starts[at] <= ordered + TINY).all()
    assert (ordered <= bins.ends[at] + TINY).all()


@settings(max_examples=25)
@given(FLOATS, st.integers(1, 4))
def test_many_values_are_counted_as_few_are(values: Values, times: int) -> None:
    many = np.tile(values, 3000)
    few = Histogram()
    for piece in np.array_split(many, 2 + len(many) // 2000):
        add(few, np.ascontiguousarray(piece))
    ends = float(values.min()), float(values.max())
    at_once = Histogram()
    for _ in range(times):
        add(at_once, many)
    one, other = few.bins(*ends), at_once.bins(*ends)
    assert np.array_equal(times * one.counts, other.counts)
    assert np.array_equal(one.starts, other.starts)


@pytest.mark.parametrize("count", [10, 5000])
def test_negative_zeros_are_counted(count: int) -> None:
    values = np.array([0.0, -0.0, 1.0] * count, np.float32)
    assert filled(values).bins(0.0, 1.0).total == 3 * count
    assert filled(-values).bins(-1.0, 0.0).total == 3 * count
    assert filled(np.full(3 * count, -0.0, np.float32)).bins(0.0, 0.0).total == 3 * count


@spreads
@pytest.mark.parametrize("share", [1e-5, 0.01, 0.3, 0.5, 0.9, 0.999, 0.99999])
def test_a_quantile_is_off_by_less_than_a_bin(values: Values, share: float) -> None:
    found = filled(values).bins(float(values.min()), float(values.max())).quantile(share)
    around = np.quantile(values, share, method="lower"), np.quantile(values, share, method="higher")
    room = max(abs(float(end)) for end in around) / 2**MANTISSA + TINY
    assert around[0] - room <= found <= around[1] + room


@spreads
@pytest.mark.parametrize("precision", [Precision("uint8"), Precision("int8", symmetric=True), Precision("int4")])
@pytest.mark.parametrize("part", [1.0, 0.6])
def test_the_noise_is_that_of_the_codes(values: Values, precision: Precision, part: float) -> None:
    qparams = qparams_of(part * float(values.min()), part * float(values.max()), precision)
    noise = float(((values.astype(np.float64) - fake_quantize(values, qparams)) ** 2).sum())
    bins = filled(values).bins(float(values.min()), float(values.max()))
    assert bins.noise(qparams) == pytest.approx(noise, rel=0.02)
    assert bins.power == pytest.approx(float((values.astype(np.float64) ** 2).sum()), rel=1e-3)


@spreads
def test_what_lies_beyond_is_counted_within_a_bin(values: Values) -> None:
    low, high = float(np.quantile(values, 0.02)), float(np.quantile(values, 0.97))
    outside = float(((values < low) | (values > high)).mean())
    bins = filled(values).bins(float(values.min()), float(values.max()))
    assert bins.beyond(low, high) == pytest.approx(outside, abs=0.003)
    assert bins.beyond(float(values.min()), float(values.max())) == 0


@spreads
def test_magnitudes_have_no_sign_and_lose_no_value(values: Values) -> None:
    sizes = filled(values).bins(float(values.min()), float(values.max())).magnitudes()
    assert sizes.total == len(values)
    assert (sizes.starts >= 0).all()
    assert (np.diff(sizes.starts) > 0).all()
    assert sizes.quantile(0.9) == pytest.approx(float(np.quantile(abs(values), 0.9)), rel=2**-MANTISSA)


@pytest.mark.parametrize("share", [0.001, 0.2, 0.4])
def test_zeros_are_zero(share: float) -> None:
    values = SPREADS["relu"]
    bins = filled(values).bins(0.0, float(values.max()))
    assert bins.quantile(share) == 0
    assert bins.beyond(0.0, 100.0) == 0


def test_it_stays_small() -> None:
    histogram = Histogram()
    for values in SPREADS.values():
        add(histogram, values)
    assert histogram.nbytes < 200_000


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -3.25, 6.0])
def test_codes_of_a_constant_make_no_error(value: float) -> None:
    found = seen([value] * 5000)
    qparams = qparams_of(value, value, Precision("uint8"))
    assert found.bins.noise(qparams) <= 1e-12 * found.bins.power
    assert found.bins.quantile(0.3) == value
