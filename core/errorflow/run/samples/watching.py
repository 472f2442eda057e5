"""Oddities in the values of samples, said by name: NaN, infinite values, another range than the others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

import numpy as np

from errorflow.base.values import dataclass
from errorflow.run.model import Array

# How many times as large another sample must be: 0…255 against 0…1 is 255 times, pictures differ by less than ten.
FACTOR = 16.0
PIXEL = 255.0
# Of one kind of note.
SHOWN = 3


@dataclass(frozen=True, slots=True)
class WatchedInput:
    """Statistics of one input in one sample."""

    sample: str
    name: str
    low: float
    high: float
    nans: int
    infinities: int
    # All values are whole numbers.
    whole: bool

    @property
    def size(self) -> float:
        return max(abs(self.low), abs(self.high))


def looked_at(sample: str, arrays: Mapping[str, Array]) -> list[WatchedInput]:
    """The inputs that hold floats."""
    return [_looked(sample, name, array) for name, array in arrays.items() if array.dtype.kind == "f"]


def _looked(sample: str, name: str, array: Array) -> WatchedInput:
    values = np.asarray(array, np.float64).reshape(-1)
    finite = values[np.isfinite(values)]
    nans = int(np.isnan(values).sum())
    if not len(finite):
        return WatchedInput(sample, name, 0.0, 0.0, nans, len(values) - nans, False)
    whole = bool((finite == np.rint(finite)).all())
    return WatchedInput(
        sample, name, float(finite.min()), float(finite.max()), nans, len(values) - len(finite) - nans, whole
    )


def oddities(seen: Iterable[WatchedInput]) -> tuple[str, ...]:
    """Sentences, the worst first."""
    by_name: dict[str, list[WatchedInput]] = {}
    for fed in seen:
        by_name.setdefault(fed.name, []).append(fed)
    notes: list[str] = []
    for name, each in by_name.items():
        notes += _not_finite(each)
        notes += _other_range(name, each)
    return tuple(notes)


def beyond(seen: Iterable[WatchedInput], ranges: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """Lists inputs in quite another range than those that calibration saw, which are given by name."""
    return tuple(_shortened([note for fed in seen for note in _notes(fed, ranges.get(fed.name)) if note]))


def _notes(fed: WatchedInput, ends: tuple[float, float] | None) -> Iterator[str]:
    if ends is not None:
        yield range_note(fed, *ends)


def range_note(fed: WatchedInput, low: float, high: float) -> str:
    """Explains why a sample can hardly be meant for a model that was calibrated from `low` to `high`; "" if it can."""
    usual = max(abs(low), abs(high))
    if not usual or not fed.size or 1 / FACTOR <= fed.size / usual <= FACTOR:
        return ""
    return (
        f"{fed.sample}: {fed.name} lies in {fed.low:g} … {fed.high:g}, and calibration saw {low:g} … {high:g}: "
        "is it normalised alike?"
    )


def _not_finite(each: Sequence[WatchedInput]) -> list[str]:
    notes = [
        f"{fed.sample}: {fed.name} holds {fed.nans:,} NaN and {fed.infinities:,} infinite values."
        for fed in each
        if fed.nans or fed.infinities
    ]
    return _shortened(notes)


def _other_range(name: str, each: Sequence[WatchedInput]) -> list[str]:
    usual = median(fed.size for fed in each)
    notes = [
        f"{fed.sample}: {name} lies in {fed.low:g} … {fed.high:g}; most reach {usual:g}. Is it normalised alike?"
        for fed in each
        if usual and fed.size and not 1 / FACTOR <= fed.size / usual <= FACTOR
    ]
    raw = [fed for fed in each if fed.whole and fed.low >= 0 and FACTOR < fed.high <= PIXEL]
    if len(raw) == len(each):
        notes.append(
            f"{name} holds whole numbers up to {max(fed.high for fed in raw):g}, as pixels that are not normalised. "
            "Is that what the model was trained on?"
        )
    return _shortened(notes)


def _shortened(notes: list[str]) -> list[str]:
    rest = len(notes) - SHOWN
    return [*notes[:SHOWN], f"… and {rest:,} samples more."] if rest > 0 else notes
