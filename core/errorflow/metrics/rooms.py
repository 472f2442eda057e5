"""Memory to compute in that is used again: to get a megabyte anew takes longer than to measure a small tensor."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


@dataclass(slots=True)
class Rooms:
    """Arrays by name; what is in them is what was left there."""

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def get(self, name: str, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """A vector of that size, the same memory each time; sizes are those of pieces, so that little is kept."""
        dtype = np.dtype(dtype)
        found = self.arrays.get(name)
        if found is None or found.nbytes < size * dtype.itemsize:
            found = self.arrays[name] = np.empty(size * dtype.itemsize, np.uint8)
        return found[: size * dtype.itemsize].view(dtype)


class _Free(threading.local):
    def __init__(self) -> None:
        self.rooms: list[Rooms] = []


_FREE = _Free()


@contextmanager
def rooms() -> Iterator[Rooms]:
    """Those of this thread that nobody is in."""
    mine = _FREE.rooms.pop() if _FREE.rooms else Rooms()
    try:
        yield mine
    finally:
        _FREE.rooms.append(mine)
