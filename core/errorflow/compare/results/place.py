"""Finds the tensors and nodes of a model that the rows of a result table speak of, and says how each was found."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal

from errorflow.base.values import dataclass
from errorflow.compare.results.table import ResultRow, ResultTable
from errorflow.graph.model import Graph

# The surest first. `index` is msaccucmp's `operator:output:0`, `origin` a name that the compiler recorded, `file` the
# name with its special characters replaced, as files of tensors have it, `cut` a name that a console shortened.
How = Literal["tensor", "node", "index", "origin", "file", "cut", "input"]
HOW: Mapping[How, str] = {
    "tensor": "the tensor of that name",
    "node": "what the node of that name makes",
    "index": "what the node of that name makes at that place",
    "origin": "what the node makes that was made of the one of that name",
    "file": "the one tensor or node that has this name without special characters",
    "cut": "the one tensor or node whose name begins or ends like that",
    "input": "what the node of that name reads at that place",
}
_INDEX = re.compile(r"(?P<node>.+):(?P<side>input|output):(?P<place>\d{1,6})")
_OUTPUT = re.compile(r"(?P<node>.+):(?P<place>\d{1,6})")
_SPECIAL = re.compile(r"[^A-Za-z0-9_-]")
_CUTS = ("…", "...")
# Sorts behind everything that a name can go on with.
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Place:
    """Place of one row of the table: its tensors in the graph, and the node that makes them or that it names; -1:
    none.
    """

    row: int
    tensors: tuple[int, ...]
    node: int
    how: How


@dataclass(frozen=True, slots=True)
class TablePlacement:
    places: tuple[Place, ...]
    # The rows that the graph has nothing for.
    lost: tuple[int, ...]


def place(table: ResultTable, graph: Graph) -> TablePlacement:
    """Each row at its surest place; what could be two places is no place."""
    names = _Names(graph)
    found: list[Place] = []
    lost: list[int] = []
    for index, row in enumerate(table.rows):
        where = _place(index, row, names)
        if where is None:
            lost.append(index)
        else:
            found.append(where)
    return TablePlacement(tuple(found), tuple(lost))


def _place(index: int, row: ResultRow, names: "_Names") -> Place | None:
    """The names of a row are tried rule by rule: an exact second name is surer than a similar first one."""
    if not row.name:
        return None
    indexed = _INDEX.fullmatch(row.name)
    if indexed and indexed["side"] == "input":
        # The other names are of what was fused, whose inputs are counted anew.
        return names.by_input(index, indexed["node"], int(indexed["place"]))
    all_names = (row.name, *row.names)
    output = int(indexed["place"]) if indexed else None
    rules = (names.by_tensor, names.by_index, names.by_node, names.by_origin, names.by_file, names.by_cut)
    for rule in rules:
        for name in all_names:
            found = rule(index, name, output)
            if found is not None:
                return found
    return None


class _Names:
    """Names of the graph's tensors and nodes, in every spelling that is looked for."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def by_tensor(self, row: int, name: str, _: int | None) -> Place | None:
        tensor = self._graph.tensor_index(name)
        return None if tensor is None else self._at(row, tensor, "tensor")

    def by_index(self, row: int, name: str, _: int | None) -> Place | None:
        """`conv1:output:0`, or `conv1:0` as frameworks write it."""
        found = _INDEX.fullmatch(name) or _OUTPUT.fullmatch(name)
        node = self._graph.node_index(found["node"]) if found else None
        if found is None or node is None:
            return None
        made = self._graph.node_outputs[node].tolist()
        place = int(found["place"])
        return Place(row, (made[place],), node, "index") if place < len(made) and made[place] >= 0 else None

    def by_input(self, row: int, name: str, place: int) -> Place | None:
        node = self._graph.node_index(name)
        read = [] if node is None else self._graph.node_inputs[node].tolist()
        if node is None or place >= len(read) or read[place] < 0:
            return None
        return Place(row, (read[place],), node, "input")

    def by_node(self, row: int, name: str, output: int | None) -> Place | None:
        node = self._graph.node_index(name) if name else None
        return None if node is None else self._of(row, node, "node", output)

    def by_origin(self, row: int, name: str, output: int | None) -> Place | None:
        node = self._by_last_origin.get(name)
        return None if node is None or node < 0 else self._of(row, node, "origin", output)

    def by_file(self, row: int, name: str, output: int | None) -> Place | None:
        stem = _SPECIAL.sub("_", name)
        tensor = self._tensor_stems.get(stem, -1)
        if tensor >= 0:
            return self._at(row, tensor, "file")
        node = self._node_stems.get(stem, -1)
        return self._of(row, node, "file", output) if node >= 0 else None

    def by_cut(self, row: int, name: str, output: int | None) -> Place | None:
        tensors = self._cut_tensors.like(name)
        if len(tensors) == 1:
            return self._at(row, tensors[0], "cut")
        nodes = [] if tensors else self._cut_nodes.like(name)
        return self._of(row, nodes[0], "cut", output) if len(nodes) == 1 else None

    def _at(self, row: int, tensor: int, how: How) -> Place:
        return Place(row, (tensor,), int(self._graph.producers[tensor]), how)

    def _of(self, row: int, node: int, how: How, output: int | None) -> Place | None:
        """Finds all that the node makes, or one of it."""
        made = self._graph.node_outputs[node].tolist()
        wanted = made if output is None else made[output : output + 1]
        tensors = tuple(tensor for tensor in wanted if tensor >= 0)
        return Place(row, tensors, node, how) if tensors else None

    @cached_property
    def _by_last_origin(self) -> dict[str, int]:
        """-1: several nodes were made of it."""
        origins = (self._graph.origins[node] for node in range(len(self._graph)))
        return _unique(names[-1] if names else "" for names in origins)

    @cached_property
    def _tensor_stems(self) -> dict[str, int]:
        return _unique(_SPECIAL.sub("_", name) for name in self._graph.tensor_names)

    @cached_property
    def _node_stems(self) -> dict[str, int]:
        return _unique(_SPECIAL.sub("_", name) for name in self._graph.node_names)

    @cached_property
    def _cut_tensors(self) -> "_Sorted":
        return _Sorted(self._graph.tensor_names)

    @cached_property
    def _cut_nodes(self) -> "_Sorted":
        return _Sorted(self._graph.node_names)


class _Sorted:
    """Names by their letters, from the front and from the back: those that begin alike are neighbours."""

    def __init__(self, names: Sequence[str]) -> None:
        self._front = sorted((name, index) for index, name in enumerate(names))
        self._back = sorted((name[::-1], index) for index, name in enumerate(names))

    def like(self, name: str) -> list[int]:
        """Finds names that begin and end as a shortened one does; none where too little of it is left."""
        for mark in _CUTS:
            head, found, tail = name.partition(mark)
            if found and len(head) + len(tail) > 2:
                return self._between(head, tail)
        return []

    def _between(self, head: str, tail: str) -> list[int]:
        if len(head) >= len(tail):
            return [index for full, index in _beginning(self._front, head) if full.endswith(tail)]
        return [index for full, index in _beginning(self._back, tail[::-1]) if full.endswith(head[::-1])]


def _beginning(names: list[tuple[str, int]], start: str) -> list[tuple[str, int]]:
    first = bisect_left(names, (start, -1))
    return names[first : bisect_left(names, (start + _LAST, -1), first)]


def _unique(names: Iterable[str]) -> dict[str, int]:
    """Names with their numbers; -1: there are several."""
    found: dict[str, int] = {}
    for index, name in enumerate(names):
        found[name] = -1 if name in found else index
    found.pop("", None)
    return found
