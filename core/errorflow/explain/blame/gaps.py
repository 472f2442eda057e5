"""Where nobody measured what a node reads: the node, or what stands before it, brings what is seen behind it."""

import re
from collections.abc import Iterable, Mapping

import numpy as np

from errorflow.base.language import joined, say
from errorflow.explain.blame.model import Blame, Evidence, Floats
from errorflow.graph.unit import unit, unit_title

# Of what stands before a node: so much is looked at, and so many are named one by one.
MOST, NAMED = 64, 3
# In the notes of nodes that were run once more, see `errorflow.explain.blame.exact`.
_TOGETHER = re.compile(r"\bjudged together with\b")
# Nodes that were not measured, and inputs of the model that were not, between a node and what was measured before it.
Gap = tuple[list[int], list[int]]


def gaps_of(blame: Blame, evidence: Evidence, nodes: Iterable[int]) -> dict[int, Gap]:
    """For those of the nodes that are not the only suspects."""
    found = ((node, _before(blame, evidence, node)) for node in nodes)
    return {node: gap for node, gap in found if any(gap)}


def _before(blame: Blame, evidence: Evidence, node: int) -> Gap:
    graph, slots = blame.graph, evidence.slots
    nodes: dict[str, int] = {}
    inputs: dict[int, None] = {}
    if blame.exact[node] and not _TOGETHER.search(blame.notes.get(node, "")):
        return [], []
    fed = frozenset(graph.inputs.tolist()) - evidence.rounded
    waiting, seen = [node], {node}
    while waiting and len(seen) < MOST:
        reader = waiting.pop()
        here = range(*np.searchsorted(slots.readers, [reader, reader + 1]).tolist())
        for tensor in (int(slots.tensors[slot]) for slot in here if slots.open[slot] and not slots.constant[slot]):
            maker = int(graph.producers[tensor])
            if maker < 0 and tensor in fed:
                inputs[tensor] = None
            if maker >= 0 and maker not in seen:
                seen.add(maker)
                waiting.append(maker)
                if maker not in evidence.passive and unit(graph, maker) != unit(graph, node):
                    nodes.setdefault(unit(graph, maker) or graph.title(maker), maker)
    return sorted(nodes.values()), list(inputs)


def spread(parts: Floats, gaps: Mapping[int, Gap]) -> tuple[Floats, dict[int, float]]:
    """The parts of nodes, and of inputs, with all suspects of a gap alike: none of them was measured alone."""
    found, inputs = parts.copy(), dict[int, float]()
    for node, (nodes, tensors) in gaps.items():
        each = parts[node] / (1 + len(nodes) + len(tensors))
        found[node] += each - parts[node]
        found[nodes] += each
        inputs |= {tensor: inputs.get(tensor, 0.0) + each for tensor in tensors}
    return found, inputs


def suspects(blame: Blame, node: int, gaps: Mapping[int, Gap], *, short: bool = False) -> str:
    """Who it may be, in words."""
    graph = blame.graph
    if node not in gaps:
        return (short and unit(graph, node)) or unit_title(graph, node)
    nodes, tensors = gaps[node]
    last = unit_title(graph, node)
    inputs = [say("the input {}", graph.tensor_names[tensor]) for tensor in tensors[:NAMED]]
    if len(nodes) >= NAMED:
        return joined(" or ", [*inputs, say("a node between {} and {}", unit_title(graph, nodes[0]), last)])
    return say("{} or {}", joined(", ", [*inputs, *(unit_title(graph, each) for each in nodes)]), last)
