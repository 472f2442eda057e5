"""Which runs are the best of their columns."""

import math

import pytest

from errorflow.quant.plan import Plan
from errorflow.study.simulate.trial import Trial
from errorflow_viewer.panels.runs.rows import RunRows


@pytest.mark.parametrize(
    ("decibels", "best"),
    [
        ((12.0, 20.0, 16.0), {"1"}),
        ((12.0, 20.001, 20.002), {"1", "2"}),
        ((20.001, 20.002), set()),
        ((math.nan, 3.0), set()),
        ((math.nan, 3.0, 2.0), {"1"}),
        ((0.0, -3.0, math.nan), set()),
        ((-math.inf, -1.0), set()),
        ((20.0, math.inf), {"1"}),
    ],
)
def test_the_best_are_all_that_show_the_best_number(decibels: tuple[float, ...], best: set[str]) -> None:
    trials = tuple(Trial(str(at), Plan(), outputs={"y": {"sqnr": each}}) for at, each in enumerate(decibels))
    rows = RunRows(trials)
    column = next(each for each in rows.columns if each.title == "SQNR")
    assert rows.best(column) == best


def test_what_is_no_better_than_zeros_is_the_best_of_no_metric() -> None:
    numbers = ({"sqnr": 0.0, "max_absolute_error": 1.0}, {"sqnr": 9.0, "max_absolute_error": 2.0})
    trials = tuple(Trial(str(at), Plan(), outputs={"y": each}) for at, each in enumerate(numbers))
    rows = RunRows(trials, metric="max_absolute_error")
    assert rows.best(rows.columns[2]) == {"1"}
