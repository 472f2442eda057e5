"""Turns stored bytes into numbers: varints, and types of which numpy knows nothing."""

import numpy as np
from numpy.typing import NDArray

from errorflow.formats.minifloat import LAYOUTS, POWERS, table
from errorflow.formats.wire import WireError

Bytes = NDArray[np.uint8]
Array = NDArray[np.generic]

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
    """All numbers of a packed field."""
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
