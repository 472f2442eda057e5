"""The samples that errors are measured on: read one at a time, and what is odd about them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import overload

from errorflow.quant.ranges import Calibration
from errorflow.run.model import Array
from errorflow.run.samples.fitting import SampleSlice
from errorflow.run.samples.model import digest_of, joined_identity
from errorflow.run.samples.watching import WatchedInput, beyond, looked_at, oddities


class Feeding(Sequence[Mapping[str, Array]]):
    """Each is read when it is asked for, and not kept: only what it looks like is."""

    def __init__(self, part: SampleSlice) -> None:
        self._part = part
        self._seen: dict[int, tuple[str, list[WatchedInput]]] = {}

    def __len__(self) -> int:
        return self._part.count

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Array]: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Mapping[str, Array]]: ...
    def __getitem__(self, at: int | slice) -> Mapping[str, Array] | Sequence[Mapping[str, Array]]:
        if isinstance(at, slice):
            return [self[number] for number in range(len(self))[at]]
        number = range(len(self))[at]
        arrays = self._part.read(number)
        self._seen[number] = digest_of(arrays), looked_at(self._part.name(number), arrays)
        return arrays

    @property
    def identity(self) -> str:
        """Digest of all samples in their order: equal for equal values, whatever files they came from."""
        return joined_identity([digest for digest, _ in self._all()])

    def odd(self, calibration: Calibration) -> tuple[str, ...]:
        """Sentences, also beside those that calibration saw."""
        seen = [fed for _, every in self._all() for fed in every]
        ranges = {fed.name: calibration.ranges.get(fed.name) for fed in seen}
        known = {name: (found.low, found.high) for name, found in ranges.items() if found is not None}
        return (*beyond(seen, known), *oddities(seen))

    def _all(self) -> Iterator[tuple[str, list[WatchedInput]]]:
        for number in range(len(self)):
            if number not in self._seen:
                self[number]
            yield self._seen[number]
