"""What a ranking says."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.compare.metrics import METRICS
from errorflow.study.rank.model import OwnMeasure
from errorflow.study.rank.reading import at_output, notes, order, own_order, shares, spread, value
from rankings_made import made_up

NAN, INF = math.nan, math.inf
KEYS = tuple(metric.key for metric in METRICS)
HIGHER = {metric.key: metric.higher_is_better for metric in METRICS}
NUMBERS = st.floats(-1e6, 1e6)
TABLES = st.integers(1, 4).flatmap(
    lambda samples: st.lists(st.lists(NUMBERS, min_size=samples, max_size=samples), min_size=1, max_size=6)
)


@given(TABLES, st.sampled_from(KEYS), st.booleans(), st.sampled_from(["mean", "median", "worst"]))
def test_the_first_is_worst_by_impact_and_best_by_recovery(
    values: list[list[float]], metric: str, recovery: bool, over: str
) -> None:
    ranking = made_up(values, metric, recovery=recovery)
    measure = ranking.question.measures[0]
    found = value(ranking, measure, metric, over)[order(ranking, measure, metric, over)]  # type: ignore[arg-type]  # three of them
    goodness = found if HIGHER[metric] else -found
    assert (np.diff(goodness) <= 0).all() if recovery else (np.diff(goodness) >= 0).all()


@given(TABLES, st.sampled_from(KEYS))
def test_every_part_has_one_place(values: list[list[float]], metric: str) -> None:
    assert sorted(order(made_up(values, metric)).tolist()) == list(range(len(values)))


@given(TABLES, st.sampled_from(KEYS))
def test_the_spread_holds_the_median(values: list[list[float]], metric: str) -> None:
    found = spread(made_up(values, metric))
    sign = 1 if HIGHER[metric] else -1
    assert (sign * found.worst <= sign * found.median).all() and (sign * found.median <= sign * found.best).all()
    for row, sample, worst in zip(values, found.worst_sample.tolist(), found.worst.tolist(), strict=True):
        assert row[sample] == worst


@pytest.mark.parametrize("metric", KEYS)
@pytest.mark.parametrize("worst", [[[NAN, NAN]], [[0.5, NAN]]])
def test_what_is_no_number_is_worst(metric: str, worst: list[list[float]]) -> None:
    others = [[0.4, 0.3], [0.9, 0.8]]
    assert order(made_up([*others, *worst], metric))[0] == 2
    assert order(made_up([*worst, *others], metric, recovery=True))[-1] == 0


def test_a_mean_skips_what_is_no_number_as_the_vendor_does() -> None:
    assert value(made_up([[0.5, NAN, 0.7]]), over="mean").tolist() == [0.6]
    assert math.isnan(value(made_up([[NAN, NAN]]), over="mean")[0])


def test_what_does_nothing_to_one_sample_does_not_hide_what_it_does_to_another() -> None:
    ranking = made_up([[INF, 10.0], [20.0, 20.0], [INF, INF]], "sqnr")
    assert value(ranking, over="mean").tolist() == [10.0, 20.0, INF]
    assert order(ranking, over="mean").tolist() == [0, 1, 2]


def test_samples_are_pooled_as_one_large_tensor() -> None:
    """A relative error is huge where the output is nearly nothing, and says little."""
    ranking = made_up([[1000.0, 0.1], [1.0, 0.5]], "relative_l2")
    sizes = np.array([[1e-8, 1.0]])
    powers = ranking.values["impact"][0] ** 2 * sizes
    ranking = replace(ranking, sizes=sizes, powers=powers)
    assert order(ranking).tolist() == [1, 0]
    assert order(ranking, over="mean").tolist() == [0, 1]
    assert value(ranking)[1] == pytest.approx(0.5, abs=1e-6)
    sqnr = made_up((-20 * np.log10(ranking.values["impact"][0][:, 0])).tolist(), "sqnr", recovery=True)
    sqnr = replace(sqnr, sizes=sizes)
    assert value(sqnr) == pytest.approx(-20 * np.log10(value(ranking)))


@pytest.mark.parametrize("recovery", [False, True])
@pytest.mark.parametrize(("metric", "worst"), [("relative_l2", INF), ("sqnr", -INF)])
@pytest.mark.parametrize("size", [0.0, 1.0])
def test_what_is_infinitely_bad_is_not_shown_as_exact(metric: str, worst: float, size: float, recovery: bool) -> None:
    ranking = made_up([[worst, worst], [0.5, 0.5]], metric, recovery=recovery)
    powers = np.full_like(ranking.powers, np.inf) if size else ranking.powers
    ranking = replace(ranking, sizes=np.full((1, 2), size), powers=powers)
    assert value(ranking)[0] == worst


def test_a_silent_sample_does_not_hide_what_others_say_of_a_recovery() -> None:
    ranking = replace(made_up([[INF, 0.5], [INF, 0.25]], "relative_l2", recovery=True), sizes=np.array([[0.0, 4.0]]))
    assert value(ranking).tolist() == [0.5, 0.25]


@given(TABLES)
def test_shares_are_of_the_sum_of_powers(values: list[list[float]]) -> None:
    ranking = made_up(values)
    found = shares(replace(ranking, powers=np.abs(ranking.values["impact"][0])))
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1) or not np.any(values)


def test_a_part_without_numbers_has_no_share_and_takes_none_of_the_others() -> None:
    ranking = made_up([[0.1, 0.1], [0.5, NAN], [0.3, 0.3]])
    found = shares(replace(ranking, powers=ranking.values["impact"][0]))
    assert found[:, 0] == pytest.approx([0.25, NAN, 0.75], nan_ok=True)


def test_what_was_not_measured_yet_is_no_broken_share() -> None:
    ranking = made_up([[0.1], [NAN]])
    ranking = replace(ranking, powers=ranking.values["impact"][0], done={"impact": np.array([[True], [False]])})
    assert shares(ranking)[:, 0].tolist() == [1, 0]


def test_a_note_says_on_how_many_samples_a_part_leaves_no_number() -> None:
    ranking = replace(made_up([[0.1, 0.2], [0.5, NAN], [NAN, NAN]]), notes={"p0": "odd", "p2": "odd too"})
    assert notes(ranking) == {
        "p0": "odd",
        "p1": "no number in 1 of 2 samples",
        "p2": "odd too; no number in 2 of 2 samples",
    }


def test_of_two_measures_the_note_says_which() -> None:
    ranking = made_up([[NAN, 0.2]])
    other = made_up([[0.1, 0.2]], recovery=True)
    both = replace(
        ranking,
        question=replace(ranking.question, measures=("impact", "recovery")),
        values={**ranking.values, **other.values},
        done={**ranking.done, **other.done},
    )
    assert notes(both) == {"p0": "impact is no number in 1 of 2 samples"}


def test_while_it_is_made_the_unknown_come_last_by_what_is_expected() -> None:
    done = np.array([[1, 0], [1, 1], [1, 1], [0, 0], [0, 0]], bool)
    ranking = made_up([[0.1, NAN], [0.5, 0.7], [0.6, 0.2], [NAN, NAN], [NAN, NAN]])
    expected = np.array([NAN, NAN, NAN, 0.1, 0.4])
    assert order(replace(ranking, done={"impact": done}, expected=expected)).tolist() == [0, 2, 1, 4, 3]


@pytest.mark.parametrize("recovery", [False, True])
@pytest.mark.parametrize("metric", ["relative_l2", "sqnr", "mean_absolute_error"])
def test_parts_are_comparable_whatever_samples_they_are_known_on(metric: str, recovery: bool) -> None:
    """The second sample does ten times as much harm to all of them."""
    powers = np.array([[4.0, 40.0], [3.0, 30.0], [2.0, 20.0]])
    values = {"relative_l2": np.sqrt(powers), "sqnr": -10 * np.log10(powers)}.get(metric, powers)
    whole = made_up(values.tolist(), metric, recovery=recovery)
    whole = replace(
        whole,
        powers=powers[:, np.newaxis] if not recovery else whole.powers,
        whole=np.array([[[8.0, 80.0]]]),
        whole_powers=np.array([[8.0, 80.0]]),
    )
    done = np.array([[1, 1], [0, 1], [1, 0]], bool)
    some = replace(whole, done={whole.question.measures[0]: done})
    assert order(some).tolist() == order(whole).tolist()
    assert value(some) == pytest.approx(value(whole))
    if not recovery:
        assert shares(some) == pytest.approx(shares(whole))


def test_outputs_are_read_apart() -> None:
    ranking = made_up([[0.5], [0.9]])
    values = np.concatenate([ranking.values["impact"], 1 - ranking.values["impact"]], axis=2)
    both = replace(
        ranking,
        outputs=("y", "z"),
        values={"impact": values},
        powers=np.zeros((2, 2, 1)),
        sizes=np.ones((2, 1)),
        whole=np.zeros((1, 2, 1)),
        whole_powers=np.zeros((2, 1)),
        counts=np.ones((2, 1)),
    )
    assert order(at_output(both, 0)).tolist() == [0, 1]
    assert order(at_output(both, 1)).tolist() == [1, 0]
    assert value(both) == pytest.approx([0.5, 0.5])


def test_ones_own_measure_ranks_apart() -> None:
    own = OwnMeasure(
        "accuracy", True, {"impact": np.array([0.9, NAN, 0.2, NAN])}, {"impact": np.array([1, 1, 1, 0], bool)}, 0, 1
    )
    assert own_order(replace(made_up([[0.1]] * 4), own=own)).tolist() == [1, 2, 0, 3]
