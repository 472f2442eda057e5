"""Decodes TensorProto messages: whatever way the values are stored, they come out as one array.

Types that numpy lacks are widened without loss: bfloat16 and the floats of 4 to 8 bits to float32, integers of 2 and 4
bits to int8 and uint8. Texts come as an array of `str`.
"""

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import MAX_BYTES, is_possible
from errorflow.base.errors import FormatError
from errorflow.formats.onnx.dtypes import DOUBLES, DTYPES, FLOATS, STRINGS, DType, dtype_name
from errorflow.formats.onnx.schema import TENSOR
from errorflow.formats.onnx.unpack import LONGEST_VARINT, from_codes, varints, widen
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
        """How many values there should be; what no file can hold counts as the most that an array can."""
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
    """Everything about a tensor but its values."""
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
    """Its element type, once it is certain that its values can be read at all."""
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
