"""Carriers of a layer's bias: the node itself, or an Add behind it."""

from collections.abc import Iterator

from errorflow.base.values import dataclass
from errorflow.graph.model import Graph, once
from errorflow.graph.order import run_order
from errorflow.quant.operators import PRODUCTS


@dataclass(frozen=True, slots=True)
class Carrier:
    """Carrier by the numbers of tensors: what is made once the bias is added, and how."""

    made: int
    # The node that adds it, and the input of that; the constant there is now, or -1.
    node: int
    place: int
    bias: int
    # What is multiplied, and by which constant; both under their own names.
    source: int
    weight: int
    # Along which axis the output has its channels, and how many those are.
    axis: int
    channels: int

    @property
    def is_own(self) -> bool:
        """The node that multiplies adds it as well."""
        return self.place == 2


@once
def carriers(graph: Graph) -> tuple[Carrier, ...]:
    """Finds all layers that multiply by a constant and add one, or could; in the order of running."""
    return tuple(_carriers(graph))


def _carriers(graph: Graph) -> Iterator[Carrier]:
    types, inputs, outputs = list(graph.op_types), graph.node_inputs.lists(), graph.node_outputs.lists()
    sources = _sources(graph, types, inputs, outputs)
    for node in run_order(graph).tolist():
        product = PRODUCTS.get(types[node])
        read = inputs[node]
        weight = -1 if product is None or len(read) <= product.weight else sources.get(read[product.weight], -1)
        if product is None or weight < 0 or read[0] in sources or graph.domains[node] not in ("", "ai.onnx"):
            continue
        shape = graph.weights.info(graph.tensor_names[weight]).shape
        if len(shape) < 2:
            continue
        axis = product.axis_of(graph.node(node)) % len(shape)
        groups = graph.attributes(node).get("group", 1) if types[node] == "ConvTranspose" else 1
        count = shape[axis] * (groups if isinstance(groups, int) else 1)
        if product.bias is not None:
            yield from _own(graph, node, read, sources, weight, 1, count)
        else:
            yield from _behind(graph, node, types, inputs, outputs, sources, weight, count)


def _own(
    graph: Graph, node: int, read: list[int], sources: dict[int, int], weight: int, axis: int, count: int
) -> Iterator[Carrier]:
    given = read[2] if len(read) > 2 else -1
    bias = sources.get(given, -1)
    if (given >= 0) != (bias >= 0) or graph.attributes(node).get("beta", 1.0) != 1.0:
        return
    shape = () if bias < 0 else graph.weights.info(graph.tensor_names[bias]).shape
    if bias < 0 or shape == (count,):
        yield Carrier(int(graph.node_outputs[node][0]), node, 2, bias, read[0], weight, axis, count)


def _behind(
    graph: Graph,
    node: int,
    types: list[str],
    inputs: list[list[int]],
    outputs: list[list[int]],
    sources: dict[int, int],
    weight: int,
    count: int,
) -> Iterator[Carrier]:
    """An Add of a constant is the only reader."""
    made = outputs[node][0]
    readers = graph.consumers[made].tolist()
    if len(readers) != 1 or types[readers[0]] != "Add" or made in graph.outputs.tolist():
        return
    (add,) = readers
    place = 1 - inputs[add].index(made)
    bias = sources.get(inputs[add][place], -1)
    if bias >= 0 and graph.weights.info(graph.tensor_names[bias]).shape[-1:] == (count,):
        yield Carrier(outputs[add][0], add, place, bias, inputs[node][0], weight, -1, count)


def _sources(graph: Graph, types: list[str], inputs: list[list[int]], outputs: list[list[int]]) -> dict[int, int]:
    """Maps any name of a constant to the constant."""
    found = {tensor: tensor for tensor in graph.constants.tolist()}
    for node in run_order(graph).tolist():
        if types[node] == "Constant":
            found |= {tensor: tensor for tensor in outputs[node]}
        elif types[node] == "Identity" and inputs[node][0] in found:
            found |= dict.fromkeys(outputs[node], found[inputs[node][0]])
    return found
