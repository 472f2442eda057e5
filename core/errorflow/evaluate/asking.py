"""What a user says of how good a model must be, as plain values, and the evaluator for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from errorflow.errors import UsageError
from errorflow.evaluate.evaluator import Evaluator
from errorflow.evaluate.labels import Labels, classes_of, read_labels
from errorflow.evaluate.model import Rule
from errorflow.evaluate.on_file import LOG, OfFile
from errorflow.evaluate.on_labels import TopK
from errorflow.evaluate.on_outputs import Over, of_outputs, outputs_named
from errorflow.evaluate.own import SECONDS
from errorflow.progress import SILENT, Progress
from errorflow.quant.plan import Plan
from errorflow.run.model import wanted_of
from errorflow.simulate.bench import Bench
from errorflow.simulate.floated import Floated

AGREEMENT = "agreement"
_TOP = "top"


@dataclass(frozen=True, slots=True)
class Measured:
    """What is measured, and when it is good enough: values that a session keeps and other processes can be sent."""

    # `top1`, `top5`, …, `agreement`, or a key of METRICS; of no meaning with a file.
    measure: str = "cosine"
    # None: what the file says.
    rule: Rule | None = None
    # Outputs that count; (): all. Answers are those of the first.
    outputs: tuple[str, ...] = ()
    over: Over = "pooled"
    # The user's evaluator.
    file: Path | None = None
    # Right answers: in the order of all samples that were given, or by their names.
    labels: Labels | None = None
    # Seconds that one evaluation by the file may take.
    seconds: float = SECONDS


def top_of(measure: str) -> int | None:
    """The k of `top5`; None: it is another measure."""
    digits = measure.removeprefix(_TOP).removeprefix("-")
    if not measure.startswith(_TOP) or not digits.isdecimal() or not 0 < int(digits) <= 1_000_000:
        return None
    return int(digits)


def evaluator_of(bench: Bench, asked: Measured, place: Path, workers: int = 1) -> Evaluator:
    """`place` is the folder for the log of a file. What is odd in `asked` is a `UsageError`."""
    if asked.file is not None:
        labels = None if asked.labels is None else _own_labels(bench, asked.labels)
        return OfFile(bench, asked.file, place / LOG, asked.rule, labels, asked.seconds, workers)
    if asked.rule is None:
        raise UsageError("Nothing says what is good enough.", 'Say it with --target "top1>=0.9" or --max-drop 0.01.')
    k = top_of(asked.measure)
    if k is None and asked.measure != AGREEMENT:
        return of_outputs(bench, asked.measure, asked.rule, asked.outputs, asked.over)
    output = outputs_named(bench, asked.outputs)[0]
    if k is None:
        return TopK(bench, 1, asked.rule, output, None)
    if asked.labels is None:
        raise UsageError(
            f"{asked.measure} needs the right answer of each sample.",
            "Name their file with --labels, give a folder per class, or take --metric agreement.",
        )
    return TopK(bench, k, asked.rule, output, _own_labels(bench, asked.labels))


def _own_labels(bench: Bench, labels: Labels) -> tuple[int, ...]:
    """Of the samples that are evaluated, in their order."""
    part = bench.evaluated
    return labels.of([part.name(number) for number in range(part.count)], part.first)


def labels_of(model: Floated, paths: Sequence[str], file: Path | None, progress: Progress = SILENT) -> Labels | None:
    """Those of a file, or of a folder per class; None: samples have none."""
    if file is not None:
        return read_labels(file)
    from errorflow.evaluate.labels import folders_of
    from errorflow.run.samples.asked import Asked

    if len(paths) != 1 or not folders_of(Path(paths[0]), progress):
        return None
    wanted = wanted_of(model.model.graph)
    return classes_of(Asked(tuple(paths)), wanted, progress)[1]


@dataclass(frozen=True, eq=False)
class PlanScorer:
    """Scores plans by an evaluator, for rankings by the user's own measure."""

    evaluator: Evaluator
    progress: Progress = SILENT

    @property
    def label(self) -> str:
        return self.evaluator.name

    @property
    def higher_is_better(self) -> bool:
        return self.evaluator.higher_is_better

    def score(self, plan: Plan) -> float:
        (answer,) = self.evaluator.answers([plan], self.progress)
        return answer.value


def scorer_of(evaluator: Evaluator, progress: Progress = SILENT) -> PlanScorer:
    """The evaluator is asked for the original first, as it wants to be."""
    evaluator.original(progress)
    return PlanScorer(evaluator, progress)
