"""The flows there are, and the questions that lead to one.

To add one: a `Flow` in the vendor's guide, and where nothing leads to it yet an `GuideAnswer` to where the model runs
and `GuideQuestion` rows; then run `python docs/tables.py`.
"""

from collections.abc import Mapping
from functools import cache

from errorflow.base.vendor import Rows
from errorflow.guides.model import Flow, GuideAnswer, GuideQuestion

FLOWS = Rows(Flow, "guide")
# To the first question.
_TARGETS = Rows(GuideAnswer, "guide")
_QUESTIONS = Rows(GuideQuestion, "guide")


@cache
def questions() -> tuple[GuideQuestion, ...]:
    """Lists questions in the order of asking."""
    return (GuideQuestion("target", "Where does the model run?", tuple(_TARGETS)), *_QUESTIONS)


def flow_of(key: str) -> Flow:
    """The row of that name."""
    return FLOWS.named(key, f"There is no guide {key[:40]}.")


def fitting(answers: Mapping[str, str]) -> tuple[Flow, ...]:
    """The flows that these answers allow."""
    return tuple(
        flow for flow in FLOWS if all(flow.answers.get(question) == answer for question, answer in answers.items())
    )


def next_question(answers: Mapping[str, str]) -> tuple[GuideQuestion, tuple[GuideAnswer, ...]] | None:
    """Chooses the next question, with the answers that lead further; None: one flow is left."""
    flows = fitting(answers)
    for question in questions():
        if question.key in answers or not all(question.key in flow.answers for flow in flows):
            continue
        known = {flow.answers[question.key] for flow in flows}
        return question, tuple(answer for answer in question.answers if answer.key in known)
    return None
