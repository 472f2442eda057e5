"""The attributes of nodes, decoded when asked for.

Beside the attributes proper, whose names have no dot, a node's mapping holds `metadata.<key>` for each of its
metadata entries (exporters leave module paths and source lines there), `node.doc_string` and `node.overload`.
"""

import struct
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, dataclass, field
from errorflow.base.arrays import Longs
from errorflow.formats.onnx.schema import ATTRIBUTE, GRAPH, NODE, SPARSE
from errorflow.formats.onnx.tensors import tensor_head, values
from errorflow.formats.onnx.value_types import MAX_DEPTH, decode_type
from errorflow.formats.wire import BYTES, FIXED32, VARINT, Message, Span, WireError, entries, fields, tag, text
from errorflow.graph.model import Shape

# Longer lists (tree ensembles have millions) are described, not spelled out.
MAX_LIST = 10_000
MAX_LIST_BYTES = 256 * 1024
MAX_TENSOR_VALUES = 256
METADATA_PREFIX = "metadata."


@dataclass(frozen=True, slots=True, eq=False)
class OnnxNodeAttributes:
    """Attributes of the nodes of one graph: `data[starts[i]:ends[i]]` is the message of node i."""

    data: bytes = field(repr=False)
    starts: Longs
    ends: Longs
    # What the graph notes about tensors and their quantization: by tensor, then by kind (SCALE_TENSOR …).
    annotations: Mapping[str, Mapping[str, str]]

    def __call__(self, node: int) -> Mapping[str, object]:
        found: dict[str, object] = {}
        try:
            for key, start, stop in fields(self.data, int(self.starts[node]), int(self.ends[node])):
                if key == NODE.ATTRIBUTE:
                    found.update(attribute(self.data, start, stop))
                elif key == NODE.METADATA:
                    pairs = entries([Message.of(self.data, start, stop)])
                    found.update((METADATA_PREFIX + name, value) for name, value in pairs.items())
                elif key in _TEXTS and stop > start:
                    found[_TEXTS[key]] = text(self.data[start:stop])
        except WireError as error:
            found["node.rest"] = BrokenValue(str(error))
        return found

    def metadata(self, key: str) -> dict[int, str]:
        """Reads one metadata entry of all nodes that have it: quick, also when there are a hundred thousand."""
        needle, data = key.encode(), self.data
        if needle not in data:
            return {}
        found: dict[int, str] = {}
        for node, span in enumerate(zip(self.starts.tolist(), self.ends.tolist(), strict=True)):
            if data.find(needle, *span) >= 0:
                for name, value in self._metadata(span).items():
                    if name == key:
                        found[node] = value
        return found

    def _metadata(self, span: Span) -> dict[str, str]:
        try:
            found = [(start, stop) for key, start, stop in fields(self.data, *span) if key == NODE.METADATA]
            return entries([Message.of(self.data, start, stop) for start, stop in found])
        except WireError:
            return {}  # the node's own mapping says what is wrong with it


_LISTS = {
    tag(ATTRIBUTE.FLOATS_NUMBER, FIXED32): "float32",
    tag(ATTRIBUTE.FLOATS_NUMBER, BYTES): "float32",
    tag(ATTRIBUTE.INTS_NUMBER, VARINT): "int64",
    tag(ATTRIBUTE.INTS_NUMBER, BYTES): "int64",
    ATTRIBUTE.STRINGS: "string",
}
_TEXTS = {NODE.DOC_STRING: "node.doc_string", NODE.OVERLOAD: "node.overload"}


def attribute(data: bytes, start: int, stop: int) -> dict[str, object]:
    """Name and value of one AttributeProto."""
    if stop - start > MAX_LIST_BYTES:
        long_list = _long_list(data, start, stop)
        if long_list:
            return long_list
    message = Message.of(data, start, stop)
    name = message.text(ATTRIBUTE.NAME)
    try:
        return {name: _value(message)}
    except (WireError, FormatError) as error:
        return {name: BrokenValue(str(error))}


def _long_list(data: bytes, start: int, stop: int) -> dict[str, object]:
    """A list of so many values that taking it apart would need far more memory than the file."""
    name = ""
    for key, begin, end in fields(data, start, stop):
        if key == ATTRIBUTE.NAME:
            name = text(data[begin:end])
        elif key in _LISTS:
            return {name: TensorValue(_LISTS[key], (None,))}
    return {}


def _value(message: Message) -> object:
    if ATTRIBUTE.REFERENCE in message:
        return AttributeReference(message.text(ATTRIBUTE.REFERENCE))
    kind = message.number(ATTRIBUTE.TYPE)
    if kind in _BY_TYPE:
        return _BY_TYPE[kind](message)
    for decode in (d for key, d in _BY_FIELD.items() if key in message):
        return decode(message)  # the first version of ONNX had no types
    return None


def _float(message: Message) -> float:
    return _shortest(message.raw(ATTRIBUTE.F)) if ATTRIBUTE.F in message else 0.0


def _shortest(stored: bytes) -> float:
    """The shortest decimal that is this float32: 0.1 and not 0.10000000149."""
    return float(str(np.float32(struct.unpack("<f", stored)[0])))


def _string(message: Message) -> object:
    if ATTRIBUTE.S not in message and ATTRIBUTE.T in message:
        return _tensor(message)  # too long to be kept
    return _readable(message.raw(ATTRIBUTE.S))


def _readable(stored: bytes) -> str | bytes:
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return stored


