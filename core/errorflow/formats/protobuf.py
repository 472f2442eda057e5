"""Reads the outermost fields of a protobuf message: enough to tell whose message it is, without its schema."""

from collections.abc import Iterator
from dataclasses import dataclass

from errorflow.files import Source

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED = {FIXED64: 8, FIXED32: 4}
MAX_VARINT_BYTES = 10


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its number, wire type, and where its content lies; a varint has its value in `size`."""

    number: int
    wire: int
    start: int
    size: int


def fields(source: Source, start: int = 0, end: int | None = None, limit: int = 64) -> list[Field] | None:
    """The first `limit` fields between `start` and `end`, or None where the bytes are no protobuf message.

    The last field may reach beyond the end of the file: a message that was cut off is still one.
    """
    stop = source.size if end is None else end
    found: list[Field] = []
    for field in _walk(source, start, stop):
        if field is None:
            return None
        found.append(field)
        if len(found) == limit:
            break
    return found


def _walk(source: Source, offset: int, stop: int) -> Iterator[Field | None]:
    while offset < stop:
        head = source.read(offset, min(2 * MAX_VARINT_BYTES, source.size - offset))
        key = _varint(head, 0)
        if key is None or key[0] >> 3 == 0:
            yield None
            return
        number, wire, at = key[0] >> 3, key[0] & 7, key[1]
        if wire in _FIXED:
            yield Field(number, wire, offset + at, _FIXED[wire])
            offset += at + _FIXED[wire]
            continue
        value = _varint(head, at) if wire in (VARINT, BYTES) else None
        if value is None:
            yield None
            return
        yield Field(number, wire, offset + value[1], value[0])
        offset += value[1] + (value[0] if wire == BYTES else 0)


def _varint(data: bytes, at: int) -> tuple[int, int] | None:
    value = 0
    for shift in range(MAX_VARINT_BYTES):
        if at + shift >= len(data):
            return None
        byte = data[at + shift]
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value, at + shift + 1
    return None
