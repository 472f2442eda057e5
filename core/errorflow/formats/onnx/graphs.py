"""Builds a `Graph` from a GraphProto or FunctionProto in a slim model."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, Progress, dataclass, field
from errorflow.base.arrays import Longs, is_possible
from errorflow.base.files import Snapshot
from errorflow.formats.onnx.attributes import OnnxNodeAttributes
from errorflow.formats.onnx.external import location, read_external
from errorflow.formats.onnx.index import FieldIndex
from errorflow.formats.onnx.schema import ATTRIBUTE, FUNCTION, GRAPH, NODE, SPARSE
from errorflow.formats.onnx.slim import MAX_DEPTH, marked_span
from errorflow.formats.onnx.tensors import (
    EXPORT_AGAIN,
    MAX_TENSOR_BYTES,
    Read,
    TensorHead,
    checked_type,
    from_bytes,
    tensor_head,
    values,
)
from errorflow.formats.onnx.value_types import Known, TypeReader
from errorflow.formats.onnx.window import OnnxWindow
from errorflow.formats.wire import BEYOND, Message, Span, WireError, entries, fields, header, tag, text
from errorflow.graph.build import EXAMPLES, GraphBuilder
from errorflow.graph.model import Graph, Problem, Subgraph, Weight

STEP_EVERY = 1024
MAX_GRAPHS = 20_000
BODIES = frozenset(("If", "Loop", "Scan"))
# The fields of a node, which are most of what is read; a size from `_LONG` on takes more than one byte.
_INPUT, _OUTPUT, _NAMES = NODE.INPUT, NODE.OUTPUT, frozenset((NODE.OP_TYPE, NODE.DOMAIN, NODE.NAME))
_SHORT, _LONG = frozenset((_INPUT, _OUTPUT, NODE.ATTRIBUTE, *_NAMES)), 0x80
# An attribute's type as it is written when it is a graph (5) or several (10).
_GRAPH_TYPE = re.compile(rb"\xa0\x01[\x05\x0a]")
# Type and shape of a tensor of the graphs around, None where there is none of that name.
Around = Callable[[str], Known | None]


def nothing_around(name: str) -> Known | None:  # noqa: ARG001 - the signature of `Around`
    return None


@dataclass(slots=True)
class ModelReading:
    """State that all graphs of one model share while they are built."""

    data: bytes
    file: Snapshot
    progress: Progress
    types: TypeReader = field(default_factory=TypeReader)
    # Files beside the model that hold values.
    locations: set[str] = field(default_factory=set)
    # Inputs that have a default value, which may be given at a run all the same.
    optional_inputs: list[str] = field(default_factory=list)
    graphs: int = 0

    def count_graph(self) -> None:
        """Each takes ten times the memory that it needs to take in the file."""
        self.graphs += 1
        if self.graphs > MAX_GRAPHS:
            raise WireError(f"it holds more than {MAX_GRAPHS:,} graphs")


def read_graph(
    reading: ModelReading, parts: FieldIndex, around: Around = nothing_around, depth: int = MAX_DEPTH
) -> Graph:
    """The graph of these parts; `around` knows the tensors of the graphs around it."""
    if not depth:
        raise WireError("graphs are nested too deeply")
    reading.count_graph()
    return _GraphReader(reading, parts, GRAPH.NODE, around, depth).graph()


def read_function(reading: ModelReading, span: Span) -> Graph:
    """The body of a function; its inputs and outputs have names, seldom types."""
    reading.count_graph()
    parts = FieldIndex.of(reading.data, [span], reading.progress)
    return _GraphReader(reading, parts, FUNCTION.NODE, nothing_around, MAX_DEPTH).function()


class _GraphReader:
    def __init__(self, reading: ModelReading, parts: FieldIndex, node_tag: int, around: Around, depth: int) -> None:
        self._reading = reading
        self._data = reading.data
        self._parts = parts
        self._node_tag = node_tag
        self._around = around
        # What a body makes itself; the rest it may take from around.
        self._made: set[str] = set()
        self._depth = depth
        self._builder = GraphBuilder()
        # What Constant nodes make, and the nodes.
        self._constants: dict[str, Span] = {}
        # Nodes that have graphs among their attributes.
        self._owners: list[tuple[int, Span]] = []

    def graph(self) -> Graph:
        builder, parts = self._builder, self._parts
        builder.name = "".join(text(self._data[start:end]) for start, end in list(parts.spans(GRAPH.NAME))[-1:])
        dense = [self._initializer(*row) for row in enumerate(parts.spans(GRAPH.INITIALIZER))]
        sparse = {self._sparse(span): span for span in parts.spans(GRAPH.SPARSE_INITIALIZER)}
        self._inputs({*dense, *sparse})
        for name in (*dense, *sparse):
            builder.constant(name)
        self._note_twice(dense)
        self._nodes()
        for span in parts.spans(GRAPH.OUTPUT):
            builder.output(self._value_info(*span))
        self._value_infos(GRAPH.VALUE_INFO)
        starts, ends = parts.arrays(GRAPH.INITIALIZER)
        file, names = self._reading.file, tuple(dense)
        builder.weights = GraphWeights(self._data, file, names, starts, ends, sparse, self._constants)
        return self._finish()

    def function(self) -> Graph:
        builder, parts = self._builder, self._parts
        for start, end in parts.spans(FUNCTION.INPUT):
            builder.input(text(self._data[start:end]))
        self._nodes()
        for start, end in parts.spans(FUNCTION.OUTPUT):
            builder.output(text(self._data[start:end]))
        self._value_infos(FUNCTION.VALUE_INFO)
        nothing = parts.arrays(0)
        builder.weights = GraphWeights(self._data, self._reading.file, (), *nothing, {}, self._constants)
        return self._finish()

    def _finish(self) -> Graph:
        builder = self._builder
        builder.attributes = OnnxNodeAttributes(self._data, *self._parts.arrays(self._node_tag), self._annotations())
        self._see_outside()
        for owner, span in self._owners:
            builder.subgraphs += self._bodies(owner, span)
        return builder.build()

    def _inputs(self, constants: set[str]) -> None:
        for span in self._parts.spans(GRAPH.INPUT):
            name = self._value_info(*span)
            if name in constants:
                self._reading.optional_inputs.append(name)
            else:
                self._builder.input(name)
            self._made.add(name)
        self._made |= constants

    def _value_info(self, start: int, end: int) -> str:
        name, dtype, shape = self._reading.types.value_info(self._data, start, end)
        self._builder.tensor(name, dtype, shape)
        return name

    def _value_infos(self, key: int) -> None:
        """Types of inner tensors; those of tensors that are nowhere would only confuse."""
        builder, data, types = self._builder, self._data, self._reading.types
        for count, (start, end) in enumerate(self._parts.spans(key)):
            if not count % STEP_EVERY:
                self._reading.progress.step(0, 0, "Reading shapes")
            name, dtype, shape = types.value_info(data, start, end)
            if builder.type_of(name) is not None:
                builder.tensor(name, dtype, shape)

    def _initializer(self, index: int, span: Span) -> str:
        if not index % STEP_EVERY:
            self._reading.progress.step(0, 0, "Reading the graph")
        head = self._head(span)
        self._builder.tensor(head.name, head.dtype, head.shape)
        return head.name

    def _sparse(self, span: Span) -> str:
        message = Message.of(self._data, *span)
        inner = message.all(SPARSE.VALUES)
        head = self._head(inner[-1]) if inner else TensorHead()
        self._builder.tensor(head.name, head.dtype, tuple(message.numbers(SPARSE.DIMS_NUMBER)))
        return head.name

    def _head(self, span: Span) -> TensorHead:
        data = self._data
        head = tensor_head(fields(data, *span), lambda start, stop: data[start:stop])
        if head.stored_elsewhere and marked_span(head.external) is None:
            self._reading.locations.add(location(head.external))
        return head

    def _nodes(self) -> None:
        builder, data, constants = self._builder, self._data, self._constants
        in_body = self._around is not nothing_around
        for index, (start, end) in enumerate(self._parts.spans(self._node_tag)):
            if not index % STEP_EVERY:
                total = self._parts.count(self._node_tag)
                self._reading.progress.step(index, total, "Reading the graph")
            op_type, domain, name, inputs, outputs = node_names(data, start, end)
            builder.node(op_type, inputs, outputs, name, domain)
            if in_body:
                self._made.update(outputs)
            if op_type == "Constant" and outputs:
                constants[outputs[0]] = (start, end)
            elif op_type in BODIES or _GRAPH_TYPE.search(data, start, end):
                self._owners.append((index, (start, end)))

    def _bodies(self, owner: int, span: Span) -> Iterator[Subgraph]:
        for key, start, end in fields(self._data, *span):
            if key != NODE.ATTRIBUTE:
                continue
            role, graphs = _attribute_graphs(self._data, start, end)
            for number, body in enumerate(graphs):
                parts = FieldIndex.of(self._data, [body], self._reading.progress)
                graph = read_graph(self._reading, parts, self._type_of, self._depth - 1)
                yield Subgraph(owner, role if len(graphs) == 1 else f"{role}[{number}]", graph)

    def _type_of(self, name: str) -> Known | None:
        known = self._builder.type_of(name)
        return self._around(name) if known is None else known

    def _see_outside(self) -> None:
        """Tells the builder which tensors come from the graphs around this one, and what is known of them."""
        if self._around is nothing_around:
            return
        seen: list[str] = []
        for name in set(self._builder.tensor_names()) - self._made:
            known, said = self._around(name), self._builder.type_of(name)
            if known is not None and said is not None:
                self._builder.tensor(name, "" if said[0] else known[0], known[1] if said[1] is None else None)
                seen.append(name)
        self._builder.seen_from_outside(seen)

    def _annotations(self) -> dict[str, dict[str, str]]:
        found = (Message.of(self._data, *span) for span in self._parts.spans(GRAPH.QUANTIZATION))
        if self._node_tag != GRAPH.NODE:
            return {}
        return {message.text(tag(1)): entries(message.messages(tag(2))) for message in found}

    def _note_twice(self, names: Sequence[str]) -> None:
        if len(set(names)) != len(names):
            twice = [name for name, count in Counter(names).items() if count > 1]
            what = f"{len(twice)} initializers are given more than once: {', '.join(twice[:EXAMPLES])}."
            self._builder.problems.append(Problem(what, self._builder.name))


def node_names(data: bytes, pos: int, end: int) -> tuple[str, str, str, list[str], list[str]]:
    """Type, domain, name, inputs and outputs of a NodeProto; the rest is skipped."""
    inputs: list[str] = []
    outputs: list[str] = []
    names: dict[int, str] = {}
    while pos < end:
        key, size = data[pos], data[pos + 1] if pos + 1 < end else _LONG
        if size < _LONG and key in _SHORT:  # nearly all are, and a call for each takes as long as all the rest
            pos += 2
            stop = pos + size
        else:
            key, pos, stop = header(data, pos)
        if stop > end:
            raise WireError(BEYOND)
        if key == _INPUT:
            inputs.append(text(data[pos:stop]))
        elif key == _OUTPUT:
            outputs.append(text(data[pos:stop]))
        elif key in _NAMES:
            names[key] = text(data[pos:stop])
        pos = stop
    return names.get(NODE.OP_TYPE, ""), names.get(NODE.DOMAIN, ""), names.get(NODE.NAME, ""), inputs, outputs


def _attribute_graphs(data: bytes, start: int, end: int) -> tuple[str, list[Span]]:
    """Name of an attribute and where its graphs lie."""
    name = ""
    graphs: list[Span] = []
    for key, begin, stop in fields(data, start, end):
        if key == ATTRIBUTE.NAME:
            name = text(data[begin:stop])
        elif key in (ATTRIBUTE.G, ATTRIBUTE.GRAPHS):
            graphs.append((begin, stop))
        elif key >> 3 in (ATTRIBUTE.FLOATS_NUMBER, ATTRIBUTE.INTS_NUMBER):
            break
    return name, graphs


# The constants of one graph: what they are is known at once, their values are read one tensor at a time.

Array = NDArray[np.generic]


# What a Constant node makes, from whichever of its attributes says so.

VALUE, SPARSE_VALUE = "value", "sparse_value"
_HOLDERS = {VALUE: ATTRIBUTE.T, SPARSE_VALUE: ATTRIBUTE.SPARSE_TENSOR}


@dataclass(frozen=True, slots=True)
class Readers:
    """Readers that turn a TensorProto and a SparseTensorProto into arrays."""

    tensor: Callable[[Span], Array]
    sparse: Callable[[Span], Array]


def constant_value(data: bytes, node: Span, readers: Readers) -> Array:
    """The value of the Constant node at `node`, read-only."""
    message = _holder(data, node)
    name = message.text(ATTRIBUTE.NAME)
    if name == VALUE:
        return readers.tensor(message.all(ATTRIBUTE.T)[-1])
    if name == SPARSE_VALUE:
        return readers.sparse(message.all(ATTRIBUTE.SPARSE_TENSOR)[-1])
    value = _PLAIN[name](message)
    value.flags.writeable = False
    return value


def constant_tensor(data: bytes, node: Span) -> Span | None:
    """Finds where the tensor of a Constant node lies; None where its value is written otherwise."""
    message = _holder(data, node)
    return message.all(ATTRIBUTE.T)[-1] if message.text(ATTRIBUTE.NAME) == VALUE else None


def _holder(data: bytes, node: Span) -> Message:
    """The attribute that holds the value."""
    for key, start, stop in fields(data, *node):
        if key == NODE.ATTRIBUTE:
            message = Message.of(data, start, stop)
            if _HOLDERS.get(message.text(ATTRIBUTE.NAME), -1) in message or message.text(ATTRIBUTE.NAME) in _PLAIN:
                return message
    raise WireError("the Constant node holds no value")


def _floats(message: Message) -> Array:
    return np.frombuffer(message.floats(ATTRIBUTE.FLOATS_NUMBER), "<f4").copy()


def _float(message: Message) -> Array:
    stored = message.raw(ATTRIBUTE.F)
    return np.frombuffer(stored if stored else bytes(4), "<f4").reshape(()).copy()


def _string(message: Message) -> Array:
    if ATTRIBUTE.S not in message and ATTRIBUTE.T in message:
        raise WireError("a text is too long to be kept")
    return np.array(message.text(ATTRIBUTE.S), object)


_PLAIN: dict[str, Callable[[Message], Array]] = {
    "value_float": _float,
    "value_floats": _floats,
    "value_int": lambda message: np.array(message.number(ATTRIBUTE.I), np.int64),
    "value_ints": lambda message: np.array(message.numbers(ATTRIBUTE.INTS_NUMBER), np.int64),
    "value_string": _string,
    "value_strings": lambda message: np.array(message.texts(ATTRIBUTE.STRINGS), object),
}


def dense(name: str, dims: list[int], values: Array, indices: Array) -> Array:
    """The full array, read-only: zeros but where `indices` says."""
    itemsize = values.dtype.itemsize
    if not is_possible(dims, itemsize) or prod(dims) * itemsize > MAX_TENSOR_BYTES:
        raise FormatError(f"The sparse tensor {name} is too large to be filled with zeros.", EXPORT_AGAIN)
    flat = np.zeros(prod(dims), values.dtype)
    places = _places(name, dims, indices)
    if len(places) != values.size or (len(places) and not 0 <= places.min() <= places.max() < flat.size):
        raise FormatError(f"The sparse tensor {name} has indices that do not fit its values.", EXPORT_AGAIN)
    flat[places] = values.ravel()
    full = flat.reshape(dims)
    full.flags.writeable = False
    return full


def _places(name: str, dims: list[int], indices: Array) -> NDArray[np.int64]:
    """Positions in row order, from positions or from coordinates."""
    if indices.dtype.kind not in "iu":
        raise FormatError(f"The sparse tensor {name} has indices that are no whole numbers.", EXPORT_AGAIN)
    table = indices.astype(np.int64)
    if table.ndim < 2:
        return table.ravel()
    if table.ndim > 2 or table.shape[1] != len(dims) or bool((table < 0).any() or (table >= dims).any()):
        raise FormatError(f"The sparse tensor {name} has indices outside of its shape.", EXPORT_AGAIN)
    strides = np.array([prod(dims[axis + 1 :]) for axis in range(len(dims))], np.int64)
    return table @ strides


@dataclass(frozen=True, eq=False)
class GraphWeights:
    """Initializers by name; `info` and `read` also answer for what Constant nodes make.

    `data` is the slim model and the spans are messages in it: TensorProto, SparseTensorProto, and for what a Constant
    node makes its NodeProto.
    """

    data: bytes = field(repr=False)
    file: Snapshot
    dense_names: tuple[str, ...]
    starts: Longs
    ends: Longs
    sparse: Mapping[str, Span]
    constants: Mapping[str, Span]

    def names(self) -> Sequence[str]:
        return (*self.dense_names, *self.sparse)

    def info(self, name: str) -> Weight:
        try:
            return self._info(name)
        except WireError as error:
            raise _broken(name, error) from error

    def read(self, name: str) -> Array:
        """The values, read-only; a sparse tensor is filled up with zeros."""
        try:
            return self._read(name)
        except WireError as error:
            raise _broken(name, error) from error

    def _info(self, name: str) -> Weight:
        if name in self.sparse:
            message = Message.of(self.data, *self.sparse[name])
            head = self._head(_part(message, SPARSE.VALUES))
            return Weight(name, head.dtype, tuple(message.numbers(SPARSE.DIMS_NUMBER)), head.nbytes)
        span = self._rows[name] if name in self._rows else constant_tensor(self.data, self.constants[name])
        if span is None:
            array = self._read(name)
            return Weight(name, "string" if array.dtype == object else str(array.dtype), array.shape, array.nbytes)
        head = self._head(span)
        outside = head.stored_elsewhere and marked_span(head.external) is None
        return Weight(name, head.dtype, head.shape, head.nbytes, location(head.external) if outside else "")

    def _read(self, name: str) -> Array:
        if name in self.sparse:
            return self._sparse(self.sparse[name])
        if name in self._rows:
            return self._tensor(self._rows[name])
        return constant_value(self.data, self.constants[name], Readers(self._tensor, self._sparse))

    def _head(self, span: Span) -> TensorHead:
        return tensor_head(fields(self.data, *span), self._slice)

    def _tensor(self, span: Span) -> Array:
        head = self._head(span)
        mark = marked_span(head.external)
        if mark is None:
            return self._values(head, self._slice)
        with self.file.open() as source:
            window = OnnxWindow(source)
            return self._values(tensor_head(window.fields(*mark), window.copy), window.copy)

    def _sparse(self, span: Span) -> Array:
        message = Message.of(self.data, *span)
        parts = _part(message, SPARSE.VALUES), _part(message, SPARSE.INDICES)
        name = self._head(parts[0]).name
        return dense(name, message.numbers(SPARSE.DIMS_NUMBER), self._tensor(parts[0]), self._tensor(parts[1]))

    def _values(self, head: TensorHead, read: Read) -> Array:
        if head.stored_elsewhere:
            checked_type(head)  # before anything large is read
            return from_bytes(head, read_external(self.file.path, head))
        return values(head, read)

    def _slice(self, start: int, stop: int) -> bytes:
        return self.data[start:stop]

    @cached_property
    def _rows(self) -> dict[str, Span]:
        spans = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return dict(zip(self.dense_names, spans, strict=True))


def _part(message: Message, key: int) -> Span:
    spans = message.all(key)
    if not spans:
        raise WireError("a sparse tensor lacks its values or indices")
    return spans[-1]


def _broken(name: str, error: Exception) -> FormatError:
    return FormatError(f"The tensor {name} is broken: {error}.", EXPORT_AGAIN)
