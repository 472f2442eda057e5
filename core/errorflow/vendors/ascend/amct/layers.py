"""Layers that AMCT quantizes, and what it can be told of each."""

from collections.abc import Callable

from errorflow.base.values import dataclass, replace
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import Decision, LeftOut, Want
from errorflow.report.toolchains.wanting import MOVED, NO_NAME, left_out, moves, names_of, single_tensors, wants_of

TYPES = ("Conv", "ConvTranspose", "Gemm", "MatMul", "AveragePool")
_WEIGHTED = frozenset(TYPES) - {"AveragePool"}
BASE = preset("amct").plan
ACTIVATIONS, WEIGHTS = Precision("int8"), Precision("int8", symmetric=True, per_channel=True)
# What data may have; weights have 8 bits.
BITS = (8, 16)
_ONE_KIND = "AMCT quantizes data and weights of a layer, or neither."


@dataclass(frozen=True, slots=True)
class Layers:
    """Layers by node: float, or the codes of data and weights as AMCT has them; what it cannot have is in
    `left_out`.
    """

    wants: dict[int, Want]
    names: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]

    @property
    def named(self) -> dict[str, Want]:
        return {self.names[node]: want for node, want in self.wants.items() if self.names[node]}


def is_layer(graph: Graph, node: int) -> bool:
    """Whether AMCT would quantize it; a product of two flowing matrices it would not."""
    facts = facts_of(graph)
    kind = facts.types[node]
    return kind in TYPES and facts.flows[node] and (kind not in _WEIGHTED or facts.weights[node] is not None)


def layers_of(decision: Decision, by_name: bool = True) -> Layers:
    """`by_name`: a layer that is not named is not quantized."""
    graph, names = decision.graph, names_of(decision.graph)
    found: dict[int, Want] = {}
    lost, uneven = single_tensors(decision), 0
    for node, want in wants_of(decision).items():
        if not is_layer(graph, node):
            if not want.is_float:
                kind = graph.op_types[node]
                what = f"{kind} without constant weights" if kind in TYPES else kind
                why = MOVED if moves(graph, node) else f"AMCT does not quantize {what}."
                lost.append(left_out(graph, node, why, FLOAT))
            continue
        made, why = _made(want)
        if by_name and not names[node]:
            made, why = Want(FLOAT, None if want.weights is None else FLOAT), "" if want.is_float else NO_NAME
        found[node] = made
        uneven += isinstance(want.weights, Precision) and not want.weights.symmetric and not made.is_float
        if why:
            lost.append(left_out(graph, node, why, made.text))
    notes = ["Layers go by the names of nodes, as in the ONNX file that AMCT is given."]
    if uneven:
        notes.append(f"AMCT's weights have no offset: those of {uneven:,} layers are symmetric there.")
    return Layers(found, names, tuple(lost), tuple(notes))


def wants_read(graph: Graph, want_of: Callable[[int], Want]) -> dict[int, Want]:
    """Reads what a file says of each layer; what AMCT cannot quantize is in float, of whatever type it is."""
    kinds = facts_of(graph).types
    found = {node: Want(FLOAT) for node, kind in enumerate(kinds) if kind in TYPES and not is_layer(graph, node)}
    return found | {node: want_of(node) for node in range(len(graph)) if is_layer(graph, node)}


def _made(want: Want) -> tuple[Want, str]:
    """The nearest that AMCT has, and why it is not the same; "": it is."""
    data, weights = want.activations, want.weights
    none = Want(FLOAT, None if weights is None else FLOAT)
    if not isinstance(data, Precision):
        return none, "" if want.is_float else _ONE_KIND
    if weights is not None and not isinstance(weights, Precision):
        return none, _ONE_KIND
    bits = data.bits if data.bits in BITS else 8
    why = "" if bits == data.bits else f"AMCT has no data of {data.bits} bits."
    made = replace(ACTIVATIONS, dtype=f"int{bits}", symmetric=data.symmetric)
    if weights is None:
        return Want(made), why
    if weights.bits != WEIGHTS.bits:
        why = f"AMCT's weights have 8 bits, not {weights.bits}."
    return Want(made, replace(WEIGHTS, per_channel=weights.per_channel)), why
