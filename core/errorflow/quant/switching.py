"""Nodes put back to float, to other bits, or to what the plan says: another plan for each.

A plan's switches are its rules and single tensors; without them it is what was planned. They are kept short, so that
switching on and off again gives an equal plan, and what was found of it is found again: rules as the user said them
(types, ways from tensor to tensor, names with *) come first, and single nodes behind them, those that are switched
alike in one rule, in the order of the file.
"""

from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Literal

import numpy as np

from errorflow.base.values import dataclass, replace
from errorflow.graph.model import Graph, once
from errorflow.quant.operators import MOVING, WEIGHTED, flowing
from errorflow.quant.plan import FLOAT, PLANNED, Plan, Rule, Wish
from errorflow.quant.precision import Precision
from errorflow.quant.selecting import chosen, keys_of
from errorflow.quant.units import Units, units_of

Part = Literal["both", "activations", "weights"]
# Float, so many bits, or what is planned.
Switch = Literal["float", "plan", 4, 8, 16]
SWITCHES: tuple[Switch, ...] = (FLOAT, 16, 8, 4, PLANNED)
# Of activations and weights, what they are switched to.
Pair = tuple[Wish, Wish]
_AS_PLANNED: Pair = (PLANNED, PLANNED)

units = once(units_of)


def planned(plan: Plan) -> Plan:
    """Removes all switches from a plan."""
    return replace(plan, rules=(), tensors=())


def in_units(graph: Graph, nodes: Iterable[int]) -> tuple[int, ...]:
    """The nodes with all that they are switched together with."""
    found: Units = units(graph)
    wanted = dict.fromkeys(found.of[list(nodes)].tolist())
    return tuple(sorted(node for unit in wanted for node in found.nodes[unit].tolist()))


def switched(graph: Graph, plan: Plan, nodes: Collection[int], switch: Switch, part: Part = "both") -> Plan:
    """Switches these nodes, each by its name."""
    work = _Work(graph, plan)
    meant = work.worth(nodes, part)
    return work.put_together(work.said, work.changed(meant, switch, part))


def switched_where(graph: Graph, plan: Plan, where: Rule, switch: Switch, part: Part = "both") -> Plan:
    """Switches all nodes that `where` names, by a rule in the same words; its own wishes do not count."""
    work = _Work(graph, plan)
    if not _is_said(where):
        return switched(graph, plan, np.flatnonzero(chosen(graph, where)).tolist(), switch, part)
    wanted = work.changed(np.flatnonzero(chosen(graph, where)).tolist(), switch, part)
    rules, wish = [], work.wish(switch, part)
    before: Pair = ("keep", "keep")
    for rule in work.said:
        if _who(rule) == _who(where):
            before = _over(before, (rule.activations, rule.weights))
        else:
            rules.append(rule)
    rules.append(replace(where, activations=_over(before, wish)[0], weights=_over(before, wish)[1]))
    return work.put_together(rules, wanted)


def switched_tensors(plan: Plan, names: Iterable[str], switch: Switch) -> Plan:
    """Single tensors, which stand above all rules."""
    rest = dict(plan.tensors)
    for name in names:
        rest.pop(name, None)
        if switch != PLANNED:
            rest[name] = FLOAT if switch == FLOAT else plan.in_bits(int(switch))[0]
    return replace(plan, tensors=tuple(sorted(rest.items())))


def toggled(graph: Graph, plan: Plan, nodes: Collection[int]) -> Plan:
    """Puts nodes to float; or if all that counts of them is that, as planned."""
    known = dict(overrides(graph, plan))
    worth = _Work(graph, plan).worth(nodes, "both")
    is_float = bool(worth) and all(known.get(node) == (FLOAT, FLOAT) for node in worth)
    return switched(graph, plan, nodes, PLANNED if is_float else FLOAT)


def toggled_tensor(plan: Plan, name: str) -> Plan:
    is_float = dict(plan.tensors).get(name) == FLOAT
    return switched_tensors(plan, [name], PLANNED if is_float else FLOAT)


def overrides(graph: Graph, plan: Plan) -> list[tuple[int, Pair]]:
    """The nodes that are switched away from what is planned, and to what: "plan" where a part is not."""
    work = _Work(graph, plan)
    return [(node, pair) for node, pair in enumerate(work.total) if pair != _AS_PLANNED]


