"""Walks over protobuf messages in a file through a window: what is skipped is never read, nothing large is kept."""

from collections.abc import Iterator

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.formats.wire import HEAD_BYTES, WireError, header, signed, tag, varint

WINDOW_BYTES = 1024 * 1024
_KEY_TAG, _VALUE_TAG = tag(1), tag(2)
# A head, 127 characters, another head.
_SHORT_KEY = 2 + 127 + HEAD_BYTES
# Of one message that is taken as a whole, such as a name.
MAX_PIECE_BYTES = 64 * 1024**2
# Of one list of numbers: each takes many times its bytes.
MAX_NUMBERS = 5_000_000
_CONTINUED = bytes(range(128, 256))
AGAIN = "Copy it again, or convert the model again with ATC."


class OmWindow:
    """Fields and bytes by their place in the file; everything odd is a `FormatError`."""

    def __init__(self, source: Source, size: int = WINDOW_BYTES) -> None:
        self._source = source
        self._size = min(max(size, HEAD_BYTES), WINDOW_BYTES)
        self._data = b""
        self._base = 0

    def fields(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Number of each field between two places, and where its content starts and ends.

        A number's content is its varint. Fields may be walked while others further inside are.
        """
        at = start
        while at < end:
            if at < self._base or at + HEAD_BYTES > self._base + len(self._data):
                self._move(at)
            try:
                key, begin, stop = header(self._data, at - self._base)
            except WireError as error:
                raise self.broken(at) from error
            base = self._base
            if base + stop > end:
                raise self.broken(at)
            at = base + stop
            yield key >> 3, base + begin, at

    def entry(self, start: int, end: int) -> tuple[bytes, int, int]:
        """Key of an entry of a map, and where its value starts and ends."""
        data, at = self._data, start - self._base
        if at >= 0 and at + _SHORT_KEY < len(data) and data[at] == _KEY_TAG and data[at + 1] < 0x80:
            # A million times per file: the short form that every writer uses, without the generator.
            behind = at + 2 + data[at + 1]
            if data[behind] == _VALUE_TAG and behind < end - self._base:
                size, begin = data[behind + 1], behind + 2
                if size >= 0x80:
                    size, begin = self._varint(data, behind + 1, start)
                if begin + size == end - self._base:
                    return data[at + 2 : behind], self._base + begin, end
        key, place = b"", (start, start)
        for number, begin, stop in self.fields(start, end):
            if number == _KEY_TAG >> 3:
                key = self.copy(begin, stop)
            elif number == _VALUE_TAG >> 3:
                place = (begin, stop)
        return key, *place

    def copy(self, start: int, end: int) -> bytes:
        """The bytes between two places."""
        if end - start > MAX_PIECE_BYTES:
            raise self.broken(start)
        if start < self._base or end > self._base + len(self._data):
            if end - start > self._size:
                return self._source.read(start, end - start)
            self._move(start)
        return self._data[start - self._base : end - self._base]

    def number(self, start: int, end: int) -> int:
        """The signed number in a varint's content; 0 where there is none."""
        found = self.numbers(start, end)
        return found[-1] if found else 0

    def numbers(self, start: int, end: int) -> list[int]:
        """Reads all signed numbers in the content of a packed field, or the one of a plain one."""
        data, at, found = self.copy(start, end), 0, []
        if len(data) > MAX_NUMBERS and len(data.translate(None, delete=_CONTINUED)) > MAX_NUMBERS:
            raise self.broken(end)
        while at < len(data):
            value, at = self._varint(data, at, start)
            found.append(signed(value))
        return found

    def _varint(self, data: bytes, at: int, start: int) -> tuple[int, int]:
        try:
            return varint(data, at)
        except WireError as error:
            raise self.broken(start) from error

    def broken(self, at: int) -> FormatError:
        return FormatError(f"{self._source.name} is broken near its byte {at:,}: no model is described there.", AGAIN)

    def _move(self, at: int) -> None:
        self._base = at
        self._data = self._source.read(at, min(self._size, self._source.size - at))
        if at + len(self._data) == self._source.size:
            self._data += bytes(HEAD_BYTES)  # so that a head at the very end can be looked at as any other
