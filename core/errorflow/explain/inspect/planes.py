"""Pictures within a tensor: the planes of a feature map, one after the other."""

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.explain.inspect.tensors import Array, Tensors, doubles

Doubles = NDArray[np.float64]
# Of a larger plane each so-manieth value is taken.
MOST_SIDE = 512


@dataclass(frozen=True, slots=True)
class Planes:
    """`rows` and `columns` are axes; the others count the planes, the last of them fastest."""

    shape: tuple[int, ...]
    rows: int
    columns: int

    @classmethod
    def of(cls, shape: tuple[int, ...], channels: int | None) -> "Planes | None":
        """Makes planes; None: there is none in the shape. Channels that are the last of four axes count the planes."""
        if len(shape) < 2 or min(shape) < 1:
            return None
        free = [axis for axis in range(len(shape)) if axis != channels or len(shape) < 3]
        return cls(shape, free[-2], free[-1])

    @property
    def counting(self) -> tuple[int, ...]:
        return tuple(axis for axis in range(len(self.shape)) if axis not in (self.rows, self.columns))

    @property
    def count(self) -> int:
        return int(np.prod([self.shape[axis] for axis in self.counting], dtype=np.int64))

    def number(self, axis: int, channel: int) -> int:
        """The first plane of a channel."""
        sizes = [self.shape[each] for each in self.counting]
        if axis not in self.counting:
            return 0
        at = [channel if each == axis else 0 for each in self.counting]
        return int(np.ravel_multi_index(at, sizes))

    def index(self, number: int) -> tuple[int, ...]:
        """The coordinates of the plane on the axes that count."""
        sizes = [self.shape[axis] for axis in self.counting]
        return tuple(int(each) for each in np.unravel_index(number, sizes)) if sizes else ()

    def steps(self, most: int = MOST_SIDE) -> tuple[int, int]:
        """Chooses of how many rows and columns one is taken."""
        return -(-self.shape[self.rows] // most), -(-self.shape[self.columns] // most)

    def plane(self, side: Array, number: int, most: int = MOST_SIDE) -> Doubles:
        """Reads a plane as float64, rows before columns; one with longer sides than `most` thinned out."""
        moved = np.moveaxis(side, (*self.counting, self.rows, self.columns), range(side.ndim))
        found = moved[self.index(number)]
        steps = self.steps(most)
        return doubles(found[:: steps[0], :: steps[1]])


@dataclass(frozen=True, slots=True, eq=False)
class PlaneView:
    """One plane of both sides, and the difference; the ends of all values shown and of the difference."""

    reference: Doubles | None
    candidate: Doubles | None
    difference: Doubles | None
    low: float
    high: float
    largest: float


def plane_view(tensors: Tensors, planes: Planes, number: int, most: int = MOST_SIDE) -> PlaneView:
    """Shows both sides of a plane between the same ends."""
    sides = [
        None if side is None or side.shape != planes.shape else planes.plane(side, number, most)
        for side in tensors.sides
    ]
    known = [side[np.isfinite(side)] for side in sides if side is not None]
    values = np.concatenate(known) if known else np.zeros(0)
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    difference = None
    largest = 0.0
    if tensors.together and sides[0] is not None and sides[1] is not None:
        with np.errstate(all="ignore"):
            difference = sides[1] - sides[0]
        fine = np.abs(difference[np.isfinite(difference)])
        largest = float(fine.max()) if fine.size else 0.0
    return PlaneView(sides[0], sides[1], difference, low, high, largest)
