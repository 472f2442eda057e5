"""Evaluators: what all have in common, whatever they measure."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow.base.values import dataclass
from errorflow.base.workers import Plain
from errorflow.quant.plan import Plan
from errorflow.run.engine.table import Table
from errorflow.run.model import Array
from errorflow.study.evaluate.model import Judgement


class EvaluatorError(ErrorflowError):
    """An evaluator of the user's that cannot be asked: its file is wrong, or it ends in an error."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of an evaluator about one run."""

    value: float
    judgement: Judgement
    seconds: float = 0.0
    # Why there is no number.
    note: str = ""
    # What it really gave, where that is more than a number: only it knows what that means.
    raw: Plain = None


class PlanRunner(Protocol):
    """Runner of many plans: an engine, or several of them elsewhere, which give the same numbers."""

    def run_many(
        self,
        plans: Sequence[Plan],
        tensors: Sequence[str],
        samples: Sequence[int],
        *,
        exactly: bool,
        text: str,
        progress: Progress,
    ) -> Iterator[Table]: ...


class EvaluatedRun(Protocol):
    """A run of a model, as an evaluator may look at it: on samples, output by output."""

    @property
    def count(self) -> int:
        """Number of samples."""
        ...

    @property
    def outputs(self) -> tuple[str, ...]: ...

    def name(self, sample: int) -> str: ...

    def fed(self, sample: int) -> Mapping[str, Array]: ...

    def values(self, sample: int, progress: Progress) -> Mapping[str, Array]: ...

    def reference(self, sample: int, progress: Progress) -> Mapping[str, Array]: ...

    def model(self, folder: Path, progress: Progress) -> Path:
        """A file that ONNX Runtime runs; one that has to be made first is made in the folder."""
        ...


class Evaluator(Protocol):
    """Gives a number per plan, and says whether it is good enough."""

    @property
    def name(self) -> str:
        """Name of the measure, such as `top-1 of scores`."""
        ...

    @property
    def rule(self) -> str:
        """Rule for good enough, in words."""
        ...

    @property
    def higher_is_better(self) -> bool: ...

    @property
    def is_abreast(self) -> bool:
        """Whether several plans at a time take less than one after the other."""
        ...

    @property
    def outputs(self) -> tuple[str, ...]:
        """Outputs of the model that it depends on; none: they are unknown."""
        ...

    @property
    def identity(self) -> str:
        """Changes with whatever changes its answers, but for model, samples and plan."""
        ...

    def original(self, progress: Progress) -> Answer:
        """Evaluates the float model. It comes before all plans, or `begin` is told its result."""
        ...

    def begin(self, original: Answer) -> None: ...

    def answers(self, plans: Sequence[Plan], progress: Progress) -> Iterator[Answer]:
        """Yields one answer each, in their order; some may be found at the same time."""
        ...

    def judge(self, run: EvaluatedRun, progress: Progress) -> Answer:
        """Evaluates a run of whatever kind on the same samples."""
        ...

    def edge(self, original: Answer, worst: Answer, progress: Progress) -> float:
        """Finds the worst value that is good enough; NaN: it lies not between these two, or is unknown."""
        ...

    def close(self) -> None: ...
