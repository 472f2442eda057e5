"""Two tensors side by side, a block at a time, of whatever layout they are: neither is ever copied as a whole."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from errorflow.base.values import dataclass, field
from errorflow.compare.metrics.halves import to_singles

# Memory to compute in that is used again: to get a megabyte anew takes longer than to measure a small tensor.


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


Doubles = NDArray[np.float64]
Block = tuple[slice, ...]
# The largest block, in values: all that is computed from it stays in the cache.
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Piece:
    """The same block of both, valid until the next one is asked for. Nothing may be written to it."""

    # In float64, without gaps: the reference flat in the first row, the candidate in the second.
    both: Doubles
    # As it is stored.
    stored: NDArray[Any]
    block: Block

    @property
    def shape(self) -> tuple[int, ...]:
        return self.stored.shape

    @property
    def reference(self) -> Doubles:
        """Reference in its shape."""
        shaped: Doubles = self.both[0].reshape(self.stored.shape)
        return shaped

    @property
    def candidate(self) -> Doubles:
        shaped: Doubles = self.both[1].reshape(self.stored.shape)
        return shaped


@dataclass(frozen=True, slots=True)
class Walk:
    """Goes through both in the order in which the reference lies in memory; `order` are the axes in that order."""

    reference: NDArray[Any]
    candidate: NDArray[Any]
    order: tuple[int, ...]

    @classmethod
    def of(cls, reference: NDArray[Any], candidate: NDArray[Any]) -> "Walk":
        """Makes a walk over two tensors of equal shape and of real numbers."""
        if reference.shape != candidate.shape:
            raise ValueError(f"shapes differ: {reference.shape} and {candidate.shape}")
        for array in (reference, candidate):
            if not np.can_cast(array.dtype, np.float64, "same_kind"):
                raise TypeError(f"no real numbers: {array.dtype}")
        reference, candidate = np.atleast_1d(reference), np.atleast_1d(candidate)
        order = tuple(sorted(range(reference.ndim), key=lambda axis: -abs(reference.strides[axis])))
        return cls(reference.transpose(order), candidate.transpose(order), order)

    def pieces(self, rooms: Rooms) -> Iterator[Piece]:
        for block in blocks(self.reference.shape):
            sides = self.reference[block], self.candidate[block]
            both = rooms.get("both", 2 * sides[0].size, np.float64).reshape(2, sides[0].size)
            for values, room in zip(sides, both, strict=True):
                _put(values, room.reshape(values.shape), rooms)
            yield Piece(both, sides[1], block)


def blocks(shape: tuple[int, ...]) -> Iterator[Block]:
    """Cuts an array into blocks of at most BLOCK values, each as long as possible in the last axes."""
    if 0 in shape:
        return
    cut = next((axis for axis in range(len(shape)) if prod(shape[axis + 1 :]) <= BLOCK), None)
    if cut is None:
        yield ()
        return
    parts = -(-shape[cut] // max(1, BLOCK // prod(shape[cut + 1 :])))
    edges = [shape[cut] * part // parts for part in range(parts + 1)]
    rest = tuple(slice(0, size) for size in shape[cut + 1 :])
    for at in product(*map(range, shape[:cut])):
        head = tuple(slice(index, index + 1) for index in at)
        for start, stop in pairwise(edges):
            yield (*head, slice(start, stop), *rest)


def _put(values: NDArray[Any], room: Doubles, rooms: Rooms) -> None:
    if values.dtype == np.float16:
        single = rooms.get("single", values.size, np.float32).reshape(values.shape)
        to_singles(values, single)
        values = single
    np.copyto(room, values, casting="same_kind")
