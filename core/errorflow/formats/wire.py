"""Protobuf's wire format over bytes that are in memory: fields, numbers and texts, without a schema.

All binary models are read with this and not with generated classes: nothing is copied that is not asked for, text that
is not UTF-8 stays readable, and no import has to be paid for when a model is opened.
A *tag* is a field's number and wire type as they stand in the file; `tag(1, BYTES)` makes one.
"""

from collections.abc import Iterator

from errorflow.base.values import dataclass, field

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MAX_SHIFT = 63
# A field's head is at most two varints long.
HEAD_BYTES = 20
# Of one message that is taken apart: each costs a hundred bytes.
MAX_FIELDS = 1_000_000
BEYOND, NUMBERLESS = "a field reaches beyond what holds it", "a field has the number 0"
Span = tuple[int, int]


class WireError(Exception):
    """Bytes that are not the message they should be. Caught where the file's name is known."""


class CutOffError(WireError):
    """The bytes end within a field."""


def tag(number: int, wire: int = BYTES) -> int:
    return number << 3 | wire


def varint(data: bytes, pos: int) -> tuple[int, int]:
    """The number at `pos`, and where it ends."""
    try:
        value = data[pos]
        if value < 0x80:
            return value, pos + 1
        value &= 0x7F
        for shift in range(7, MAX_SHIFT + 1, 7):
            pos += 1
            byte = data[pos]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFFFFFFFFFFFFFF, pos + 1
    except IndexError as error:
        raise CutOffError("a number is cut off") from error
    raise WireError("a number has more than ten bytes")


def header(data: bytes, pos: int) -> tuple[int, int, int]:
    """The tag of the field at `pos` and where its content starts and ends, which may be behind the data."""
    try:
        key = data[pos]
        pos += 1
        if key >= 0x80:
            key, pos = varint(data, pos - 1)
        wire = key & 7
        if wire == BYTES:
            size = data[pos]
            pos += 1
            if size >= 0x80:
                size, pos = varint(data, pos - 1)
            if key < 8:
                raise WireError(NUMBERLESS)
            return key, pos, pos + size
    except IndexError as error:
        raise CutOffError("a field is cut off") from error
    if key < 8:
        raise WireError(NUMBERLESS)
    return key, pos, _end(data, pos, wire)


def _end(data: bytes, pos: int, wire: int) -> int:
    """Finds where a field ends whose length is not written down."""
    if wire == VARINT:
        return varint(data, pos)[1]
    if wire in _SIZES:
        return pos + _SIZES[wire]
    raise WireError(f"wire type {wire} is out of use")


_SIZES = {FIXED32: 4, FIXED64: 8}


def fields(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Every field between `start` and `end`: its tag, and where its content starts and ends."""
    pos = start
    while pos < end:
        key, pos, stop = header(data, pos)
        if stop > end:
            raise WireError(BEYOND)
        yield key, pos, stop
        pos = stop


def text(data: bytes) -> str:
    """UTF-8, with what is none of it written as \\xff."""
    return data.decode("utf-8", "backslashreplace")


def signed(value: int) -> int:
    """Reads a varint as an int32, int64 or enum."""
    return value - (1 << 64) if value >> 63 else value


@dataclass(frozen=True, slots=True)
class Message:
    """One message taken apart into its fields: for all that is not read by the hundred thousand."""

    data: bytes
    start: int
    end: int
    spans: dict[int, list[Span]] = field(default_factory=dict)

    @classmethod
    def of(cls, data: bytes, start: int = 0, end: int | None = None) -> "Message":
        message = cls(data, start, len(data) if end is None else end)
        for count, (key, begin, stop) in enumerate(fields(data, message.start, message.end)):
            message.spans.setdefault(key, []).append((begin, stop))
            if count > MAX_FIELDS:
                raise WireError(f"a message has more than {MAX_FIELDS:,} fields")
        return message

    def __contains__(self, key: int) -> bool:
        return key in self.spans

    def all(self, key: int) -> list[Span]:
        return self.spans.get(key, [])

    def raw(self, key: int) -> bytes:
        """The last one given, as protobuf has it; b"" if there is none."""
        spans = self.all(key)
        return self.data[spans[-1][0] : spans[-1][1]] if spans else b""

    def text(self, key: int) -> str:
        return text(self.raw(key))

    def texts(self, key: int) -> list[str]:
        return [text(self.data[start:stop]) for start, stop in self.all(key)]

    def number(self, key: int, default: int = 0) -> int:
        spans = self.all(key)
        return signed(varint(self.data, spans[-1][0])[0]) if spans else default

    def numbers(self, number: int) -> list[int]:
        """A repeated integer field, whether packed or not."""
        found: list[int] = []
        for start, stop in self.all(tag(number, VARINT)) + self.all(tag(number, BYTES)):
            pos = start
            while pos < stop:
                value, pos = varint(self.data, pos)
                found.append(signed(value))
            if pos > stop:
                raise WireError(BEYOND)
        return found

    def floats(self, number: int) -> bytes:
        """A repeated float field, whether packed or not, as it would stand in memory."""
        spans = self.all(tag(number, FIXED32)) + self.all(tag(number, BYTES))
        stored = b"".join(self.data[start:stop] for start, stop in spans)
        if len(stored) % 4:
            raise CutOffError("a number is cut off")
        return stored

    def messages(self, key: int) -> "list[Message]":
        return [Message.of(self.data, start, stop) for start, stop in self.all(key)]

    def message(self, key: int) -> "Message | None":
        spans = self.all(key)
        return Message.of(self.data, *spans[-1]) if spans else None


def entries(spans: list[Message]) -> dict[str, str]:
    """StringStringEntryProto messages as a mapping; the last of a key wins."""
    return {entry.text(tag(1)): entry.text(tag(2)) for entry in spans}


def encode_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_bytes(number: int, content: bytes) -> bytes:
    """A field of that number with this content."""
    return encode_varint(tag(number)) + encode_varint(len(content)) + content


def encode_number(number: int, value: int) -> bytes:
    return encode_varint(tag(number, VARINT)) + encode_varint(value)
