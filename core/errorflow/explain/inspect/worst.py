"""The places where the errors are largest, and any others, as rows of a table."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, UsageError, dataclass
from errorflow.explain.inspect.tensors import PIECE, Tensors

Doubles = NDArray[np.float64]
Places = NDArray[np.intp]
By = Literal["absolute", "relative"]
TOP = 100


@dataclass(frozen=True, slots=True)
class WorstValue:
    """One place. NaN: that side does not hold it, or there is no such error."""

    place: int
    index: tuple[int, ...]
    reference: float
    candidate: float

    @property
    def absolute(self) -> float:
        return abs(self.candidate - self.reference)

    @property
    def relative(self) -> float:
        """The error over the reference's size; infinite where that is zero and the candidate is not."""
        if self.absolute == 0:
            return 0.0
        return self.absolute / abs(self.reference) if self.reference else float("inf") if self.absolute > 0 else np.nan


def worst_places(tensors: Tensors, by: By, top: int = TOP, progress: Progress = SILENT) -> Places:
    """The worst first; an error that is no number is the worst, of equals the first one comes first."""
    if not tensors.together:
        return np.zeros(0, np.intp)
    places, errors, start = np.zeros(0, np.intp), np.zeros(0), 0
    for reference, candidate in tensors.pieces():
        assert reference is not None and candidate is not None
        progress.step(start, tensors.size, "Looking for the worst values")
        found = _errors(reference, candidate, by)
        here = np.arange(start, start + len(found))
        if len(errors) == top:
            better = found > errors[-1]
            found, here = found[better], here[better]
        errors, places = np.concatenate([errors, found]), np.concatenate([places, here])
        kept = np.argsort(-errors, kind="stable")[:top]
        errors, places, start = errors[kept], places[kept], start + PIECE
    return places


def _errors(reference: Doubles, candidate: Doubles, by: By) -> Doubles:
    with np.errstate(all="ignore"):
        errors = np.abs(candidate - reference)
        same = (candidate == reference) | (np.isnan(candidate) & np.isnan(reference))
        if by == "relative":
            errors = errors / np.abs(reference)
    return np.where(same, 0.0, np.where(np.isnan(errors), np.inf, errors))


def values_at(tensors: Tensors, places: Sequence[int] | Places) -> tuple[WorstValue, ...]:
    """Reads both sides at flat places."""
    flat = [None if side is None else side.reshape(-1) for side in tensors.sides]
    found = []
    for place in places:
        reference, candidate = (float(s[place]) if s is not None and place < s.size else np.nan for s in flat)
        found.append(WorstValue(int(place), index_of(tensors.shape, int(place)), reference, candidate))
    return tuple(found)


def index_of(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    """The coordinates of a flat place; () of a scalar."""
    try:
        return tuple(int(each) for each in np.unravel_index(place, shape)) if shape else ()
    except ValueError:  # beyond the shape: the other side is the longer one
        return (place,)


def place_of(tensors: Tensors, text: str) -> int:
    """Parses a flat place that the user typed, as one number or as coordinates: "0, 3, 2, 1"."""
    parts = text.replace("[", " ").replace("]", " ").replace(",", " ").split()
    hint = f"Type a number below {tensors.size:,}, or {len(tensors.shape)} coordinates as in " + ", ".join(
        "0" for _ in tensors.shape
    )
    try:
        numbers = [int(part) for part in parts]
        if len(numbers) == 1 and 0 <= numbers[0] < tensors.size:
            return numbers[0]
        if len(numbers) == len(tensors.shape) and min(numbers, default=0) >= 0:
            return int(np.ravel_multi_index(numbers, tensors.shape))
    except (ValueError, OverflowError):
        pass
    raise UsageError(f"There is no value {text.strip()}.", f"{hint}.")
