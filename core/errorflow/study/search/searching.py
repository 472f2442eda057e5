"""Searches: a strategy asks, an evaluator answers, and what is known is given away after each answer.

What was found in simulation is run as it is deployed before it is called enough.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.quant.plan import Plan
from errorflow.study.evaluate.asking import resolution
from errorflow.study.evaluate.evaluator import Answer, Evaluator, EvaluatorError
from errorflow.study.evaluate.on_bench import as_deployed
from errorflow.study.evaluate.on_outputs import OfOutputs
from errorflow.study.rank.model import Question
from errorflow.study.rank.tables import PlanTables
from errorflow.study.search.journal import ORIGINAL, SearchJournal, key_of
from errorflow.study.search.model import NOTHING, Choice, Search, SearchRequest, Tried
from errorflow.study.search.ranks import RankedParts, ranks_of
from errorflow.study.search.space import Space
from errorflow.study.search.steps import ProposedChoice, SearchKnowledge, Strategy
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.deployed import own_model
from errorflow.study.simulate.sides import HALF, leading

# Errors of the evaluator in a row, after which it is not asked any more.
_ERRORS = 3
_AS_POWER = 1.0
Give = Callable[[Search], None]


def search(
    bench: Bench,
    plan: Plan,
    evaluator: Evaluator,
    wish: SearchRequest,
    strategy: Strategy,
    *,
    journal: SearchJournal | None = None,
    tables: PlanTables | None = None,
    give: Give = lambda _: None,
    progress: Progress = SILENT,
) -> Search:
    """Searches; `give` gets what is known meanwhile, also before a cancel or an error.

    `tables`: who simulates plans to measure their noise, in place of the engine of the bench.
    """
    return _Work(bench, plan, evaluator, wish, strategy, journal, tables, give, progress).run()


class _Enough(Exception):  # noqa: N818 - no error: as many evaluations as were wished
    pass


class _Work:
    def __init__(
        self,
        bench: Bench,
        plan: Plan,
        evaluator: Evaluator,
        wish: SearchRequest,
        strategy: Strategy,
        journal: SearchJournal | None,
        tables: PlanTables | None,
        give: Give,
        progress: Progress,
    ) -> None:
        self._bench, self._plan, self._evaluator = bench, plan, evaluator
        self._wish, self._strategy, self._journal = wish, strategy, journal
        self._tables, self._give, self._progress = tables, give, progress
        self._tried: dict[Choice, Tried] = {}
        self._original: Answer | None = None
        self._whole: Answer | None = None
        self._errors = 0
        self._space: Space | None = None
        rule, higher = evaluator.rule, evaluator.higher_is_better
        self._found = Search(wish, plan, evaluator.name, rule, higher)

    def run(self) -> Search:
        self._say("Evaluating the original")
        original = self._original = self._of_original()
        few = resolution(self._bench, self._evaluator, original.value)
        self._found = replace(self._found, original=original.value, notes=(few,) if few else ())
        self._say("Evaluating the plan as it is")
        whole = self._answered([ProposedChoice(NOTHING, "the plan as it is")], [self._plan])[0]
        if whole.note and math.isnan(whole.value):
            raise EvaluatorError(whole.note, "The search needs a number for the plan as it is.")
        if whole.good and self._holds(whole):
            return self._end("")
        self._say("Ranking")
        known = self._known(whole)
        space = self._space = self._opened(known)
        stopped = "" if whole.good else self._tried_out(partial(self._ask, space, known))
        held = self._tried_out(partial(self._hold, space))
        return self._end(stopped or held)

    def _tried_out(self, work: Callable[[], None]) -> str:
        """Works; says why it ended before its end."""
        try:
            work()
        except _Enough:
            return f"The {self._wish.most:,} evaluations that were asked for are done."
        return ""

    def _hold(self, space: Space) -> None:
        """Runs what was found as deployed; where it does not hold, the next larger sets, until one does."""
        for choice in self._larger(space):
            tried = self._tried.get(choice)
            if tried is None:
                asked = ProposedChoice(choice, "more, since fewer do not hold as deployed")
                (tried,) = self._answered([asked], [space.plan_of(choice)])
            if tried.good and self._holds(tried):
                return

    def _larger(self, space: Space) -> Iterator[Choice]:
        """Yields the good ones, the smallest first; then the smallest with more and more of the ranking."""
        good = sorted((each for each in self._tried.values() if each.good), key=lambda each: each.choice.cost)
        yield from (each.choice for each in good)
        first = good[0] if good else self._found.best
        if first is not None and (good or not math.isnan(first.deployed)):
            rest = [part for part in range(len(space)) if part not in first.choice.parts]
            for step in range(len(rest).bit_length() + 1 if rest else 0):
                yield Choice.of(first.choice.as_dict | dict.fromkeys(rest[: 2**step], space.to))

    def _holds(self, tried: Tried) -> bool:
        """Whether it is good enough as deployed, too; what cannot be run so is taken as it is, and that is said."""
        if tried.is_original or not math.isnan(tried.deployed):
            return tried.good
        plan = self._plan if self._space is None else self._space.plan_of(tried.choice)
        own = own_model(self._bench, plan)
        try:
            answer = self._deployed(plan, own)
            if own is not None and not answer.judgement.good:
                self._note(f"{own.name} itself reaches {answer.value:.6g} as deployed; this is of its plan, exported.")
                answer = self._deployed(plan, None)
        except ErrorflowError as error:
            self._note(f"It was not run as deployed: {error}")
            return True
        good, loss = answer.judgement.good, max(tried.loss, answer.judgement.loss)
        note = tried.note if good else f"As deployed it reaches {answer.value:.6g}, which is not good enough."
        self._tried[tried.choice] = replace(tried, good=good, loss=loss, deployed=answer.value, note=note)
        self._found = replace(self._found, tried=tuple(self._tried.values()))
        self._give(self._found)
        return good

    def _deployed(self, plan: Plan, own: Path | None) -> Answer:
        self._say("Running as deployed")
        with as_deployed(self._bench, plan, own, self._evaluator.outputs, self._progress) as run:
            return self._evaluator.judge(run, self._progress)

    def _note(self, text: str) -> None:
        self._found = replace(self._found, notes=(*self._found.notes, text))

    def _of_original(self) -> Answer:
        known = None if self._journal is None else self._journal.known.get(ORIGINAL)
        if known is not None:
            self._evaluator.begin(known)
            return known
        found = self._evaluator.original(self._progress)
        if math.isnan(found.value) or not found.judgement.good:
            raise UsageError(
                f"The float model itself is not good enough: {self._evaluator.name} is {found.value:.6g}, and "
                f"{self._evaluator.rule} is asked for.",
                "Ask for less, and check labels, samples and the rule.",
            )
        if self._journal is not None:
            self._journal.add(ORIGINAL, found)
        return found

    def _opened(self, known: SearchKnowledge) -> Space:
        wish = self._wish
        question = Question(wish.kind)
        outputs = self._evaluator.outputs
        space = Space(
            self._bench.engine,
            self._plan,
            question,
            wish.to,
            outputs,
            max(1, wish.workers) if self._evaluator.is_abreast else 1,
            self._tables,
            self._progress,
        )
        if known.is_power:
            space.measure_on_all()
        ranks: RankedParts = ranks_of(space, self._bench, wish, self._progress)
        space.ranked(ranks.order, ranks.scores)
        self._found = replace(
            self._found,
            parts=space.parts,
            scores=space.scores,
            scored_by=ranks.text,
            notes=(*self._found.notes, *ranks.notes, *_remedies(*space.sides())),
        )
        return space

    def _ask(self, space: Space, known: SearchKnowledge) -> None:
        steps = self._strategy.run(space, known)
        answer: Sequence[Tried] | None = None
        while True:
            try:
                asked = next(steps) if answer is None else steps.send(answer)
            except StopIteration:
                return
            self._say(asked[0].why.capitalize() if asked else "")
            answer = self._answered(asked, [space.plan_of(each.choice) for each in asked])

    def _known(self, whole: Tried) -> SearchKnowledge:
        assert self._original is not None and self._whole is not None
        evaluator = self._evaluator
        edge = evaluator.edge(self._original, self._whole, self._progress)
        if isinstance(evaluator, OfOutputs) and not math.isnan(evaluator.power_of(edge)):
            return SearchKnowledge(
                whole, evaluator.power_of(edge), partial(_power, evaluator), _AS_POWER, is_power=True
            )
        higher = self._found.higher_is_better
        if math.isnan(edge):
            return SearchKnowledge(whole, math.nan)
        worse = self._original.value - edge if higher else edge - self._original.value
        return SearchKnowledge(
            whole, worse if math.isfinite(worse) else math.nan, partial(_lost, self._original.value, higher)
        )

    def _answered(self, asked: Sequence[ProposedChoice], plans: Sequence[Plan]) -> list[Tried]:
        """Finds answers; what was evaluated before is not evaluated again."""
        lacking = {
            each.choice: (each, plan) for each, plan in zip(asked, plans, strict=True) if each.choice not in self._tried
        }
        lacking = self._as_many(lacking)
        floats = {choice for choice, (_, plan) in lacking.items() if not self._bench.engine.assigned(plan).coded}
        ready = {
            choice: answer
            for choice, (_, plan) in lacking.items()
            if (answer := self._original if choice in floats else self._is_known(plan)) is not None
        }
        open_ = [choice for choice in lacking if choice not in ready]
        answers = iter(self._evaluator.answers([lacking[choice][1] for choice in open_], self._progress))
        for choice, (each, plan) in lacking.items():
            answer = ready.get(choice)
            is_known = answer is not None and choice not in floats
            if answer is None:
                answer = next(answers)
                self._keep(plan, answer)
            self._take(each, answer, is_known=is_known, is_original=choice in floats)
        found = [self._tried[each.choice] for each in asked if each.choice in self._tried]
        self._found = replace(self._found, asked=(*self._found.asked, *(each.number for each in found)))
        self._say(self._found.stage)
        if len(found) < len(asked):
            raise _Enough
        return found

    def _as_many(self, lacking: dict[Choice, tuple[ProposedChoice, Plan]]) -> dict[Choice, tuple[ProposedChoice, Plan]]:
        """Takes as many as were wished; the plan as it is does not count."""
        if self._wish.most is None:
            return lacking
        done = sum(len(choice) > 0 for choice in self._tried)
        room = self._wish.most - done
        return {choice: each for place, (choice, each) in enumerate(lacking.items()) if place < room or not len(choice)}

    def _is_known(self, plan: Plan) -> Answer | None:
        return None if self._journal is None else self._journal.known.get(key_of(plan))

    def _keep(self, plan: Plan, answer: Answer) -> None:
        if self._journal is not None and not (math.isnan(answer.value) and answer.note):
            self._journal.add(key_of(plan), answer)

    def _take(self, asked: ProposedChoice, answer: Answer, *, is_known: bool, is_original: bool) -> None:
        judgement = answer.judgement
        tried = Tried(
            len(self._tried),
            asked.choice,
            answer.value,
            judgement.good,
            judgement.loss,
            answer.seconds,
            asked.why,
            answer.note,
            is_known,
            is_original,
        )
        self._tried[asked.choice] = tried
        if asked.choice == NOTHING:
            self._whole = answer
        self._found = replace(self._found, tried=tuple(self._tried.values()))
        self._give(self._found)
        self._errors = self._errors + 1 if answer.note and math.isnan(answer.value) else 0
        if self._errors >= _ERRORS:
            raise EvaluatorError(f"The search ended: {answer.note}", "Mend the evaluator, and go on with --resume.")

    def _say(self, stage: str) -> None:
        self._tell(replace(self._found, stage=stage))

    def _end(self, stopped: str) -> Search:
        self._tell(replace(self._found, stage="", complete=not stopped, stopped=stopped))
        return self._found

    def _tell(self, found: Search) -> None:
        space = self._space
        self._found = found if space is None else replace(found, simulated=space.simulated, exact=space.exact)
        self._give(self._found)


def _remedies(weights: float, activations: float, whole: float) -> tuple[str, ...]:
    """Names what to try before parts are left in float, where one side alone brings most. Powers of noise."""
    most = leading(weights, activations, HALF**2 * whole)
    if most == "weights":
        return (
            f"Weights bring most of the noise, activations alone {activations / whole:.0%} of it: a scale per channel "
            "for weights, or layers that are equalized, may need no part in float.",
        )
    if most == "activations":
        return (
            f"Activations bring most of the noise, weights alone {weights / whole:.0%} of it: another method of "
            "calibration, outliers that are smoothed, or 16 bits for activations may need no part in float.",
        )
    return ()


def _power(evaluator: OfOutputs, tried: Tried) -> float:
    return evaluator.power_of(tried.value)


def _lost(original: float, higher: bool, tried: Tried) -> float:
    with np.errstate(invalid="ignore"):
        return original - tried.value if higher else tried.value - original
