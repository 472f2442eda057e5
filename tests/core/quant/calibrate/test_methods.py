"""The methods against the values themselves, and against plain loops that follow their formulas."""

from itertools import pairwise, product

import numpy as np
import pytest

from calibration_values import SPREADS, Values, seen
from errorflow.base.errors import UsageError
from errorflow.quant.calibrate import METHODS
from errorflow.quant.calibrate.asked import method_of, methods_of
from errorflow.quant.calibrate.entropy import BINS, ENTROPY, FLOOR, LEAST, STRIDE, best_end, divergences, spread
from errorflow.quant.calibrate.histogram import MANTISSA
from errorflow.quant.calibrate.mse import MSE
from errorflow.quant.calibrate.percentile import percentile
from errorflow.quant.calibrate.seen import Method
from errorflow.quant.fake import fake_quantize
from errorflow.quant.precision import CHOICES, Precision
from errorflow.quant.ranges import Range
from errorflow.quant.scales import qparams_of

methods = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
spreads = pytest.mark.parametrize("values", SPREADS.values(), ids=SPREADS.keys())
UINT8, INT8 = Precision("uint8"), Precision("int8", symmetric=True)
both = pytest.mark.parametrize("precision", [UINT8, INT8], ids=lambda precision: precision.text)


@methods
@spreads
def test_a_range_lies_within_what_was_seen(method: Method, values: Values) -> None:
    known = seen(values)
    for dtype, symmetric in product(CHOICES, (False, True)):
        found = method.find(known, Precision(dtype, symmetric=symmetric))
        assert values.min() <= found.low < found.high <= values.max(), (dtype, symmetric)


@methods
@both
@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -3.25, 1e-42, 3e38])
def test_a_constant_is_its_own_range(method: Method, precision: Precision, value: float) -> None:
    found = method.find(seen([value] * 30_000), precision)
    single = float(np.float32(value))
    ends = qparams_of(found.low, found.high, precision), qparams_of(single, single, precision)
    assert ends[0].scales[0] == pytest.approx(ends[1].scales[0], rel=0.01)


@spreads
@pytest.mark.parametrize("percent", [99.999, 99.99, 99.9, 99.0])
def test_percentiles_are_those_of_the_values(values: Values, percent: float) -> None:
    found = percentile(percent).find(seen(values), UINT8)
    cut = (1 - percent / 100) / 2
    for end, share in ((found.low, cut), (found.high, 1 - cut)):
        around = np.quantile(values, share, method="lower"), np.quantile(values, share, method="higher")
        room = max(abs(float(limit)) for limit in around) / 2**MANTISSA + float(np.finfo(np.float32).tiny)
        assert around[0] - room <= end <= around[1] + room


def test_percentiles_of_symmetric_codes_are_those_of_magnitudes() -> None:
    values = SPREADS["outliers"]
    found = percentile(99.9).find(seen(values), INT8)
    assert found.high == -found.low == pytest.approx(float(np.quantile(abs(values), 0.999)), rel=2**-MANTISSA)


def test_all_of_a_hundred_per_cent() -> None:
    found = percentile(100).find(seen(SPREADS["outliers"]), UINT8)
    assert found == Range(float(SPREADS["outliers"].min()), float(SPREADS["outliers"].max()))


def error(values: Values, found: Range, precision: Precision) -> float:
    codes = fake_quantize(values, qparams_of(found.low, found.high, precision))
    return float(((values.astype(np.float64) - codes) ** 2).sum())


@spreads
@pytest.mark.parametrize("precision", [UINT8, INT8, Precision("int4")], ids=lambda precision: precision.text)
def test_no_range_has_much_less_error_than_that_of_the_least(values: Values, precision: Precision) -> None:
    values = values[::20]
    low, high = float(values.min()), float(values.max())
    ends = np.geomspace(0.01, 1, 40)
    others = [Range(low * a, high * b) for a in ends for b in ends[:: 1 if low < 0 < high else 40]]
    if not low < 0 < high:
        others += [Range(low * a if low < 0 else low, high * a if high > 0 else high) for a in ends]
    least = min(error(values, other, precision) for other in others)
    assert error(values, MSE.find(seen(values), precision), precision) <= 1.04 * least


