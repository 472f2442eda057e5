"""What a user types for a target."""

import pytest

from errorflow.base.errors import UsageError
from errorflow.study.evaluate.model import AcceptRule
from errorflow.study.evaluate.rules import parse_drop, parse_target


@pytest.mark.parametrize(
    ("text", "measure", "limit", "up"),
    [
        ("top1>=0.9", "top1", 0.9, True),
        ("Top1 ≥ 90%", "top1", 0.9, True),
        ("relative_l2<=0.05", "relative_l2", 0.05, False),
        (">= 0.5", "", 0.5, True),
        ("sqnr>20", "sqnr", 20.0, True),
        ("max_absolute_error < 1e-3", "max_absolute_error", 1e-3, False),
    ],
)
def test_targets(text: str, measure: str, limit: float, up: bool) -> None:
    found = parse_target(text)
    assert (found.measure, found.rule, found.up) == (measure, AcceptRule("bound", limit), up)


@pytest.mark.parametrize(("text", "rule"), [("0.01", AcceptRule("drop", 0.01)), (" 2% ", AcceptRule("relative", 0.02))])
def test_drops(text: str, rule: AcceptRule) -> None:
    assert parse_drop(text) == rule


@pytest.mark.parametrize("text", ["", "top1", "top1=0.9", "top1>=much", "top1>=nan", ">=", "0.9"])
def test_what_is_no_target_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="is no"):
        parse_target(text)


@pytest.mark.parametrize("text", ["", "much", "-0.1", "inf", "%"])
def test_what_is_no_drop_is_told(text: str) -> None:
    with pytest.raises(UsageError):
        parse_drop(text)
