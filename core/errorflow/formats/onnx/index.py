"""Index of a graph's parts in a slim model: positions only, nothing is decoded."""

from array import array
from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.base import FormatError, Progress
from errorflow.base.arrays import Longs
from errorflow.formats.wire import BEYOND, Span, WireError, header

MAX_PARTS = 20_000_000
STEP_EVERY = 1 << 14


class FieldIndex:
    """The fields of a message by their tag: `starts(tag)` and `ends(tag)`, in file order."""

    def __init__(self) -> None:
        self._found: dict[int, array[int]] = {}

    @classmethod
    def of(cls, data: bytes, spans: Sequence[Span], progress: Progress) -> "FieldIndex":
        """The parts of a message that lies in `spans`: protobuf lets a message come in several pieces."""
        parts = cls()
        for start, end in spans:
            parts._add(data, start, end, progress)
        return parts

    def spans(self, key: int) -> Iterator[Span]:
        found = self._found.get(key, array("q"))
        return zip(found[::2], found[1::2], strict=True)

    def count(self, key: int) -> int:
        return len(self._found.get(key, ())) // 2

    def arrays(self, key: int) -> tuple[Longs, Longs]:
        """Starts and ends, read-only."""
        found = np.array(self._found.get(key, ()), np.int64)
        starts, ends = found[::2].copy(), found[1::2].copy()
        starts.flags.writeable = ends.flags.writeable = False
        return starts, ends

    def _add(self, data: bytes, start: int, end: int, progress: Progress) -> None:
        found, pos, count = self._found, start, 0
        while pos < end:
            key, pos, stop = header(data, pos)
            if stop > end:
                raise WireError(BEYOND)
            run = found.get(key)
            if run is None:
                run = found[key] = array("q")
            run.append(pos)
            run.append(stop)
            pos = stop
            count += 1
            if not count % STEP_EVERY:
                self._check(count, progress)

    def _check(self, count: int, progress: Progress) -> None:
        progress.step(0, 0, "Reading the graph")
        if count > MAX_PARTS:
            raise FormatError(
                f"A graph has more than {MAX_PARTS:,} parts.", "No real model is that large; the file is broken."
            )
