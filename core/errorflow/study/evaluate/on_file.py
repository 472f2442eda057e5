"""Evaluators of the user's on a bench: several plans side by side, each in a process of its own."""

import math
import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from errorflow.base.progress import Cancelled, Progress
from errorflow.quant.plan import Plan
from errorflow.study.evaluate.evaluator import Answer, EvaluatedRun, EvaluatorError
from errorflow.study.evaluate.model import AcceptRule, Judgement
from errorflow.study.evaluate.on_bench import BenchPlan
from errorflow.study.evaluate.own import SECONDS, OwnEvaluator
from errorflow.study.simulate.bench import Bench

LOG = "evaluator.log"


class OfFile:
    """A Python file. `workers`: so many plans are evaluated at the same time."""

    def __init__(
        self,
        bench: Bench,
        file: Path,
        log: Path,
        limits: AcceptRule | None = None,
        labels: Sequence[int] | None = None,
        seconds: float = SECONDS,
        workers: int = 1,
    ) -> None:
        self._bench, self._labels = bench, labels
        # They share the log, which the first one is asked to begin.
        self._own = [
            OwnEvaluator(file, log, limits, labels, seconds, begins=not number) for number in range(max(1, workers))
        ]
        self._original: Answer | None = None

    @property
    def name(self) -> str:
        return self._own[0].name

    @property
    def rule(self) -> str:
        limits = self._own[0].limits
        return f"what {self.name} says" if limits is None else limits.text(self.higher_is_better)

    @property
    def higher_is_better(self) -> bool:
        return self._own[0].higher_is_better()

    @property
    def is_abreast(self) -> bool:
        return len(self._own) > 1

    @property
    def outputs(self) -> tuple[str, ...]:
        return ()

    @property
    def identity(self) -> str:
        return repr((self._own[0].digest, self._own[0].limits, self._labels))

    def original(self, progress: Progress) -> Answer:
        self._own[0].check(progress)
        self._original = self._own[0].ask(BenchPlan(self._bench, None), None, progress)
        return self._original

    def begin(self, original: Answer) -> None:
        self._original = original

    def answers(self, plans: Sequence[Plan], progress: Progress) -> Iterator[Answer]:
        if len(self._own) == 1 or len(plans) < 2:
            for plan in plans:
                yield self._one(self._own[0], plan, progress)
            return
        yield from self._abreast(plans, progress)

    def _abreast(self, plans: Sequence[Plan], progress: Progress) -> Iterator[Answer]:
        free: queue.SimpleQueue[OwnEvaluator] = queue.SimpleQueue()
        for own in self._own:
            free.put(own)
        heard = _Heard(progress)

        def one(plan: Plan) -> Answer:
            own = free.get()
            try:
                return self._one(own, plan, heard)
            finally:
                free.put(own)

        with ThreadPoolExecutor(len(self._own)) as pool:
            futures = [pool.submit(one, plan) for plan in plans]
            try:
                for future in futures:
                    yield _waited(future, heard.tell)
            finally:
                heard.cancelled = True
                for future in futures:
                    future.cancel()

    def _one(self, own: OwnEvaluator, plan: Plan, progress: Progress) -> Answer:
        """Evaluates one plan; what ends in an error has no number, and others may have one."""
        try:
            return self._asked(own, BenchPlan(self._bench, plan), progress)
        except EvaluatorError as error:
            return Answer(math.nan, Judgement(False, math.nan), note=str(error))

    def judge(self, run: EvaluatedRun, progress: Progress) -> Answer:
        return self._asked(self._own[0], run, progress)

    def _asked(self, own: OwnEvaluator, run: EvaluatedRun, progress: Progress) -> Answer:
        assert self._original is not None, "the original comes first"
        return own.ask(run, self._original, progress)

    def edge(self, original: Answer, worst: Answer, progress: Progress) -> float:
        return self._own[0].edge(original, worst, progress)

    def close(self) -> None:
        for own in self._own:
            own.close()


class _Heard:
    """Progress of several threads: told by the one that waits for them, and a cancel reaches all of them."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.cancelled = False

    def step(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - as every progress is called
        if self.cancelled:
            raise Cancelled

    def tell(self) -> None:
        self._progress.step(0, 0, "Evaluating")


def _waited(future: "Future[Answer]", tell: Callable[[], None]) -> Answer:
    while True:
        try:
            return future.result(timeout=0.02)
        except TimeoutError:
            if future.done():
                raise EvaluatorError("The evaluator took too long.", "Give it more with --time-limit.") from None
            tell()
