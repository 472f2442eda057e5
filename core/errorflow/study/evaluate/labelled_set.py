"""A labelled set as it is asked for, found: its samples, what is right of them, and how both are called."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.run.model import wanted_of
from errorflow.run.samples.fitting import SampleSlice
from errorflow.run.samples.opening import open_samples
from errorflow.study.evaluate.asked import LabelledSet
from errorflow.study.evaluate.asking import with_labels
from errorflow.study.evaluate.labels import Labels, by_class, right_answers
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench


@dataclass(frozen=True)
class FoundSet:
    """Samples that runs are evaluated on."""

    samples: SampleSlice
    # One per sample; None: there are no labels.
    right: tuple[int, ...] | None
    # Whose answers are counted; "": only the user's evaluator is asked.
    output: str
    # In words, without the places of files: they are nobody's business who gets the session.
    about: str
    # The same for all that may be compared, wherever the files lie by now.
    identity: str


@dataclass(frozen=True, slots=True)
class LabelledSummary:
    """Facts about a set before anything runs on it."""

    samples: int
    # They lie in so many folders, one per class; 0: they do not lie so.
    classes: int = 0
    made_up: bool = False


def find_set(bench: Bench, asked: LabelledSet, progress: Progress = SILENT) -> FoundSet:
    samples, labels = _samples(bench, asked, progress)
    right = None if labels is None else _right(labels, samples, asked)
    output = _output(bench, asked) if asked.evaluator is None or right is not None else ""
    fed = [Path(path).name for path in asked.data], [samples.name(number) for number in range(samples.count)]
    facts = repr((fed if asked.data else bench.data, samples.count, right, output))
    about = _about(bench, asked, labels, samples, output)
    return FoundSet(samples, right, output, about, hashlib.sha256(facts.encode()).hexdigest())


def seen(bench: Bench, asked: LabelledSet, progress: Progress = SILENT) -> LabelledSummary:
    """Raises what is wrong with samples or labels."""
    samples, labels = _samples(bench, asked, progress)
    if labels is not None:
        _right(labels, samples, asked)
    return LabelledSummary(samples.count, _classes(bench, asked.data, progress), samples.made_up)


def outputs_of(bench: Bench) -> tuple[str, ...]:
    """Lists the outputs of the float model."""
    graph = bench.floated.model.graph
    return tuple(graph.tensor_names[tensor] for tensor in graph.outputs.tolist())


def _classes(bench: Bench, data: Sequence[str], progress: Progress) -> int:
    given = replace(bench.basis.asked, paths=tuple(data))
    found = by_class(given, [want.name for want in wanted_of(bench.floated.model.graph)], progress)
    return 0 if found is None else len(found[1].classes)


def _samples(bench: Bench, asked: LabelledSet, progress: Progress) -> tuple[SampleSlice, Labels | None]:
    model = bench.floated
    in_file = None if asked.labels is None else with_labels(model, bench.basis, asked.labels)[1]
    if not asked.data:
        return bench.evaluated, in_file
    given = Basis(replace(bench.basis.asked, paths=asked.data, seed=None))
    # In a folder per class they are found whether or not that is what is right.
    basis, by_folder = with_labels(model, given, None, progress)
    if in_file is not None and by_folder is not None and not in_file.names:
        raise UsageError(
            "The labels do not say of which samples they are, and samples in a folder per class have no order.",
            "Write `name,label` per line.",
        )
    whole = open_samples(wanted_of(model.model.graph), basis.asked, progress)
    labels = by_folder if asked.by_folder else None
    return SampleSlice(whole, 0, whole.count), labels if in_file is None else in_file


def _right(labels: Labels, samples: SampleSlice, asked: LabelledSet) -> tuple[int, ...]:
    try:
        return right_answers(labels, samples)
    except UsageError as error:
        if not asked.data and not labels.names and samples.first:
            error.hint = (
                f"Give one per sample from the first one on: the first {samples.first:,} calibrate, and are given too."
            )
        raise


def _output(bench: Bench, asked: LabelledSet) -> str:
    known = outputs_of(bench)
    if asked.output and asked.output not in known:
        raise UsageError(f"The model has no output {asked.output[:100]}.", f"It has {', '.join(known)}.")
    return asked.output if asked.output else known[0]


def _about(bench: Bench, asked: LabelledSet, labels: Labels | None, samples: SampleSlice, output: str) -> str:
    data = f"of {_called(asked.data)}" if asked.data else "that errors are measured on"
    right = "right is what the float model answers" if output else ""
    if labels is not None:
        right = "a folder per class" if asked.labels is None else f"labels in {asked.labels.name}"
    answers = f"answers of {output}" if output and len(outputs_of(bench)) > 1 else ""
    own = "" if asked.evaluator is None else f"measured by {asked.evaluator.name}"
    return "; ".join(part for part in (f"{samples.count:,} samples {data}", right, answers, own) if part)


def _called(data: Sequence[str]) -> str:
    name = Path(data[0]).name
    return name if len(data) == 1 else f"{name} and {len(data) - 1:,} more"
