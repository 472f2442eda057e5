"""Memory to compute in that is used again: to get a megabyte anew takes longer than to measure a small tensor."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from errorflow.base.values import dataclass, field


@dataclass(slots=True)
class Rooms:
    """Arrays by name; what is in them is what was left there."""

    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def get(self, name: str, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """A vector of that size, the same memory each time; ask for few megabytes, since they are kept."""
        dtype = np.dtype(dtype)
        found = self.arrays.get(name)
        if found is None or found.nbytes < size * dtype.itemsize:
            found = self.arrays[name] = np.empty(size * dtype.itemsize, np.uint8)
        return found[: size * dtype.itemsize].view(dtype)


# Taking from either end and putting back is one step, also where threads do it at once.
_FREE: deque[Rooms] = deque()


@contextmanager
def rooms() -> Iterator[Rooms]:
    """Yields memory that is not in use."""
    try:
        mine = _FREE.pop()
    except IndexError:
        mine = Rooms()
    try:
        yield mine
    finally:
        _FREE.append(mine)
