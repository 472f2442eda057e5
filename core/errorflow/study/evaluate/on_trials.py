"""The plans of a bench on a labelled set, each exported and run as deployed, beside the float model."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.run.samples.fitting import SampleSlice
from errorflow.study.evaluate.accuracy import AccuracyRequest, Candidate, evaluated
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.evaluate.labelled_set import FoundSet, find_set, outputs_of
from errorflow.study.evaluate.model import Evaluation, Scored
from errorflow.study.evaluate.on_file import LOG
from errorflow.study.evaluate.own import OwnEvaluator
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.trial import Trial

KS = (1, 5)
ORIGINAL = "Float model"
MADE_UP = "The samples are made up: this says nothing about real data."
READ_BACK = "The float model was read back out of codes, and has what they left of its weights."


@dataclass(frozen=True)
class TrialEvaluation:
    """Results, and what they were found on."""

    # Its runs are those of `trials`, in their order.
    evaluation: Evaluation
    trials: tuple[Trial, ...]
    # As the set has it.
    about: str
    identity: str
    # Of the user's measure, the digest of its file; "": there is none.
    evaluator: str = ""
    higher_is_better: bool = True
    # Of each trial that is not among those, why.
    failed: tuple[ErrorflowError, ...] = ()


def evaluate_trials(
    bench: Bench, trials: Sequence[Trial], asked: LabelledSet, place: Path, progress: Progress = SILENT
) -> TrialEvaluation:
    """A trial that cannot be exported or run does not hide the others. `place`: for what an evaluator prints."""
    found = find_set(bench, asked, progress)
    with TemporaryDirectory(prefix="errorflow-") as folder, _evaluator(asked, found.right, place, progress) as own:
        exported = [
            _exported(bench, trial, Path(folder) / f"{number}.onnx", progress) for number, trial in enumerate(trials)
        ]
        unmade = [each for each in exported if isinstance(each, ErrorflowError)]
        if unmade and len(unmade) == len(exported):
            raise unmade[0]
        work = _Work(bench, [each for each in exported if isinstance(each, Candidate)], found, progress)
        whole = work.joined(own)
        higher_is_better = own is None or own.higher_is_better(progress)
    made = [trial for trial, each in zip(trials, exported, strict=True) if isinstance(each, Candidate)]
    done = [(trial, run) for trial, run in zip(made, whole.runs, strict=True) if _says_something(run)]
    unrun = [ErrorflowError(f"{run.name}: {run.note}", "") for run in whole.runs if not _says_something(run)]
    if not done:
        raise [*unrun, *unmade][0]
    runs, notes = tuple(run for _, run in done), tuple(_notes(bench, whole, found.samples))
    return TrialEvaluation(
        replace(whole, runs=runs, notes=notes),
        tuple(trial for trial, _ in done),
        found.about,
        found.identity,
        "" if own is None else own.digest,
        higher_is_better,
        (*unmade, *unrun),
    )


@contextmanager
def _evaluator(
    asked: LabelledSet, right: tuple[int, ...] | None, place: Path, progress: Progress
) -> Iterator[OwnEvaluator | None]:
    """Checked before anything else takes long."""
    if asked.evaluator is None:
        yield None
        return
    own = OwnEvaluator(asked.evaluator, place / LOG, None, right, asked.seconds)
    try:
        own.check(progress)
        yield own
    finally:
        own.close()


@dataclass(frozen=True)
class _Work:
    bench: Bench
    candidates: Sequence[Candidate]
    found: FoundSet
    progress: Progress

    def joined(self, own: OwnEvaluator | None) -> Evaluation:
        """Answers that were counted, and what the evaluator says of the same runs."""
        counted = self._evaluated(self.found.right, (self.found.output,), None) if self.found.output else None
        # An evaluator may look at all outputs, whatever they are.
        measured = None if own is None else self._evaluated(None, outputs_of(self.bench), own)
        if counted is not None and measured is not None:
            return _beside(counted, measured)
        whole = counted if counted is not None else measured
        assert whole is not None, "without an evaluator answers are counted"
        return whole

    def _evaluated(
        self, right: tuple[int, ...] | None, outputs: tuple[str, ...], own: OwnEvaluator | None
    ) -> Evaluation:
        original = Candidate(ORIGINAL, self.bench.floated.model.path)
        asked = AccuracyRequest(right, KS, outputs)
        return evaluated(original, self.candidates, self.found.samples, asked, own, self.progress)


def _beside(counted: Evaluation, own: Evaluation) -> Evaluation:
    def both(one: Scored, other: Scored) -> Scored:
        note = other.note if other.note else one.note
        return replace(one, value=other.value, judgement=other.judgement, note=note)

    runs = tuple(both(one, other) for one, other in zip(counted.runs, own.runs, strict=True))
    return replace(counted, original=both(counted.original, own.original), runs=runs, evaluator=own.evaluator)


def _says_something(run: Scored) -> bool:
    """Whether anything was counted or measured."""
    return bool(run.hits) or run.judgement is not None or not math.isnan(run.value)


def _exported(bench: Bench, trial: Trial, target: Path, progress: Progress) -> Candidate | ErrorflowError:
    """The model that is deployed of it, or why there is none."""
    try:
        _export(bench, trial, target, progress)
    except ErrorflowError as error:
        error.message = f"{trial.name}: {error.message}"
        return error
    return Candidate(trial.name, target)


def _export(bench: Bench, trial: Trial, target: Path, progress: Progress) -> None:
    """Other ranges need a bench of their own, and other weights a float model of their own."""
    basis = trial.basis
    if bench.suits(basis, trial.plan):
        bench.engine.export(trial.plan, target, progress)
    elif basis.reference == bench.basis.reference:
        with Bench.open(bench.floated, basis, trial.plan, progress=progress) as other:
            other.engine.export(trial.plan, target, progress)
    else:
        with (
            floated(bench.floated.path, basis.reference, progress) as model,
            Bench.open(model, basis, trial.plan, progress=progress) as other,
        ):
            other.engine.export(trial.plan, target, progress)


def _notes(bench: Bench, found: Evaluation, samples: SampleSlice) -> Iterator[str]:
    yield from found.notes
    if samples.made_up:
        yield MADE_UP
    if bench.floated.back is not None and bench.basis.reference is None:
        yield READ_BACK
