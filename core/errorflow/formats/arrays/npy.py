"""Reads .npy files: one tensor, named as the file."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, Progress, dataclass, field
from errorflow.base.files import Snapshot, Source
from errorflow.formats.arrays.header import AGAIN, MAGIC, ArrayHeader, parse
from errorflow.formats.arrays.values import check_size, to_array
from errorflow.formats.format import Format
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Problem

# One array of a file, by itself.


class _Readable(Protocol):
    def read(self, name: str) -> NDArray[np.generic]: ...


@dataclass(frozen=True, slots=True)
class StoredArray:
    """A tensor where it lies: `read` opens the file that `dump` knows, and closes it again."""

    path: str
    info: TensorInfo
    dump: _Readable = field(repr=False)

    def read(self) -> NDArray[np.generic]:
        return self.dump.read(self.info.name)


@dataclass(frozen=True, slots=True)
class NpyDump:
    """One tensor in a file of its own."""

    file: Snapshot
    header: ArrayHeader
    problems: tuple[Problem, ...] = ()
    label: str = "NumPy array"

    def names(self) -> Sequence[str]:
        return (self.file.path.stem,)

    def info(self, name: str) -> TensorInfo:
        if name != self.file.path.stem:
            raise KeyError(name)
        return self.header.info(name)

    def read(self, name: str) -> NDArray[np.generic]:
        if name != self.file.path.stem:
            raise KeyError(name)
        check_size(self.header, self.file.path.name)
        start = self.header.start
        return to_array(self.file.read(start, start + self.header.nbytes), self.header)

    def stored(self, name: str) -> StoredArray:
        return StoredArray(str(self.file.path), self.info(name), self)


def read_npy(source: Source, progress: Progress) -> NpyDump:
    """The tensor's header; its values are read when asked for."""
    progress.step(0, 1, source.name)
    header = parse(lambda count: source.head[:count], source.name)
    missing = header.start + header.nbytes - source.size
    if missing > 0:
        raise FormatError(f"{source.name} is cut off: {missing:,} of its {header.nbytes:,} bytes are missing.", AGAIN)
    problems = (Problem(f"{-missing:,} bytes behind the array are not read.", source.name),) if missing < 0 else ()
    return NpyDump(Snapshot.of(source), header, problems)


NPY = Format(
    key="npy",
    label="NumPy array",
    holds="tensors",
    extensions=(".npy",),
    claims=lambda source: source.head[: len(MAGIC)] == MAGIC,
    read=read_npy,
    obtain="numpy.save writes it.",
)
