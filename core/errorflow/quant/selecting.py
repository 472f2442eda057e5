"""Nodes by their place in the graph and by what a rule says of them."""

import re
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import Ints
from errorflow.graph.model import Graph
from errorflow.graph.order import run_order
from errorflow.quant.plan import Rule

Bools = NDArray[np.bool_]


def chosen(graph: Graph, rule: Rule) -> Bools:
    """The nodes that the rule speaks of."""
    found = np.zeros(len(graph), bool)
    if rule.types:
        of_type = np.array([value in rule.types for value in graph.op_types.values], bool)
        found |= of_type[graph.op_types.codes]
    if rule.names:
        found |= _named(graph, rule.names)
    if rule.starts or rule.ends:
        found |= between(graph, _numbers(graph, rule.starts), _numbers(graph, rule.ends))
    return found


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


def _named(graph: Graph, names: Collection[str]) -> Bools:
    plain = frozenset(name for name in names if "*" not in name)
    patterns = [name for name in names if "*" in name]
    wild = re.compile("|".join(".*".join(map(re.escape, name.split("*"))) for name in patterns)) if patterns else None
    found = np.zeros(len(graph), bool)
    for node in range(len(graph)):
        keys = {graph.title(node), *_made(graph, node)} if not graph.node_names[node] else {graph.node_names[node]}
        found[node] = not plain.isdisjoint(keys) or (wild is not None and any(wild.fullmatch(key) for key in keys))
    return found


def _made(graph: Graph, node: int) -> list[str]:
    return [graph.tensor_names[tensor] for tensor in _there(graph.node_outputs[node]).tolist()]


def _numbers(graph: Graph, names: Iterable[str]) -> list[int]:
    return [number for number in map(graph.tensor_index, names) if number is not None]


def _there(tensors: Ints) -> Ints:
    return tensors[tensors >= 0]
