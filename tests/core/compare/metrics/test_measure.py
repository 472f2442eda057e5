"""One pass over both tensors gives all that can be measured, whatever their type, layout and values."""

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.details import DETAILS
from errorflow.compare.metrics.distinct import MOST, DistinctValues
from errorflow.compare.metrics.measure import MeasuredPair, measure
from errorflow.compare.metrics.pieces import BLOCK, blocks
from errorflow.compare.metrics.sums import Side, sums
from errorflow.graph.qparams import QParams

Doubles = NDArray[np.float64]
numbers = st.one_of(
    st.floats(), st.sampled_from([0.0, 1.0, math.nan, math.inf, -math.inf, 1e-300, 1e300]), st.floats(-10, 10)
)
tame = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda value: round(value, 3))


def two(elements: st.SearchStrategy[float]) -> st.SearchStrategy[tuple[Doubles, Doubles]]:
    shapes = hnp.array_shapes(min_dims=0, max_dims=4, max_side=9)
    return shapes.flatmap(
        lambda shape: st.tuples(*(hnp.arrays(np.float64, shape, elements=elements) for _ in range(2)))
    )


def random(shape: tuple[int, ...], dtype: Any = np.float64) -> tuple[NDArray[Any], NDArray[Any]]:
    generator = np.random.default_rng(1)
    reference = generator.standard_normal(shape)
    return reference.astype(dtype), (reference + 0.1 * generator.standard_normal(shape)).astype(dtype)


@given(both=two(numbers))
def test_the_metrics_are_those_of_the_sums(both: tuple[Doubles, Doubles]) -> None:
    found, whole = measure(*both), sums(*both)

    assert (found.reference, found.candidate) == (whole.reference, whole.candidate)
    for metric in METRICS:
        assert found.values[metric.key] == pytest.approx(metric.of(whole), rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, ">f4", np.int8, np.int64, ml_dtypes.bfloat16])
@pytest.mark.parametrize("shape", [(), (5,), (3, 50_000), (2, 9, 70, 80), (40, 1, 3000), (200_000, 2)])
def test_many_pieces_give_the_metrics_of_the_sums(shape: tuple[int, ...], dtype: Any) -> None:
    reference, candidate = (each * 10 for each in random(shape))
    reference, candidate = np.asarray(reference).astype(dtype), np.asarray(candidate).astype(dtype)
    found, whole = measure(reference, candidate), sums(reference, candidate)

    for metric in METRICS:
        assert found.values[metric.key] == pytest.approx(metric.of(whole), rel=1e-9)
    wide = candidate.astype(np.float64)
    count = len(np.unique(wide))
    assert found.unique == DistinctValues(min(count, MOST), count > MOST)
    assert found.values["sign_flips"] == np.mean(np.sign(reference.astype(np.float64)) * np.sign(wide) < 0)


@pytest.mark.parametrize(
    "change",
    [
        lambda array: np.asfortranarray(array),
        lambda array: np.ascontiguousarray(array.transpose(2, 0, 1)).transpose(1, 2, 0),
        lambda array: np.repeat(array, 2, axis=1)[:, ::2],
        lambda array: array[::-1].copy()[::-1],
    ],
    ids=["fortran", "transposed", "gaps", "reversed"],
)
def test_the_layout_does_not_matter(change: Any) -> None:
    reference, candidate = random((7, 90, 130), np.float32)
    expected = measure(reference, candidate).values

    for both in (
        (change(reference), candidate),
        (reference, change(candidate)),
        (change(reference), change(candidate)),
    ):
        assert measure(*both).values == pytest.approx(expected, rel=1e-9)


