"""Reads the outermost fields of a protobuf message: enough to tell whose message it is, without its schema."""

from errorflow.base.files import Source
from errorflow.base.values import dataclass
from errorflow.formats.wire import HEAD_BYTES, WireError, header


@dataclass(frozen=True, slots=True)
class ProtobufField:
    """One field: its number, wire type, and where its content lies."""

    number: int
    wire: int
    start: int
    size: int


def fields(source: Source, start: int = 0, end: int | None = None, limit: int = 64) -> list[ProtobufField] | None:
    """The first `limit` fields between `start` and `end`, or None where the bytes are no protobuf message.

    The last field may reach beyond the end of the file: a message that was cut off is still one.
    """
    stop = source.size if end is None else end
    found: list[ProtobufField] = []
    at = start
    while at < stop and len(found) < limit:
        try:
            tag, begin, behind = header(source.read(at, min(HEAD_BYTES, source.size - at)), 0)
        except WireError:
            return None
        found.append(ProtobufField(tag >> 3, tag & 7, at + begin, behind - begin))
        at += behind
    return found
