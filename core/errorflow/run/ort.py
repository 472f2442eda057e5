"""Runs a model with ONNX Runtime, in a process of its own: a model that crashes or hangs costs its own run only."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from errorflow.base.errors import ErrorflowError, FileError
from errorflow.base.files import replacing
from errorflow.base.progress import SILENT, Progress
from errorflow.base.workers import MEMORY_BYTES, run_apart
from errorflow.graph.model import Graph, Problem
from errorflow.run.model import Array, Inputs, Ran, RunError, plain_facts
from errorflow.run.observing import observe

# Seconds; who waits can see that it goes on, and cancel.
TIMEOUT = 4 * 3600.0
# What the process may take beyond its usual limit, in multiples of the weights: they are there several times.
WEIGHTS = 4


@dataclass(frozen=True, slots=True)
class OnnxRuntime:
    """A `Runner`. With one thread the same inputs give the same bits every time."""

    threads: int = 1
    # Of operators that make random numbers.
    seed: int = 0
    # How many nodes the model has, for the progress, and how many bytes of weights.
    nodes: int = 0
    weights: int = 0

    @classmethod
    def of(cls, graph: Graph, threads: int = 1) -> "OnnxRuntime":
        """For this model."""
        return cls(threads, nodes=len(graph), weights=weights_of(graph))

    def run(self, model: Path, inputs: Inputs, target: Path, progress: Progress = SILENT) -> Ran:
        """Writes the .npz `target`, which is there when all of it is."""
        text = f"Running {model.name}"
        with TemporaryDirectory(prefix="errorflow-") as place, replacing(target) as beside:
            folder = Path(place)
            save_arrays(folder / "inputs.npz", inputs.arrays)
            with _refused():
                answer = run_apart(
                    observe,
                    str(model),
                    str(folder / "inputs.npz"),
                    str(beside),
                    str(folder / "meter"),
                    self.threads,
                    self.seed,
                    text=text,
                    progress=_Meter(progress, folder / "meter", self.nodes),
                    timeout=TIMEOUT,
                    memory=MEMORY_BYTES + WEIGHTS * self.weights,
                )
        return _ran(answer, inputs, target)


@contextmanager
def _refused() -> Iterator[None]:
    """What was a `RunError` in the other process is one again: only a few kinds of error come across."""
    try:
        yield
    except ErrorflowError as error:
        if type(error) is not ErrorflowError:
            raise
        raise RunError(error.message, error.hint) from error.__cause__


def can_run() -> bool:
    """Whether ONNX Runtime is installed; it is not loaded for that."""
    return find_spec("onnxruntime") is not None


def weights_of(graph: Graph) -> int:
    """Bytes of all constants of the main graph, also of those beside the model."""
    return sum(graph.weights.info(name).nbytes for name in graph.weights.names())


def save_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """As numpy.savez does, which takes a name such as `file` for an argument of its own."""
    try:
        with ZipFile(path, "x", ZIP_STORED) as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
    except OSError as error:
        raise FileError(f"{path.name} could not be written: {error.strerror}.", "Free some space.") from error


def _ran(answer: Mapping[str, Any], inputs: Inputs, target: Path) -> Ran:
    notes = (*(Problem(note) for note in inputs.notes), *(Problem(text, name) for name, text in answer["notes"]))
    return Ran(target, int(answer["tensors"]), notes, plain_facts(answer["facts"]), inputs.made_up)


@dataclass(frozen=True, slots=True)
class _Meter:
    """A progress that reads how far the other process is from the length of a file."""

    progress: Progress
    file: Path
    total: int

    def step(self, done: int, total: int, text: str) -> None:  # noqa: ARG002 - as every progress is called
        count = 0
        with suppress(OSError):  # the process has not begun yet
            count = self.file.stat().st_size
        self.progress.step(min(count, self.total), self.total, text)