@given(both=two(tame), seed=st.integers(0, 99))
def test_the_order_of_the_values_does_not_matter(both: tuple[Doubles, Doubles], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(both[0].size)
    flat = [each.reshape(-1) for each in both]

    shuffled = measure(flat[0][order], flat[1][order])

    assert shuffled.values == pytest.approx(measure(*flat).values, rel=1e-9, abs=1e-12)
    assert shuffled.unique == measure(*flat).unique


@given(both=two(tame), factor=st.sampled_from([0.25, 2.0, -8.0, 2.0**400, 2.0**-400]))
def test_a_common_factor_changes_nothing_relative(both: tuple[Doubles, Doubles], factor: float) -> None:
    plain, scaled = measure(*both).values, measure(both[0] * factor, both[1] * factor).values

    for key in {"cosine", "relative_l2", "sqnr", "sign_flips", "min_channel_sqnr", "median_channel_sqnr"} & set(plain):
        assert scaled[key] == pytest.approx(plain[key], rel=1e-9, abs=1e-12)


@given(both=two(tame))
def test_what_does_not_ask_who_is_right_is_symmetric(both: tuple[Doubles, Doubles]) -> None:
    there, back = measure(*both).values, measure(*both[::-1]).values

    for key in ("cosine", "max_absolute_error", "mean_absolute_error", "sign_flips"):
        assert there[key] == pytest.approx(back[key], rel=1e-12)


@given(both=two(tame), at=st.integers(0, 6560), side=st.integers(0, 1))
def test_a_nan_anywhere_is_never_hidden(both: tuple[Doubles, Doubles], at: int, side: int) -> None:
    arrays = [each.copy() for each in both]
    arrays[side].reshape(-1)[at % arrays[side].size] = math.nan
    found = measure(arrays[0], arrays[1])

    assert (found.reference.nan, found.candidate.nan) == ((1, 0), (0, 1))[side]
    assert all(math.isnan(found.values[metric.key]) for metric in METRICS)


def test_signs_of_values_whose_product_vanishes_are_seen() -> None:
    assert measure(np.array([1e-200, -1e-200]), np.array([-1e-200, -1e-200])).values["sign_flips"] == 0.5


def test_zero_has_no_sign() -> None:
    assert measure(np.array([0.0, -0.0, 1.0]), np.array([-1.0, 1.0, 0.0])).values["sign_flips"] == 0


def test_only_what_applies_has_a_value() -> None:
    keys = {metric.key for metric in METRICS}

    assert set(measure(np.ones(5), np.ones(5)).values) == keys | {"sign_flips"}
    assert set(measure(np.ones((2, 8, 8)), np.ones((2, 8, 8)), qparams=QParams((0.1,))).values) == keys | {
        detail.key for detail in DETAILS
    }


@pytest.mark.parametrize("shape", [(0,), (3, 0, 4)])
def test_no_values_are_equal_values(shape: tuple[int, ...]) -> None:
    found = measure(np.zeros(shape), np.zeros(shape), qparams=QParams((1.0,)))

    assert all(found.values[metric.key] == metric.best for metric in METRICS)
    assert found.unique == DistinctValues(0)
    assert (found.channels, found.reference) == (None, Side())
    assert found.values["mean_steps"] == found.values["saturation"] == 0


def test_read_only_tensors_stay_as_they_are() -> None:
    reference, candidate = random((4, 60, 70))
    candidate[2, 3, 4] = math.nan
    before = reference.tobytes(), candidate.tobytes()
    for each in (reference, candidate):
        each.flags.writeable = False

    measure(reference, candidate, qparams=QParams((0.1,) * 60, axis=1))

    assert (reference.tobytes(), candidate.tobytes()) == before


def test_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="shapes differ"):
        measure(np.zeros(3), np.zeros((3, 1)))


@pytest.mark.parametrize("values", [np.array(["a"]), np.array([1j]), np.array([None])])
def test_what_is_no_real_number_is_refused(values: NDArray[Any]) -> None:
    with pytest.raises(TypeError, match="no real numbers"):
        measure(values, values)


@given(shape=st.lists(st.integers(0, 300), max_size=4).filter(lambda sides: math.prod(sides) < 3_000_000))
def test_blocks_cover_an_array_once(shape: list[int]) -> None:
    seen = np.zeros(shape, np.int8)
    for block in blocks(tuple(shape)):
        assert seen[block].size <= BLOCK
        seen[block] += 1

    assert (seen == 1).all()


def steps(reference: Any, candidate: Any, qparams: QParams, dtypes: tuple[Any, Any] = (np.float32, np.float32)) -> Any:
    arrays = (np.array(each, dtype) for each, dtype in zip((reference, candidate), dtypes, strict=True))
    found: MeasuredPair = measure(*arrays, qparams=qparams)
    return found.values.get("max_steps"), found.values.get("mean_steps")


