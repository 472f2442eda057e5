"""What is said of a loss on labelled samples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.report.evaluation import chance, evaluation_csv, evaluation_lines, loss_of
from errorflow.study.evaluate.model import Evaluation, Hits, Scored


def scored(name: str, right: int, count: int, lost: int = 0, won: int = 0) -> Scored:
    return Scored(name, {"y": (Hits(1, right, count),)}, lost={"y": tuple(range(lost))}, won={"y": tuple(range(won))})


def told(before: int, after: int, count: int) -> str:
    run = scored("mine", after, count, before - after)
    run = Scored(run.name, run.hits, lost=run.lost, won=run.won, changed={"y": before - after})
    original = scored("float", before, count)
    original = Scored(original.name, original.hits, lost=original.lost, won=original.won, changed={"y": 0})
    return "\n".join(evaluation_lines(Evaluation("float", original, (run,), count)))


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (8_950, "keeps 99.44% of what the original has. A loss of 1 % or less"),
        (8_800, "keeps 97.78% of what the original has. At up to 3 % another calibration comes first"),
        (8_690, "keeps 96.56% of what the original has. Try another calibration, and check the data"),
        (8_000, "keeps 88.89% of what the original has. At more than 4 % settings and data are looked at first"),
    ],
)
def test_the_guides_rule_says_what_is_next(after: int, said: str) -> None:
    assert said in told(9_000, after, 10_000)


def test_what_may_be_chance_is_not_called_a_loss() -> None:
    assert "that may be chance: 2 answers were lost and 0 won." in told(8, 6, 10)
    assert "1 answer was lost and 0 won." in told(8, 7, 10)
    assert "to see a loss of 1 % about" in told(8, 6, 10)
    assert "are needed" not in told(99_500, 99_500, 100_000)


@pytest.mark.parametrize(
    ("lost", "won", "likely"), [(0, 0, 1.0), (5, 5, 1.0), (5, 0, 0.0625), (10, 1, 0.01171875), (3, 2, 1.0)]
)
def test_the_sign_test_is_exact(lost: int, won: int, likely: float) -> None:
    assert chance(lost, won) == pytest.approx(likely)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_chance_is_a_probability_and_the_same_both_ways(lost: int, won: int) -> None:
    assert 0 <= chance(lost, won) <= 1
    assert chance(lost, won) == chance(won, lost)


def test_many_are_judged_as_many_fewer_are() -> None:
    assert chance(540, 460) == pytest.approx(chance(539, 460), rel=0.1)


def test_a_share_of_nothing_is_no_loss() -> None:
    found = Evaluation("float", scored("float", 0, 10), (scored("mine", 0, 10),), 10)
    assert loss_of(found, found.runs[0]) != loss_of(found, found.runs[0])


def test_the_table_has_a_line_per_run_and_k() -> None:
    original = Scored(
        "float", {"y": (Hits(1, 9, 10), Hits(5, 10, 10))}, lost={"y": ()}, won={"y": ()}, changed={"y": 0}
    )
    lines = evaluation_csv(Evaluation("float", original, (), 10)).splitlines()
    assert [line.split(",")[:6] for line in lines[1:]] == [
        ["float", "y", "1", "9", "10", "0.9"],
        ["float", "y", "5", "10", "10", "1"],
    ]
