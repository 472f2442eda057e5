"""Wish for how good a model must be, as plain values, and the evaluator for it."""

from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.graph.build import counted
from errorflow.quant.plan import Plan
from errorflow.run.model import wanted_of
from errorflow.run.samples.opening import open_samples
from errorflow.study.evaluate.evaluator import Evaluator, PlanRunner
from errorflow.study.evaluate.labels import Labels, by_class, read_labels, right_answers
from errorflow.study.evaluate.model import FINE, AcceptRule
from errorflow.study.evaluate.on_file import LOG, OfFile
from errorflow.study.evaluate.on_labels import TopK
from errorflow.study.evaluate.on_outputs import Over, of_outputs, outputs_named
from errorflow.study.evaluate.own import SECONDS
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import Floated

AGREEMENT = "agreement"
# Of labelled samples so many calibrate at most, and a quarter at most: each more that is evaluated is worth more.
CALIBRATED = 32
_TOP = "top"


@dataclass(frozen=True, slots=True)
class MeasureGoal:
    """Measure, and when it is good enough: values that a session keeps and other processes can be sent."""

    # `top1`, `top5`, …, `agreement`, or a key of METRICS; of no meaning with a file.
    measure: str = "cosine"
    # None: what the file says.
    rule: AcceptRule | None = None
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


def evaluator_of(
    bench: Bench, asked: MeasureGoal, place: Path, workers: int = 1, tables: PlanRunner | None = None
) -> Evaluator:
    """`place` is the folder for the log of a file. What is odd in `asked` is a `UsageError`.

    `workers`: so many processes of a file; `tables`: who runs plans where outputs are measured, in place of the bench.
    """
    if asked.file is not None:
        labels = None if asked.labels is None else _own_labels(bench, asked.labels)
        return OfFile(bench, asked.file, place / LOG, asked.rule, labels, asked.seconds, workers)
    if asked.rule is None:
        raise UsageError("Nothing says what is good enough.", 'Say it with --target "top1>=0.9" or --max-drop 0.01.')
    k = top_of(asked.measure)
    if k is None and asked.measure != AGREEMENT:
        return of_outputs(bench, asked.measure, asked.rule, asked.outputs, asked.over, tables)
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
    """Finds the labels of the samples that are evaluated, in their order."""
    return right_answers(labels, bench.evaluated)


def goes_by_sample(asked: MeasureGoal) -> bool:
    """Whether samples are counted, so that few of them cannot show a small loss."""
    return asked.file is not None or asked.measure == AGREEMENT or top_of(asked.measure) is not None


def resolution(bench: Bench, evaluator: Evaluator, original: float) -> str:
    """Says that so few samples are measured that a small loss cannot be seen; "": they are enough, or do not matter.

    `original`: what the float model has.
    """
    count = bench.evaluated.count
    if isinstance(evaluator, TopK):
        note = evaluator.too_few(original)
    elif isinstance(evaluator, OfFile) and count * FINE < 1:
        note = f"{counted(count, 'sample is', 'samples are')} evaluated: {FINE:.0%} of them is less than one."
    else:
        return ""
    return f"{note} Give more, or have fewer calibrate." if note else ""


def with_labels(
    model: Floated, basis: Basis, file: Path | None, progress: Progress = SILENT
) -> tuple[Basis, Labels | None]:
    """Right answers of a file, or of samples that lie in a folder per class; None: there are none.

    The basis is the same, but for the order of samples in such folders.
    """
    asked = basis.asked if not basis.others else replace(basis.asked, paths=basis.others)
    wanted = wanted_of(model.model.graph)
    found = None if file is not None else by_class(asked, [want.name for want in wanted], progress)
    if found is not None and basis.others:
        basis = replace(basis, others=found[0].paths)
    elif found is not None:
        basis = replace(basis, asked=found[0])
    labels = read_labels(file) if file is not None else None if found is None else found[1]
    return basis, labels


def few_calibrate(model: Floated, basis: Basis, progress: Progress = SILENT) -> Basis:
    """The same, but that most samples are evaluated, unless it says how many calibrate."""
    if basis.others or basis.calibrate_on is not None or basis.calibration is not None:
        return basis
    count = open_samples(wanted_of(model.model.graph), basis.asked, progress).count
    taken = count if basis.samples is None else min(basis.samples, count)
    return replace(basis, calibrate_on=max(1, min(CALIBRATED, taken // 4)))


@dataclass(frozen=True, eq=False)
class PlanScorer:
    """Scores plans by an evaluator, for rankings by the user's own measure."""

    evaluator: Evaluator
    # What it says of the float model.
    original: float
    progress: Progress = SILENT

    @property
    def label(self) -> str:
        return self.evaluator.name

    @property
    def higher_is_better(self) -> bool:
        return self.evaluator.higher_is_better

    @property
    def identity(self) -> str:
        return self.evaluator.identity

    def score(self, plan: Plan) -> float:
        (answer,) = self.evaluator.answers([plan], self.progress)
        return answer.value


def scorer_of(evaluator: Evaluator, progress: Progress = SILENT) -> PlanScorer:
    """The evaluator is asked for the original first, as it wants to be."""
    return PlanScorer(evaluator, evaluator.original(progress).value, progress)
