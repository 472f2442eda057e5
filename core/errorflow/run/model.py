"""Values that running takes and gives, in whatever way it runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import ErrorflowError
from errorflow.base.progress import Progress
from errorflow.base.values import dataclass, field
from errorflow.graph.model import Graph, Problem, Shape

Array = NDArray[np.generic]
# Inputs that a sentence names.
_TOLD = 3
# By the inputs' names.
MadeUpShapes = Mapping[str, tuple[int, ...]]
# Types that files have in place of those that numpy lacks.
STORED_AS: Mapping[str, str] = {"bfloat16": "float32"}


class RunError(ErrorflowError):
    """The model is fine to look at and cannot be run, or not on these inputs."""


class RefusedModelError(RunError):
    """Whatever it is fed with, the model cannot be run."""


@dataclass(frozen=True, slots=True)
class ModelInput:
    """An input of the model."""

    name: str
    dtype: str
    shape: Shape
    # The model has a value of its own for it.
    optional: bool = False

    @property
    def text(self) -> str:
        """Text as a sentence names it, such as `image float32 [N, 3, 224, 224]`."""
        dims = "any shape" if self.shape is None else f"[{', '.join('?' if d is None else str(d) for d in self.shape)}]"
        return " ".join(part for part in (self.name, self.dtype, dims) if part)


@dataclass(frozen=True, slots=True)
class Inputs:
    """An array per input, and what is to be known of them."""

    arrays: Mapping[str, Array]
    notes: tuple[str, ...] = ()
    # The shapes of those that nobody gave; and whether sizes that the model leaves open were guessed for them.
    made_up: MadeUpShapes = field(default_factory=dict)
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that was written down: an .npz with every tensor under its name."""

    path: Path
    tensors: int
    # What is to be known of it: inputs that were made up, tensors that were left out.
    notes: tuple[Problem, ...] = ()
    # What ran it and how, for whoever must get the same numbers again.
    facts: Mapping[str, str] | None = None
    # The shapes of inputs that were made up for it.
    made_up: MadeUpShapes = field(default_factory=dict)


class Runner(Protocol):
    """Runs a whole model and writes down every tensor."""

    def run(self, model: Path, inputs: Inputs, target: Path, progress: Progress) -> Ran: ...


def wanted_of(graph: Graph) -> tuple[ModelInput, ...]:
    """The inputs of a model, in its order."""
    constants = set(graph.constants.tolist())
    return tuple(
        ModelInput(tensor.name, tensor.dtype, tensor.shape, index in constants)
        for index, tensor in ((index, graph.tensor(index)) for index in graph.inputs.tolist())
    )


def shapes_text(shapes: MadeUpShapes) -> str:
    """`1×3×64×64`, or of several inputs `ids 1×16, mask 1×16`."""
    texts = {name: "×".join(map(str, shape)) if shape else "scalar" for name, shape in shapes.items()}
    told = [f"{name} {text}" for name, text in texts.items()] if len(texts) > 1 else list(texts.values())
    more = f" and {len(told) - _TOLD:,} more" if len(told) > _TOLD else ""
    return f"{', '.join(told[:_TOLD])}{more}"


def plain_facts(raw: Mapping[str, Any]) -> dict[str, str]:
    """Texts by texts, of an answer that is not trusted."""
    return {str(key): str(value) for key, value in raw.items()}
