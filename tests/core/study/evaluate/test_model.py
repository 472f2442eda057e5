"""When a run is good enough, and how much a share of so many samples says."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorflow.study.evaluate.model import AcceptRule, Hits, wilson

SHARES = st.floats(0, 1, allow_nan=False)


@pytest.mark.parametrize(
    ("rule", "original", "new", "higher", "good", "loss"),
    [
        (AcceptRule("drop", 0.01), 0.9, 0.895, True, True, 0.005),
        (AcceptRule("drop", 0.01), 0.9, 0.85, True, False, 0.05),
        (AcceptRule("drop", 0.01), 0.9, 0.95, True, True, -0.05),
        (AcceptRule("relative", 0.01), 0.5, 0.496, True, True, 0.004),
        (AcceptRule("relative", 0.01), 0.5, 0.49, True, False, 0.01),
        (AcceptRule("bound", 0.8), 0.9, 0.8, True, True, 0.1),
        (AcceptRule("bound", 0.8), 0.9, 0.79, True, False, 0.11),
        (AcceptRule("bound", 0.05), 0.0, 0.04, False, True, 0.04),
        (AcceptRule("drop", 0.1), 1.0, 1.2, False, False, 0.2),
    ],
)
def test_a_rule_says_what_is_good_and_how_much_is_lost(
    rule: AcceptRule, original: float, new: float, higher: bool, good: bool, loss: float
) -> None:
    found = rule.judged(original, new, higher)
    assert found.good is good
    assert found.loss == pytest.approx(loss)


@pytest.mark.parametrize(("new", "good", "loss"), [(20.0, False, 10.0), (35.0, True, -5.0)])
def test_where_the_original_is_without_end_the_loss_is_that_to_the_bound(new: float, good: bool, loss: float) -> None:
    found = AcceptRule("bound", 30.0).judged(math.inf, new, True)
    assert (found.good, found.loss) == (good, loss)


@pytest.mark.parametrize("rule", [AcceptRule("drop", 9.0), AcceptRule("relative", 9.0), AcceptRule("bound", -9.0)])
def test_what_is_no_number_is_never_good(rule: AcceptRule) -> None:
    found = rule.judged(0.9, math.nan, True)
    assert not found.good
    assert math.isnan(found.loss)


@given(original=SHARES, limit=SHARES, higher=st.booleans(), kind=st.sampled_from(["drop", "relative", "bound"]))
def test_the_edge_is_the_worst_that_is_good(original: float, limit: float, higher: bool, kind: str) -> None:
    rule = AcceptRule(kind, limit)  # type: ignore[arg-type]  # one of the kinds
    edge = rule.edge(original, higher)
    worse = math.nextafter(edge, -math.inf if higher else math.inf)
    assert rule.judged(original, edge, higher).good
    assert not rule.judged(original, worse, higher).good


@given(count=st.integers(1, 10_000), data=st.data())
def test_the_interval_holds_the_share_and_is_narrower_with_more_samples(count: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, count))
    low, high = wilson(right, count)
    assert 0 <= low <= right / count <= high <= 1
    wide = wilson(10 * right, 10 * count)
    assert wide[1] - wide[0] < high - low


def test_the_interval_is_that_of_the_books() -> None:
    # Agresti and Coull (1998) print it for 9 of 10 as 0.596 to 0.982.
    assert Hits(1, 9, 10).interval == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
