"""Limits that the user moved, or that stand in a file."""

import math

import pytest

from errorflow.compare.metrics import METRICS
from errorflow.explain.findings.model import with_limits


@pytest.mark.parametrize("limits", [(0.5, 0.9), (0.9, 0.9), (math.nan, 0.5), (math.inf, 0.5), (1.0, 1.0 - 1e-300)])
def test_limits_that_can_be_none_are_not_the_users(limits: tuple[float, float]) -> None:
    cosine = next(metric for metric in METRICS if metric.key == "cosine")
    assert with_limits(cosine, {"cosine": limits}) == cosine
    assert with_limits(cosine, {"cosine": (0.9, 0.5)}).good == 0.9
