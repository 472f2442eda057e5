"""Reads the dump of one operator: its inputs and outputs as tensors `input:0`, `output:0` and so on."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from struct import Struct
from typing import Self

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, Progress, dataclass, field
from errorflow.base.files import Snapshot, Source
from errorflow.formats.format import Format
from errorflow.formats.ge_names import nano_dtype_name
from errorflow.formats.npu.header import (
    AGAIN,
    LENGTH_BYTES,
    MAX_HEAD,
    MAX_TENSORS,
    Blob,
    Head,
    NpuTensor,
    check_fit,
    laid_out,
    parse_head,
)
from errorflow.formats.npu.values import MAX_TENSOR, StoredValues, decode, form
from errorflow.formats.protobuf import fields
from errorflow.formats.wire import BYTES, VARINT
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Problem

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


LABEL = "NPU dump"


@dataclass(frozen=True, slots=True)
class NpuFile:
    """One dump file. Only its head is in memory; values are read when needed, and nothing stays open."""

    file: Snapshot
    version: str = ""
    dump_time: int = 0
    # As the compiler wrote it, with all its slashes and dots; "" in old files.
    op_name: str = ""
    inputs: tuple[NpuTensor, ...] = ()
    outputs: tuple[NpuTensor, ...] = ()
    buffers: tuple[Blob, ...] = ()
    spaces: tuple[Blob, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    label: str = LABEL

    @classmethod
    def of(cls, source: Source) -> Self:
        """The head of the file, checked against its size."""
        head = read_head(source)
        found = (_problem(tensor, source.name) for tensor in (*head.inputs, *head.outputs))
        return cls(
            Snapshot.of(source),
            head.version,
            head.dump_time,
            head.op_name,
            head.inputs,
            head.outputs,
            head.buffers,
            head.spaces,
            {} if head.attributes is None else head.attributes,
            tuple(problem for problem in found if problem),
        )

    def names(self) -> Sequence[str]:
        return tuple(tensor.name for tensor in (*self.inputs, *self.outputs))

    def tensor(self, name: str) -> NpuTensor:
        """Finds all that the head says of a tensor; a `KeyError` where there is none of that name."""
        side, _, index = name.rpartition(":")
        tensors = {"input": self.inputs, "output": self.outputs}[side]
        if not (index.isdecimal() and len(index) < 10 and int(index) < len(tensors)) or str(int(index)) != index:
            raise KeyError(name)
        return tensors[int(index)]

    def info(self, name: str) -> TensorInfo:
        return tensor_info(self.tensor(name))

    def read(self, name: str) -> NDArray[np.generic]:
        return NpuStored(self.file, self.tensor(name)).read()

    def stored(self, name: str) -> "NpuStored":
        return NpuStored(self.file, self.tensor(name))

    def blob(self, blob: Blob) -> bytes:
        """The bytes of a buffer or a workspace."""
        if blob.size > MAX_TENSOR:
            raise _too_large(self.file.path.name, "a buffer", blob.size)
        return self.file.read(blob.offset, blob.offset + blob.size)


@dataclass(frozen=True, slots=True)
class NpuStored:
    """One tensor of a dump file, by itself."""

    file: Snapshot
    tensor: NpuTensor
    # Under which its owner knows it, where that is not the name in the file.
    alias: str = ""

    @property
    def info(self) -> TensorInfo:
        return tensor_info(self.tensor, self.alias)

    @property
    def path(self) -> str:
        return str(self.file.path)

    def read(self) -> NDArray[np.generic]:
        what = f"{self.tensor.name} in {self.file.path.name}"
        wanted = readable(self.tensor, what)
        if wanted.nbytes == 0:
            return decode(b"", wanted)
        return decode(self.file.read(self.tensor.offset, self.tensor.offset + wanted.nbytes), wanted)


# Asked for again and again while a tensor is matched and measured.
@lru_cache(maxsize=1 << 16)
def tensor_info(tensor: NpuTensor, name: str = "") -> TensorInfo:
    """Describes a tensor without reading it; dimensions that cannot be are given as the file has them."""
    found = form(tensor.dtype, tensor.dims, tensor.size)
    return TensorInfo(
        name=name if name else tensor.name,
        dtype=found.dtype if found else tensor.dtype,
        shape=found.shape if found else tensor.dims,
        nbytes=found.nbytes if found and found.bits else tensor.size,
        layout=tensor.layout,
        original_shape=tensor.original_shape if tensor.original_shape else None,
        groups=max(tensor.sub_format, 1),
        address=tensor.address,
    )


def readable(tensor: NpuTensor, what: str) -> StoredValues:
    """Finds how to decode the tensor; a `FormatError` says why it cannot be."""
    found = form(tensor.dtype, tensor.dims, tensor.size)
    if found is None:
        raise FormatError(f"{what} claims a shape that no memory can hold.", AGAIN)
    if not found.bits:
        raise FormatError(
            f"{what} holds values of the type “{tensor.dtype}”, which are no numbers that are known here.",
            "Compare the other tensors, or convert this one with the vendor's tool.",
        )
    if found.nbytes > tensor.size:
        raise FormatError(f"{what} has {tensor.size:,} bytes, and its shape needs {found.nbytes:,}.", AGAIN)
    if max(found.nbytes, found.memory) > MAX_TENSOR:
        raise _too_large(what, "it", found.memory)
    return found


def read_head(source: Source) -> Head:
    """The head of either kind of dump."""
    if source.size <= LENGTH_BYTES:
        raise FormatError(f"{source.name} has {source.size} bytes, which is too few for a dump of an NPU.", AGAIN)
    length = int.from_bytes(source.head[:LENGTH_BYTES], "little")
    if length > source.size - LENGTH_BYTES:
        raise FormatError(f"{source.name} is cut off within its head, or it is no dump of an NPU.", AGAIN)
    if length > MAX_HEAD:
        raise FormatError(f"{source.name} has a head of {length:,} bytes; {MAX_HEAD:,} is the limit.", AGAIN)
    data = _head_bytes(source, length)
    if data.startswith(MAGIC):
        return parse_nano(data, source.size, source.name)
    head = parse_head(data, source.name)
    check_fit(head, source.size, source.name)
    return head


def _head_bytes(source: Source, length: int) -> bytes:
    end = LENGTH_BYTES + length
    return source.head[LENGTH_BYTES:end] if end <= len(source.head) else source.read(LENGTH_BYTES, length)


def _too_large(what: str, which: str, count: int) -> FormatError:
    return FormatError(
        f"{what} is too large: {which} takes {count:,} bytes, and {MAX_TENSOR:,} is the most that is read at once.",
        "Leave it out of the dump.",
    )


def _problem(tensor: NpuTensor, name: str) -> Problem | None:
    try:
        readable(tensor, f"{tensor.name} in {name}")
    except FormatError as error:
        return Problem(error.message, tensor.name)
    return None


def read_npu(source: Source, progress: Progress) -> NpuFile:
    """The head; the values are read when asked for."""
    progress.step(0, 1, source.name)
    return NpuFile.of(source)


NPU = Format(
    key="npu",
    label=LABEL,
    holds="tensors",
    extensions=(),
    claims=is_npu_dump,
    read=read_npu,
    obtain="An Ascend NPU writes one file per operator when acl.json has a `dump` block.",
)


# The other head: dumps of the small chips, which use no protobuf and number their types differently.
#
# Behind a mark and a version come inputs and outputs, each a count and then the tensors; a tensor is a row of fixed
# fields and a list of optional ones, of which each says its kind and length.

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
