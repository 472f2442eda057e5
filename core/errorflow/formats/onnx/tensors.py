"""Decodes TensorProto messages: whatever way the values are stored, they come out as one array.

Types that numpy lacks are widened without loss: bfloat16 and the floats of 4 to 8 bits to float32, integers of 2 and 4
bits to int8 and uint8. Texts come as an array of `str`.
"""

from array import array
from collections.abc import Callable, Iterable
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, dataclass, field
from errorflow.base.arrays import MAX_BYTES, is_possible
from errorflow.formats.minifloat import LAYOUTS, POWERS, table
from errorflow.formats.onnx.dtypes import DOUBLES, DTYPES, FLOATS, STRINGS, DType, dtype_name
from errorflow.formats.onnx.schema import TENSOR
from errorflow.formats.wire import Message, WireError, entries, signed, text, varint

Array = NDArray[np.generic]
# Gives the bytes from one position to another, of the file or of what is in memory.
Read = Callable[[int, int], bytes]
Walk = Iterable[tuple[int, int, int]]

MAX_TENSOR_BYTES = 4 * 1024**3
MAX_PIECES = 16_000_000
# Of numbers that are written one behind the other in as few bytes as each needs: in memory they take eight.
MAX_VARINTS = 100_000_000
MAX_RANK = 1024
# A complex128.
LARGEST_VALUE = 16
RAW = TENSOR.RAW_DATA >> 3
EXTERNAL = 1
EXPORT_AGAIN = "Export the model again, or check it with onnx.checker."


