"""The sums behind the metrics: the same whatever the type, layout and division of the tensors."""

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import DTypeLike, NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import PIECE, Scaled, Side, Sums, sums

Doubles = NDArray[np.float64]
finite = st.floats(allow_nan=False, allow_infinity=False)
couples = hnp.arrays(np.float64, st.tuples(st.integers(1, 40), st.just(2)), elements=finite)


@given(both=couples, at=st.integers(0, 40))
def test_sums_of_parts_add_up_to_the_sums_of_the_whole(both: Doubles, at: int) -> None:
    r, c = both.T
    whole, parts = sums(r, c), sums(r[:at], c[:at]) + sums(r[at:], c[at:])

    assert (whole.count, whole.reference, whole.candidate) == (parts.count, parts.reference, parts.candidate)
    for metric in METRICS:
        assert metric.of(parts) == pytest.approx(metric.of(whole), rel=1e-9, abs=1e-9)


@given(both=couples)
def test_no_sums_add_nothing(both: Doubles) -> None:
    whole = sums(*both.T)

    assert Sums() + whole == whole
    assert whole + Sums() == whole


def test_a_tensor_of_many_pieces_is_read_to_its_end() -> None:
    r = np.zeros(3 * PIECE + 1, np.float32)
    c = r.copy()
    c[-1] = 2

    found = sums(r, c)

    assert found.count == r.size
    assert float(found.d_max) == 2
    assert float(found.dd) == 4


@pytest.mark.parametrize(
    "dtype",
    (
        *(bool, np.int8, np.uint8, np.int64, np.uint64, np.float16, ">f4", np.longdouble),
        *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4),
    ),
)
def test_every_type_of_number_is_read(dtype: DTypeLike) -> None:
    found = sums(np.array([0, 1, 1], dtype), np.array([1.0, 1.0, 0.0]))

    assert (float(found.rr), float(found.cc), float(found.rc), float(found.dd)) == (2, 2, 1, 2)


@pytest.mark.parametrize("layout", ["F", "C"])
def test_the_memory_layout_does_not_matter(layout: str) -> None:
    r = np.arange(2 * 300 * 70, dtype=np.float64).reshape(2, 300, 70)
    c = np.array(r[:, ::-1], order="F" if layout == "F" else "C")

    found = sums(r, c)

    assert float(found.rc) == pytest.approx(float((r * c).sum()))
    assert float(found.d_max) == np.abs(r - c).max()


def test_read_only_tensors_stay_as_they_are() -> None:
    r = np.array([1.0, math.nan, -math.inf])
    r.flags.writeable = False
    before = r.tobytes()

    sums(r, r)

    assert r.tobytes() == before


def test_what_no_number_may_hide_is_counted() -> None:
    found = sums([1.0, math.nan, math.inf, 4.0], [1.0, 2.0, math.inf, -math.inf])

    assert found.reference == Side(nan=1, inf=1, low=1.0, high=4.0)
    assert found.candidate == Side(nan=0, inf=2, low=1.0, high=2.0)
    assert found.broken == 2


@pytest.mark.parametrize(
    ("values", "constant", "zero"),
    [
        ([0.0, -0.0], True, True),
        ([3.0, 3.0], True, False),
        ([0.0, 1.0], False, False),
        ([2.0, math.nan], False, False),
        ([], False, False),
    ],
)
def test_constant_and_zero_tensors_are_known(values: list[float], constant: bool, zero: bool) -> None:
    side = sums(values, values).reference

    assert (side.constant, side.zero) == (constant, zero)


def test_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shapes differ"):
        sums(np.zeros(3), np.zeros((3, 1)))


@pytest.mark.parametrize("values", [np.array(["a"]), np.array([1j]), np.array([None])])
def test_what_is_no_real_number_is_refused(values: NDArray[np.generic]) -> None:
    with pytest.raises(TypeError):
        sums(values, values)


@given(a=st.floats(0, 1e300), b=st.floats(0, 1e300), shift=st.integers(-900, 900))
def test_scaled_numbers_add_like_numbers(a: float, b: float, shift: int) -> None:
    total = Scaled(math.ldexp(a, -shift), shift) if 1e-9 < a < 1e9 else Scaled(a)

    assert float(total + Scaled(b)) == pytest.approx(a + b)
    assert float(total.larger(Scaled(b))) == pytest.approx(max(a, b))
