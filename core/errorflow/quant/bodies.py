"""Names of tensors in a graph of onnx, those in bodies of If, Loop and Scan included."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnx


def drop(field: Any, gone: Callable[[Any], bool]) -> None:
    """Takes messages out of a repeated field where they stand: weights are not copied."""
    for place in reversed(range(len(field))):
        if gone(field[place]):
            del field[place]


def reads_of(graph: "onnx.GraphProto") -> Iterator[str]:
    """Yields what nodes read or the graph gives, at whatever depth."""
    yield from (value.name for value in graph.output)
    for node in graph.node:
        yield from node.input
        for body in bodies_of(node):
            yield from reads_of(body)


def names_of(graph: "onnx.GraphProto") -> Iterator[str]:
    """Yields all names of tensors, at whatever depth."""
    for values in (graph.input, graph.output, graph.value_info, graph.initializer):
        yield from (value.name for value in values)
    yield from (tensor.values.name for tensor in graph.sparse_initializer)
    for node in graph.node:
        yield from (*node.input, *node.output)
        for body in bodies_of(node):
            yield from names_of(body)


def bodies_of(node: "onnx.NodeProto") -> "Iterator[onnx.GraphProto]":
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def rename_reads(node: "onnx.NodeProto", names: Mapping[str, str]) -> None:
    """Renames what the node and its bodies read, unless a body has a tensor of that name itself."""
    for place, name in enumerate(node.input):
        node.input[place] = names.get(name, name)
    for body in bodies_of(node):
        own = {value.name for value in (*body.input, *body.initializer)}
        own |= {name for inner in body.node for name in inner.output}
        rest = {name: target for name, target in names.items() if name not in own}
        for inner in body.node:
            rename_reads(inner, rest)
        for value in body.output:
            value.name = rest.get(value.name, value.name)
