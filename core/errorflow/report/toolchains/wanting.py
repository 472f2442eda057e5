"""Wishes of plans for single nodes, which is what most toolchains are told."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.quant.operators import MOVING, PRODUCTS
from errorflow.quant.plan import FLOAT, Plan, Rule
from errorflow.quant.precision import Precision
from errorflow.quant.presets import preset
from errorflow.quant.selecting import keys_of
from errorflow.quant.steps import CorrectBiases, Equalize, Smooth, remaking
from errorflow.quant.switching import facts_of, overrides
from errorflow.report.toolchains.model import Decision, LeftOut, Want, Wished

Wants = Mapping[int, Want]
NO_NAME = "It has no name of its own, by which the target could be told of it."
MOVED = "It only moves values, and takes the type of those that read it."
STEP = "It changes the model itself, which the target is not told: export the QDQ model, or let the target do it."
_STEPS = {Equalize: "Equalize layers", Smooth: "Smooth outliers", CorrectBiases: "Correct biases"}
TENSOR = "The target is told of nodes, and this is a single tensor."


def wants_of(decision: Decision) -> dict[int, Want]:
    """Finds by node what is wanted of it. One that only moves values is named only where it was switched."""
    graph, facts = decision.graph, facts_of(decision.graph)
    switched = dict(overrides(graph, decision.plan))
    found: dict[int, Want] = {}
    for node, (activations, weights) in enumerate(decision.assigned.wishes):
        kind = facts.types[node]
        if not facts.flows[node] or facts.constant[node] or (kind in MOVING and node not in switched):
            continue
        has_weights = kind in PRODUCTS and facts.weights[node] is not None
        found[node] = Want(_wished(activations), _wished(weights) if has_weights else None)
    return found


def _wished(wish: Wished | None) -> Wished:
    return wish if isinstance(wish, Precision) else FLOAT


def moves(graph: Graph, node: int) -> bool:
    return facts_of(graph).types[node] in MOVING


def names_of(graph: Graph) -> tuple[str, ...]:
    """Finds by node its name; "" where it has none, or shares it with another one."""
    names = list(graph.node_names)
    counts = Counter(names)
    return tuple(name if counts[name] == 1 else "" for name in names)


def left_out(graph: Graph, node: int, why: str, instead: str = "") -> LeftOut:
    return LeftOut(graph.title(node), why, instead, node)


def single_tensors(decision: Decision) -> list[LeftOut]:
    """Lists those that the plan sets apart, and its steps, for a target that knows nodes only."""
    return [*(LeftOut(name, TENSOR) for name, _ in decision.plan.tensors), *untold_steps(decision)]


def changers(decision: Decision) -> str:
    """The steps that change the model, in words."""
    return " and ".join(_STEPS[type(step)] for step in remaking(decision.plan.steps))


def untold_steps(decision: Decision, told: Collection[type] = ()) -> list[LeftOut]:
    """Lists what the plan does to the model before it is quantized, but for what the target does itself."""
    return [LeftOut(_STEPS[type(step)], STEP) for step in decision.plan.steps if type(step) not in told]


def plan_of(graph: Graph, base: Plan, wants: Wants, moving: Collection[int] = ()) -> Plan:
    """The base with a rule for all that want the same and something else than it says; `moving` may be among them."""
    facts = facts_of(graph)
    groups: dict[tuple[Wished, Wished], list[int]] = {}
    for node, want in sorted(wants.items()):
        kind = facts.types[node]
        if not facts.flows[node] or (kind in MOVING and node not in moving):
            continue
        pair = want.activations, _weights(base, want)
        is_planned = base.types is None or kind in base.types
        planned = (base.activations, base.weights) if is_planned else (FLOAT, FLOAT)
        same = pair[0] == planned[0] and (want.weights is None or pair[1] == planned[1])
        if not same or (kind in MOVING and node in moving):
            groups.setdefault(pair, []).append(node)
    rules = [Rule(*pair, names=best_names(graph, nodes)) for pair, nodes in groups.items()]
    rules.sort(key=lambda rule: (rule.text.rpartition("→")[2], rule.text))
    return replace(base, rules=(*base.rules, *rules))


def _weights(base: Plan, want: Want) -> Wished:
    if want.weights is not None:
        return want.weights
    wish = want.activations
    return base.in_bits(wish.bits)[1] if isinstance(wish, Precision) else FLOAT


def best_names(graph: Graph, nodes: Iterable[int]) -> tuple[str, ...]:
    keys = keys_of(graph)
    return tuple(dict.fromkeys(keys.best(node) for node in nodes))


def in_graph(graph: Graph, names: Iterable[str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Nodes by name, and the names that the graph does not have, as notes."""
    known = {name: node for node, name in enumerate(graph.node_names) if name}
    asked = list(dict.fromkeys(names))
    lost = [name for name in asked if name not in known]
    notes = (f"{len(lost):,} of {len(asked):,} names are not in the model: {lost[0][:80]} …",) if lost else ()
    return {name: known[name] for name in asked if name in known}, notes


# Float by the tensors that nodes make, for toolchains that know layers by these.

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
