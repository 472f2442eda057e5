"""Searches for what a form asks."""

from collections.abc import Callable
from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.quant.plan import Plan
from errorflow.study.evaluate.asking import AGREEMENT, MeasureGoal, evaluator_of, top_of
from errorflow.study.evaluate.labels import Labels, read_labels
from errorflow.study.evaluate.model import AcceptRule
from errorflow.study.evaluate.on_outputs import metric_of
from errorflow.study.search.asked import Sought
from errorflow.study.search.journal import SearchJournal, mark_of
from errorflow.study.search.model import Search, SearchRequest
from errorflow.study.search.own_strategy import own_strategy
from errorflow.study.search.searching import search
from errorflow.study.search.steps import Strategy
from errorflow.study.search.strategies import strategy
from errorflow.study.simulate.bench import Bench

# What quantization may cost, as the guides have it: of the answers that the original has right.
MAY_COST = AcceptRule("relative", 0.01)


def rule_of(sought: Sought) -> AcceptRule | None:
    """Makes the rule; None: the evaluator says what is good enough."""
    if sought.limit is not None:
        return AcceptRule(sought.way, sought.limit)
    if sought.evaluator is not None:
        return None
    counts = sought.measure == AGREEMENT or top_of(sought.measure) is not None
    return MAY_COST if counts else AcceptRule("bound", metric_of(sought.measure).good)


def measured_of(sought: Sought, labels: Labels | None) -> MeasureGoal:
    return MeasureGoal(
        "" if sought.evaluator is not None else sought.measure,
        rule_of(sought),
        sought.outputs,
        sought.over,
        sought.evaluator,
        labels,
        sought.seconds,
    )


def wish_of(sought: Sought) -> SearchRequest:
    own = sought.own_strategy
    named = sought.strategy if own is None else str(own)
    return SearchRequest(named, sought.kind, sought.to, sought.most, by=sought.by)


def strategy_of(sought: Sought) -> Strategy:
    return strategy(sought.strategy) if sought.own_strategy is None else own_strategy(sought.own_strategy)


def labels_of(sought: Sought) -> Labels | None:
    if sought.labels is not None:
        return read_labels(sought.labels)
    if sought.evaluator is None and top_of(sought.measure) is not None:
        raise UsageError(
            f"top-{top_of(sought.measure)} needs the right answer of each sample.",
            "Choose the file with the labels, or measure the agreement with the float model.",
        )
    return None


def searched(
    bench: Bench, plan: Plan, sought: Sought, place: Path, give: Callable[[Search], None], progress: Progress = SILENT
) -> Search:
    """Searches. In `place` the journal is kept, which an interrupted search goes on with, and what an evaluator
    prints.
    """
    steps = strategy_of(sought)
    progress.step(0, 0, "Reading labels")
    evaluator = evaluator_of(bench, measured_of(sought, labels_of(sought)), place)
    try:
        with SearchJournal(place, mark_of(bench, evaluator), resume=True) as journal:
            found = search(
                bench, plan, evaluator, wish_of(sought), steps, journal=journal, give=give, progress=progress
            )
    finally:
        evaluator.close()
    if found.complete:
        journal.forget()
    return found