class _Work:
    def __init__(self, graph: Graph, plan: Plan) -> None:
        self._graph, self._plan = graph, plan
        self._facts = facts_of(graph)
        self.said = [rule for rule in plan.rules if _is_said(rule)]
        self.total = self._pairs(plan.rules)

    def worth(self, nodes: Collection[int], part: Part) -> list[int]:
        """Chooses the nodes that a switch says something of: others only fill the plan."""
        flows, weighted = self._facts.flows, self._facts.weighted
        if part == "weights":
            return [node for node in nodes if weighted[node]]
        flowing_ones = [node for node in nodes if flows[node]]
        return flowing_ones if flowing_ones else [node for node in nodes if not self._facts.constant[node]]

    def wish(self, switch: Switch, part: Part) -> Pair:
        both: Pair = (switch, switch) if isinstance(switch, str) else self._plan.in_bits(switch)
        return ("keep" if part == "weights" else both[0]), ("keep" if part == "activations" else both[1])

    def changed(self, nodes: Iterable[int], switch: Switch, part: Part) -> list[Pair]:
        """Finds the wishes of all nodes when these are switched."""
        found, wish = list(self.total), self.wish(switch, part)
        for node in nodes:
            found[node] = self._as_one(node, _over(found[node], wish))
        return found

    def put_together(self, said: Sequence[Rule], wanted: Sequence[Pair]) -> Plan:
        """The shortest rules that say what is wanted, of those that are given and of names."""
        rules = self._needed(said)
        known = self._pairs(rules)
        groups: dict[Pair, list[str]] = {}
        for node, (before, after) in enumerate(zip(known, wanted, strict=True)):
            if before == after:
                continue
            pair: Pair = tuple("keep" if old == new else new for old, new in zip(before, after, strict=True))  # type: ignore[assignment]  # two of them
            if not self._facts.weighted[node]:
                pair = after
            groups.setdefault(pair, []).append(keys_of(self._graph).best(node))
        named = [Rule(*pair, names=tuple(dict.fromkeys(names))) for pair, names in groups.items()]
        named.sort(key=lambda rule: (rule.text.rpartition("→")[2], rule.text))
        return replace(self._plan, rules=(*rules, *named))

    def _needed(self, said: Sequence[Rule]) -> list[Rule]:
        """Removes rules that change nothing."""
        rules = list(said)
        whole = self._pairs(rules)
        for rule in said:
            rest = [other for other in rules if other is not rule]
            if self._pairs(rest) == whole:
                rules = rest
        return rules

    def _pairs(self, rules: Iterable[Rule]) -> list[Pair]:
        found: list[Pair] = [_AS_PLANNED] * len(self._graph)
        for rule in rules:
            for node in np.flatnonzero(chosen(self._graph, rule)).tolist():
                found[node] = self._as_one(node, _over(found[node], (rule.activations, rule.weights)))
        return found

    def _as_one(self, node: int, pair: Pair) -> Pair:
        """Joins a pair: what is planned anyhow is no switch, and without weights their wish is that of the
        activations.
        """
        base, facts = self._plan, self._facts
        activations, weights = pair
        is_own = base.coded is None and facts.flows[node] and (base.types is None or facts.types[node] in base.types)
        if is_own and activations == base.activations and facts.types[node] not in MOVING:
            activations = PLANNED
        if is_own and weights == base.weights:
            weights = PLANNED
        if facts.weighted[node]:
            return activations, weights
        return activations, base.in_bits(activations.bits)[1] if isinstance(activations, Precision) else activations


@dataclass(frozen=True, eq=False)
class SwitchFacts:
    """Facts of each node of a graph that do not depend on any plan."""

    types: list[str]
    # Whether it can be quantized at all.
    flows: list[bool]
    # The constant that it multiplies by, if there is one; what else flows in, without constants; what it makes.
    weights: list[int | None]
    read: list[list[int]]
    made: list[list[int]]
    # Whether it makes nothing but constants.
    constant: list[bool]

    @cached_property
    def weighted(self) -> list[bool]:
        return [weight is not None for weight in self.weights]

    def tensors(self, node: int) -> set[int]:
        """Finds the tensors that a node computes with."""
        weight = self.weights[node]
        return {*self.read[node], *self.made[node], *(() if weight is None else (weight,))}


@once
def facts_of(graph: Graph) -> SwitchFacts:
    types = list(graph.op_types)
    made = [[tensor for tensor in row if tensor >= 0] for row in graph.node_outputs.lists()]
    inside = (row for kind, row in zip(types, made, strict=True) if kind == "Constant")
    constants = frozenset((*graph.constants.tolist(), *(tensor for row in inside for tensor in row)))
    flows, weights, read = [], [], []
    for node, inputs in zip(graph.nodes(), graph.node_inputs.lists(), strict=True):
        places, row = flowing(node), WEIGHTED.get(node.op_type)
        weight = inputs[row.weight] if row is not None and row.weight < len(inputs) else -1
        flows.append(bool(places))
        weights.append(weight if weight in constants else None)
        kept = [inputs[place] for place in places if place < len(inputs) and inputs[place] >= 0]
        read.append([tensor for tensor in kept if tensor not in constants])
    return SwitchFacts(types, flows, weights, read, made, [constants.issuperset(row) for row in made])


def _is_said(rule: Rule) -> bool:
    """Whether it says more than single nodes."""
    return bool(rule.types or rule.starts or rule.ends) or any("*" in name for name in rule.names)


def _who(rule: Rule) -> tuple[tuple[str, ...], ...]:
    return rule.types, rule.names, rule.starts, rule.ends


def _over(before: Pair, wish: Pair) -> Pair:
    return before[0] if wish[0] == "keep" else wish[0], before[1] if wish[1] == "keep" else wish[1]


# The switch of a node in a word, as pictures, lists and searches show it.


class Kept(IntEnum):
    """0: it is as planned."""

    FLOAT = 1
    BITS_16 = 2
    BITS_8 = 3
    BITS_4 = 4
    # Only its weights, only its activations, or each to something else.
    PART = 5

    @property
    def word(self) -> str:
        """Word on a mark, and in a search."""
        return {Kept.FLOAT: "float", Kept.PART: "part"}.get(self, str(_BITS.get(self, "")))

    @property
    def text(self) -> str:
        """Text in a legend."""
        if self in _BITS:
            return f"switched to {_BITS[self]} bits"
        return "kept in float" if self == Kept.FLOAT else "switched in part"


_BITS = {Kept.BITS_16: 16, Kept.BITS_8: 8, Kept.BITS_4: 4}
_OF_BITS = {bits: kept for kept, bits in _BITS.items()}


def kept_of(pair: Pair) -> Kept | None:
    """Finds the state; None: it is as planned."""
    activations, weights = pair
    if (activations, weights) == (PLANNED, PLANNED):
        return None
    if (activations, weights) == (FLOAT, FLOAT):
        return Kept.FLOAT
    if isinstance(activations, Precision) and isinstance(weights, Precision) and activations.bits == weights.bits:
        return _OF_BITS[activations.bits]
    return Kept.PART
