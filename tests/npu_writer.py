"""Writes dump files as the NPU's runtime does, for tests and benchmarks: header, then the values of every tensor.

`write_npu(path, outputs=[NpuArray(array, layout="NC1HWC0", original_shape=(1, 5, 8, 8))])` is all that most tests need.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.formats.ge_names import dtype_number, layout_text, nano_dtype_name
from errorflow.formats.wire import encode_bytes, encode_number

# Types without an equal in NumPy, and how many bits a value takes; they are given as codes, one per byte.
EIGHT = dict.fromkeys(["hifloat8", "float8e5m2", "float8e4m3fn", "float8e8m0"], 8)
FEWER = {"int4": 4, "int2": 2, "uint2": 2, "float6e3m2": 6, "float6e2m3": 6, "float4e2m1": 4, "float4e1m2": 4}
CODE_BITS = EIGHT | FEWER
MAGIC = 0x5A5A5A5A
# What GE numbers types and layouts by.
_NUMBERS = range(256)


@dataclass(frozen=True, slots=True, eq=False)
class NpuArray:
    """A tensor to write: `array` holds values, or codes where NumPy lacks the type; what is None follows from it."""

    array: NDArray[Any]
    layout: str = "ND"
    # A name such as "bfloat16", or a number for what has no name.
    dtype: str | int | None = None
    shape: Sequence[int] | None = None
    original_shape: Sequence[int] | None = None
    address: int = 0
    groups: int = 0
    # Zeros behind the values, as an NPU pads.
    padding: int = 0
    # What the header claims, where that is a lie.
    size: int | None = None
    # The raw bytes, where they are not what the array says.
    data: bytes | None = None
    origin: str = ""

    @property
    def type_name(self) -> str | int:
        return self.array.dtype.name if self.dtype is None else self.dtype

    @property
    def blob(self) -> bytes:
        raw = _encoded(self.array, self.type_name) if self.data is None else self.data
        return raw + bytes(self.padding)

    @property
    def claimed(self) -> int:
        return len(self.blob) if self.size is None else self.size

    @property
    def dims(self) -> tuple[int, ...]:
        return tuple(self.array.shape if self.shape is None else self.shape)

    @property
    def original(self) -> tuple[int, ...]:
        return self.dims if self.original_shape is None else tuple(self.original_shape)


def write_npu(
    path: Path,
    inputs: Sequence[NpuArray] = (),
    outputs: Sequence[NpuArray] = (),
    *,
    op_name: str = "",
    buffers: Sequence[bytes] = (),
    spaces: Sequence[bytes] = (),
    attributes: Mapping[str, str] | None = None,
    version: str = "2.0",
    dump_time: int = 1_700_000_000_000_000,
    trailing: bytes = b"",
) -> Path:
    """The path again, of the dump file that was written there."""
    path.write_bytes(
        npu_bytes(
            inputs,
            outputs,
            op_name=op_name,
            buffers=buffers,
            spaces=spaces,
            attributes=attributes,
            version=version,
            dump_time=dump_time,
        )
        + trailing
    )
    return path


def npu_bytes(
    inputs: Sequence[NpuArray] = (),
    outputs: Sequence[NpuArray] = (),
    *,
    op_name: str = "",
    buffers: Sequence[bytes] = (),
    spaces: Sequence[bytes] = (),
    attributes: Mapping[str, str] | None = None,
    version: str = "2.0",
    dump_time: int = 1_700_000_000_000_000,
) -> bytes:
    """The same in memory."""
    header = encode_bytes(1, version.encode()) + encode_number(2, dump_time)
    header += b"".join(encode_bytes(3, _output(tensor)) for tensor in outputs)
    header += b"".join(encode_bytes(4, _input(tensor)) for tensor in inputs)
    header += b"".join(encode_bytes(5, encode_number(1, 0) + encode_number(3, len(blob))) for blob in buffers)
    header += encode_bytes(6, op_name.encode()) if op_name else b""
    for name, value in ({} if attributes is None else attributes).items():
        header += encode_bytes(7, encode_bytes(1, name.encode()) + encode_bytes(2, value.encode()))
    header += b"".join(encode_bytes(8, encode_number(1, 0) + encode_number(3, len(blob))) for blob in spaces)
    blobs = [tensor.blob for tensor in (*inputs, *outputs)]
    return len(header).to_bytes(8, "little") + header + b"".join([*blobs, *buffers, *spaces])


def nano_bytes(inputs: Sequence[NpuArray] = (), outputs: Sequence[NpuArray] = (), version: int = 1) -> bytes:
    """A dump of the small chips: no protobuf, and other numbers for the types."""
    header = _u32(MAGIC, version)
    for mark, tensors in ((4, inputs), (5, outputs)):
        body = _u32(len(tensors)) + b"".join(_nano(tensor, mark == 5) for tensor in tensors)
        header += _u32(mark, len(body)) + body
    blobs = b"".join(tensor.blob for tensor in (*inputs, *outputs))
    return len(header).to_bytes(8, "little") + header + blobs


def _output(tensor: NpuArray) -> bytes:
    origin = encode_bytes(4, encode_bytes(1, tensor.origin.encode())) if tensor.origin else b""
    return (
        _type(tensor)
        + encode_bytes(3, _shape(tensor.dims))
        + origin
        + _number(6, tensor.claimed)
        + encode_bytes(7, _shape(tensor.original))
        + _number(8, tensor.groups)
        + _number(9, tensor.address)
    )


def _input(tensor: NpuArray) -> bytes:
    return (
        _type(tensor)
        + encode_bytes(3, _shape(tensor.dims))
        + _number(5, tensor.claimed)
        + encode_bytes(6, _shape(tensor.original))
        + _number(7, tensor.groups)
        + _number(8, tensor.address)
    )


def _type(tensor: NpuArray) -> bytes:
    kind = tensor.type_name
    number = kind if isinstance(kind, int) else dtype_number(kind)
    return _number(1, number) + _number(2, _number_of(tensor.layout, layout_text))


def _number_of(name: str, name_of: Callable[[int], str]) -> int:
    return next(number for number in _NUMBERS if name_of(number) == name)


def _number(field: int, value: int) -> bytes:
    """Zero is what a field has that is not there, so nobody writes it."""
    return encode_number(field, value) if value else b""


def _shape(dims: Sequence[int]) -> bytes:
    packed = b"".join(encode_number(1, dim)[1:] for dim in dims)
    return encode_bytes(1, packed) if packed else b""


def _nano(tensor: NpuArray, output: bool) -> bytes:
    kind = tensor.type_name
    number = kind if isinstance(kind, int) else _number_of(kind, nano_dtype_name)
    layout = _number_of(tensor.layout, layout_text)
    head = _u32(number, layout, 0) + (_u32(0, number, layout) if output else b"")
    lists = [(0, _u64(*tensor.dims)), (1, _u64(*tensor.original))]
    if output and tensor.origin:
        lists.append((2, tensor.origin.encode()))
    tail = b"".join(_u32(mark, len(body)) + body for mark, body in lists)
    return head + _u64(tensor.address, 0, tensor.claimed) + _u32(len(tail)) + tail


def _u32(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(4, "little") for number in numbers)


def _u64(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(8, "little") for number in numbers)


def _encoded(array: NDArray[Any], kind: str | int) -> bytes:
    if kind == "bfloat16":
        bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
        return bytes(((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2").tobytes())
    if kind == "uint1":
        return bytes(np.packbits(array.astype(np.uint8).reshape(-1)).tobytes())
    if kind == "complex32":
        pairs = np.stack([array.real, array.imag], axis=-1)
        return bytes(pairs.astype("<f2").tobytes())
    if isinstance(kind, str) and kind in CODE_BITS:
        return _packed(array.astype(np.uint8).reshape(-1), CODE_BITS[kind])
    return bytes(np.ascontiguousarray(array).tobytes())


def _packed(codes: NDArray[np.uint8], bits: int) -> bytes:
    """The codes one behind the other, the lowest bits of a byte first."""
    single = np.unpackbits(codes[:, None], axis=1, bitorder="little")[:, :bits]
    return bytes(np.packbits(single.reshape(-1), bitorder="little").tobytes())
