"""SQNR per channel, whatever the axis, layout and values."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.channels import Channels, channel_axis
from errorflow.compare.metrics.measure import measure

SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
Doubles = NDArray[np.float64]


def tensors(shape: tuple[int, ...], seed: int = 0) -> tuple[Doubles, Doubles]:
    random = np.random.default_rng(seed)
    reference = random.standard_normal(shape)
    return reference, reference + random.standard_normal(shape) * 10.0 ** random.integers(-4, 0, shape)


def channels(reference: Doubles, candidate: Doubles, axis: int | None = None) -> Channels:
    found = measure(reference, candidate, axis=axis).channels
    assert found is not None
    return found


def one_by_one(reference: Doubles, candidate: Doubles, axis: int) -> list[float]:
    sides = (np.moveaxis(each, axis, 0) for each in (reference, candidate))
    return [SQNR(r, c) for r, c in zip(*sides, strict=True)]


@given(shape=st.lists(st.integers(1, 30), min_size=2, max_size=3), axis=st.integers(-2, 1), seed=st.integers(0, 99))
def test_each_channel_is_measured_as_if_it_were_alone(shape: list[int], axis: int, seed: int) -> None:
    shape[axis] += 1
    reference, candidate = tensors(tuple(shape), seed)
    found, expected = channels(reference, candidate, axis), one_by_one(reference, candidate, axis)

    order = np.argsort(expected, kind="stable")
    assert [index for index, _ in found.worst] == order[:8].tolist()
    assert [ratio for _, ratio in found.worst] == pytest.approx([expected[index] for index in order[:8]])
    assert found.minimum == pytest.approx(min(expected))
    assert found.median == pytest.approx(sorted(expected)[(len(expected) - 1) // 2])
    assert found.count == len(expected)


@pytest.mark.parametrize("shape", [(3, 5, 100, 90), (2, 40_000, 3), (90_000, 3), (3, 40_000), (4, 1, 2, 40_000)])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_large_tensors_are_measured_piece_by_piece(shape: tuple[int, ...], layout: Any) -> None:
    reference, candidate = tensors(shape)
    axis = len(shape) - 1 if shape[1] == 1 else 1
    others = tuple(other for other in range(len(shape)) if other != axis)
    expected = 10 * np.log10((reference**2).sum(axis=others) / ((candidate - reference) ** 2).sum(axis=others))

    found = channels(np.asarray(reference, order=layout), candidate, axis)

    assert found.minimum == pytest.approx(expected.min())
    assert found.worst[0][0] == expected.argmin()


def test_dead_channels_agree_or_are_lost() -> None:
    reference = np.ones((1, 4, 8))
    reference[:, 1:3] = 0
    candidate = reference.copy()
    candidate[:, 2] = 0.5
    candidate[:, 3] = 1.1

    found = channels(reference, candidate)

    assert [index for index, _ in found.worst] == [2, 3, 0, 1]
    assert [ratio for _, ratio in found.worst] == pytest.approx([-math.inf, 20, math.inf, math.inf])


def test_a_channel_with_a_nan_is_the_worst() -> None:
    reference, candidate = tensors((2, 3, 10))
    candidate[1, 2, 3] = math.nan
    found = channels(reference, candidate)

    assert found.worst[0][0] == 2
    assert math.isnan(found.minimum)
    assert found.median == pytest.approx(min(one_by_one(reference, candidate, 1)[:2]))


def test_a_mask_that_agrees_is_left_out() -> None:
    reference, candidate = tensors((2, 3, 10))
    masked = [np.concatenate([each, np.full_like(each, -math.inf)]) for each in (reference, candidate)]

    assert channels(masked[0], masked[1]).minimum == pytest.approx(channels(reference, candidate).minimum)


@pytest.mark.parametrize("scale", [1e-250, 1e250])
def test_channels_that_cannot_be_squared_are_measured_each_by_itself(scale: float) -> None:
    reference, candidate = tensors((2, 3, 10))
    expected = one_by_one(reference, candidate, 1)
    reference[:, 1] *= scale
    candidate[:, 1] *= scale

    assert dict(channels(reference, candidate).worst) == pytest.approx(dict(enumerate(expected)))


@pytest.mark.parametrize(
    ("shape", "asked", "axis"),
    [
        ((), None, None),
        ((10,), None, None),
        ((10,), 0, 0),
        ((1, 1000), None, None),
        ((64, 1000), None, 1),
        ((1, 3, 224, 224), None, 1),
        ((1, 1, 224, 224), None, None),
        ((1, 224, 224, 3), -1, 3),
        ((1, 224, 224, 1), -1, None),
        ((2, 2), 5, None),
        ((0, 3, 4), None, None),
    ],
)
def test_channels_lie_along_the_second_axis_unless_told(
    shape: tuple[int, ...], asked: int | None, axis: int | None
) -> None:
    assert channel_axis(shape, asked) == axis
