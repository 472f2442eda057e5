"""Finds which nodes of two graphs belong together."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, Progress, dataclass
from errorflow.base.arrays import CodedColumn, Ints, Ragged, T
from errorflow.compare.match.model import Match
from errorflow.explain.difference.model import Links
from errorflow.explain.difference.operators import (
    BORDERS,
    BY_CONSUMER,
    BY_PRODUCER,
    COLLECTS,
    CONVERSIONS,
    ENTRIES,
    work_of,
)
from errorflow.explain.difference.rules import RULE_CODE
from errorflow.graph.model import Graph

_STAGES = 5
_TEXT = "Linking two graphs"


def link(reference: Graph, candidate: Graph, match: Match | None = None, progress: Progress = SILENT) -> Links:
    """Links by what was written down, then by what stands between linked nodes. `match`: tensors that are compared."""
    found = GraphPairing(reference, candidate)
    progress.step(0, _STAGES, _TEXT)
    by_origins(found)
    by_tensors(found)
    if match is not None:
        by_match(found, match)
    if not found.free_references().any() and not found.free_candidates().any():
        return found.links()
    progress.step(1, _STAGES, _TEXT)
    there = GraphLines.of(reference, conversions(reference) & found.free_references())
    here = GraphLines.of(candidate, conversions(candidate) & found.free_candidates())
    by_structure(found, there, here)
    progress.step(2, _STAGES, _TEXT)
    by_place(found, there, here)
    progress.step(3, _STAGES, _TEXT)
    by_equal_names(found)
    progress.step(4, _STAGES, _TEXT)
    _link_conversions(found)
    return found.links()


class GraphPairing:
    """Both graphs, and what is known so far of which nodes belong together."""

    def __init__(self, reference: Graph, candidate: Graph) -> None:
        self.reference = reference
        self.candidate = candidate
        # For each node its partners, in the order in which they were found.
        self.of_reference: dict[int, list[int]] = {}
        self.of_candidate: dict[int, list[int]] = {}
        self._rules: dict[tuple[int, int], int] = {}

    def add(self, reference: int, candidate: int, rule: str) -> None:
        if (reference, candidate) not in self._rules:
            self._rules[reference, candidate] = RULE_CODE[rule]
            self.of_reference.setdefault(reference, []).append(candidate)
            self.of_candidate.setdefault(candidate, []).append(reference)

    def are_free(self, reference: int, candidate: int) -> bool:
        """Whether neither has a partner."""
        return reference not in self.of_reference and candidate not in self.of_candidate

    def free_candidates(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        return _work_free(self.of_candidate, len(self.candidate))

    def free_references(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        return _work_free(self.of_reference, len(self.reference))

    def links(self) -> Links:
        ends = np.array(list(self._rules), np.int32).reshape(-1, 2)
        rules: Ints = np.array(list(self._rules.values()), np.int32)
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        return Links(self.reference, self.candidate, ends[order, 0], ends[order, 1], rules[order])


def _work_free(partners: dict[int, list[int]], count: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    free = np.ones(count, bool)
    free[list(partners)] = False
    return free


def _link_conversions(found: GraphPairing) -> None:
    """Conversions that both graphs have in the same places."""
    ours = conversions(found.reference) & found.free_references()
    others = conversions(found.candidate) & found.free_candidates()
    if ours.any() and others.any():
        nothing = np.zeros(len(found.reference), bool), np.zeros(len(found.candidate), bool)
        by_structure(found, GraphLines.of(found.reference, nothing[0]), GraphLines.of(found.candidate, nothing[1]))


def is_candidate(one: Graph, other: Graph) -> bool:
    """Whether the first looks like what became of the second: a compiler left its traces, it merged more, more is
    quantized in it."""
    return _traces(one) > _traces(other)


def _traces(graph: Graph) -> tuple[bool, float, int]:
    """Whether a compiler has been at work, how many originals it made one node of, and how many nodes convert."""
    counts = [(len(value), count) for value, count in graph.origins.counts().items() if value is not None]
    nodes = sum(count for length, count in counts if length)
    held = sum(length * count for length, count in counts)
    converting = sum(count for value, count in graph.op_types.counts().items() if value in CONVERSIONS)
    return bool(counts), held / nodes if nodes else 0.0, converting


_SEPARATORS = ("/", "_", ".", ":")
# A way through nodes without partners is followed so far.
_FAR = 32


# Who reads what of whom, with conversions taken for part of the line.


def by_value(column: CodedColumn[T], answers: "list[bool] | list[str]") -> "NDArray[np.generic]":
    """Spreads the answer for each distinct value over the rows."""
    return np.array(answers)[column.codes] if len(column.values) else np.array(answers)


def conversions(graph: Graph) -> NDArray[np.bool_]:
    """Marks the nodes that only convert."""
    found = by_value(graph.op_types, [value in CONVERSIONS for value in graph.op_types.values])
    return found.astype(bool)


@dataclass(frozen=True, eq=False)
class GraphLines:
    """Lines between nodes. Numbers from `len(graph)` on are the inputs of the graph, in their order."""

    graph: Graph
    # What each node does, by `operators.work_of`.
    works: list[str]
    # Equally long: from which node, to which node, at which of its inputs.
    starts: Ints
    ends: Ints
    places: Ints
    readers: Ragged
    sources: Ragged
    # By the name of the tensor, or the place at the node that collects them, what makes the outputs of the graph.
    exits: dict[str, int]

    @classmethod
    def of(cls, graph: Graph, through: NDArray[np.bool_]) -> "GraphLines":
        """Makes the flow of a graph. `through`: nodes that count as part of the line."""
        roots = _roots(graph, through)
        makers = np.append(graph.producers, -1)
        inputs = graph.inputs
        makers[inputs] = np.where(makers[inputs] < 0, len(graph) + np.arange(len(inputs)), makers[inputs])
        tensors, ends = graph.node_inputs.values, graph.node_inputs.owners()
        places = np.arange(len(tensors)) - graph.node_inputs.starts[:-1][ends] if len(tensors) else tensors
        starts = makers[np.where(tensors >= 0, roots[tensors], -1)]
        keep = (starts >= 0) & ~through[ends]
        starts, ends, places = (column[keep].astype(np.int32) for column in (starts, ends, places))
        lines = np.arange(len(starts), dtype=np.int32)
        works = [work_of(value) for value in graph.op_types.values]
        return cls(
            graph,
            [works[code] for code in graph.op_types.codes.tolist()],
            starts,
            ends,
            places,
            Ragged.grouped(starts, lines, len(graph) + len(inputs)),
            Ragged.grouped(ends, lines, len(graph)),
            _exits(graph, roots),
        )


def _exits(graph: Graph, roots: Ints) -> dict[str, int]:
    names = {graph.tensor_names[tensor]: int(graph.producers[roots[tensor]]) for tensor in graph.outputs.tolist()}
    collects = {code for code, value in enumerate(graph.op_types.values) if value == COLLECTS}
    for node in [n for n, code in enumerate(graph.op_types.codes.tolist()) if code in collects]:
        for place, tensor in enumerate(graph.node_inputs[node].tolist()):
            names[f":{place}"] = int(graph.producers[roots[tensor]]) if tensor >= 0 else -1
    return {name: maker for name, maker in names.items() if maker >= 0}


def _roots(graph: Graph, through: NDArray[np.bool_]) -> Ints:
    """Finds for each tensor the one that it is a conversion of; itself if of none."""
    roots = np.arange(len(graph.tensor_names) + 1, dtype=np.int32)
    reads, makes = np.diff(graph.node_inputs.starts) > 0, np.diff(graph.node_outputs.starts) > 0
    nodes = np.flatnonzero(through & reads & makes)
    source = graph.node_inputs.values[graph.node_inputs.starts[nodes]]
    made = graph.node_outputs.values[graph.node_outputs.starts[nodes]]
    real = (source >= 0) & (made >= 0)
    roots[made[real]] = source[real]
    for _ in range(len(roots).bit_length()):  # each turn halves what is left of the way; a circle never ends
        roots = roots[roots]
    return roots


def by_place(found: GraphPairing, there: GraphLines, here: GraphLines) -> None:
    """Links by place in the order of the files, so that what one absorbs may absorb the next."""
    for node in _free(there, found.of_reference):
        _replace(found, there, here, node)
    for node in _free(there, found.of_reference):
        if there.works[node] in BY_PRODUCER:
            _absorb(found, there, here, node)
    for node in reversed(_free(there, found.of_reference)):
        if there.works[node] in BY_CONSUMER:
            _absorb_upwards(found, there, here, node)
    for node in _free(here, found.of_candidate):
        _derive(found, here, node)


def _free(flow: GraphLines, partners: dict[int, list[int]]) -> list[int]:
    """Lists free nodes without conversions and constants: these come and go by themselves."""
    types = flow.graph.op_types
    others = {code for code, value in enumerate(types.values) if value in CONVERSIONS or value in BORDERS}
    return [n for n, code in enumerate(types.codes.tolist()) if n not in partners and code not in others]


def _replace(found: GraphPairing, there: GraphLines, here: GraphLines, node: int) -> None:
    """Links a node with the one that alone stands in its place."""
    before, behind = _data_source(there, node), _readers(there, node)
    if len(found.of_reference.get(before, ())) != 1 or not behind:
        return
    wanted = {c for reader in behind for c in found.of_reference.get(reader, ())}
    candidates = {
        c
        for c in _readers(here, found.of_reference[before][0])
        if c not in found.of_candidate and wanted & set(_readers(here, c))
    }
    if len(candidates) == 1:
        found.add(node, candidates.pop(), "replaced")


def _absorb(found: GraphPairing, there: GraphLines, here: GraphLines, node: int) -> None:
    """Links a node with the partner of its producer, if that feeds what is behind the node."""
    partners = found.of_reference.get(_data_source(there, node), [])
    if len(partners) == 1 and (_behind(found, there, node) & set(_readers(here, partners[0]))):
        found.add(node, partners[0], "absorbed")


def _absorb_upwards(found: GraphPairing, there: GraphLines, here: GraphLines, node: int) -> None:
    """Links a node with the partner of its only reader, if that reads what the node did."""
    behind, before = _readers(there, node), found.of_reference.get(_data_source(there, node), [])
    partners = found.of_reference.get(behind[0], []) if len(behind) == 1 else []
    if len(partners) == 1 and any(partners[0] in _readers(here, candidate) for candidate in before):
        found.add(node, partners[0], "absorbed")


def _derive(found: GraphPairing, here: GraphLines, node: int) -> None:
    """Links a node of the candidate with the original of a neighbour whose name its own begins with."""
    name = here.graph.node_names[node]
    for other in (*_readers(here, node), _data_source(here, node)):
        for reference in tuple(found.of_candidate.get(other, ())):
            original = found.reference.node_names[reference]
            if original and name.startswith(original) and name[len(original) :].startswith(_SEPARATORS):
                found.add(reference, node, "derived-name")
                return


def _behind(found: GraphPairing, there: GraphLines, node: int) -> set[int]:
    """Partners of the first nodes behind one that have any."""
    fresh, seen, partners = [node], {node}, set[int]()
    while fresh and len(seen) <= _FAR:
        readers = {reader for one in fresh for reader in _readers(there, one)} - seen
        seen |= readers
        partners.update(c for reader in readers for c in found.of_reference.get(reader, ()))
        fresh = [reader for reader in readers if reader not in found.of_reference]
    return partners


def _readers(flow: GraphLines, node: int) -> list[int]:
    return list(dict.fromkeys(flow.ends[flow.readers[node][:_FAR]].tolist()))


def _data_source(flow: GraphLines, node: int) -> int:
    """Finds the node that makes the first input made by a node; -1: none does."""
    lines = flow.sources[node]
    return int(flow.starts[lines[0]]) if len(lines) else -1


# Partners by what is written down: recorded origins, names of operators and of tensors, compared tensors.

# A name that so many pairs of nodes share says nothing.
CROWD = 4096
_END = re.compile(r"(?P<node>.+)[.:](?:(?:input|output):)?\d{1,6}")


def by_origins(found: GraphPairing) -> None:
    """Nodes that hold the same original operators. Where a compiler recorded nothing, a node is its own original."""
    there, here = _originals(found.reference), _originals(found.candidate)
    for name in here.keys() & there.keys():
        theirs, mine = there[name], here[name]
        if len(theirs) * len(mine) > CROWD:
            continue
        for reference in theirs:
            for candidate in mine:
                _add_by_origin(found, reference, candidate)


def _add_by_origin(found: GraphPairing, reference: int, candidate: int) -> None:
    recorded = found.reference.origins[reference] is not None or found.candidate.origins[candidate] is not None
    if recorded:
        found.add(reference, candidate, "origin")
    elif _same_work(found, reference, candidate):
        found.add(reference, candidate, "own-name")


def _same_work(found: GraphPairing, reference: int, candidate: int) -> bool:
    """Names are sometimes numbers that are given anew."""
    return work_of(found.reference.op_types[reference]) == work_of(found.candidate.op_types[candidate])


def _originals(graph: Graph) -> dict[str, list[int]]:
    originals: dict[str, list[int]] = {}
    for node, (name, names) in enumerate(zip(graph.node_names, graph.origins, strict=True)):
        for original in (name,) if names is None else names:
            if original:
                originals.setdefault(original, []).append(node)
    return originals


def by_tensors(found: GraphPairing) -> None:
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


def by_match(found: GraphPairing, match: Match) -> None:
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


def by_equal_names(found: GraphPairing) -> None:
    """Free nodes of the same name that do different work: the last word on names, if each has its name for itself."""
    theirs, mine = Counter(found.reference.node_names), Counter(found.candidate.node_names)
    for candidate, name in enumerate(found.candidate.node_names):
        if name and theirs[name] == 1 and mine[name] == 1 and found.candidate.origins[candidate] is None:
            reference = found.reference.node_index(name)
            if reference is not None and found.are_free(reference, candidate):
                found.add(reference, candidate, "own-name")


# More readers of one node are not told apart: a tensor that goes everywhere is no place.
MOST_READERS = 64
_Line = tuple[int, int]


def by_structure(found: GraphPairing, there: GraphLines, here: GraphLines) -> None:
    """Links free nodes, from those that have partners outwards. What is plain goes first, what is told apart by the
    order in the file only after that."""
    walk = _Walk(found, there, here)
    walk.go([*_inputs(there, here), *_edge_of_known(found, there, here)])
    walk.go_up(_met(there.exits, here.exits))


class _Walk:
    def __init__(self, found: GraphPairing, there: GraphLines, here: GraphLines) -> None:
        self._found = found
        self._there = there
        self._here = here
        self._waiting: deque[_Line] = deque()
        self._crowded: deque[_Line] = deque()

    def go(self, pairs: Iterable[_Line]) -> None:
        self._waiting.extend(pairs)
        while self._waiting or self._crowded:
            if self._waiting:
                self._step(*self._waiting.popleft(), in_order=False)
            else:
                self._step(*self._crowded.popleft(), in_order=True)

    def go_up(self, pairs: Iterable[_Line]) -> None:
        """Walks up from what makes the outputs, as far as that does the same."""
        for reference, candidate in pairs:
            if self._there.works[reference] == self._here.works[candidate]:
                self._link(reference, candidate)
        self.go(())

    def _step(self, reference: int, candidate: int, in_order: bool) -> None:
        theirs = self._free_readers(self._there, self._found.of_reference, reference)
        mine = self._free_readers(self._here, self._found.of_candidate, candidate)
        for key in theirs.keys() & mine.keys():
            ours, others = theirs[key], mine[key]
            if len(ours) == len(others) == 1 or (in_order and len(ours) == len(others)):
                for one, other in zip(ours, others, strict=True):
                    self._link(one, other)
            elif not in_order:
                self._crowded.append((reference, candidate))
        self._step_up(reference, candidate)

    def _free_readers(
        self, flow: GraphLines, partners: dict[int, list[int]], node: int
    ) -> dict[tuple[str, int], list[int]]:
        """Groups readers by what they do and at which input they read."""
        lines = flow.readers[node]
        found: dict[tuple[str, int], list[int]] = {}
        if len(lines) > MOST_READERS:
            return found
        for end, place in zip(flow.ends[lines].tolist(), flow.places[lines].tolist(), strict=True):
            if end not in partners:
                found.setdefault((flow.works[end], place), []).append(end)
        return found

    def _step_up(self, reference: int, candidate: int) -> None:
        if reference >= len(self._there.graph) or candidate >= len(self._here.graph):
            return
        theirs, mine = (_sources(flow, node) for flow, node in ((self._there, reference), (self._here, candidate)))
        for place in theirs.keys() & mine.keys():
            one, other = theirs[place], mine[place]
            real = one < len(self._there.graph) and other < len(self._here.graph)
            if real and self._found.are_free(one, other) and self._there.works[one] == self._here.works[other]:
                self._link(one, other)

    def _link(self, reference: int, candidate: int) -> None:
        if self._found.are_free(reference, candidate):
            self._found.add(reference, candidate, "structure")
            self._waiting.append((reference, candidate))


def _sources(flow: GraphLines, node: int) -> dict[int, int]:
    lines = flow.sources[node]
    return dict(zip(flow.places[lines].tolist(), flow.starts[lines].tolist(), strict=True))


def _edge_of_known(found: GraphPairing, there: GraphLines, here: GraphLines) -> list[_Line]:
    """Pairs beside which something is free on both sides."""
    pairs: list[_Line] = []
    beside_there = _beside(there, found.of_reference)
    beside_here = _beside(here, found.of_candidate)
    for reference in sorted(beside_there & found.of_reference.keys()):
        partners = found.of_reference[reference]
        pairs.extend((reference, candidate) for candidate in partners if candidate in beside_here)
    return pairs


def _beside(flow: GraphLines, partners: dict[int, list[int]]) -> set[int]:
    """Nodes with a neighbour that has no partner."""
    known = np.zeros(len(flow.graph) + len(flow.graph.inputs), bool)
    known[list(partners)] = True
    starts = flow.starts[known[flow.starts] & ~known[flow.ends]].tolist()
    return {*starts, *flow.ends[known[flow.ends] & ~known[flow.starts]].tolist()}


def _inputs(there: GraphLines, here: GraphLines) -> list[_Line]:
    """Inputs of the same name, or if there are equally many and no names agree, of the same place."""
    return _met(_entries(there), _entries(here))


def _met(ours: dict[str, int], others: dict[str, int]) -> list[_Line]:
    same = [(ours[name], others[name]) for name in ours if name in others]
    if same or len(ours) != len(others):
        return same
    return list(zip(ours.values(), others.values(), strict=True))


def _entries(flow: GraphLines) -> dict[str, int]:
    """Maps names to the inputs of the graph and the nodes that stand for such."""
    graph = flow.graph
    found = {graph.tensor_names[tensor]: n for n, tensor in enumerate(graph.inputs.tolist(), len(graph))}
    codes = {code for code, value in enumerate(graph.op_types.values) if value in ENTRIES}
    if codes:
        found |= {graph.node_names[n]: n for n, code in enumerate(graph.op_types.codes.tolist()) if code in codes}
    return found
