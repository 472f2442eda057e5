"""Sides of a match: operators with inputs and outputs, or single tensors."""

from collections.abc import Sequence
from typing import Protocol

from errorflow.base.values import dataclass
from errorflow.formats.folders.scan import SideKind
from errorflow.graph.dump import Stored


@dataclass(frozen=True, slots=True)
class Operation:
    """The tensors of one operator."""

    # As in the names of its files.
    name: str
    # "" where the name does not say it.
    op_type: str
    # The file as msaccucmp names it; several pieces have one with a star.
    path: str
    inputs: tuple[Stored, ...] = ()
    outputs: tuple[Stored, ...] = ()
    timestamp: int = 0
    # Why nothing of it can be read.
    problem: str = ""
    # An older dump of it, which nothing here needs, is broken: msaccucmp reads all of them.
    older_is_broken: bool = False
    # Several threads have each left a piece (FFTS+): of an input, only the first one's piece is known.
    in_pieces: bool = False
    # Fewer pieces than there were threads.
    incomplete: bool = False
    # The operator's whole name, where the dump says it and msaccucmp uses it.
    full_name: str = ""


class ComparedRun(Protocol):
    """One side of a comparison. Names of operators are looked up as they are written to disk."""

    @property
    def kind(self) -> SideKind: ...

    @property
    def label(self) -> str: ...

    def names(self) -> Sequence[str]:
        """Lists all operators of an NPU; of other runs all tensors, as operator and number of the output."""
        ...

    def operation(self, name: str) -> Operation | None: ...

    def tensor(self, name: str, index: int) -> Stored | None:
        """Output `index` of the operator. A file that is there and cannot be read is an `ErrorflowError`."""
        ...

    def file(self, name: str, index: int) -> str:
        """The file of that output, also one that cannot be read; "" if there is none."""
        ...


def is_npu(run: ComparedRun) -> bool:
    return run.kind in ("npu", "npu-quantized")
