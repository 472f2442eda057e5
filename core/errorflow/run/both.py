"""Two models on the same inputs."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from errorflow.base.errors import UsageError, WrongFileError
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.formats import read_model
from errorflow.graph.model import Graph, Model
from errorflow.run.inputs import find_inputs, same_inputs
from errorflow.run.model import Inputs, MadeUpShapes, Ran, RunError, Runner, shapes_text
from errorflow.run.open_sizes import SIDES
from errorflow.run.ort import OnnxRuntime

CANDIDATE, REFERENCE = "candidate_run.npz", "reference_run.npz"


@dataclass(frozen=True, slots=True)
class BothRuns:
    """Two models and what each left behind."""

    candidate: Model
    reference: Model
    candidate_run: Ran
    reference_run: Ran


@dataclass(frozen=True, slots=True)
class RunInputs:
    """Files of the user to run a model with."""

    inputs: Sequence[Path] = ()
    shapes: Sequence[str] = ()
    # None: nothing is made up.
    seed: int | None = None
    threads: int = 1


def runnable(path: Path, progress: Progress = SILENT) -> Model:
    """The model in a file, if it is one that can be run."""
    model = read_model(path, progress)
    if model.format != "ONNX model":
        raise WrongFileError(
            f"{path.name} cannot be run ({model.format}).", "Give a binary ONNX model, such as model.onnx."
        )
    return model


def _check_targets(fed: RunInputs, targets: Iterable[Path]) -> None:
    """A run never takes the place of what it was fed with."""
    given = {os.path.realpath(path): path for path in fed.inputs}
    for target in targets:
        taken = given.get(os.path.realpath(target))
        if taken is not None:
            raise UsageError(f"The run would take the place of the inputs {taken}.", "Write it elsewhere with -out.")


def run_model(path: Path, fed: RunInputs, target: Path, progress: Progress = SILENT) -> Ran:
    """Runs a model on the user's inputs and writes every tensor to `target`, an .npz."""
    ((_, ran),) = run_all([(path, target.name)], fed, target.parent, progress)
    return ran


def run_both(candidate: Path, reference: Path, fed: RunInputs, folder: Path, progress: Progress = SILENT) -> BothRuns:
    """Runs both on the same arrays; the two runs are written into `folder`."""
    wanted = ((reference, REFERENCE), (candidate, CANDIDATE))
    (golden, golden_run), (mine, run) = run_all(wanted, fed, folder, progress)
    return BothRuns(mine, golden, run, golden_run)


def run_all(
    models: Sequence[tuple[Path, str]], fed: RunInputs, folder: Path, progress: Progress = SILENT
) -> list[tuple[Model, Ran]]:
    """Runs models on the same arrays, which the first one asks for; each run gets a file of that name in `folder`."""
    _check_targets(fed, [folder / file for _, file in models])
    read = [(runnable(path, progress), file) for path, file in models]
    refused: RunError | None = None
    tried: list[MadeUpShapes] = []
    for inputs in _inputs_to_try(read[0][0].graph, fed, progress) if read else ():
        try:
            return _run_on(read, inputs, fed, folder, progress)
        except RunError as error:
            if not inputs.guessed:
                raise
            refused = error if refused is None else refused
            tried.append(inputs.made_up)
    if refused is not None:
        raise RunError(
            refused.message,
            f"Its inputs were made up, first in the shape {shapes_text(tried[0])}: give real ones with --inputs.",
        ) from refused.__cause__
    return []


def _inputs_to_try(graph: Graph, fed: RunInputs, progress: Progress) -> Iterator[Inputs]:
    """Yields what a model is fed with; where sizes are guessed, others follow in case the model does not take the
    first.
    """
    tried: list[MadeUpShapes] = []
    for side in SIDES:
        inputs = find_inputs(graph, fed.inputs, fed.shapes, fed.seed, progress, side)
        if inputs.made_up not in tried:
            tried.append(inputs.made_up)
            yield inputs
        if not inputs.guessed:
            return


def _run_on(
    read: Sequence[tuple[Model, str]], inputs: Inputs, fed: RunInputs, folder: Path, progress: Progress
) -> list[tuple[Model, Ran]]:
    done: list[tuple[Model, Ran]] = []
    for number, (model, file) in enumerate(read):
        own = same_inputs(model.graph, inputs) if number else inputs
        runner: Runner = OnnxRuntime.of(model.graph, fed.threads)
        done.append((model, runner.run(model.path, own, folder / file, progress)))
    return done
