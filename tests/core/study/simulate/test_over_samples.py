"""A tensor over samples: the one in the middle, the best, and the worst with its number."""

import numpy as np
import pytest

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.sums import sums
from errorflow.run.engine.rows import ACCUMULATED, WIDTH, row_of
from errorflow.run.engine.table import Table
from errorflow.study.simulate.over_samples import over_samples, worst_first

BY_KEY = {metric.key: metric for metric in METRICS}


def table(*errors: float | None) -> Table:
    """Of one tensor of ones, off by so much on each sample; None: it was not measured."""
    rows = np.full((len(errors), 1, WIDTH), np.nan)
    for sample, error in enumerate(errors):
        if error is not None:
            golden = np.ones(4, np.float32)
            rows[sample, 0, ACCUMULATED] = row_of(sums(golden, golden + np.float32(error)))
    return Table(("y",), tuple(range(10, 10 + len(errors))), rows)


@pytest.mark.parametrize("key", ["sqnr", "relative_l2", "cosine"])
def test_the_worst_sample_goes_by_its_number(key: str) -> None:
    found = over_samples(table(0.1, -0.5, 0.2, None), "y", BY_KEY[key])
    assert found is not None
    assert found.samples == (10, 11, 12)
    if key != "cosine":
        assert found.worst_sample == 11
        assert (found.best, found.median, found.worst) == (found.values[0], found.values[2], found.values[1])


def test_what_is_no_number_is_the_worst() -> None:
    found = over_samples(table(0.1, np.nan, 0.2), "y", BY_KEY["relative_l2"])
    assert found is not None
    assert found.worst_sample == 11


@pytest.mark.parametrize("name", ["y", "z"])
def test_what_was_measured_nowhere_is_nothing(name: str) -> None:
    assert over_samples(table(None, None), name, BY_KEY["sqnr"]) is None


def test_samples_stand_in_the_order_of_their_worst_output() -> None:
    found = table(0.1, -0.5, np.nan, None, 0.2)
    assert worst_first(found, ("y", "z"), BY_KEY["sqnr"]) == (12, 11, 14, 10, 13)
    assert worst_first(found, ("y",), BY_KEY["relative_l2"]) == (12, 11, 14, 10, 13)
