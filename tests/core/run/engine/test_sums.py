"""Quick sums are those of `errorflow.compare.metrics.sums`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import sums
from errorflow.compare.split import split
from errorflow.run.engine.rows import row_of, sums_of_row
from errorflow.run.engine.sums import BLOCK, ROW, dot, reference_of, split_of, sums_of

Floats = NDArray[np.float32]
SIZES = [0, 1, ROW - 1, ROW, ROW + 1, BLOCK, 2 * BLOCK + 17]
EDGES = [np.nan, np.inf, -np.inf, 0.0, 1e-25, 1e-42, 3e38, 1.0]


def pair(size: int, noise: float, scale: float = 1.0) -> tuple[Floats, Floats]:
    dice = np.random.default_rng(size)
    golden = (dice.standard_normal(size) * scale).astype(np.float32)
    return golden, (golden + noise * scale * dice.standard_normal(size)).astype(np.float32)


def check(golden: Floats, mine: Floats) -> None:
    want, found = sums(golden, mine), sums_of(golden, mine, reference_of(golden))
    assert (found.count, found.broken) == (want.count, want.broken)
    for metric in METRICS:
        near = 1e-5 if metric.unit == "dB" else 1e-12
        assert metric.of(found) == pytest.approx(metric.of(want), rel=1e-5, abs=near, nan_ok=True), metric.key
    assert sums_of_row(row_of(found)).broken == want.broken


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("noise", [0.0, 1e-6, 1e-2, 3.0])
def test_of_any_size_and_noise(size: int, noise: float) -> None:
    check(*pair(size, noise))


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1e-12, 1e12, 1e20, 1e37])
def test_of_values_whose_squares_no_float32_holds(scale: float) -> None:
    check(*pair(1000, 0.1, scale))


@pytest.mark.parametrize("share", [1e-3, -1e-3, 0.3, -1.0, 1.0, 100.0])
def test_of_a_candidate_that_shrank_or_grew(share: float) -> None:
    golden, mine = pair(50_000, 1e-4)
    check(golden, (mine * np.float32(share)).astype(np.float32))


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("other", EDGES)
def test_of_values_that_are_no_numbers(edge: float, other: float) -> None:
    golden, mine = pair(3000, 0.01)
    golden[7], mine[7] = edge, other
    check(golden, mine)


@given(st.data())
def test_of_anything(data: st.DataObject) -> None:
    shape = arrays.arrays(np.float32, 40, elements=st.floats(width=32))
    check(data.draw(shape), data.draw(shape))


def test_one_minus_the_cosine_keeps_its_digits() -> None:
    golden, mine = pair(100_000, 1e-5)
    found = sums_of(golden, mine, reference_of(golden))
    r, c = golden.astype(np.float64), mine.astype(np.float64)
    d = c - r
    want = ((r @ r) * (d @ d) - (r @ d) ** 2) / (2 * (r @ r) * (r @ r))
    assert 1 - METRICS[0].of(found) == pytest.approx(want, rel=1e-3)


@pytest.mark.parametrize("golden", [np.arange(5), np.array([True, False]), np.linspace(0, 1, 9).astype(np.float16)])
def test_of_other_types(golden: NDArray[np.generic]) -> None:
    found = sums_of(golden, golden[::-1].copy(), reference_of(golden))
    numbers = golden.astype(np.float64)
    assert float(found.dd) == pytest.approx(((numbers - numbers[::-1]) ** 2).sum())


@pytest.mark.parametrize("size", SIZES[1:])
def test_parts_are_those_of_the_split(size: int) -> None:
    golden, again = pair(size, 0.1)
    mine = (again + 0.05 * np.random.default_rng(1).standard_normal(size)).astype(np.float32)
    want = split(mine, again, golden)
    found = split_of(mine, again, golden, sums(golden, mine))
    for name in ("accumulated", "introduced", "inherited", "share"):
        assert getattr(found, name) == pytest.approx(getattr(want, name), rel=1e-4, abs=1e-9), name


@pytest.mark.parametrize("edge", EDGES)
def test_parts_of_what_is_no_number(edge: float) -> None:
    golden, again = pair(100, 0.1)
    again[3] = edge
    found, want = split_of(golden + 1, again, golden, sums(golden, golden + 1)), split(golden + 1, again, golden)
    assert (found.introduced, found.share) == pytest.approx((want.introduced, want.share), rel=1e-4, nan_ok=True)


def test_products_of_long_rows_do_not_lose_digits() -> None:
    values = np.full(1 << 22, 0.1, np.float32)
    assert dot(values, values) == pytest.approx(len(values) * float(np.float32(0.1)) ** 2, rel=1e-6)
