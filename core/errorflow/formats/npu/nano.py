"""The other head: dumps of the small chips, which use no protobuf and number their types differently.

Behind a mark and a version come inputs and outputs, each a count and then the tensors; a tensor is a row of fixed
fields and a list of optional ones, of which each says its kind and length.
"""

from dataclasses import dataclass
from struct import Struct

from errorflow.base.errors import FormatError
from errorflow.formats.ge_names import nano_dtype_name
from errorflow.formats.npu.header import AGAIN, LENGTH_BYTES, MAX_TENSORS, Head, NpuTensor, laid_out

MAGIC = b"\x5a\x5a\x5a\x5a"
_INPUTS, _OUTPUTS = 4, 5
# Bytes of shapes and name of one tensor.
MAX_OPTIONAL = 64 * 1024
_SHAPE, _ORIGINAL, _NAME = 0, 1, 2
# Data type, layout, kind of address [, original index, type and layout]; address, offset, size; bytes of what follows.
_INPUT = Struct("<iiiQQQI")
_OUTPUT = Struct("<iiiiiiQQQI")
_PAIR = Struct("<II")


@dataclass(slots=True)
class _Cursor:
    """Reads one thing after the other and never behind the end."""

    data: bytes
    name: str
    at: int = 0

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise FormatError(f"The head of {self.name} is broken: it ends within a field.", AGAIN)
        self.at += count
        return self.data[self.at - count : self.at]

    def unpack(self, form: Struct) -> tuple[int, ...]:
        return form.unpack(self.take(form.size))

    def number(self) -> int:
        return int.from_bytes(self.take(4), "little")


def parse_nano(data: bytes, size: int, name: str) -> Head:
    """The head of the file `name` of `size` bytes; there must be nothing behind the last tensor."""
    cursor = _Cursor(data, name)
    cursor.take(len(MAGIC))
    version = cursor.number()
    inputs = _tensors(cursor, "input", _INPUTS)
    outputs = _tensors(cursor, "output", _OUTPUTS)
    head = laid_out(Head(str(version), inputs=inputs, outputs=outputs), LENGTH_BYTES + len(data))
    end = max(head.end, LENGTH_BYTES + len(data))
    if end != size:
        raise FormatError(f"{name} has {size:,} bytes, and its head speaks of {end:,}.", AGAIN)
    return head


def _tensors(cursor: _Cursor, side: str, mark: int) -> tuple[NpuTensor, ...]:
    """The inputs or the outputs; none where the list is not there."""
    if cursor.data[cursor.at : cursor.at + 4] != mark.to_bytes(4, "little"):
        return ()
    cursor.unpack(_PAIR)
    count = cursor.number()
    if count > MAX_TENSORS:
        raise FormatError(f"{cursor.name} lists {count:,} tensors; {MAX_TENSORS:,} is the limit.", AGAIN)
    return tuple(_tensor(cursor, side, index) for index in range(count))


def _tensor(cursor: _Cursor, side: str, index: int) -> NpuTensor:
    fixed = cursor.unpack(_OUTPUT if side == "output" else _INPUT)
    address, _, size, length = fixed[-4:]
    if length > MAX_OPTIONAL:
        raise FormatError(f"The head of {cursor.name} is broken: a tensor describes itself without end.", AGAIN)
    optional = _optional(_Cursor(cursor.take(length), cursor.name))
    return NpuTensor(
        side=side,
        index=index,
        dtype=nano_dtype_name(fixed[0]),
        layout_number=fixed[1],
        dims=_numbers(optional.get(_SHAPE, b"")),
        original_shape=_numbers(optional.get(_ORIGINAL, b"")),
        sub_format=0,
        address=address,
        offset=0,
        size=size,
        origin_name=optional.get(_NAME, b"").decode("utf-8", "backslashreplace"),
        origin_index=fixed[3] if side == "output" else 0,
    )


def _optional(cursor: _Cursor) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    while cursor.at < len(cursor.data):
        kind, length = cursor.unpack(_PAIR)
        found[kind] = cursor.take(length)
    return found


def _numbers(data: bytes) -> tuple[int, ...]:
    whole = len(data) - len(data) % 8
    return tuple(int.from_bytes(data[at : at + 8], "little") for at in range(0, whole, 8))
