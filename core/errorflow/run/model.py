"""What running takes and gives, whoever runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from errorflow.errors import ErrorflowError
from errorflow.graph.model import Graph, Problem, Shape
from errorflow.progress import Progress

Array = NDArray[np.generic]


class RunError(ErrorflowError):
    """The model is fine to look at and cannot be run, or not on these inputs."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An input of the model."""

    name: str
    dtype: str
    shape: Shape
    # The model has a value of its own for it.
    optional: bool = False

    @property
    def text(self) -> str:
        """As a sentence names it, such as `image float32 [N, 3, 224, 224]`."""
        dims = "any shape" if self.shape is None else f"[{', '.join('?' if d is None else str(d) for d in self.shape)}]"
        return " ".join(part for part in (self.name, self.dtype, dims) if part)


@dataclass(frozen=True, slots=True)
class Inputs:
    """An array per input, and what is to be known of them."""

    arrays: Mapping[str, Array]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that was written down: an .npz with every tensor under its name."""

    path: Path
    tensors: int
    # What is to be known of it: inputs that were made up, tensors that were left out.
    notes: tuple[Problem, ...] = ()
    # What ran it and how, for whoever must get the same numbers again.
    facts: Mapping[str, str] | None = None


class Runner(Protocol):
    """Runs a whole model and writes down every tensor."""

    def run(self, model: Path, inputs: Inputs, target: Path, progress: Progress) -> Ran: ...


def wanted_of(graph: Graph) -> tuple[Wanted, ...]:
    """The inputs of a model, in its order."""
    constants = set(graph.constants.tolist())
    return tuple(
        Wanted(tensor.name, tensor.dtype, tensor.shape, index in constants)
        for index, tensor in ((index, graph.tensor(index)) for index in graph.inputs.tolist())
    )


def plain_facts(raw: Mapping[str, Any]) -> dict[str, str]:
    """Texts by texts, of an answer that is not trusted."""
    return {str(key): str(value) for key, value in raw.items()}
