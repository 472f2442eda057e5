"""Rankings as numbers per part."""

import numpy as np
import pytest

from errorflow.metrics import METRICS
from errorflow.sensitivity.model import Part, Question
from errorflow.sensitivity.scores import Scores, lengths, shares
from rankings import ranking_of

RELATIVE, COSINE = (next(metric for metric in METRICS if metric.key == key) for key in ("relative_l2", "cosine"))
PARTS = tuple(Part(name, "Conv", (name,), (f"{name}:0",)) for name in "abcd")


def test_a_value_is_the_mean_of_the_samples() -> None:
    scores = Scores(ranking_of(PARTS, [0.1, 0.2, 0.3, None], samples=3), "impact", RELATIVE)
    assert scores.values[:3] == pytest.approx([0.11, 0.22, 0.33])
    assert np.isnan(scores.values[3])


def test_the_worst_output_counts() -> None:
    ranking = ranking_of(PARTS, [0.1] * 4, outputs=("x", "y"), samples=1)
    ranking.values["impact"][0][0, 1] = 0.4
    assert Scores(ranking, "impact", RELATIVE).values.tolist() == pytest.approx([0.4, 0.1, 0.1, 0.1])


def test_the_largest_impact_is_first_and_what_is_not_known_last_by_what_is_expected() -> None:
    ranking = ranking_of(PARTS, [0.1, None, 0.3, None], expected=[0, 0.1, 0, 0.6])
    assert Scores(ranking, "impact", RELATIVE).order.tolist() == [2, 0, 3, 1]
    assert Scores(ranking, "impact", COSINE).order.tolist() == [2, 0, 3, 1]


def test_the_best_recovery_is_first() -> None:
    ranking = ranking_of(PARTS, [0.1, 0.05, 0.3, None], question=Question(measures=("recovery",), samples=(0, 1)))
    assert Scores(ranking, "recovery", RELATIVE).order.tolist() == [1, 0, 2, 3]


def test_what_is_no_number_is_worst_and_measured() -> None:
    ranking = ranking_of(PARTS, [0.1, float("nan"), 0.3, None])
    scores = Scores(ranking, "impact", RELATIVE)
    assert scores.order.tolist() == [1, 2, 0, 3]
    assert scores.measured.tolist() == [True, True, True, False]
    assert scores.worst_samples.tolist() == [1, 0, 1, -1]


def test_the_worst_sample_is_named_with_its_value() -> None:
    scores = Scores(ranking_of(PARTS, [0.1, 0.2, 0.3, None], samples=3), "impact", RELATIVE)
    assert scores.worst[:3] == pytest.approx([0.12, 0.24, 0.36])
    assert scores.worst_samples.tolist() == [2, 2, 2, -1]


def test_the_whole_plan_is_measured_alike() -> None:
    assert Scores(ranking_of(PARTS, [0.1] * 4), "impact", RELATIVE).whole == pytest.approx(0.5)


def test_shares_are_of_the_error_power_of_the_whole_plan() -> None:
    found = shares(ranking_of(PARTS, [0.5, 0.05, 0.0, None], samples=1))
    assert found[:3] == pytest.approx([1.0, 0.01, 0.0])
    assert np.isnan(found[3])


def test_no_shares_are_known_without_impacts() -> None:
    ranking = ranking_of(PARTS, [0.5] * 4, question=Question(measures=("recovery",)))
    assert np.isnan(shares(ranking)).all()


def test_a_bar_is_longer_for_what_is_worse_on_either_side_of_the_limits() -> None:
    found = lengths(RELATIVE, np.array([0.001, 0.01, 0.1, 1.0, np.nan]))
    assert (np.diff(found[:4]) > 0).all()
    assert found[3] == found[4] == 1.0
    assert found.min() >= 0
