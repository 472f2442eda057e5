"""The differences of two graphs as rows: for the list in the window, for the command line and for CSV alike."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.compare.match.rules import Rule
from errorflow.explain.difference.changes import Change, Changes
from errorflow.explain.difference.model import KINDS, Group, Kind, Links
from errorflow.explain.difference.operators import CONVERSIONS
from errorflow.graph.model import Graph

_STEP = 2000


@dataclass(frozen=True, slots=True)
class Difference:
    """Nodes are numbers in their graphs; one of the sides is empty for what was inserted or removed."""

    kind: Kind
    reference: tuple[int, ...]
    candidate: tuple[int, ...]
    changes: tuple[Change, ...] = ()
    # What brought them together; None: nothing is there to be brought together.
    rule: Rule | None = None
    # Why a node stands alone, in a word or two.
    reason: str = ""

    @property
    def certain(self) -> bool:
        return self.rule is None or self.rule.certain


@dataclass(frozen=True, eq=False)
class Differences:
    """All rows, what differs in structure first, and how many nodes stayed as they are."""

    links: Links
    rows: tuple[Difference, ...]
    same: int

    @property
    def counts(self) -> dict[Kind, int]:
        """Rows of each kind."""
        found = Counter(row.kind for row in self.rows)
        return {kind: found[kind] for kind in KINDS}

    def types(self, row: Difference) -> tuple[str, str]:
        """Operator types of both sides."""
        return _types(self.links.reference, row.reference), _types(self.links.candidate, row.candidate)

    def names(self, row: Difference) -> tuple[str, str]:
        return _names(self.links.reference, row.reference), _names(self.links.candidate, row.candidate)

    def what(self, row: Difference) -> str:
        """What happened, in a line."""
        if row.changes:
            return ", ".join(change.text for change in row.changes)
        return row.reason if row.reason else KINDS[row.kind].why


def differences(links: Links, progress: Progress = SILENT) -> Differences:
    """Compares all that is linked, and lists what is not."""
    changed, same = _changed(links, progress)
    groups = sorted((_of_group(links, group) for group in links.groups), key=lambda row: list(KINDS).index(row.kind))
    rows = (*groups, *changed, *_inserted(links), *_removed(links))
    return Differences(links, rows, same)


def _changed(links: Links, progress: Progress) -> tuple[list[Difference], int]:
    changes, found = Changes(links), []
    ours, others = (column.tolist() for column in links.pairs)
    for number, (reference, candidate) in enumerate(zip(ours, others, strict=True)):
        if number % _STEP == 0:
            progress.step(number, len(ours), "Comparing nodes")
        differ = changes.of(reference, candidate)
        if differ:
            rule = links.rule(reference, candidate)
            found.append(Difference("changed", (reference,), (candidate,), differ, rule))
    return found, len(ours) - len(found)


def _of_group(links: Links, group: Group) -> Difference:
    rules = [rule for r in group.reference for c in group.candidate if (rule := links.rule(r, c)) is not None]
    weakest = next((rule for rule in rules if not rule.certain), rules[0])
    return Difference(group.kind, group.reference, group.candidate, (), weakest)


def _inserted(links: Links) -> Iterator[Difference]:
    types = links.candidate.op_types
    for node in np.flatnonzero(links.unmatched("candidate")).tolist():
        purpose = CONVERSIONS.get(types[node])
        reason = {"quantization": "quantization", "type": "change of type", "layout": "change of layout"}
        yield Difference("inserted", (), (node,), reason="added" if purpose is None else reason[purpose])


def _removed(links: Links) -> Iterator[Difference]:
    graph = links.reference
    lonely = np.flatnonzero(links.unmatched("reference")).tolist()
    constant, dead = (constants(graph), dead_ends(graph)) if lonely else (None, None)
    for node in lonely:
        folded = constant is not None and bool(constant[node])
        reason = "constant folded" if folded else "read by nobody" if dead is not None and dead[node] else "left out"
        yield Difference("removed", (node,), (), reason=reason)


def constants(graph: Graph) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """For each node whether no input of the graph can change what it makes."""
    return ~_reached(graph, _readers(graph, graph.inputs.tolist()), forwards=True)


def dead_ends(graph: Graph) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """For each node whether no output of the graph depends on it."""
    makers = [int(graph.producers[tensor]) for tensor in graph.outputs.tolist()]
    ends = [n for n, value in enumerate(graph.op_types) if value == "NetOutput"]
    return ~_reached(graph, [maker for maker in (*makers, *ends) if maker >= 0], forwards=False)


def _readers(graph: Graph, tensors: list[int]) -> list[int]:
    entries = [n for n, value in enumerate(graph.op_types) if value == "Data"]
    return [*entries, *(reader for tensor in tensors for reader in graph.consumers[tensor].tolist())]


def _reached(graph: Graph, seeds: list[int], forwards: bool) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    starts, ends, _ = graph.edges
    near: dict[int, list[int]] = {}
    for one, other in zip(starts.tolist(), ends.tolist(), strict=True):
        near.setdefault(one if forwards else other, []).append(other if forwards else one)
    reached = np.zeros(len(graph), bool)
    fresh = list(dict.fromkeys(seeds))
    reached[fresh] = True
    while fresh:
        node = fresh.pop()
        for other in near.get(node, ()):
            if not reached[other]:
                reached[other] = True
                fresh.append(other)
    return reached


def _types(graph: Graph, nodes: tuple[int, ...]) -> str:
    return " + ".join(graph.op_types[node] for node in nodes)


def _names(graph: Graph, nodes: tuple[int, ...]) -> str:
    """Also of those that have none of their own."""
    return ", ".join(graph.node_names[node] if graph.node_names[node] else graph.node(node).title for node in nodes)
