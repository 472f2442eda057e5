"""Two rankings of the same units, and how far they agree."""

import math

import numpy as np
import pytest
from rerun_peers.agreement import agreement, spearman

SCORES = {name: float(place) for place, name in enumerate("abcdefgh")}


@pytest.mark.parametrize(
    ("one", "other", "want"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        # 1 - 6 Σd² / n(n² - 1)
        ([1, 2, 3, 4, 5], [2, 1, 3, 5, 4], 0.8),
        # Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
        ([1, 2, 2, 3], [1, 2, 3, 4], 4.5 / math.sqrt(4.5 * 5)),
    ],
)
def test_ranks_correlate_with_ties_shared(one: list[float], other: list[float], want: float) -> None:
    assert spearman(np.array(one, float), np.array(other, float)) == pytest.approx(want)


def test_the_lowest_scores_are_on_top() -> None:
    found = agreement(SCORES, {**SCORES, "h": -1.0})
    assert (found.shared, found.only_ours, found.only_theirs) == (("a", "b", "c", "d"), ("e",), ("h",))
    assert found.largest == 8.0


def test_only_units_of_both_count() -> None:
    assert agreement(SCORES, {"a": 1.0, "b": 2.0, "other": 0.0}).count == 2


def test_of_one_unit_there_is_no_correlation() -> None:
    assert math.isnan(agreement({"a": 1.0}, {"a": 1.0}).spearman)
