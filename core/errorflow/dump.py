"""The tensors that one run left behind, whatever the format. Nobody loads a whole dump."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errorflow.graph.model import Problem


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """What is known of one tensor of a dump without reading its values."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int


class Dump(Protocol):
    """Tensors by name. `read` gives a read-only array."""

    @property
    def label(self) -> str: ...

    @property
    def problems(self) -> Sequence[Problem]: ...

    def names(self) -> Sequence[str]: ...

    def info(self, name: str) -> TensorInfo: ...

    def read(self, name: str) -> NDArray[np.generic]: ...
