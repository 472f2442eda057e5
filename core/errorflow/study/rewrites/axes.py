"""Axis of the channels that are scaled, also where a tensor's rank is not known."""

from math import prod

from errorflow.base.values import dataclass
from errorflow.graph.model import Shape


@dataclass(frozen=True, slots=True)
class TensorAxis:
    """Axis from the front; from the end, as a negative number, only where the rank is not known."""

    index: int
    rank: int | None = None

    @classmethod
    def of(cls, index: int, shape: Shape = None, rank: int | None = None) -> "TensorAxis":
        rank = len(shape) if shape is not None else rank
        if rank is None or not -rank <= index < rank:
            return cls(index)
        return cls(index % rank, rank)

    def same(self, other: "TensorAxis") -> bool:
        rank = self.rank if self.rank is not None else other.rank
        if rank is None:
            return self.index == other.index
        ranks = {each for each in (self.rank, other.rank) if each is not None}
        return len(ranks) == 1 and self.index % rank == other.index % rank

    @property
    def from_end(self) -> int | None:
        """Axis as a negative number; None: it is not known."""
        if self.index < 0:
            return self.index
        return None if self.rank is None else self.index - self.rank


def place_in(shape: tuple[int, ...], axis: TensorAxis) -> int | None:
    """Finds where a constant that is spread over a tensor has the axis; None: unknown, or it has one for all."""
    from_end = axis.from_end
    if from_end is None:
        return None
    place = len(shape) + from_end
    return place if place >= 0 and shape[place] > 1 else None


def kept(before: Shape, after: Shape, axis: TensorAxis) -> TensorAxis | None:
    """The axis behind a reshaping that leaves the order of values as it is; None: the channels do not stay apart."""
    if before is None or after is None:
        return None
    found = TensorAxis.of(axis.index, before)
    if found.rank is None:
        return None
    wanted = _around(before, found.index)
    places = [place for place in range(len(after)) if _around(after, place) == wanted]
    return TensorAxis(places[0], len(after)) if wanted is not None and len(places) == 1 else None


def _around(shape: tuple[int | str | None, ...], axis: int) -> tuple[object, ...] | None:
    """Finds what lies before an axis, and its size; None: not known."""
    if None in shape[: axis + 1] or not isinstance(shape[axis], int):
        return None
    before = shape[:axis]
    return (
        prod(size for size in before if isinstance(size, int)),
        *[s for s in before if isinstance(s, str)],
        shape[axis],
    )
