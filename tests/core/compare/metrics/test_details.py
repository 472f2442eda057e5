"""Every measure that not all tensors have: readable, and documented."""

import math
from pathlib import Path

import pytest

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.channels import Channels
from errorflow.compare.metrics.details import DETAILS, Detail, DetailTally
from errorflow.compare.metrics.metric import badness

DOCS = Path(__file__).parents[4] / "docs" / "metrics.md"
FULL = DetailTally(
    count=10,
    broken=0,
    flips=2,
    saturated=2,
    clipped=1,
    steps=(3.0, 5.0),
    channels=Channels(1, 4, 5.0, 30.0, ((2, 5.0), (0, 30.0))),
)
each_detail = pytest.mark.parametrize("detail", DETAILS, ids=lambda detail: detail.key)


def test_no_key_is_used_twice() -> None:
    keys = [row.key for row in (*METRICS, *DETAILS)]

    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_steps", 3.0),
        ("mean_steps", 0.5),
        ("sign_flips", 0.2),
        ("saturation", 0.2),
        ("clipping", 0.1),
        ("min_channel_sqnr", 5.0),
        ("median_channel_sqnr", 30.0),
    ],
)
def test_a_measure_is_what_was_counted(key: str, value: float) -> None:
    assert {detail.key: detail.of(FULL) for detail in DETAILS}[key] == value


def test_what_does_not_apply_has_no_value() -> None:
    bare = {detail.key: detail.of(DetailTally(count=10, broken=0, flips=0)) for detail in DETAILS}

    assert {key for key, value in bare.items() if value is not None} == {"sign_flips"}


def test_errors_in_steps_are_nan_where_a_difference_is() -> None:
    broken = DetailTally(count=10, broken=1, flips=0, steps=(1.0, 2.0))

    assert [math.isnan(detail.of(broken) or 0.0) for detail in DETAILS[:2]] == [True, True]


@each_detail
def test_the_limits_go_the_way_the_measure_does(detail: Detail) -> None:
    assert (detail.good > detail.bad) == detail.higher_is_better
    assert (detail.best >= detail.good) == detail.higher_is_better
    assert badness(detail, detail.best) == badness(detail, detail.good) == 0
    assert badness(detail, detail.bad) == 1


@each_detail
def test_the_documentation_tells_all_of_the_row(detail: Detail) -> None:
    text = DOCS.read_text("utf-8")
    heading = f"## {detail.label} (`{detail.key}`)"
    assert heading in text
    section = text.split(heading)[1].split("\n#")[0]

    for fact in (detail.formula, detail.text(detail.good), detail.text(detail.bad), detail.misleads):
        assert fact in section
    assert ("higher is better" in section) == detail.higher_is_better
    assert ("lower is better" in section) != detail.higher_is_better
