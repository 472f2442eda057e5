"""Types of values in an ONNX file: element type and shape, also of sequences, maps and the like."""

from errorflow.formats.onnx.dtypes import dtype_name
from errorflow.formats.onnx.schema import TYPE, VALUE
from errorflow.formats.wire import BYTES, VARINT, Message, WireError, fields, signed, tag, text, varint
from errorflow.graph.model import Dim, Shape

MAX_DEPTH = 20
MAX_RANK = 1024
# How exporters write that a size is not known.
UNKNOWN = ("", "?")
Known = tuple[str, Shape]
_DIM = tag(1, BYTES)
_DIM_VALUE, _DIM_PARAM = tag(1, VARINT), tag(2, BYTES)
_ELEM_NUMBER, _ELEM_TYPE = tag(1, VARINT), tag(1, BYTES)
_SHAPE = tag(2, BYTES)
_MAP_KEY, _MAP_VALUE = tag(1, VARINT), tag(2, BYTES)


class TypeReader:
    """Decodes types; equal ones, of which a model has thousands, are decoded once."""

    def __init__(self) -> None:
        self._known: dict[bytes, Known] = {b"": ("", None)}

    def value_info(self, data: bytes, start: int, end: int) -> tuple[str, str, Shape]:
        """Name, element type and shape of a ValueInfoProto."""
        name, kind = b"", b""
        for key, begin, stop in fields(data, start, end):
            if key == VALUE.NAME:
                name = data[begin:stop]
            elif key == VALUE.TYPE:
                kind += data[begin:stop]  # given twice, messages merge
        dtype, shape = self.type(kind)
        return text(name), dtype, shape

    def type(self, data: bytes) -> Known:
        known = self._known.get(data)
        if known is None:
            known = self._known[data] = decode_type(data, MAX_DEPTH)
        return known


def decode_type(data: bytes, depth: int) -> Known:
    """Element type and shape of a TypeProto. What is no tensor has no shape, and a type such as `sequence(int64)`."""
    if not depth:
        raise WireError("types are nested too deeply")
    message = Message.of(data)
    for key, wrapping in _TENSORS.items():
        tensor = message.message(key)
        if tensor is not None:
            return wrapping.format(dtype_name(tensor.number(_ELEM_NUMBER))), _shape(tensor)
    for key, wrapping in _CONTAINERS.items():
        inner = message.message(key)
        if inner is not None:
            return wrapping.format(decode_type(inner.raw(_ELEM_TYPE), depth - 1)[0]), None
    return _rare(message, depth), None


_TENSORS = {TYPE.TENSOR: "{}", TYPE.SPARSE_TENSOR: "sparse({})"}
_CONTAINERS = {TYPE.SEQUENCE: "sequence({})", TYPE.OPTIONAL: "optional({})"}


def _rare(message: Message, depth: int) -> str:
    pair = message.message(TYPE.MAP)
    if pair is not None:
        value, _ = decode_type(pair.raw(_MAP_VALUE), depth - 1)
        return f"map({dtype_name(pair.number(_MAP_KEY))}, {value})"
    opaque = message.message(TYPE.OPAQUE)
    if opaque is not None:
        return f"opaque({opaque.text(tag(1))}, {opaque.text(tag(2))})"
    return ""


def _shape(tensor: Message) -> Shape:
    shape = tensor.message(_SHAPE)
    if shape is None:
        return None
    spans = shape.all(_DIM)
    if len(spans) > MAX_RANK:
        raise WireError(f"a shape has {len(spans):,} dimensions")
    return tuple(_dim(shape.data, start, stop) for start, stop in spans)


def _dim(data: bytes, start: int, stop: int) -> Dim:
    dim: Dim = None
    for key, begin, end in fields(data, start, stop):
        if key == _DIM_VALUE:
            value = signed(varint(data, begin)[0])
            dim = value if value >= 0 else None  # -1 is how some exporters write "unknown"
        elif key == _DIM_PARAM:
            name = text(data[begin:end])
            dim = name if name not in UNKNOWN else None
    return dim
