"""Two models on the same inputs."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from errorflow.errors import UsageError, WrongFileError
from errorflow.formats import read_model
from errorflow.graph.model import Model
from errorflow.progress import SILENT, Progress
from errorflow.run.inputs import find_inputs, same_inputs
from errorflow.run.model import Inputs, Ran, Runner
from errorflow.run.ort import OnnxRuntime

CANDIDATE, REFERENCE = "candidate_run.npz", "reference_run.npz"


@dataclass(frozen=True, slots=True)
class Both:
    """Two models and what each left behind."""

    candidate: Model
    reference: Model
    candidate_run: Ran
    reference_run: Ran


@dataclass(frozen=True, slots=True)
class Fed:
    """What the user gives to run a model with."""

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


def _check_targets(fed: Fed, targets: Iterable[Path]) -> None:
    """A run never takes the place of what it was fed with."""
    given = {os.path.realpath(path): path for path in fed.inputs}
    for target in targets:
        taken = given.get(os.path.realpath(target))
        if taken is not None:
            raise UsageError(f"The run would take the place of the inputs {taken}.", "Write it elsewhere with -out.")


def run_model(path: Path, fed: Fed, target: Path, progress: Progress = SILENT) -> Ran:
    """Runs a model on the user's inputs and writes every tensor to `target`, an .npz."""
    _check_targets(fed, [target])
    graph = runnable(path, progress).graph
    inputs = find_inputs(graph, fed.inputs, fed.shapes, fed.seed, progress)
    return OnnxRuntime.of(graph, fed.threads).run(path, inputs, target, progress)


def run_both(candidate: Path, reference: Path, fed: Fed, folder: Path, progress: Progress = SILENT) -> Both:
    """Runs both on the same arrays; the two runs are written into `folder`."""
    wanted = ((reference, REFERENCE), (candidate, CANDIDATE))
    (golden, golden_run), (mine, run) = run_all(wanted, fed, folder, progress)
    return Both(mine, golden, run, golden_run)


def run_all(
    models: Sequence[tuple[Path, str]], fed: Fed, folder: Path, progress: Progress = SILENT
) -> list[tuple[Model, Ran]]:
    """Runs models on the same arrays, which the first one asks for; each run gets a file of that name in `folder`."""
    _check_targets(fed, [folder / file for _, file in models])
    read = [(runnable(path, progress), file) for path, file in models]
    done: list[tuple[Model, Ran]] = []
    inputs: Inputs | None = None
    for model, file in read:
        if inputs is None:
            inputs = own = find_inputs(model.graph, fed.inputs, fed.shapes, fed.seed, progress)
        else:
            own = same_inputs(model.graph, inputs)
        runner: Runner = OnnxRuntime.of(model.graph, fed.threads)
        done.append((model, runner.run(model.path, own, folder / file, progress)))
    return done
