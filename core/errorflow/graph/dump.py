"""Dump: the tensors that one run left behind, whatever the format. It is never loaded as a whole."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.graph.model import Problem
from errorflow.graph.qparams import QParams


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """Facts about one tensor of a dump without reading its values; what is behind `nbytes`, NPUs write down."""

    name: str
    # As it is stored; `read` gives types that numpy lacks as the next larger one that it has.
    dtype: str
    shape: tuple[int, ...]
    nbytes: int
    # The order in which it lies in memory, such as NC1HWC0; "" where nobody says.
    layout: str = ""
    # Its shape before it was brought into that order; None where nobody says.
    original_shape: tuple[int, ...] | None = None
    # Of a grouped convolution's weights.
    groups: int = 1
    address: int | None = None
    qparams: QParams | None = None


class Stored(Protocol):
    """One tensor where it lies: small, immutable, can be pickled. `read` opens the file, reads and closes it again."""

    @property
    def info(self) -> TensorInfo: ...

    @property
    def path(self) -> str:
        """The file that holds it."""
        ...

    def read(self) -> NDArray[np.generic]: ...


@runtime_checkable
class Lacking(Protocol):
    """A stored tensor whose values are known not to be there."""

    @property
    def lack(self) -> str:
        """Reason in a sentence."""
        ...


class Dump(Protocol):
    """Tensors by name. `read` gives a read-only array."""

    @property
    def label(self) -> str: ...

    @property
    def problems(self) -> Sequence[Problem]: ...

    def names(self) -> Sequence[str]: ...

    def info(self, name: str) -> TensorInfo: ...

    def read(self, name: str) -> NDArray[np.generic]: ...

    def stored(self, name: str) -> Stored: ...