# Attribute values that are no plain number, text or tuple of such. Their `str` is what people are shown.


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A tensor as an attribute; `values` in row order when there are few, else None."""

    dtype: str
    shape: Shape
    values: tuple[object, ...] | None = None

    def __str__(self) -> str:
        dims = "?" if self.shape is None else "×".join("?" if dim is None else str(dim) for dim in self.shape)
        text = f"tensor {self.dtype} {dims if dims else 'scalar'}"
        if self.values is None:
            return text
        return f"{text}: {', '.join(str(value) for value in self.values)}"


@dataclass(frozen=True, slots=True)
class GraphValue:
    """A graph as an attribute; it is found among the subgraphs of the node."""

    name: str
    nodes: int

    def __str__(self) -> str:
        return f"graph {self.name} of {self.nodes:,} nodes".replace("  ", " ")


@dataclass(frozen=True, slots=True)
class AttributeReference:
    """Inside a function: the value of the attribute `name` with which the function is called."""

    name: str

    def __str__(self) -> str:
        return f"@{self.name}"


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as an attribute."""

    dtype: str
    shape: Shape

    def __str__(self) -> str:
        if self.shape is None:
            return self.dtype
        return f"{self.dtype}[{', '.join('?' if dim is None else str(dim) for dim in self.shape)}]"


@dataclass(frozen=True, slots=True)
class BrokenValue:
    """Stands where the file is broken."""

    reason: str

    def __str__(self) -> str:
        return f"unreadable: {self.reason}"


def _tensor(message: Message) -> TensorValue:
    spans = message.all(ATTRIBUTE.T)
    return tensor_value(message.data, spans[-1]) if spans else TensorValue("", None)


def tensor_value(data: bytes, span: Span) -> TensorValue:
    def read(start: int, stop: int) -> bytes:
        return data[start:stop]

    head = tensor_head(fields(data, *span), read)
    if head.stored_elsewhere or head.count > MAX_TENSOR_VALUES:
        return TensorValue(head.dtype, head.shape)
    return TensorValue(head.dtype, head.shape, _plain(values(head, read)))


def _plain(array: NDArray[np.generic]) -> tuple[object, ...]:
    """The values in row order, floats as their shortest decimals."""
    flat = array.ravel()
    if flat.dtype in (np.float16, np.float32):
        return tuple(float(str(value)) for value in flat)
    return tuple(flat.tolist())


def _sparse(data: bytes, span: Span) -> TensorValue:
    message = Message.of(data, *span)
    inner = message.all(SPARSE.VALUES)
    dtype = tensor_value(data, inner[-1]).dtype if inner else ""
    return TensorValue(f"sparse({dtype})", tuple(message.numbers(SPARSE.DIMS_NUMBER)))


def _graph(data: bytes, span: Span) -> GraphValue:
    message = Message.of(data, *span)
    return GraphValue(message.text(GRAPH.NAME), len(message.all(GRAPH.NODE)))


def _type(data: bytes, span: Span) -> TypeValue:
    return TypeValue(*decode_type(data[span[0] : span[1]], MAX_DEPTH))


def _one(key: int, decode: Callable[[bytes, Span], object]) -> Callable[[Message], object]:
    return lambda message: decode(message.data, message.all(key)[-1]) if key in message else None


def _many(key: int, decode: Callable[[bytes, Span], object]) -> Callable[[Message], object]:
    return lambda message: tuple(decode(message.data, span) for span in message.all(key))


def _floats(message: Message) -> object:
    stored = message.floats(ATTRIBUTE.FLOATS_NUMBER)
    if len(stored) > 4 * MAX_LIST:
        return TensorValue("float32", (len(stored) // 4,))
    return tuple(_shortest(stored[at : at + 4]) for at in range(0, len(stored), 4))


def _ints(message: Message) -> object:
    number = ATTRIBUTE.INTS_NUMBER
    count = len(message.all(tag(number, VARINT))) + sum(b - a for a, b in message.all(tag(number, BYTES)))
    if count > MAX_LIST:
        return TensorValue("int64", (count,))
    return tuple(message.numbers(number))


def _strings(message: Message) -> object:
    spans = message.all(ATTRIBUTE.STRINGS)
    if len(spans) > MAX_LIST:
        return TensorValue("string", (len(spans),))
    return tuple(_readable(message.data[start:stop]) for start, stop in spans)


Decode = Callable[[Message], object]
# By AttributeProto.AttributeType.
_BY_TYPE: dict[int, Decode] = {
    1: _float,
    2: lambda message: message.number(ATTRIBUTE.I),
    3: _string,
    4: _tensor,
    5: _one(ATTRIBUTE.G, _graph),
    6: _floats,
    7: _ints,
    8: _strings,
    9: _many(ATTRIBUTE.TENSORS, tensor_value),
    10: _many(ATTRIBUTE.GRAPHS, _graph),
    11: _one(ATTRIBUTE.SPARSE_TENSOR, _sparse),
    12: _many(ATTRIBUTE.SPARSE_TENSORS, _sparse),
    13: _one(ATTRIBUTE.TP, _type),
    14: _many(ATTRIBUTE.TYPE_PROTOS, _type),
}
_BY_FIELD: dict[int, Decode] = {
    ATTRIBUTE.F: _float,
    ATTRIBUTE.I: _BY_TYPE[2],
    ATTRIBUTE.S: _string,
    ATTRIBUTE.T: _tensor,
    ATTRIBUTE.G: _BY_TYPE[5],
    tag(ATTRIBUTE.FLOATS_NUMBER, FIXED32): _floats,
    tag(ATTRIBUTE.FLOATS_NUMBER, BYTES): _floats,
    tag(ATTRIBUTE.INTS_NUMBER, VARINT): _ints,
    tag(ATTRIBUTE.INTS_NUMBER, BYTES): _ints,
    ATTRIBUTE.STRINGS: _strings,
    ATTRIBUTE.TENSORS: _BY_TYPE[9],
    ATTRIBUTE.GRAPHS: _BY_TYPE[10],
}
