from dataclasses import replace

import pytest

from errorflow.case.model import Case
from errorflow.case.session.model import HandPair
from errorflow.compare.match.by_hand import PARTED, RULE
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Comparison, Row
from errorflow.explain.stages.model import Stages
from errorflow_viewer.panels.matches.panel import GO_ON, Hint, Situation, hint_of
from stored_tensors import Made
from viewer.cases import case_with

RELATIVE = next(metric for metric in METRICS if metric.key == "relative_l2")
PAIR, APART = HandPair("t6", "t7"), HandPair("t6", "")
STAGES = Stages((), "quantization", "It is.")


def compared(*, golden: bool = True, note: str = "", values: dict[str, float] | None = None) -> Case:
    pair = Pair("t6", Made(6), Made(7) if golden else None, RULE if golden else "", "" if golden else PARTED)
    row = Row("t6", None, None, {} if values is None else values, note)
    return case_with(Comparison((row,)), Match((pair,)))


MEASURED = compared(values={"relative_l2": 0.25})


@pytest.mark.parametrize(
    ("now", "hint"),
    [
        (
            Situation(PAIR, MEASURED, RELATIVE, comparing=True),
            Hint("t6 and t7 are next, when the comparison that is running has ended."),
        ),
        (
            Situation(PAIR, replace(MEASURED, complete=False), RELATIVE),
            Hint("t6 and t7 are not measured, for the comparison was cancelled.", GO_ON),
        ),
        (Situation(PAIR, MEASURED, RELATIVE, measuring=True), Hint("t6 and t7 are being measured.")),
        (Situation(PAIR, MEASURED, RELATIVE), Hint("t6 was measured against t7: Relative error 0.2500.")),
        (Situation(PAIR, MEASURED, None), Hint("t6 was measured against t7.")),
        (
            Situation(PAIR, compared(note="the shapes differ"), RELATIVE),
            Hint("t6 and t7 could not be measured: the shapes differ."),
        ),
        (Situation(HandPair("t6", "t9"), MEASURED, RELATIVE), None),
        (Situation(APART, compared(golden=False), RELATIVE), Hint("t6 has no partner any more and is not measured.")),
        (Situation(APART, MEASURED, RELATIVE), None),
        (
            Situation(PAIR, replace(MEASURED, stages=STAGES), RELATIVE),
            Hint("t6 was measured against t7: Relative error 0.2500."),
        ),
    ],
    ids=[
        "running",
        "cancelled",
        "measuring",
        "done",
        "other metric",
        "refused",
        "unknown",
        "parted",
        "not yet parted",
        "three runs",
    ],
)
def test_what_is_said_of_a_pair_by_hand(now: Situation, hint: Hint | None) -> None:
    assert hint_of(now) == hint
