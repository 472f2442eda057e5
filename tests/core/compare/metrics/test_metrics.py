"""Every metric of the table: defined everywhere, right where it can be checked by hand, and documented."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric, badness

DOCS = Path(__file__).parents[4] / "docs" / "metrics.md"
BY_KEY = {metric.key: metric for metric in METRICS}
Doubles = NDArray[np.float64]

each_metric = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
any_values = hnp.arrays(np.float64, st.integers(0, 50), elements=st.floats(allow_nan=False, allow_infinity=False))


def pairs(largest: float = 1e6) -> st.SearchStrategy[tuple[Doubles, Doubles]]:
    numbers = st.floats(-largest, largest, allow_subnormal=False)
    shapes = hnp.array_shapes(min_dims=1, max_dims=3, max_side=6)
    return shapes.flatmap(
        lambda shape: st.tuples(
            hnp.arrays(np.float64, shape, elements=numbers), hnp.arrays(np.float64, shape, elements=numbers)
        )
    )


def exactly(key: str, r: Doubles, c: Doubles) -> float:
    """The formula, with sums that round once."""
    r, c = r.ravel(), c.ravel()
    rr, cc, rc = (math.fsum(values) for values in (r * r, c * c, r * c))
    dd, d = math.fsum((c - r) ** 2), np.abs(c - r)
    formulas: dict[str, Callable[[], float]] = {
        "cosine": lambda: rc / math.sqrt(rr) / math.sqrt(cc),
        "relative_l2": lambda: math.sqrt(dd) / math.sqrt(rr),
        "sqnr": lambda: 10 * math.log10(rr / dd),
        "max_absolute_error": lambda: float(d.max()),
        "mean_absolute_error": lambda: math.fsum(d) / d.size,
    }
    return formulas[key]()


@each_metric
@given(values=any_values)
def test_equal_tensors_score_the_best(metric: Metric, values: Doubles) -> None:
    assert metric(values, values.copy()) == metric.best


@each_metric
@given(both=pairs())
def test_the_formula_is_what_is_computed(metric: Metric, both: tuple[Doubles, Doubles]) -> None:
    r, c = both
    r.flat[0], c.flat[0] = 3.0, 5.0

    assert metric(r, c) == pytest.approx(exactly(metric.key, r, c), rel=1e-9, abs=1e-9)


@each_metric
@given(values=any_values, others=any_values)
def test_finite_tensors_never_give_nan(metric: Metric, values: Doubles, others: Doubles) -> None:
    size = min(len(values), len(others))

    assert not math.isnan(metric(values[:size], others[:size]))


@each_metric
@pytest.mark.parametrize(
    ("r", "c"),
    [([math.nan], [math.nan]), ([1.0, 2.0], [1.0, math.nan]), ([math.inf], [1.0]), ([math.inf], [-math.inf])],
)
def test_nan_and_one_sided_infinity_give_nan(metric: Metric, r: list[float], c: list[float]) -> None:
    assert math.isnan(metric(r, c))
    assert badness(metric, metric(r, c)) == 1


@each_metric
def test_the_same_infinity_in_both_agrees(metric: Metric) -> None:
    assert metric([-math.inf, 1.0, 3.0], [-math.inf, 1.0, 3.0]) == metric.best


def test_a_masked_value_does_not_change_the_cosine_of_the_others() -> None:
    assert BY_KEY["cosine"]([-math.inf, 1.0, 3.0], [-math.inf, 2.0, 5.0]) == BY_KEY["cosine"]([1.0, 3.0], [2.0, 5.0])


@each_metric
def test_no_values_are_equal_values(metric: Metric) -> None:
    assert metric(np.zeros((0, 3)), np.zeros((0, 3))) == metric.best


@pytest.mark.parametrize(
    ("key", "zero_reference", "zero_candidate"),
    [
        ("cosine", 0.0, 0.0),
        ("relative_l2", math.inf, 1.0),
        ("sqnr", -math.inf, 0.0),
        ("max_absolute_error", 4.0, 4.0),
        ("mean_absolute_error", 3.5, 3.5),
    ],
)
def test_a_tensor_of_zeros_is_far_from_one_that_is_not(key: str, zero_reference: float, zero_candidate: float) -> None:
    assert BY_KEY[key]([0.0, 0.0], [3.0, -4.0]) == zero_reference
    assert BY_KEY[key]([3.0, -4.0], [0.0, 0.0]) == zero_candidate


@pytest.mark.parametrize("value", [5e-324, 2e-308, 1e-170, 1e170, 1.7e308])
def test_values_that_cannot_be_squared_are_measured(value: float) -> None:
    r, c = np.array([value, 0.0]), np.array([value, value])

    assert BY_KEY["cosine"]([value], [value]) == 1
    assert BY_KEY["cosine"](r, c) == pytest.approx(math.sqrt(0.5))
    assert BY_KEY["relative_l2"](r, c) == pytest.approx(1)
    assert BY_KEY["sqnr"](r, c) == pytest.approx(0, abs=1e-9)
    assert BY_KEY["max_absolute_error"](r, c) == value
    assert BY_KEY["mean_absolute_error"](np.array([value, value]), np.zeros(2)) == value


def test_a_small_difference_between_huge_tensors_is_not_lost() -> None:
    assert BY_KEY["max_absolute_error"]([1e308, 1e-308], [1e308, 2e-308]) == pytest.approx(1e-308)
    assert math.isfinite(BY_KEY["sqnr"]([1e308, 1e-308], [1e308, 2e-308]))


def test_a_difference_beyond_float64_is_infinite() -> None:
    assert BY_KEY["max_absolute_error"]([1.7e308], [-1.7e308]) == math.inf
    assert BY_KEY["cosine"]([1.7e308], [-1.7e308]) == -1
    assert BY_KEY["relative_l2"]([1e-308], [1e308]) == math.inf


@each_metric
@given(both=pairs())
def test_badness_lies_between_good_and_bad(metric: Metric, both: tuple[Doubles, Doubles]) -> None:
    assert 0 <= badness(metric, metric(*both)) <= 1


@each_metric
def test_badness_is_measured_on_the_limits_of_the_row(metric: Metric) -> None:
    worst = -math.inf if metric.higher_is_better else math.inf

    assert badness(metric, metric.best) == 0
    assert badness(metric, metric.good) == 0
    assert 0.2 < badness(metric, (metric.good + metric.bad) / 2) < 1
    assert badness(metric, metric.bad) == 1
    assert badness(metric, worst) == 1


@each_metric
def test_the_limits_go_the_way_the_metric_does(metric: Metric) -> None:
    assert (metric.good > metric.bad) == metric.higher_is_better
    assert (metric.best > metric.bad) == metric.higher_is_better


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("cosine", 0.9991234567, "0.999123"),
        ("cosine", -0.5, "−0.500000"),
        ("sqnr", 26.456, "26.46 dB"),
        ("sqnr", math.inf, "∞ dB"),
        ("sqnr", -math.inf, "−∞ dB"),
        ("relative_l2", math.nan, "NaN"),
        ("max_absolute_error", 0.0, "0.000000"),
        ("max_absolute_error", -0.0, "0.000000"),
        ("max_absolute_error", 1.5e-9, "1.50e−09"),
        ("max_absolute_error", 6.5e37, "6.50e+37"),
    ],
)
def test_numbers_are_written_with_fixed_decimals(key: str, value: float, text: str) -> None:
    assert BY_KEY[key].text(value) == text


@each_metric
def test_the_documentation_tells_all_of_the_row(metric: Metric) -> None:
    heading = f"## {metric.label} (`{metric.key}`)"
    text = DOCS.read_text("utf-8")
    assert heading in text
    section = text.split(heading)[1].split("\n## ")[0]

    for fact in (metric.formula, metric.text(metric.good), metric.text(metric.bad), metric.misleads):
        assert fact in section
    assert ("higher is better" in section) == metric.higher_is_better
    assert ("lower is better" in section) != metric.higher_is_better


@pytest.mark.parametrize(("value", "text"), [(0.05, "0.05"), (0.999, "0.999"), (26.0, "26"), (-3.5, "−3.5")])
def test_a_limit_has_no_zeros_that_nobody_set(value: float, text: str) -> None:
    metric = next(each for each in METRICS if not each.unit)

    assert metric.limit(value) == text
