"""Builds a `Graph` from a GraphProto or FunctionProto in a slim model."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from errorflow.base.files import Snapshot
from errorflow.base.progress import Progress
from errorflow.formats.onnx.attributes import NodeAttributes
from errorflow.formats.onnx.external import location
from errorflow.formats.onnx.index import Parts
from errorflow.formats.onnx.schema import ATTRIBUTE, FUNCTION, GRAPH, NODE, SPARSE
from errorflow.formats.onnx.slim import MAX_DEPTH, marked_span
from errorflow.formats.onnx.tensors import TensorHead, tensor_head
from errorflow.formats.onnx.value_types import Known, TypeReader
from errorflow.formats.onnx.weights import GraphWeights
from errorflow.formats.wire import BEYOND, Message, Span, WireError, entries, fields, header, tag, text
from errorflow.graph.build import EXAMPLES, GraphBuilder
from errorflow.graph.model import Graph, Problem, Subgraph

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
class Reading:
    """What all graphs of one model share while they are built."""

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


def read_graph(reading: Reading, parts: Parts, around: Around = nothing_around, depth: int = MAX_DEPTH) -> Graph:
    """The graph of these parts; `around` knows the tensors of the graphs around it."""
    if not depth:
        raise WireError("graphs are nested too deeply")
    reading.count_graph()
    return _GraphReader(reading, parts, GRAPH.NODE, around, depth).graph()


def read_function(reading: Reading, span: Span) -> Graph:
    """The body of a function; its inputs and outputs have names, seldom types."""
    reading.count_graph()
    parts = Parts.of(reading.data, [span], reading.progress)
    return _GraphReader(reading, parts, FUNCTION.NODE, nothing_around, MAX_DEPTH).function()


class _GraphReader:
    def __init__(self, reading: Reading, parts: Parts, node_tag: int, around: Around, depth: int) -> None:
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
        builder.attributes = NodeAttributes(self._data, *self._parts.arrays(self._node_tag), self._annotations())
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
                parts = Parts.of(self._data, [body], self._reading.progress)
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
