"""What a plan leaves in float or in 16 bits: what better numbers are paid with."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import prod

from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.operators import PRODUCTS
from errorflow.quant.precision import Precision

_WIDE, _FLOAT = 16, 32


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts of tensors that flow and of weights, each with those in float and in 16 bits."""

    tensors: int
    float_tensors: int
    wide_tensors: int
    weights: int
    float_weights: int
    wide_weights: int
    weight_bytes: int


def cost_of(graph: Graph, assigned: Assigned, flowing: Collection[str], left: Collection[str] = ()) -> Cost:
    """`flowing`: names of the tensors that count; `left`: those that were to be coded and are not."""
    tensors = [bits for name in flowing if (bits := _bits_of(graph, assigned, name, left)) is not None]
    weights = [
        (_bits(None if tensor not in assigned.constants else assigned.constants[tensor].precision), tensor)
        for tensor in weights_of(graph)
    ]
    return Cost(
        len(tensors),
        tensors.count(_FLOAT),
        tensors.count(_WIDE),
        len(weights),
        sum(bits == _FLOAT for bits, _ in weights),
        sum(bits == _WIDE for bits, _ in weights),
        sum(bits * _elements(graph, tensor) for bits, tensor in weights) // 8,
    )


def weights_of(graph: Graph) -> tuple[int, ...]:
    """The constants that are multiplied by what flows, each once."""
    return tuple(dict.fromkeys(_weights(graph)))


def _weights(graph: Graph) -> Iterator[int]:
    constants = frozenset(graph.constants.tolist())
    for node in range(len(graph)):
        weighted = PRODUCTS.get(graph.op_types[node])
        inputs = graph.node_inputs[node].tolist()
        if weighted is not None and weighted.weight < len(inputs) and inputs[weighted.weight] in constants:
            yield inputs[weighted.weight]


def _bits_of(graph: Graph, assigned: Assigned, name: str, left: Collection[str]) -> int | None:
    """None: there is no such tensor."""
    number = graph.tensor_index(name)
    if number is None:
        return None
    return _FLOAT if name in left else _bits(assigned.activations.get(number))


def _bits(precision: Precision | None) -> int:
    return _FLOAT if precision is None else precision.bits


def _elements(graph: Graph, tensor: int) -> int:
    shape = graph.shapes[tensor]
    return 0 if shape is None else prod(dim for dim in shape if isinstance(dim, int))
