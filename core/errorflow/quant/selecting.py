"""Nodes by their place in the graph and by what a rule says of them."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph, once
from errorflow.graph.order import run_order
from errorflow.quant.plan import Plan, Rule

Bools = NDArray[np.bool_]
# Of a name so many characters are told.
_TOLD = 100


def chosen(graph: Graph, rule: Rule) -> Bools:
    """The nodes that the rule speaks of."""
    found = np.zeros(len(graph), bool)
    if rule.types:
        of_type = np.array([value in rule.types for value in graph.op_types.values], bool)
        found |= of_type[graph.op_types.codes]
    if rule.names:
        found |= _named(graph, rule.names)
    if rule.starts or rule.ends:
        found |= _on_the_way(graph, rule)
    return found


def _on_the_way(graph: Graph, rule: Rule) -> Bools:
    """Marks the nodes on the way; where a side is named and the graph has no such tensor, none on that side is
    meant.
    """
    starts, ends = _numbers(graph, rule.starts), _numbers(graph, rule.ends)
    if (rule.starts and not starts) or (rule.ends and not ends):
        return np.zeros(len(graph), bool)
    return between(graph, starts, ends)


def between(graph: Graph, starts: Collection[int], ends: Collection[int]) -> Bools:
    """The nodes on the way from the tensors `starts` to the tensors `ends`; without one of them, all on that side."""
    found = np.ones(len(graph), bool)
    if starts:
        found &= behind(graph, starts)
    if ends:
        found &= before(graph, ends)
    return found


def behind(graph: Graph, tensors: Iterable[int]) -> Bools:
    """The nodes that one of the tensors flows into, over others too."""
    reached = np.zeros(len(graph.tensor_names), bool)
    reached[list(tensors)] = True
    found = np.zeros(len(graph), bool)
    for node in run_order(graph).tolist():
        found[node] = reached[_there(graph.node_inputs[node])].any()
        reached[_there(graph.node_outputs[node])] |= found[node]
    return found


def before(graph: Graph, tensors: Iterable[int]) -> Bools:
    """The nodes without which one of the tensors would not be."""
    wanted = np.zeros(len(graph.tensor_names), bool)
    wanted[list(tensors)] = True
    found = np.zeros(len(graph), bool)
    for node in run_order(graph)[::-1].tolist():
        found[node] = wanted[_there(graph.node_outputs[node])].any()
        wanted[_there(graph.node_inputs[node])] |= found[node]
    return found


def unheard(plan: Plan, graph: Graph) -> Iterator[str]:
    """Sentences on rules and single tensors of a plan that mean nothing in the graph, and so change nothing."""
    for rule in plan.rules:
        if not chosen(graph, rule).any():
            yield f"The plan has a rule that means no node of the model: {rule.text[:_TOLD]}."
    for kind, named in (("sets", plan.tensors), ("codes", plan.coded)):
        lost = [name for name, _ in named or () if graph.tensor_index(name) is None]
        if lost:
            more = f" and {len(lost) - 1:,} more" if len(lost) > 1 else ""
            yield f"The plan {kind} {lost[0][:_TOLD]}{more}, which the model does not have."


@dataclass(frozen=True, eq=False)
class NodeKeys:
    """Keys by which nodes of one graph can be named."""

    # By node: who has no name of its own goes by what it makes too, and without any by its title.
    of: list[list[str]]

    @cached_property
    def nodes(self) -> Mapping[str, list[int]]:
        """Nodes by name: several may have one name."""
        found: dict[str, list[int]] = {}
        for node, keys in enumerate(self.of):
            for key in keys:
                found.setdefault(key, []).append(node)
        return found

    def best(self, node: int) -> str:
        """The one that means the fewest others; * would stand for anything."""
        first, *others = self.of[node]
        return min((*others, first), key=lambda key: ("*" in key, len(self.nodes[key])))


@once
def keys_of(graph: Graph) -> NodeKeys:
    names = list(graph.node_names)
    shared = Counter(names)
    return NodeKeys(
        [
            [name]
            if name and shared[name] == 1 and "*" not in name
            else list(dict.fromkeys((graph.title(node), *_made(graph, node))))
            for node, name in enumerate(names)
        ]
    )


def _named(graph: Graph, names: Collection[str]) -> Bools:
    keys = keys_of(graph).nodes
    found = np.zeros(len(graph), bool)
    for name in names:
        if "*" not in name:
            found[keys.get(name, [])] = True
            continue
        wild = re.compile(".*".join(map(re.escape, name.split("*"))), re.DOTALL)
        for key, nodes in keys.items():
            if wild.fullmatch(key):
                found[nodes] = True
    return found


def _made(graph: Graph, node: int) -> list[str]:
    return [graph.tensor_names[tensor] for tensor in _there(graph.node_outputs[node]).tolist()]


def _numbers(graph: Graph, names: Iterable[str]) -> list[int]:
    return [number for number in map(graph.tensor_index, names) if number is not None]


def _there(tensors: Ints) -> Ints:
    return tensors[tensors >= 0]
