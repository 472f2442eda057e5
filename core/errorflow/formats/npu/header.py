"""Head of a dump file as plain data: where each tensor lies and how it is to be read.

A file is eight bytes of length, a head of that many bytes (protobuf, `toolkit.dumpdata.DumpData`), and then the bytes
of all inputs, outputs, buffers and spaces, one behind the other. Every number in the head is a claim: nothing is
believed that the file's size contradicts.
"""

from collections.abc import Mapping

from errorflow.base import FormatError, dataclass, replace
from errorflow.formats.ge_names import dtype_name, layout_name, layout_text
from errorflow.formats.wire import VARINT, Message, WireError, tag

LENGTH_BYTES = 8
# A head is a few hundred bytes per tensor.
MAX_HEAD = 16 * 1024 * 1024
MAX_TENSORS = 100_000
# Bytes of one shape: more than any rank that an array can have.
MAX_SHAPE = 2048
AGAIN = "Dump the operator again, or copy the file again."


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes of a file that are no tensor: a buffer or a workspace."""

    kind: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class NpuTensor:
    """One input or output of the operator, and where its bytes lie in the file."""

    side: str
    index: int
    # As `dtype_name` has it; "" where the file leaves it open.
    dtype: str
    # The layout's number; `layout_text` gives the name that the vendor's tools print.
    layout_number: int
    dims: tuple[int, ...]
    original_shape: tuple[int, ...]
    # The number of groups of a grouped convolution's weights, else 0 or 1.
    sub_format: int
    address: int
    offset: int
    size: int
    # The tensor of the original model that the compiler has named; "" where it has not.
    origin_name: str = ""
    origin_index: int = 0

    @property
    def name(self) -> str:
        return f"{self.side}:{self.index}"

    @property
    def layout(self) -> str:
        return layout_name(layout_text(self.layout_number))

    def at(self, offset: int) -> "NpuTensor":
        """The same at that place; all fields are written out, since `replace` takes four times as long."""
        return NpuTensor(
            self.side,
            self.index,
            self.dtype,
            self.layout_number,
            self.dims,
            self.original_shape,
            self.sub_format,
            self.address,
            offset,
            self.size,
            self.origin_name,
            self.origin_index,
        )


@dataclass(frozen=True, slots=True)
class Head:
    """The whole head."""

    version: str = ""
    dump_time: int = 0
    op_name: str = ""
    inputs: tuple[NpuTensor, ...] = ()
    outputs: tuple[NpuTensor, ...] = ()
    buffers: tuple[Blob, ...] = ()
    spaces: tuple[Blob, ...] = ()
    attributes: Mapping[str, str] | None = None

    @property
    def end(self) -> int:
        """The first byte behind all that the head speaks of; the last one laid out ends last."""
        laid: tuple[NpuTensor | Blob, ...] = (*self.inputs, *self.outputs, *self.buffers, *self.spaces)
        return laid[-1].offset + laid[-1].size if laid else 0


_VERSION, _TIME, _OUTPUT, _INPUT, _BUFFER, _OP_NAME, _ATTRIBUTE, _SPACE = (
    *(tag(1), tag(2, VARINT), tag(3), tag(4), tag(5), tag(6), tag(7), tag(8)),
)


@dataclass(frozen=True, slots=True)
class _Fields:
    """The field numbers of a tensor's message, which differ between inputs and outputs."""

    size: int
    original_shape: int
    sub_format: int
    address: int


_INPUT_FIELDS = _Fields(size=5, original_shape=6, sub_format=7, address=8)
_OUTPUT_FIELDS = _Fields(size=6, original_shape=7, sub_format=8, address=9)


def parse_head(data: bytes, name: str) -> Head:
    """The head of the file `name`, with every blob laid out behind it; a broken one is a `FormatError`."""
    try:
        message = Message.of(data)
        count = sum(len(message.all(key)) for key in (_OUTPUT, _INPUT, _BUFFER, _SPACE, _ATTRIBUTE))
        if count > MAX_TENSORS:
            raise FormatError(f"{name} lists {count:,} tensors; {MAX_TENSORS:,} is the limit.", AGAIN)
        head = Head(
            message.text(_VERSION),
            message.number(_TIME) % (1 << 64),
            message.text(_OP_NAME),
            tuple(_tensor(item, "input", at, _INPUT_FIELDS) for at, item in enumerate(message.messages(_INPUT))),
            tuple(_tensor(item, "output", at, _OUTPUT_FIELDS) for at, item in enumerate(message.messages(_OUTPUT))),
            tuple(_blob(item) for item in message.messages(_BUFFER)),
            tuple(_blob(item) for item in message.messages(_SPACE)),
            {item.text(tag(1)): item.text(tag(2)) for item in message.messages(_ATTRIBUTE)},
        )
    except WireError as error:
        raise FormatError(f"The head of {name} is broken: {error}.", AGAIN) from error
    return laid_out(head, LENGTH_BYTES + len(data))


def laid_out(head: Head, start: int) -> Head:
    """The same with the place of each blob, the first at `start`."""
    at = start

    def placed(size: int) -> int:
        nonlocal at
        at += size
        return at - size

    return replace(
        head,
        inputs=tuple(tensor.at(placed(tensor.size)) for tensor in head.inputs),
        outputs=tuple(tensor.at(placed(tensor.size)) for tensor in head.outputs),
        buffers=tuple(replace(blob, offset=placed(blob.size)) for blob in head.buffers),
        spaces=tuple(replace(blob, offset=placed(blob.size)) for blob in head.spaces),
    )


def check_fit(head: Head, size: int, name: str) -> None:
    """Refuse a head that speaks of more bytes than the file has."""
    if head.end > size:
        raise FormatError(f"{name} is cut off: {head.end - size:,} bytes that its head speaks of are missing.", AGAIN)


def _tensor(message: Message, side: str, index: int, fields: _Fields) -> NpuTensor:
    origin = message.message(tag(4)) if side == "output" else None
    return NpuTensor(
        side=side,
        index=index,
        dtype=dtype_name(message.number(tag(1, VARINT))),
        layout_number=message.number(tag(2, VARINT)),
        dims=_shape(message, 3),
        original_shape=_shape(message, fields.original_shape),
        sub_format=message.number(tag(fields.sub_format, VARINT)),
        address=_unsigned(message, fields.address),
        offset=0,
        size=_unsigned(message, fields.size),
        origin_name=origin.text(tag(1)) if origin else "",
        origin_index=origin.number(tag(2, VARINT)) if origin else 0,
    )


def _blob(message: Message) -> Blob:
    return Blob(message.number(tag(1, VARINT)), 0, _unsigned(message, 3))


def _shape(message: Message, field: int) -> tuple[int, ...]:
    shape = message.message(tag(field))
    if shape and shape.end - shape.start > MAX_SHAPE:
        raise WireError("a shape has dimensions without end")
    return tuple(dim % (1 << 64) for dim in shape.numbers(1)) if shape else ()


def _unsigned(message: Message, field: int) -> int:
    return message.number(tag(field, VARINT)) % (1 << 64)
