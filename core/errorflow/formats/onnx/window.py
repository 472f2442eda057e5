"""Walks over protobuf fields in a file of any size through a small window. What is skipped is never read."""

from collections.abc import Iterator

from errorflow.base import SILENT, FormatError, Progress
from errorflow.base.files import Source
from errorflow.formats.wire import BEYOND, HEAD_BYTES, CutOffError, WireError, header

# Small after a jump, growing while the file is read on; at most what is walked in well under 50 ms.
SMALLEST, LARGEST = 8 * 1024, 128 * 1024


class OnnxWindow:
    """`head` gives the field at a position of the file."""

    def __init__(self, source: Source, progress: Progress = SILENT) -> None:
        self.size = source.size
        self._source = source
        self._progress = progress
        self._text = f"Reading {source.name}"
        self._data = b""
        self._base = 0

    def head(self, pos: int, end: int) -> tuple[int, int, int]:
        """Tag of the field at `pos`, and where its content starts and stops; never behind `end`."""
        at = pos - self._base
        if at < 0 or at + HEAD_BYTES > len(self._data):
            at = self._fill(pos)
        try:
            key, start, stop = header(self._data, at)
        except CutOffError as error:
            raise self.cut_off(self.size + 1) from error
        except WireError as error:
            raise WireError(f"{error} (byte {pos:,})") from error
        base = self._base
        if stop + base > end:
            if stop + base > self.size:
                raise self.cut_off(stop + base)
            raise WireError(f"{BEYOND} (byte {pos:,})")
        return key, start + base, stop + base

    def fields(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Every field between `start` and `end`, as `head` gives them."""
        pos = start
        while pos < end:
            key, begin, pos = self.head(pos, end)
            yield key, begin, pos

    def copy(self, start: int, end: int) -> bytes:
        """Copies these bytes of the file."""
        at = start - self._base
        if at >= 0 and end - self._base <= len(self._data):
            return self._data[at : end - self._base]
        return self._source.read(start, end - start)

    def cut_off(self, needed: int) -> FormatError:
        return FormatError(
            f"{self._source.name} is cut off: it has {self.size:,} bytes, and at least {needed:,} belong to it.",
            "Download or copy it again.",
        )

    def _fill(self, pos: int) -> int:
        """Moves the window so that it begins at `pos`."""
        self._progress.step(pos, self.size, self._text)
        read_on = 0 <= pos - self._base <= len(self._data)
        count = min(len(self._data) * 2, LARGEST) if read_on else SMALLEST
        self._base = pos
        self._data = self._source.read(pos, min(max(count, SMALLEST), self.size - pos))
        return 0
