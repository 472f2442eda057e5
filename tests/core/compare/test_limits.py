"""What `--limit` means."""

import math

import pytest

from errorflow.base.errors import UsageError
from errorflow.compare.limits import held_against, parse_limit
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Row


def row(tensor: str, cosine: float) -> Row:
    return Row(tensor, None, None, {"cosine": cosine})


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_a_limit_is_kept_at_its_value_and_broken_beyond(metric: object) -> None:
    key = next(each for each in METRICS if each is metric)
    limit = parse_limit(f"{key.key}=0.5")
    worse = 0.4 if key.higher_is_better else 0.6

    assert not limit.broken_by(Row("a", None, None, {key.key: 0.5}))
    assert limit.broken_by(Row("a", None, None, {key.key: worse}))
    assert limit.broken_by(Row("a", None, None, {key.key: math.nan}))
    assert not limit.broken_by(Row("a", None, None))


@pytest.mark.parametrize(
    ("cosines", "count", "worst", "kept"),
    [((0.9, 0.5, 1.0), 2, 0.5, False), ((0.9, math.nan, 0.1), 3, math.nan, False), ((1.0, 0.995), 0, 0.995, True)],
)
def test_the_worst_tensor_is_known_whether_or_not_a_limit_is_kept(
    cosines: tuple[float, ...], count: int, worst: float, kept: bool
) -> None:
    found = held_against(parse_limit("cosine=0.99"), [row(str(cosine), cosine) for cosine in cosines])

    assert (found.asked, found.count, found.kept) == (len(cosines), count, kept)
    assert found.worst is not None
    assert found.worst.tensor == str(worst)


@pytest.mark.parametrize("rows", [[], [Row("a", None, None, {"sqnr": 1.0})]], ids=["nothing", "another metric"])
def test_a_limit_that_nothing_was_held_against_is_not_kept(rows: list[Row]) -> None:
    found = held_against(parse_limit("cosine=0.99"), rows)

    assert (found.asked, found.kept, found.worst) == (0, False, None)


def test_a_limit_reads_as_it_is_written_and_as_people_say_it() -> None:
    limits = [parse_limit(text) for text in ("cosine=0.99", "relative_l2=0.05", "sqnr=20")]

    assert [limit.text for limit in limits] == ["cosine ≥ 0.99", "relative_l2 ≤ 0.05", "sqnr ≥ 20"]
    assert [limit.words for limit in limits] == ["cosine similarity ≥ 0.99", "relative error ≤ 0.05", "SQNR ≥ 20"]


@pytest.mark.parametrize("text", ["cosine", "cos=0.9", "cosine=", "cosine=much", "cosine=nan", "=1", ""])
def test_what_is_no_limit_is_refused_with_what_would_be_one(text: str) -> None:
    with pytest.raises(UsageError, match=r"cosine=0\.99|still allowed"):
        parse_limit(text)
