"""Marks of the axes: round, apart from each other, and limits as the user knows them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale, places
from errorflow.explain.findings.axis import height_ticks, limit_ticks, place_ticks, window

EVERY = pytest.mark.parametrize("scale", MEASURES, ids=lambda scale: scale.key)


@EVERY
def test_marks_stand_inside_and_apart(scale: Scale) -> None:
    ticks = height_ticks(scale, -3.0, 4.0, 0.4)
    heights = sorted([0.0, 1.0, *(tick.at for tick in ticks)])
    assert ticks
    assert all(b - a >= 0.4 for a, b in pairwise(heights))
    assert all(-3.0 <= tick.at <= 4.0 for tick in ticks)


@EVERY
def test_no_two_marks_say_the_same(scale: Scale) -> None:
    texts = [tick.text for tick in (*limit_ticks(scale), *height_ticks(scale, -3.0, 4.0, 0.1))]
    assert len(set(texts)) == len(texts)


@EVERY
def test_limits_stand_where_badness_has_them(scale: Scale) -> None:
    good, bad = limit_ticks(scale)
    assert np.allclose(places(scale, np.array([scale.good, scale.bad])), [good.at, bad.at])


def test_a_log_metric_is_marked_by_powers_of_ten() -> None:
    cosine = next(scale for scale in MEASURES if scale.key == "cosine")
    assert {"0.99", "0.9999", "0"} <= {tick.text for tick in height_ticks(cosine, -3.0, 4.0, 0.2)}


@given(st.floats(0, 1e6, allow_subnormal=False), st.floats(0.01, 1e6), st.integers(1, 20))
def test_places_are_whole_and_not_too_many(start: float, length: float, most: int) -> None:
    ticks = place_ticks(start, start + length, most)
    assert len(ticks) <= most + 1
    assert all(tick.at == int(tick.at) and start <= tick.at <= start + length for tick in ticks)


@given(st.floats(-1e6, 0), st.floats(1, 1e6))
def test_both_limits_are_always_in_the_window(low: float, high: float) -> None:
    least, most = window(low, high)
    assert least < 0 < 1 < most