def test_errors_are_counted_in_steps_of_the_scale() -> None:
    assert steps([0.0, 1.0, 2.0, 3.0], [0.0, 1.5, 2.0, 2.0], QParams((0.5,))) == (2.0, 0.75)


@pytest.mark.parametrize(("axis", "expected"), [(0, (4.0, 2.0)), (1, (8.0, 3.0)), (-1, (8.0, 3.0))])
def test_each_slice_has_its_own_step(axis: int, expected: tuple[float, float]) -> None:
    reference, candidate = [[0.0, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 4.0]]

    assert steps(reference, candidate, QParams((0.5, 1.0) if axis == 0 else (1.0, 0.5), axis=axis))[0] == expected[0]


def test_a_step_per_slice_is_found_in_any_layout() -> None:
    reference, candidate = random((5, 30, 40, 20), np.float32)
    scales = np.linspace(0.1, 1, 40)
    expected = np.abs(candidate.astype("f8") - reference.astype("f8")) / scales[:, None]
    arrays = [np.asfortranarray(each) for each in (reference, candidate)]

    found = measure(*arrays, qparams=QParams(tuple(scales), axis=2)).values

    assert found["max_steps"] == pytest.approx(expected.max())
    assert found["mean_steps"] == pytest.approx(expected.mean())


@pytest.mark.parametrize("axis", [None, 0])
def test_a_mask_on_both_sides_is_no_error_in_steps(axis: int | None) -> None:
    qparams = QParams((0.5,) if axis is None else (0.5, 0.5), axis=axis)

    assert steps([[-math.inf, 1.0], [0.0, 0.0]], [[-math.inf, 2.0], [0.0, 0.0]], qparams) == (2.0, 0.5)


def test_codes_beside_codes_differ_by_codes() -> None:
    assert steps([1, 2], [1, 5], QParams((0.1,)), (np.int8, np.int8)) == (3.0, 1.5)


@pytest.mark.parametrize(
    "qparams",
    [
        QParams(()),
        QParams((0.0,)),
        QParams((math.nan,)),
        QParams((1.0, 1.0)),
        QParams((1.0,), axis=1),
        QParams((1.0,), axis=7),
    ],
    ids=str,
)
def test_parameters_that_do_not_fit_are_none(qparams: QParams) -> None:
    assert steps([[0.0, 1.0]], [[0.0, 2.0]], qparams) == (None, None)


def test_codes_beside_real_values_have_no_error_in_steps() -> None:
    assert steps([1.0, 2.0], [10, 20], QParams((0.1,)), (np.float32, np.int8)) == (None, None)


def saturation(candidate: Any, dtype: Any, qparams: QParams | None = None) -> float | None:
    array = np.array(candidate, dtype)
    return measure(np.zeros_like(array), array, qparams=qparams).values.get("saturation")


@pytest.mark.parametrize(
    ("candidate", "dtype", "qparams", "share"),
    [
        ([127, -128, 0, 5], np.int8, None, 0.5),
        ([127, -128, 7, -8], np.int8, QParams((0.1,), bits=4), 1.0),
        ([255, 0, 0, 5], np.uint8, None, 0.25),
        ([65504, -65504, math.inf, 1], np.float16, None, 0.75),
        ([65504, math.nan, 3, 1], np.float16, None, 0.25),
        ([12.7, -12.8, 12.6, 0], np.float32, QParams((0.1,)), 0.5),
        ([25.5, 0, 0, 0], np.float32, QParams((0.1,), signed=False), 0.25),
        ([15.5, -10, 0, 0], np.float32, QParams((0.1,), (100,), signed=False), 0.5),
        ([1e30, 1, 2, 3], np.float32, None, None),
        ([True, False, True, True], np.bool_, None, None),
    ],
)
def test_values_at_an_end_that_is_not_zero_are_saturated(
    candidate: Any, dtype: Any, qparams: QParams | None, share: float | None
) -> None:
    assert saturation(candidate, dtype, qparams) == share


def test_each_slice_has_its_own_ends() -> None:
    qparams = QParams((0.1, 1.0), (0, -128), axis=0)

    assert saturation([[12.7, -12.8, 0], [0, 255, 12.7]], np.float32, qparams) == 0.5
