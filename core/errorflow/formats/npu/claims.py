"""Tells a dump file by its first bytes: it has neither mark nor suffix."""

from errorflow.files import Source
from errorflow.formats.npu.nano import MAGIC
from errorflow.formats.protobuf import fields
from errorflow.formats.wire import BYTES, VARINT

_LENGTH = 8
# Field number and wire type of everything that a head can hold.
_KNOWN = frozenset({(1, BYTES), (2, VARINT), *((number, BYTES) for number in range(3, 9))})
_TENSORS = frozenset({3, 4})


def is_npu_dump(source: Source) -> bool:
    """Whether there is a length that fits and then a head with at least one tensor, or the mark of a small chip."""
    if source.size <= _LENGTH:
        return False
    length = int.from_bytes(source.head[:_LENGTH], "little")
    if not 0 < length <= source.size - _LENGTH:
        return False
    if source.head[_LENGTH : _LENGTH + len(MAGIC)] == MAGIC:
        return True
    found = fields(source, _LENGTH, _LENGTH + length)
    if not found or any((field.number, field.wire) not in _KNOWN for field in found):
        return False
    return any(field.number in _TENSORS for field in found)
