"""Conversion of a dump's bytes to numbers. Types that numpy lacks become the next larger one that it has, without loss.

Small floats are decoded by their definitions. The vendor's tool differs from them in some codes, which
docs/formats/npu-dump.md lists.
"""

from functools import cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import is_possible
from errorflow.base.values import dataclass
from errorflow.formats.minifloat import Layout, table, values

Array = NDArray[np.generic]
Bytes = NDArray[np.uint8]

# Types that lie in the file as they lie in memory. What GE marks as quantized are plain integers.
PLAIN = {
    "float32": "<f4",
    "float16": "<f2",
    "float64": "<f8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "<i2",
    "uint16": "<u2",
    "int32": "<i4",
    "uint32": "<u4",
    "int64": "<i8",
    "uint64": "<u8",
    "resource": "<i8",
    "complex64": "<c8",
    "complex128": "<c16",
    "dual_sub_int8": "i1",
    "dual_sub_uint8": "u1",
    "qint8": "i1",
    "qint16": "<i2",
    "qint32": "<i4",
    "quint8": "u1",
    "quint16": "<u2",
    "bool": "?",
    "": "i1",
}
# Bits of one value of all other types that can be read.
_BITS = {
    "bfloat16": 16,
    "complex32": 32,
    "uint1": 1,
    "int2": 2,
    "uint2": 2,
    "int4": 4,
    "hifloat8": 8,
    "float8e5m2": 8,
    "float8e4m3fn": 8,
    "float8e8m0": 8,
    "float6e3m2": 6,
    "float6e2m3": 6,
    "float4e2m1": 4,
    "float4e1m2": 4,
}
# To what a scalar is padded, which has no dimension that would tell.
_PADDED = frozenset({32, 64, 512})
# What a tensor may take in memory; a larger one is no activation of any network known.
MAX_TENSOR = 1 << 31


@dataclass(frozen=True, slots=True)
class StoredValues:
    """Number and type of values; `bits` is what one takes in the file, 0 where it cannot be read."""

    dtype: str
    shape: tuple[int, ...]
    bits: int

    @property
    def count(self) -> int:
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the values in the file, without what pads them."""
        return -(-self.count * self.bits // 8)

    @property
    def memory(self) -> int:
        """Bytes that the values take when they are read."""
        return self.count * _width(self.dtype)


def bits_of(dtype: str) -> int:
    """0 for a type that is unknown or holds no numbers."""
    return np.dtype(PLAIN[dtype]).itemsize * 8 if dtype in PLAIN else _BITS.get(dtype, 0)


def form(dtype: str, dims: tuple[int, ...], size: int) -> StoredValues | None:
    """Finds what a blob of `size` bytes holds; None where no array has those dimensions.

    Without a type it is so many bytes. Without dimensions it is a scalar, if it has the size of one.
    """
    bits = bits_of(dtype)
    if not dtype and size:
        return StoredValues("int8", (size,), 8)
    if not dims and bits and size * 8 != bits and size not in _PADDED:
        return StoredValues(dtype, (size * 8 // bits,), bits)
    return StoredValues(dtype, dims, bits) if is_possible(dims, max(bits // 8, 1)) else None


def decode(data: bytes, wanted: StoredValues) -> Array:
    """The values, read-only; `data` holds as many bytes as `wanted` needs."""
    array = _decode(wanted.dtype, np.frombuffer(data, np.uint8, wanted.nbytes), wanted).reshape(wanted.shape)
    array.flags.writeable = False
    return array


def _decode(dtype: str, stored: Bytes, wanted: StoredValues) -> Array:
    if dtype == "bool":
        flags: Array = stored != 0
        return flags
    if dtype in PLAIN:
        return stored.view(PLAIN[dtype])
    if dtype == "bfloat16":
        wide = stored.view("<u2").astype(np.uint32)
        wide <<= 16
        return wide.view(np.float32)
    if dtype == "complex32":
        return stored.view("<f2").astype(np.float32).view(np.complex64)
    if dtype == "uint1":
        return np.unpackbits(stored, count=wanted.count)
    codes = stored if wanted.bits == 8 else _codes(stored, wanted.bits)[: wanted.count]
    return values_of(dtype)[codes]


@cache
def values_of(dtype: str) -> Array:
    """The value of each code of a type of 8 bits or fewer."""
    if dtype == "hifloat8":
        return _hifloat8()
    if dtype == "float4e1m2":
        return values(Layout(exponent=1, mantissa=2, bias=1, specials="none"))
    if dtype.startswith("float"):
        return table(dtype)
    bits = _BITS[dtype]
    codes = np.arange(1 << bits)
    return (codes - (codes >> (bits - 1) << bits)).astype(np.int8) if dtype[0] == "i" else codes.astype(np.uint8)


@dataclass(frozen=True, slots=True)
class _Dot:
    """The leading bits of a hifloat8 say how the others are shared out between exponent and fraction."""

    mask: int
    bits: int
    exponent: int
    fraction: int


_DOTS = (
    *(_Dot(0x60, 0x60, 4, 1), _Dot(0x60, 0x40, 3, 2), _Dot(0x60, 0x20, 2, 3)),
    *(_Dot(0x70, 0x10, 1, 3), _Dot(0x78, 0x08, 0, 3)),
)


def _hifloat8() -> Array:
    found = np.array([_hifloat8_value(code) for code in range(256)], np.float32)
    found[[0x00, 0x6F, 0x80, 0xEF]] = 0, np.inf, np.nan, -np.inf
    return found


def _hifloat8_value(code: int) -> float:
    """The exponent is a sign and a size whose first bit, always one, is left out."""
    sign = -1.0 if code & 0x80 else 1.0
    dot = next((dot for dot in _DOTS if code & dot.mask == dot.bits), None)
    if dot is None:
        return sign * 2.0 ** ((code & 7) - 23)
    raw = code >> dot.fraction & ((1 << dot.exponent) - 1)
    first = 1 << dot.exponent >> 1
    size = first + raw % first if first else 0
    fraction = (code & ((1 << dot.fraction) - 1)) / (1 << dot.fraction)
    return float(sign * 2.0 ** (-size if raw & first else size) * (1 + fraction))


def _codes(stored: Bytes, bits: int) -> Bytes:
    """Codes of 2, 4 or 6 bits, the lowest bits of a byte first, one per byte."""
    if bits == 6:
        groups = np.zeros((-(-len(stored) // 3), 3), np.uint8)
        groups.reshape(-1)[: len(stored)] = stored
        first, second, third = groups[:, 0], groups[:, 1], groups[:, 2]
        parts = [first, first >> 6 | second << 2, second >> 4 | third << 4, third >> 2]
    else:
        parts = [stored >> shift for shift in range(0, 8, bits)]
    return (np.stack(parts, axis=1) & ((1 << bits) - 1)).astype(np.uint8).reshape(-1)


def _width(dtype: str) -> int:
    if dtype in PLAIN:
        return np.dtype(PLAIN[dtype]).itemsize
    if dtype in ("bfloat16", "complex32"):
        return _BITS[dtype] // 4
    return 4 if "float" in dtype else 1