def test_codes_of_16_bits_are_worth_no_clipping() -> None:
    values = SPREADS["normal"]
    for method in (MSE, ENTROPY):
        found = method.find(seen(values), Precision("int16", symmetric=True))
        assert found.high == pytest.approx(float(values.max()), rel=0.05)


def plain_divergence(counts: list[float], levels: int, end: int) -> float:
    """The documented formula, one bin at a time."""
    total = sum(counts)
    wanted = counts[:end]
    wanted[-1] += sum(counts[end:])
    kept = [0.0] * end
    for start, stop in pairwise(end * level // levels for level in range(levels + 1)):
        there = sum(count > 0 for count in wanted[start:stop])
        level = max(sum(counts[start:stop]), FLOOR)
        kept[start:stop] = [level / there if count > 0 else 0.0 for count in wanted[start:stop]]
    mass = max(sum(counts[:end]), FLOOR)
    pairs = zip(wanted, kept, strict=True)
    return float(sum(p / total * np.log(p / total / (q / mass)) for p, q in pairs if p > 0))


@pytest.mark.parametrize("name", ["relu", "outliers", "heavy"])
def test_the_divergence_follows_its_formula(name: str) -> None:
    found = seen(SPREADS[name])
    counts = spread(found.bins.magnitudes(), max(abs(float(found.low)), float(found.high)))
    ends = np.array([128, 300, 1000, 2000, BINS])
    plain = [plain_divergence(counts.tolist(), 128, int(end)) for end in ends]
    assert divergences(counts, 128, ends) == pytest.approx(plain, rel=1e-6, abs=1e-9)


def test_entropy_cuts_where_the_divergence_is_least() -> None:
    counts = spread(seen(SPREADS["outliers"]).bins.magnitudes(), float(abs(SPREADS["outliers"]).max()))
    tried = [end for end in range(BINS, 127, -STRIDE) if counts[:end].sum() >= counts.sum() / 2]
    plain = [plain_divergence(counts.tolist(), 128, end) for end in tried[::20]]
    best = best_end(counts, 128)
    assert plain_divergence(counts.tolist(), 128, best) <= min(plain) + 1e-9


def test_entropy_drops_outliers() -> None:
    values = SPREADS["outliers"]
    found = ENTROPY.find(seen(values), INT8)
    assert 3 < found.high < 0.2 * float(abs(values).max())


def test_entropy_cuts_nothing_of_few_values() -> None:
    values = SPREADS["outliers"][: LEAST - 1]
    assert ENTROPY.find(seen(values), INT8) == Range(float(values.min()), float(values.max()))


def test_what_is_spread_keeps_every_value_but_zeros() -> None:
    values = SPREADS["relu"]
    counts = spread(seen(values).bins.magnitudes(), float(values.max()))
    exact, _ = np.histogram(values[values > 0], BINS, range=(0, float(values.max())))
    assert counts.sum() == pytest.approx(exact.sum())
    assert abs(np.cumsum(counts) - np.cumsum(exact)).max() <= 0.004 * exact.sum()


def test_methods_have_names_of_their_own() -> None:
    keys = [method.key for method in METHODS]
    assert len(set(keys)) == len(keys)
    assert all(method.label and method.formula for method in METHODS)


def test_methods_are_asked_for_by_key() -> None:
    assert [method.key for method in methods_of(["mse, minmax", "mse", "percentile-99.5"])] == [
        "mse",
        "minmax",
        "percentile-99.5",
    ]
    assert methods_of(["all"]) == METHODS


@pytest.mark.parametrize("key", ["percentil", "kl", "percentile-12", "percentile-101", ""])
def test_an_unknown_method_is_a_sentence(key: str) -> None:
    with pytest.raises(UsageError, match="There is no calibration method") as caught:
        method_of(key)
    assert "minmax" in caught.value.hint