@dataclass(slots=True)
class TensorHead:
    """A TensorProto without its values: `pieces` says, by field number, where those lie (start, stop, start, …)."""

    name: str = ""
    data_type: int = 0
    dims: list[int] = field(default_factory=list)
    pieces: dict[int, "array[int]"] = field(default_factory=dict)
    external: dict[str, str] = field(default_factory=dict)
    location: int = 0
    segmented: bool = False

    @property
    def dtype(self) -> str:
        return dtype_name(self.data_type)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.dims)

    @property
    def count(self) -> int:
        """Number of values there should be; what no file can hold counts as the most that an array can."""
        return min(prod(self.dims), MAX_BYTES)

    @property
    def nbytes(self) -> int:
        """Bytes of the values: by shape and type; of texts, which have no fixed size, what the file holds."""
        known = DTYPES.get(self.data_type)
        if known is None or known.field == STRINGS or min(self.dims, default=0) < 0:
            return sum(stop - start for run in self.pieces.values() for start, stop in _pairs(run))
        return -(-self.count * known.bits // 8)

    @property
    def stored_elsewhere(self) -> bool:
        return self.location == EXTERNAL


def tensor_head(walk: Walk, read: Read) -> TensorHead:
    """Reads everything about a tensor but its values."""
    head = TensorHead()
    notes: list[Message] = []
    for key, start, stop in walk:
        number = key >> 3
        if number in TENSOR.PAYLOAD_NUMBERS:
            _add(head.pieces.setdefault(number, array("q")), start, stop)
        elif number == TENSOR.DIMS_NUMBER:
            head.dims += _dims(read(start, stop))
        elif key == TENSOR.DATA_TYPE:
            head.data_type = varint(read(start, stop), 0)[0]
        elif key == TENSOR.NAME:
            head.name = text(read(start, stop))
        elif key == TENSOR.EXTERNAL_DATA:
            notes.append(Message.of(read(start, stop)))
        elif key == TENSOR.DATA_LOCATION:
            head.location = varint(read(start, stop), 0)[0]
        elif key == TENSOR.SEGMENT:
            head.segmented = True
    head.external = entries(notes)
    return head


def _add(pieces: "array[int]", start: int, stop: int) -> None:
    if len(pieces) > 2 * MAX_PIECES:
        raise WireError(f"a tensor is stored in more than {MAX_PIECES:,} pieces")
    pieces.append(start)
    pieces.append(stop)


def _dims(stored: bytes) -> list[int]:
    found: list[int] = []
    pos = 0
    while pos < len(stored) and len(found) <= MAX_RANK:
        value, pos = varint(stored, pos)
        found.append(signed(value))
    if len(found) > MAX_RANK:
        raise WireError("a tensor has more than a thousand dimensions")
    return found


# Turns stored bytes into numbers: varints, and types of which numpy knows nothing.

Bytes = NDArray[np.uint8]


PIECE_BYTES = 4 * 1024 * 1024
LONGEST_VARINT = 10
# Types that lie in the file as they lie in memory.
PLAIN = {
    "float16": "<f2",
    "float32": "<f4",
    "float64": "<f8",
    "int8": "i1",
    "int16": "<i2",
    "int32": "<i4",
    "int64": "<i8",
    "uint8": "u1",
    "uint16": "<u2",
    "uint32": "<u4",
    "uint64": "<u8",
    "complex64": "<c8",
    "complex128": "<c16",
}


def widen(name: str, bits: int, stored: Bytes, count: int) -> Array:
    """`count` values of the type `name` from its bytes in a file, of which there must be enough."""
    if name in PLAIN:
        return stored.view(PLAIN[name])
    if name == "bool":
        flags: Array = stored != 0
        return flags
    if name == "bfloat16":
        return (stored.view("<u2").astype(np.uint32) << 16).view(np.float32)
    return from_codes(name, stored if bits == 8 else _codes(stored, bits)[:count])


def from_codes(name: str, codes: Bytes) -> Array:
    """Values of a type of 8 bits or fewer, given one code per byte."""
    if name in LAYOUTS or name == POWERS:
        return table(name)[codes]
    bits = int(name[-1])
    if name.startswith("uint"):
        return codes
    sign = np.uint8(1 << (bits - 1))
    return ((codes ^ sign).view(np.int8) - sign.astype(np.int8)).astype(np.int8)


def _codes(stored: Bytes, bits: int) -> Bytes:
    """Codes of 2, 4 or 6 bits, the lowest bits first, one per byte."""
    if bits == 6:
        groups = -(-len(stored) // 3)
        padded = np.zeros(groups * 3, np.uint8)
        padded[: len(stored)] = stored
        first, second, third = padded[0::3], padded[1::3], padded[2::3]
        parts = [first, first >> 6 | second << 2, second >> 4 | third << 4, third >> 2]
    else:
        parts = [stored >> shift for shift in range(0, 8, bits)]
    return (np.stack(parts, axis=1) & ((1 << bits) - 1)).astype(np.uint8).reshape(-1)


def varints(data: bytes) -> NDArray[np.int64]:
    """Unpacks all numbers of a packed field."""
    parts: list[NDArray[np.int64]] = []
    start = 0
    while start < len(data):
        piece = np.frombuffer(data, np.uint8, min(PIECE_BYTES, len(data) - start), start)
        ends = np.flatnonzero(piece < 0x80)
        if not len(ends):
            raise WireError("a number is cut off")
        parts.append(_decode(piece, ends))
        start += int(ends[-1]) + 1
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _decode(piece: Bytes, ends: NDArray[np.intp]) -> NDArray[np.int64]:
    starts = np.concatenate([[0], ends[:-1] + 1])
    sizes = ends - starts + 1
    longest = int(sizes.max())
    if longest > LONGEST_VARINT:
        raise WireError("a number has more than ten bytes")
    values: NDArray[np.uint64] = (piece[starts] & 0x7F).astype(np.uint64)
    for place in range(1, longest):
        longer = np.flatnonzero(sizes > place)
        values[longer] |= (piece[starts[longer] + place] & 0x7F).astype(np.uint64) << np.uint64(7 * place)
    whole: NDArray[np.int64] = values.view(np.int64)
    return whole


def values(head: TensorHead, read: Read) -> Array:
    """The values of a tensor that holds them itself, read-only."""
    dtype = checked_type(head)
    if dtype.field == STRINGS:
        return _texts(head, read)
    if RAW in head.pieces:
        start, stop = head.pieces[RAW][-2:]
        _check_size(head, stop - start)
        return from_bytes(head, read(start, stop))
    try:
        return _from_field(head, dtype, read)
    except WireError as error:
        raise FormatError(f"The values of the tensor {head.name} are broken: {error}.", EXPORT_AGAIN) from error


def from_bytes(head: TensorHead, stored: bytes) -> Array:
    """The values that `stored` holds in the raw form, read-only."""
    dtype = checked_type(head)
    if dtype.field == STRINGS:
        raise FormatError(f"The tensor {head.name} holds texts as raw bytes, which ONNX does not allow.", EXPORT_AGAIN)
    _check_size(head, len(stored))
    return _shaped(head, widen(dtype.name, dtype.bits, np.frombuffer(stored, np.uint8), head.count))


def checked_type(head: TensorHead) -> DType:
    """Finds its element type, once it is certain that its values can be read at all."""
    if head.segmented:
        raise FormatError(f"The tensor {head.name} is stored in segments.", "Export the model again without segments.")
    if head.data_type not in DTYPES:
        what = f"the unknown element type {head.data_type}" if head.data_type else "no element type"
        raise FormatError(f"The tensor {head.name} has {what}.", EXPORT_AGAIN)
    if min(head.dims, default=0) < 0:
        raise FormatError(f"The tensor {head.name} has a negative size in its shape.", EXPORT_AGAIN)
    dtype = DTYPES[head.data_type]
    if head.count * max(dtype.bits, 8) // 8 > MAX_TENSOR_BYTES:
        raise _too_large(head)
    if not is_possible(head.dims, LARGEST_VALUE):
        raise FormatError(f"The tensor {head.name} has a shape that no array can have.", EXPORT_AGAIN)
    return dtype


def _too_large(head: TensorHead) -> FormatError:
    return FormatError(
        f"The tensor {head.name} has {head.count:,} values, more than are read into memory at once.",
        "The graph can be shown all the same; split the tensor to see its values.",
    )


def _texts(head: TensorHead, read: Read) -> Array:
    pieces = _pairs(head.pieces.get(STRINGS, array("q")))
    if len(pieces) != head.count:
        raise _wrong_size(head, len(pieces), "values", head.count)
    found = np.empty(len(pieces), object)
    for index, (start, stop) in enumerate(pieces):
        found[index] = text(read(start, stop))
    return _shaped(head, found)


def _from_field(head: TensorHead, dtype: DType, read: Read) -> Array:
    """Values from the typed fields, which pack small types into larger ones."""
    pieces = _pairs(head.pieces.get(dtype.field, array("q")))
    size = sum(stop - start for start, stop in pieces)
    if dtype.field in (FLOATS, DOUBLES):
        _check_size(head, size)
        return from_bytes(head, b"".join(read(start, stop) for start, stop in pieces))
    width = max(dtype.bits // 8, 1)
    wanted = head.count if dtype.bits == 6 else head.nbytes // width
    if wanted > MAX_VARINTS:
        raise _too_large(head)
    if size > wanted * LONGEST_VARINT:
        raise _wrong_size(head, size)
    numbers = varints(b"".join(read(start, stop) for start, stop in pieces))
    if dtype.bits == 6:
        return _shaped(head, from_codes(dtype.name, (numbers & 0x3F).astype(np.uint8)))
    return from_bytes(head, numbers.astype(f"<u{width}").tobytes())


def _shaped(head: TensorHead, flat: Array) -> Array:
    if flat.size != head.count:
        raise _wrong_size(head, flat.size, "values", head.count)
    shaped = flat.reshape(head.dims)
    shaped.flags.writeable = False
    return shaped


def _check_size(head: TensorHead, found: int) -> None:
    if found != head.nbytes:
        raise _wrong_size(head, found)


def _wrong_size(head: TensorHead, found: int, unit: str = "bytes", wanted: int | None = None) -> FormatError:
    needed = head.nbytes if wanted is None else wanted
    if not found:
        return FormatError(
            f"The values of the tensor {head.name} are not in the file.", "It was saved without its weights."
        )
    return FormatError(f"The tensor {head.name} should hold {needed:,} {unit}, and {found:,} are there.", EXPORT_AGAIN)


def _pairs(run: "array[int]") -> list[tuple[int, int]]:
    return list(zip(run[::2], run[1::2], strict=True))
