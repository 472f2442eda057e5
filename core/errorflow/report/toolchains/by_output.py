"""Float by the tensors that nodes make, for toolchains that know layers by these."""

from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.switching import facts_of
from errorflow.report.toolchains.model import Decision, LeftOut, Want
from errorflow.report.toolchains.wanting import MOVED, left_out, moves, plan_of, single_tensors, wants_of

BASE = preset("onnxruntime-x86").plan
_BASE = Plan(BASE.activations, BASE.weights)


@dataclass(frozen=True, slots=True)
class Floats:
    """Nodes that stay in float, and what cannot be told of others."""

    nodes: tuple[int, ...]
    left_out: tuple[LeftOut, ...]


def floats_of(decision: Decision, who: str, nearest: str) -> Floats:
    """`nearest` is a shorter float, which stands for more bits and for a part of a node in float."""
    graph, nodes = decision.graph, []
    lost = single_tensors(decision)
    for node, want in wants_of(decision).items():
        if want.is_float:
            nodes.append(node)
            continue
        why = MOVED if moves(graph, node) else _why(want, who)
        if why == MOVED:
            lost.append(left_out(graph, node, why))
        elif why:
            lost.append(left_out(graph, node, why, nearest))
            nodes.append(node)
    return Floats(tuple(nodes), tuple(lost))


def _why(want: Want, who: str) -> str:
    if FLOAT in (want.activations, want.weights):
        return f"{who} keeps all of a layer in float, or nothing."
    bits = {wish.bits for wish in (want.activations, want.weights) if isinstance(wish, Precision)}
    return "" if bits == {8} else f"{who} has codes of 8 bits only."


def plan_from(graph: Graph, nodes: set[int]) -> Plan:
    """Plans all in 8 bits but these."""
    facts = facts_of(graph)
    moving = [node for node in nodes if moves(graph, node)]
    wants = {node: Want(FLOAT, FLOAT if facts.weighted[node] else None) for node in nodes if facts.flows[node]}
    return plan_of(graph, _BASE, wants, moving)


def made_by(graph: Graph, node: int) -> str:
    """The first tensor that it makes."""
    made = facts_of(graph).made[node]
    return graph.tensor_names[made[0]] if made else ""
