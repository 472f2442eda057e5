"""Evaluators by the right answer of each sample: how often it is among the first k answers of the model."""

import hashlib
import math
import time
from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.run.model import Array
from errorflow.study.evaluate.evaluator import Answer, EvaluatedRun
from errorflow.study.evaluate.model import AcceptRule, Hits, too_few
from errorflow.study.evaluate.on_bench import BenchPlan
from errorflow.study.simulate.bench import Bench

TEXT = "Counting right answers"


class TopK:
    """The share of samples whose label is among the k largest scores.

    `labels`: one per sample of the bench; None: what the float model answers first.
    """

    def __init__(self, bench: Bench, k: int, limits: AcceptRule, output: str, labels: Sequence[int] | None) -> None:
        self._bench, self._k, self._limits, self._output = bench, k, limits, output
        self._labels = None if labels is None else tuple(labels)
        self._original = 1.0 if labels is None else math.nan
        # What the float model answers, once it was asked.
        self._answers: tuple[int, ...] | None = None

    @property
    def name(self) -> str:
        return f"Agreement of {self._output}" if self._labels is None else f"Top-{self._k} of {self._output}"

    @property
    def rule(self) -> str:
        return self._limits.text(higher_is_better=True)

    @property
    def higher_is_better(self) -> bool:
        return True

    @property
    def is_abreast(self) -> bool:
        """Answers are values of the bench's own engine."""
        return False

    @property
    def outputs(self) -> tuple[str, ...]:
        return (self._output,)

    @property
    def identity(self) -> str:
        digest = hashlib.sha256(repr(self._labels).encode()).hexdigest()
        return repr((self._k, self._limits, self._output, digest))

    def original(self, progress: Progress) -> Answer:
        before = time.monotonic()
        value = 1.0 if self._labels is None else self._share(self._of(None), self._labels, progress)
        self._original = value
        return Answer(value, self._limits.judged(value, value, higher_is_better=True), time.monotonic() - before)

    def begin(self, original: Answer) -> None:
        self._original = original.value

    def answers(self, plans: Sequence[Plan], progress: Progress) -> Iterator[Answer]:
        for plan in plans:
            yield self.judge(self._of(plan), progress)

    def judge(self, run: EvaluatedRun, progress: Progress) -> Answer:
        before = time.monotonic()
        value = self._share(run, self._own(progress) if self._labels is None else self._labels, progress)
        judged = self._limits.judged(self._original, value, higher_is_better=True)
        return Answer(value, judged, time.monotonic() - before)

    def _of(self, plan: Plan | None) -> BenchPlan:
        return BenchPlan(self._bench, plan, (self._output,))

    def _own(self, progress: Progress) -> tuple[int, ...]:
        if self._answers is None:
            run = self._of(None)
            self._answers = tuple(answer_of(self._scores(run, sample, progress)) for sample in range(run.count))
        return self._answers

    def _share(self, run: EvaluatedRun, labels: Sequence[int], progress: Progress) -> float:
        right = 0
        for sample, label in enumerate(labels):
            progress.step(sample, len(labels), TEXT)
            right += rank_of(self._scores(run, sample, progress), label) < self._k
        return right / len(labels)

    def _scores(self, run: EvaluatedRun, sample: int, progress: Progress) -> Array:
        return scores_of(run.values(sample, progress)[self._output], self._output)

    def edge(self, original: Answer, worst: Answer, progress: Progress) -> float:  # noqa: ARG002 - as every evaluator
        return self._limits.edge(original.value, higher_is_better=True)

    def too_few(self, original: float) -> str:
        """Says that so few samples do not show what is looked for; "": they do."""
        count = self._bench.evaluated.count
        return too_few(Hits(self._k, round(original * count), count))

    def close(self) -> None:
        """Leaves the bench open: its owner closes it."""


def scores_of(values: Array, output: str) -> Array:
    """Reads one score per class."""
    if values.size < 2 or values.size != max(values.shape) or values.dtype.kind not in "fiu":
        raise UsageError(
            f"{output} has the shape {list(values.shape)}, and scores of one choice have one number per class.",
            "Choose another output with --output, or an evaluator of your own.",
        )
    return values.reshape(-1)


def rank_of(scores: Array, label: int) -> int:
    """Counts the answers before the label; of equal ones those with lower numbers. No number comes last."""
    if label >= scores.size:
        raise UsageError(
            f"There is a label {label:,}, and the model knows {scores.size:,} classes.", "Classes count from 0 on."
        )
    mine = scores[label]
    if mine != mine:
        return int(scores.size)
    return int(np.count_nonzero(scores > mine) + np.count_nonzero(scores[:label] == mine))


def answer_of(scores: Array) -> int:
    """The first answer; -1: none of the scores is a number."""
    known = ~np.isnan(scores) if scores.dtype.kind == "f" else np.ones(scores.shape, bool)
    return int(np.argmax(np.where(known, scores, -np.inf))) if known.any() else -1
