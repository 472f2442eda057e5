"""Evaluators that need no labels: how far the outputs are from those of the float model, on all samples."""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Literal

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.progress import Progress
from errorflow.base.values import dataclass
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.metric import Metric
from errorflow.compare.metrics.sums import Sums, sums
from errorflow.quant.plan import Plan
from errorflow.run.engine.rows import Doubles
from errorflow.run.engine.table import Table
from errorflow.study.evaluate.evaluator import Answer, EvaluatedRun, PlanRunner
from errorflow.study.evaluate.model import AcceptRule
from errorflow.study.evaluate.on_bench import measured_outputs
from errorflow.study.simulate.bench import Bench

# All samples as if they were one tensor, their mean, or the worst of them.
Over = Literal["pooled", "mean", "worst"]
TEXT = "Evaluating"
# In dB; below, numbers do not hold the power.
_LOUDEST = -3000.0


@dataclass(frozen=True, eq=False)
class OfOutputs:
    """Evaluator of one metric of the outputs; of several the worst counts."""

    bench: Bench
    metric: Metric
    limits: AcceptRule
    outputs: tuple[str, ...]
    over: Over = "pooled"
    # Who runs plans; None: the engine of the bench.
    tables: PlanRunner | None = None

    @property
    def name(self) -> str:
        how = "" if self.over == "pooled" else f", {self.over} of samples"
        return f"{self.metric.label} of {', '.join(self.outputs)}{how}"

    @property
    def rule(self) -> str:
        return self.limits.text(self.higher_is_better)

    @property
    def higher_is_better(self) -> bool:
        return self.metric.higher_is_better

    @property
    def is_abreast(self) -> bool:
        return True

    @property
    def identity(self) -> str:
        return repr((self.metric.key, self.limits, self.outputs, self.over))

    def original(self, progress: Progress) -> Answer:  # noqa: ARG002 - as every evaluator is asked
        best = self.metric.best
        return Answer(best, self.limits.judged(best, best, self.higher_is_better))

    def begin(self, original: Answer) -> None:
        """Begins; nothing has to be known of the original."""

    def answers(self, plans: Sequence[Plan], progress: Progress) -> Iterator[Answer]:
        before = time.monotonic()
        engine = self.bench.engine
        tables: PlanRunner = engine if self.tables is None else self.tables
        samples = range(engine.samples)
        for table in tables.run_many(plans, self.outputs, samples, exactly=True, text=TEXT, progress=progress):
            now = time.monotonic()
            yield self._answer(self.of(table), now - before)
            before = now

    def judge(self, run: EvaluatedRun, progress: Progress) -> Answer:
        before = time.monotonic()
        found: dict[str, list[Sums | None]] = {name: [] for name in self.outputs}
        for sample in range(run.count):
            progress.step(sample, run.count, TEXT)
            reference, mine = run.reference(sample, progress), run.values(sample, progress)
            for name, rows in found.items():
                rows.append(sums(reference[name], mine[name]) if reference[name].shape == mine[name].shape else None)
        return self._answer(self._of(found.values()), time.monotonic() - before)

    def _answer(self, value: float, seconds: float) -> Answer:
        judged = self.limits.judged(self.metric.best, value, self.higher_is_better)
        note = "" if np.isfinite(value) or value == self.metric.best else "The outputs hold what is no number."
        return Answer(value, judged, seconds, note)

    def of(self, table: Table) -> float:
        """The number for what was measured."""
        samples = range(len(table.samples))
        return self._of([table.sums(name, sample) for sample in samples] for name in self.outputs)

    def _of(self, rows: Iterable[Sequence[Sums | None]]) -> float:
        """`rows`: of each output the sums by sample."""
        found = np.array([self._one(each) for each in rows])
        return float(found.min() if self.higher_is_better else found.max()) if found.size else np.nan

    def _one(self, rows: Sequence[Sums | None]) -> float:
        known = [each for each in rows if each is not None]
        with np.errstate(all="ignore"):
            if self.over == "pooled":
                pooled = reduce(add, known) if known else None
                return np.nan if pooled is None or pooled.broken else self.metric.of(pooled)
            column = np.array([np.nan if each is None else self.metric.of(each) for each in rows])
            if self.over == "mean":
                return float(self._imperfect(column).mean())
            return float(column.min() if self.higher_is_better else column.max())

    def _imperfect(self, column: Doubles) -> Doubles:
        """Leaves out samples without any error, which would make any mean good for a metric without end."""
        without_end = column == self.metric.best if np.isinf(self.metric.best) else np.zeros(column.shape, bool)
        return column if without_end.all() else column[~without_end]

    def edge(self, original: Answer, worst: Answer, progress: Progress) -> float:  # noqa: ARG002 - as every evaluator
        return self.limits.edge(original.value, self.higher_is_better)

    def power_of(self, value: float) -> float:
        """The power of the error over that of the reference that goes with a value; NaN: it is no matter of power."""
        if self.over != "pooled":
            return math.nan
        if self.metric.key == "relative_l2":
            return value * value
        if self.metric.key == "sqnr":
            return math.pow(10.0, -value / 10) if value > _LOUDEST else math.inf
        if self.metric.key == "cosine":
            # As if the error stood at a right angle to the reference.
            return 1 / (value * value) - 1 if value > 0 else math.inf
        return math.nan

    def close(self) -> None:
        """Leaves the bench open: its owner closes it."""


def metric_of(key: str) -> Metric:
    """Finds a metric by its key, or by the short name of its column."""
    for metric in METRICS:
        if key in (metric.key, metric.short):
            return metric
    known = ", ".join(metric.key for metric in METRICS)
    raise UsageError(f"There is no metric {key[:40]}.", f"Take top1, top5, agreement, {known}.")


def outputs_named(bench: Bench, names: Sequence[str]) -> tuple[str, ...]:
    """Finds those of the model, or all that hold numbers."""
    known = measured_outputs(bench)
    for name in names:
        if name not in known:
            raise UsageError(f"The model has no output {name[:100]}.", f"It has {', '.join(known)}.")
    if not known:
        raise UsageError("The model has no output that holds numbers.", "Choose another model.")
    return tuple(dict.fromkeys(names)) if names else known


def of_outputs(
    bench: Bench,
    key: str,
    rule: AcceptRule,
    outputs: Sequence[str] = (),
    over: Over = "pooled",
    tables: PlanRunner | None = None,
) -> OfOutputs:
    metric = metric_of(key)
    if rule.kind != "bound" and not np.isfinite(metric.best):
        raise UsageError(
            f"{metric.label} of the float model is without end: nothing is so much worse.",
            f'Give a bound, such as --target "{metric.key}>={metric.good:g}".',
        )
    if rule.kind == "relative" and not metric.best:
        raise UsageError(
            f"{metric.label} of the float model is 0: no share of it can be lost.",
            f'Give a bound, such as --target "{metric.key}<={metric.good:g}".',
        )
    return OfOutputs(bench, metric, rule, outputs_named(bench, outputs), over, tables)
