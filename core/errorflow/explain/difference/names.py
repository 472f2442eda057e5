"""Partners by what is written down: recorded origins, names of operators and of tensors, compared tensors."""

import re
from collections import Counter
from collections.abc import Iterator

from errorflow.compare.match.model import Match
from errorflow.explain.difference.operators import CONVERSIONS, work_of
from errorflow.explain.difference.work import Found
from errorflow.graph.model import Graph

# A name that so many pairs of nodes share says nothing.
CROWD = 4096
_END = re.compile(r"(?P<node>.+)[.:](?:(?:input|output):)?\d{1,6}")


def by_origins(found: Found) -> None:
    """Nodes that hold the same original operators. Where a compiler recorded nothing, a node is its own original."""
    there, here = _originals(found.reference), _originals(found.candidate)
    for name in here.keys() & there.keys():
        theirs, mine = there[name], here[name]
        if len(theirs) * len(mine) > CROWD:
            continue
        for reference in theirs:
            for candidate in mine:
                _add_by_origin(found, reference, candidate)


def _add_by_origin(found: Found, reference: int, candidate: int) -> None:
    recorded = found.reference.origins[reference] is not None or found.candidate.origins[candidate] is not None
    if recorded:
        found.add(reference, candidate, "origin")
    elif _same_work(found, reference, candidate):
        found.add(reference, candidate, "own-name")


def _same_work(found: Found, reference: int, candidate: int) -> bool:
    """Names are sometimes numbers that are given anew."""
    return work_of(found.reference.op_types[reference]) == work_of(found.candidate.op_types[candidate])


def _originals(graph: Graph) -> dict[str, list[int]]:
    originals: dict[str, list[int]] = {}
    for node, (name, names) in enumerate(zip(graph.node_names, graph.origins, strict=True)):
        for original in (name,) if names is None else names:
            if original:
                originals.setdefault(original, []).append(node)
    return originals


def by_tensors(found: Found) -> None:
    """Free nodes that make a tensor of the same name, or one that is recorded to stand for the other's."""
    for tensor, origin in found.candidate.tensor_origins.items():
        candidate = int(found.candidate.producers[tensor])
        reference = found.reference.node_index(origin.name)
        if candidate >= 0 and reference is not None and found.are_free(reference, candidate):
            found.add(reference, candidate, "tensor-name")
    converts = {code for code, value in enumerate(found.candidate.op_types.values) if value in CONVERSIONS}
    types = found.candidate.op_types.codes
    theirs = dict(_makers(found.reference))
    for name, candidate in _makers(found.candidate):
        reference = theirs.get(name)
        if reference is not None and types[candidate] not in converts and found.are_free(reference, candidate):
            found.add(reference, candidate, "tensor-name")


def _makers(graph: Graph) -> Iterator[tuple[str, int]]:
    producers = graph.producers.tolist()
    return ((name, node) for name, node in zip(graph.tensor_names, producers, strict=True) if node >= 0 and name)


def by_match(found: Found, match: Match) -> None:
    """Free nodes whose tensors were brought together for measuring."""
    for pair in match.pairs:
        if pair.reference is None or pair.candidate is None:
            continue
        candidate = _node(found.candidate, pair.node if pair.node else pair.tensor)
        reference = _node(found.reference, pair.reference.info.name)
        if candidate is not None and reference is not None and found.are_free(reference, candidate):
            found.add(reference, candidate, "pair")


def _node(graph: Graph, name: str) -> int | None:
    """The operator of that name, or that makes the tensor of that name."""
    tensor = graph.tensor_index(name)
    if tensor is not None and graph.producers[tensor] >= 0:
        return int(graph.producers[tensor])
    end = _END.fullmatch(name)
    node = graph.node_index(name)
    return graph.node_index(end["node"]) if node is None and end is not None else node


def by_equal_names(found: Found) -> None:
    """Free nodes of the same name that do different work: the last word on names, if each has its name for itself."""
    theirs, mine = Counter(found.reference.node_names), Counter(found.candidate.node_names)
    for candidate, name in enumerate(found.candidate.node_names):
        if name and theirs[name] == 1 and mine[name] == 1 and found.candidate.origins[candidate] is None:
            reference = found.reference.node_index(name)
            if reference is not None and found.are_free(reference, candidate):
                found.add(reference, candidate, "own-name")
