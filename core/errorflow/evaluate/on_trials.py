"""The plans of a bench on a labelled set, each exported and run as deployed, beside the float model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.errors import UsageError
from errorflow.evaluate.accuracy import Asked, Candidate, evaluated
from errorflow.evaluate.asking import with_labels
from errorflow.evaluate.labels import Labels
from errorflow.evaluate.model import Evaluation
from errorflow.evaluate.on_file import LOG
from errorflow.evaluate.own import SECONDS, Own
from errorflow.progress import SILENT, Progress
from errorflow.run.model import wanted_of
from errorflow.run.samples.fitting import Part
from errorflow.run.samples.opening import open_samples
from errorflow.simulate.basis import Basis
from errorflow.simulate.bench import Bench
from errorflow.simulate.trial import Trial

KS = (1, 5)


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """What runs are evaluated on, as a form has it."""

    # Files or folders of samples; (): those that the bench measures errors on.
    data: tuple[str, ...] = ()
    # None: a folder per class, or what the float model answers is right.
    labels: Path | None = None
    evaluator: Path | None = None
    # With the scores; "": the first of the model.
    output: str = ""
    seconds: float = SECONDS


@dataclass(frozen=True)
class Told:
    """What was found, on what."""

    evaluation: Evaluation
    # In words; the same for all that may be compared.
    about: str


def evaluate_trials(
    bench: Bench, trials: Sequence[Trial], asked: LabelledSet, place: Path, progress: Progress = SILENT
) -> Told:
    """The runs of the evaluation stand in the order of the trials. `place`: for what an evaluator prints."""
    samples, labels = _samples(bench, asked, progress)
    right = None if labels is None else labels.of([samples.name(number) for number in range(samples.count)], samples.first)
    wanted = Asked(right, KS, _outputs(bench, asked))
    own = None if asked.evaluator is None else Own(asked.evaluator, place / LOG, None, right, asked.seconds)
    try:
        if own is not None:
            own.check(progress)
        with TemporaryDirectory(prefix="errorflow-") as folder:
            candidates = [
                _candidate(bench, trial, Path(folder) / f"{number}.onnx", progress)
                for number, trial in enumerate(trials)
            ]
            original = Candidate("Float model", bench.floated.model.path)
            found = evaluated(original, candidates, samples, wanted, own, progress)
    finally:
        if own is not None:
            own.close()
    return Told(found, _about(asked, labels, samples))


def _samples(bench: Bench, asked: LabelledSet, progress: Progress) -> tuple[Part, Labels | None]:
    if not asked.data:
        _, labels = (None, None) if asked.labels is None else with_labels(bench.floated, bench.basis, asked.labels)
        return bench.evaluated, labels
    model = bench.floated
    basis = Basis(replace(bench.basis.asked, paths=asked.data, seed=None))
    basis, labels = with_labels(model, basis, asked.labels, progress)
    whole = open_samples(wanted_of(model.model.graph), basis.asked, progress)
    return Part(whole, 0, whole.count), labels


def _outputs(bench: Bench, asked: LabelledSet) -> tuple[str, ...]:
    graph = bench.floated.model.graph
    known = tuple(graph.tensor_names[tensor] for tensor in graph.outputs.tolist())
    if asked.output and asked.output not in known:
        raise UsageError(f"The model has no output {asked.output[:100]}.", f"It has {', '.join(known)}.")
    if asked.evaluator is not None:
        return known
    return (asked.output,) if asked.output else known[:1]


def _candidate(bench: Bench, trial: Trial, target: Path, progress: Progress) -> Candidate:
    """Other ranges need a bench of their own."""
    if bench.suits(trial.basis, trial.plan):
        bench.engine.export(trial.plan, target, progress)
    else:
        with Bench.open(bench.floated, trial.basis, trial.plan, progress=progress) as other:
            other.engine.export(trial.plan, target, progress)
    return Candidate(trial.name, target)


def _about(asked: LabelledSet, labels: Labels | None, samples: Part) -> str:
    data = "the samples that errors are measured on" if not asked.data else ", ".join(asked.data)
    right = f"labels in {asked.labels}" if asked.labels is not None else "a folder per class"
    if labels is None:
        right = "" if asked.evaluator is not None else "right is what the float model answers"
    own = "" if asked.evaluator is None else f"measured by {asked.evaluator}"
    return "; ".join(part for part in (f"{samples.count:,} samples: {data}", right, own) if part)
