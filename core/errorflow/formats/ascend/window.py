"""Walks over protobuf messages in a file through a window: what is skipped is never read, nothing large is kept."""

from collections.abc import Iterator

from errorflow.errors import FormatError
from errorflow.files import Source

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
WINDOW_BYTES = 1024 * 1024
# A field's head is at most two varints long.
_HEAD_BYTES = 20
_FIXED = {FIXED64: 8, FIXED32: 4}
_MAX_VARINT_BYTES = 10
_KEY_TAG, _VALUE_TAG = 1 << 3 | BYTES, 2 << 3 | BYTES
# A head, 127 characters, another head.
_SHORT_KEY = 2 + 127 + _HEAD_BYTES
# Of one message that is taken as a whole, such as a name.
MAX_PIECE_BYTES = 64 * 1024**2
# Of one list of numbers: each takes many times its bytes.
MAX_NUMBERS = 5_000_000
_CONTINUED = bytes(range(128, 256))
AGAIN = "Copy it again, or convert the model again with ATC."


class Window:
    """Fields and bytes by their place in the file; everything odd is a `FormatError`."""

    def __init__(self, source: Source, size: int = WINDOW_BYTES) -> None:
        self._source = source
        self._size = min(max(size, _HEAD_BYTES), WINDOW_BYTES)
        self._data = b""
        self._base = 0

    def fields(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Number of each field between two places, and where its content starts and ends.

        A number's content is its varint. Fields may be walked while others further inside are.
        """
        at = start
        while at < end:
            if at < self._base or at + _HEAD_BYTES > self._base + len(self._data):
                self._move(at)
            data, base = self._data, self._base
            here = at - base + 1
            key = data[here - 1]
            if key >= 0x80:
                key, here = _varint(data, here - 1)
            wire = key & 7
            if wire == BYTES:
                size, here = _varint(data, here)
                stop = here + size
            elif wire == VARINT:
                stop = _varint(data, here)[1]
            else:
                stop = here + _FIXED.get(wire, -1)
            at = base + stop
            if key < 8 or stop < here or at > end:
                raise self.broken(base + here)
            yield key >> 3, base + here, at

    def entry(self, start: int, end: int) -> tuple[bytes, int, int]:
        """Key of an entry of a map, and where its value starts and ends."""
        data, at = self._data, start - self._base
        if at >= 0 and at + _SHORT_KEY < len(data) and data[at] == _KEY_TAG and data[at + 1] < 0x80:
            # A million times per file: the short form that every writer uses, without the generator.
            behind = at + 2 + data[at + 1]
            if data[behind] == _VALUE_TAG:
                size, begin = _varint(data, behind + 1)
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
        """The signed number in a varint's content."""
        return signed(_varint(self.copy(start, end) + b"\0", 0)[0])

    def numbers(self, start: int, end: int) -> list[int]:
        """All signed numbers in the content of a packed field, or the one of a plain one."""
        data, at, found = self.copy(start, end), 0, []
        if data and (data[-1] & 0x80 or len(data.translate(None, delete=_CONTINUED)) > MAX_NUMBERS):
            raise self.broken(end)
        while at < len(data):
            value, at = _varint(data, at)
            found.append(signed(value))
        return found

    def broken(self, at: int) -> FormatError:
        return FormatError(f"{self._source.name} is broken near its byte {at:,}: no model is described there.", AGAIN)

    def _move(self, at: int) -> None:
        self._base = at
        self._data = self._source.read(at, min(self._size, self._source.size - at))
        if at + len(self._data) == self._source.size:
            self._data += bytes(_HEAD_BYTES)  # so that a head at the very end can be looked at as any other


def signed(value: int) -> int:
    """Protobuf writes negative numbers as their 64-bit complement."""
    value &= 0xFFFFFFFFFFFFFFFF
    return value - (1 << 64) if value >> 63 else value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    if byte < 0x80:
        return byte, at + 1
    value = byte & 0x7F
    for place in range(1, _MAX_VARINT_BYTES):
        byte = data[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    return 0, at + _MAX_VARINT_BYTES  # more bytes than a number has: a key of 0 is refused, a size of 0 leads to one
