"""The float model on the inputs of both pipelines: whether their inputs alone explain what their outputs differ in."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import ErrorflowError, UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.formats.runs import read_run
from errorflow.graph.model import Graph
from errorflow.run.both import runnable
from errorflow.run.inputs import fitting, partner
from errorflow.run.model import Inputs, wanted_of
from errorflow.run.ort import OnnxRuntime
from errorflow.study.align.model import STEPS
from errorflow.study.align.opening import Pipeline

Array = NDArray[np.generic]
# Of the norm of an output: from here on a model is another one.
_OTHER = 0.01


@dataclass(frozen=True, slots=True)
class Again:
    """What became of it."""

    notes: tuple[str, ...]
    # A sentence where inputs alone explain the outputs; "": they do not, or it is not known.
    explained: str = ""


def again(model: Path, a: Pipeline, b: Pipeline, progress: Progress = SILENT) -> Again:
    """Runs the model on each pipeline's input, and sets what it gives beside the pipeline's output."""
    graph = runnable(model, progress).graph
    notes: list[str] = []
    near: list[bool] = []
    for name, pipeline in (("A", a), ("B", b)):
        if "input" not in pipeline or "output" not in pipeline:
            continue
        try:
            apart = _apart(model, graph, pipeline, progress)
        except ErrorflowError as error:
            notes.append(f"{model.name} could not be run on the input of {name}: {error.message}")
            continue
        near.append(apart <= _OTHER)
        how = "is what" if near[-1] else f"is {apart:.1%} (relative error) away from what"
        notes.append(f"The output of {name} {how} {model.name} gives for the input of {name}.")
    explained = "Given each its own input, the model gives both outputs: the inputs alone explain them."
    return Again(tuple(notes), explained if near == [True, True] else "")


def _apart(model: Path, graph: Graph, pipeline: Pipeline, progress: Progress) -> float:
    """The largest relative error of an output."""
    arrays = _inputs(graph, pipeline)
    with TemporaryDirectory(prefix="errorflow-") as folder:
        target = Path(folder) / "again.npz"
        OnnxRuntime.of(graph).run(model, Inputs(arrays), target, progress)
        run = read_run(target, progress)
        made = {graph.tensor_names[place]: run.read(graph.tensor_names[place]) for place in graph.outputs.tolist()}
    return max(_error(array, made) for array in (saved.read() for saved in pipeline["output"]))


def _inputs(graph: Graph, pipeline: Pipeline) -> dict[str, Array]:
    wanted = [want for want in wanted_of(graph) if not want.optional]
    given = {saved.name: saved for saved in pipeline["input"]}
    found: dict[str, Array] = {}
    for want in wanted:
        name = partner(want, wanted, given) if len(given) > 1 or len(wanted) > 1 else next(iter(given))
        if name is None:
            raise UsageError(f"The model wants {want.text}.", f"Save it as {STEPS[0].names[0]}_{want.name}.npy.")
        found[want.name], _ = fitting(want, given[name].read())
    return found


def _error(array: Array, made: Mapping[str, Array]) -> float:
    """To the output that it is nearest to: names of pipelines are their own."""
    mine = array.astype(np.float64)
    others = [values.astype(np.float64) for values in made.values() if values.shape == array.shape]
    return min((_norm(other - mine) / max(_norm(other), 1e-30) for other in others), default=math.inf)


def _norm(values: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.square(values).sum()))
