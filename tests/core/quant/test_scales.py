"""Scale and zero point, against ONNX Runtime's own tool."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnxruntime.quantization.quant_utils import compute_scale_zp

from errorflow.graph.qparams import QParams
from errorflow.quant.precision import CHOICES, Precision
from errorflow.quant.scales import bias_qparams, qparams_of, weight_ranges

FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)
PRECISIONS = st.builds(Precision, st.sampled_from(CHOICES), st.booleans(), reduced=st.booleans())


@given(st.tuples(FINITE, FINITE), PRECISIONS)
def test_they_are_those_of_onnx_runtime(ends: tuple[float, float], precision: Precision) -> None:
    low, high = (np.array(end, np.float32) for end in sorted(ends))
    first, last = (np.array(end, np.int64) for end in precision.span)
    zero, scale = compute_scale_zp(low, high, first, last, precision.symmetric)
    found = qparams_of(low, high, precision)
    assert found.scales == (float(np.float32(scale)),)
    assert found.zero_points == (int(zero),)


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=5), PRECISIONS)
def test_each_channel_has_its_own_as_if_it_were_alone(ends: list[tuple[float, float]], precision: Precision) -> None:
    lows, highs = np.array([sorted(pair) for pair in ends], np.float32).T
    found = qparams_of(lows, highs, precision, axis=1)
    alone = [qparams_of(low, high, precision) for low, high in zip(lows, highs, strict=True)]
    assert found.axis == 1
    assert found.scales == tuple(one.scales[0] for one in alone)
    assert found.zero_points == tuple(one.zero_points[0] for one in alone)


@given(st.tuples(FINITE, FINITE), PRECISIONS)
def test_zero_has_a_code(ends: tuple[float, float], precision: Precision) -> None:
    found = qparams_of(min(ends), max(ends), precision)
    assert found.low <= found.zero_points[0] <= found.high


@pytest.mark.parametrize("end", [np.nan, np.inf])
def test_a_range_without_an_end_is_refused(end: float) -> None:
    with pytest.raises(ValueError, match="infinity"):
        qparams_of(0.0, end, Precision())


def test_the_scale_of_a_bias_is_the_product_of_those_that_are_multiplied() -> None:
    found = bias_qparams(QParams((0.5,), (3,), 8, False), QParams((0.25, 0.125), (0,), 8, True, 0))
    assert found == QParams((0.125, 0.0625), (0, 0), 32, True, 0)


def test_the_range_of_weights_is_taken_along_the_axis() -> None:
    weight = np.array([[[1.0, -2.0]], [[3.0, 4.0]]], np.float32)
    assert [ends.tolist() for ends in weight_ranges(weight, 0)] == [[-2.0, 3.0], [1.0, 4.0]]
    assert [ends.tolist() for ends in weight_ranges(weight, -1)] == [[1.0, -2.0], [3.0, 4.0]]
    assert [ends.tolist() for ends in weight_ranges(weight, None)] == [[-2.0], [4.0]]


def test_the_range_of_nothing_is_zero() -> None:
    assert [ends.tolist() for ends in weight_ranges(np.zeros((2, 0), np.float32), 0)] == [[0.0, 0.0], [0.0, 0.0]]
