"""How sure an order is, and when it is decided."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.study.rank.model import Question, Ranking
from errorflow.study.rank.ranking import rank
from errorflow.study.rank.reading import order
from errorflow.study.rank.sureness import decided, leading, sureness, unclear, undecided
from rankings_made import PLAN, engine_of, made_up

NAN = math.nan
POWERS = st.integers(2, 6).flatmap(
    lambda samples: st.lists(st.lists(st.floats(0, 1e3), min_size=samples, max_size=samples), min_size=2, max_size=8)
)


def of_powers(powers: list[list[float]], done: list[list[int]] | None = None) -> Ranking:
    """Of relative errors; the whole plan does as much to each sample as all parts together."""
    table = np.array(powers)
    found = replace(
        made_up(np.sqrt(table).tolist(), "relative_l2"),
        powers=table[:, np.newaxis],
        whole_powers=table.sum(axis=0, keepdims=True),
    )
    return found if done is None else replace(found, done={"impact": np.array(done, bool)})


@given(POWERS)
def test_every_rank_lies_between_its_ends(powers: list[list[float]]) -> None:
    found = sureness(of_powers(powers))
    assert found is not None
    assert (found.low >= 0).all() and (found.low <= found.high).all() and (found.high < len(powers)).all()
    assert len(found.swaps) == len(powers) - 1


@given(POWERS)
def test_what_is_wholly_known_is_decided(powers: list[list[float]]) -> None:
    ranking = of_powers(powers)
    assert undecided(ranking, "impact", len(powers)) == []
    assert decided(ranking) == min(len(powers), 5)


def test_it_is_the_same_each_time() -> None:
    ranking = of_powers([[4.0, 1.0, 3.0], [2.0, 3.0, 2.0], [1.0, 1.0, 1.0]])
    one, other = sureness(ranking), sureness(ranking)
    assert one is not None and other is not None
    assert np.array_equal(one.low, other.low) and np.array_equal(one.high, other.high)


def test_parts_that_all_samples_order_alike_are_sure() -> None:
    found = sureness(of_powers([[9.0, 8.0, 9.0], [4.0, 5.0, 4.0], [1.0, 1.0, 2.0]]))
    assert found is not None
    assert found.low.tolist() == found.high.tolist() == [0, 1, 2]
    assert not found.swaps.any() and found.alike(3) == []


def test_neighbours_that_samples_order_differently_swap() -> None:
    found = sureness(of_powers([[90.0, 90.0, 90.0, 90.0], [4.0, 1.0, 4.0, 1.0], [1.0, 3.5, 1.0, 3.5], [0.1] * 4]))
    assert found is not None
    assert found.swaps.tolist() == [False, True, False] and found.alike(4) == [(1, 2)]
    assert (found.low.tolist(), found.high.tolist()) == ([0, 1, 1, 3], [0, 2, 2, 3])


def test_several_that_swap_are_one_run() -> None:
    found = sureness(of_powers([[4.0, 1.0, 4.0, 1.0], [1.0, 3.9, 1.0, 3.9], [2.4, 2.4, 2.4, 2.4]]))
    assert found is not None and found.alike(3) == [(0, 2)] and found.alike(2) == [(0, 1)]


def test_of_one_sample_nobody_can_tell() -> None:
    assert sureness(made_up([[0.5], [0.9]])) is None


def test_what_is_no_number_stays_first() -> None:
    found = sureness(made_up([[0.5, 0.6], [NAN, 0.9], [0.1, 0.2]]))
    assert found is not None and (found.low[1], found.high[1]) == (0, 0)


def test_what_was_not_run_makes_ranks_less_sure() -> None:
    powers = [[9.0, 8.0, 9.0], [4.0, 9.0, 1.0], [3.0, 3.0, 3.0]]
    some = sureness(of_powers(powers, [[1, 1, 1], [1, 1, 0], [1, 0, 0]]))
    every = sureness(of_powers(powers))
    assert some is not None and every is not None
    assert some.high[2] - some.low[2] >= every.high[2] - every.low[2]


def test_a_part_on_one_sample_is_not_decided_while_it_may_reach_the_first() -> None:
    powers = [[9.0, 1.0, 5.0], [8.0, 9.0, 9.0], [0.0, 0.0, 0.0]]
    assert undecided(of_powers(powers, [[1, 0, 0]] * 3), "impact", 1)[:2] == [0, 1]
    assert decided(of_powers(powers, [[1, 0, 0]] * 3), 1) == 0
    assert decided(of_powers(powers, [[0, 0, 0]] * 3), 1) == 0


def test_what_is_far_behind_is_left_out() -> None:
    """The samples that are left make next to nothing of the error."""
    powers = [[900.0, 1e-3, 1e-3], [400.0, 2e-3, 1e-3], [1.0, 1e-3, 1e-3]]
    ranking = of_powers(powers, [[1, 1, 0], [1, 1, 0], [1, 1, 0]])
    assert undecided(ranking, "impact", 2) == [] and decided(ranking, 2) == 2


def test_the_further_behind_the_less_is_looked_at() -> None:
    count, samples = 40, 9
    nobody_is_clear = np.full(count, 1e9)
    ranked, found = np.arange(count), np.linspace(1, 0.5, count)
    counts = np.ones(count, int)
    while parts := unclear(ranked, found, nobody_is_clear, counts, 5, samples):
        counts[parts] += 1
    assert counts[:5].tolist() == [samples] * 5
    assert (np.diff(counts) <= 0).all() and counts[24] == 2 and counts[25] == 1


def test_where_nobody_says_about_ten_are_of_interest() -> None:
    assert [leading(count) for count in (3, 20, 64, 80, 1000)] == [3, 5, 8, 10, 10]
    assert (leading(100, 3), leading(4, 30)) == (3, 4)


@pytest.mark.parametrize("measure", ["impact", "recovery"])
def test_a_ranking_ends_when_the_first_are_decided_and_goes_on_to_all(measure: str, tmp_path: Path) -> None:
    question = Question(measures=(measure,))  # type: ignore[arg-type]  # one of two
    with engine_of("residual", tmp_path, 8) as engine:
        some = rank(engine, PLAN, question, first=2)
        whole = rank(engine, PLAN, question)
        again = rank(engine, PLAN, question, known=some, first=2)
        rest = rank(engine, PLAN, question, known=some)
    done = some.done[some.question.measures[0]]
    assert not some.complete and decided(some, 2) == 2 and done.any(axis=1).all()
    assert order(some)[:2].tolist() == order(whole)[:2].tolist()
    assert np.array_equal(again.done[again.question.measures[0]], done)
    assert rest.complete and order(rest).tolist() == order(whole).tolist()
