"""What can be asked, and how it reads."""

from collections.abc import Callable, Iterator

import pytest

from errorflow.study.rank.model import KINDS, Question
from errorflow_viewer.panels.ranking import asking
from errorflow_viewer.panels.ranking.asking import RankingChoice, RankingContext

AROUND = RankingContext(("boxes", "scores"), 12, ("a", "b"), "block2", "a:0", 3)
BARE = RankingContext()
Choices = Callable[[Question, RankingContext], Iterator[RankingChoice]]


def chosen(choices: Choices, text: str, question: Question | None = None, around: RankingContext = AROUND) -> Question:
    question = Question() if question is None else question
    return next(choice.question for choice in choices(question, around) if choice.text == text)


def checked(choices: Choices, question: Question, around: RankingContext = AROUND) -> list[str]:
    return [choice.text for choice in choices(question, around) if choice.checked]


def test_every_kind_can_be_asked_for() -> None:
    found = {choice.question.kind for choice in asking.kinds(Question(), AROUND)}
    assert found == set(KINDS)


def test_the_selection_becomes_a_group_and_more_of_them() -> None:
    one = chosen(asking.kinds, "The selection as one group")
    assert (one.kind, one.only) == ("group", (("a", "b"),))
    other = RankingContext(nodes=("c",), called="c")
    two = chosen(asking.kinds, "Add it to the 1 groups", one, other)
    assert two.only == (("a", "b"), ("c",))
    assert asking.kind_text(two) == "2 groups"


def test_without_a_selection_no_group_can_be_made() -> None:
    group = next(choice for choice in asking.kinds(Question(), BARE) if choice.text == "The selection as one group")
    assert not group.enabled


def test_another_kind_forgets_the_groups() -> None:
    groups = Question("group", only=(("a", "b"),))
    assert chosen(asking.kinds, "Nodes", groups).only == ()


def test_metrics_come_and_go_and_the_last_one_stays() -> None:
    question = chosen(asking.metrics, "Largest absolute error")
    assert question.metrics == ("relative_l2", "cosine", "sqnr", "max_absolute_error")
    assert chosen(asking.metrics, "Relative error", question).metrics == ("cosine", "sqnr", "max_absolute_error")
    alone = Question(metrics=("cosine",))
    last = next(choice for choice in asking.metrics(alone, AROUND) if choice.text == "Cosine similarity")
    assert not last.enabled


def test_the_first_metric_ranks() -> None:
    question = chosen(asking.metrics, "Rank by SQNR")
    assert question.metrics == ("sqnr", "relative_l2", "cosine")
    assert "Rank by SQNR" in checked(asking.metrics, question)
    assert asking.metric_text(question) == "SQNR + 2"


def test_it_is_measured_at_all_outputs_at_one_or_at_what_is_selected() -> None:
    assert chosen(asking.places, "scores").outputs == ("scores",)
    inside = chosen(asking.places, "a:0")
    assert inside.outputs == ("a:0",)
    assert checked(asking.places, inside, BARE) == ["a:0"]
    assert asking.place_text(Question()) == "the outputs"


def test_there_are_fewer_samples_all_of_them_and_the_one_that_is_looked_at() -> None:
    texts = [choice.text for choice in asking.samples(Question(), AROUND)]
    assert texts == [
        *("The first sample", "The first 2 samples", "The first 4 samples", "The first 8 samples"),
        *("All 12 samples", "Sample 4, the one looked at"),
    ]
    assert chosen(asking.samples, "The first 4 samples").samples == (0, 1, 2, 3)
    assert asking.sample_text(Question(), AROUND) == "all 12 samples"
    assert asking.sample_text(Question(samples=(3,)), AROUND) == "sample 4"


def test_both_measures_and_16_bits_can_be_asked() -> None:
    both = chosen(asking.measures, "Impact and recovery")
    assert both.measures == ("impact", "recovery")
    assert asking.measure_text(chosen(asking.kept, "Put to 16 bits", both)) == "impact and recovery in 16 bits"


def test_only_the_selection_can_be_asked_for() -> None:
    question = chosen(asking.only, "Only block2")
    assert question.only == (("a", "b"),)
    assert asking.kind_text(question) == "units of a and 1 more"
    assert "Only a and 1 more" in checked(asking.only, question, BARE)
    assert chosen(asking.only, "All of the model", question).only == ()


@pytest.mark.parametrize("choices", [asking.kinds, asking.measures, asking.places, asking.samples, asking.kept])
def test_each_choice_that_holds_changes_nothing(choices: Choices) -> None:
    question = Question()
    for choice in choices(question, AROUND):
        assert not choice.checked or choice.question == question
