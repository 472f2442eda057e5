"""Partners by where they stand: what does the same between nodes that belong together."""

from collections import deque
from collections.abc import Iterable

import numpy as np

from errorflow.explain.difference.flow import Flow
from errorflow.explain.difference.operators import ENTRIES
from errorflow.explain.difference.work import Found

# More readers of one node are not told apart: a tensor that goes everywhere is no place.
MOST_READERS = 64
_Line = tuple[int, int]


def by_structure(found: Found, there: Flow, here: Flow) -> None:
    """Links free nodes, from those that have partners outwards. What is plain goes first, what is told apart by the
    order in the file only after that."""
    walk = _Walk(found, there, here)
    walk.go([*_inputs(there, here), *_edge_of_known(found, there, here)])
    walk.go_up(_met(there.exits, here.exits))


class _Walk:
    def __init__(self, found: Found, there: Flow, here: Flow) -> None:
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
        """From what makes the outputs, as far as that does the same."""
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

    def _free_readers(self, flow: Flow, partners: dict[int, list[int]], node: int) -> dict[tuple[str, int], list[int]]:
        """By what they do and at which input they read."""
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


def _sources(flow: Flow, node: int) -> dict[int, int]:
    lines = flow.sources[node]
    return dict(zip(flow.places[lines].tolist(), flow.starts[lines].tolist(), strict=True))


def _edge_of_known(found: Found, there: Flow, here: Flow) -> list[_Line]:
    """Pairs beside which something is free on both sides."""
    pairs: list[_Line] = []
    beside_there = _beside(there, found.of_reference)
    beside_here = _beside(here, found.of_candidate)
    for reference in sorted(beside_there & found.of_reference.keys()):
        partners = found.of_reference[reference]
        pairs.extend((reference, candidate) for candidate in partners if candidate in beside_here)
    return pairs


def _beside(flow: Flow, partners: dict[int, list[int]]) -> set[int]:
    """Nodes with a neighbour that has no partner."""
    known = np.zeros(len(flow.graph) + len(flow.graph.inputs), bool)
    known[list(partners)] = True
    starts = flow.starts[known[flow.starts] & ~known[flow.ends]].tolist()
    return {*starts, *flow.ends[known[flow.ends] & ~known[flow.starts]].tolist()}


def _inputs(there: Flow, here: Flow) -> list[_Line]:
    """Inputs of the same name, or if there are equally many and no names agree, of the same place."""
    return _met(_entries(there), _entries(here))


def _met(ours: dict[str, int], others: dict[str, int]) -> list[_Line]:
    same = [(ours[name], others[name]) for name in ours if name in others]
    if same or len(ours) != len(others):
        return same
    return list(zip(ours.values(), others.values(), strict=True))


def _entries(flow: Flow) -> dict[str, int]:
    """By name, the inputs of the graph and the nodes that stand for such."""
    graph = flow.graph
    found = {graph.tensor_names[tensor]: n for n, tensor in enumerate(graph.inputs.tolist(), len(graph))}
    codes = {code for code, value in enumerate(graph.op_types.values) if value in ENTRIES}
    if codes:
        found |= {graph.node_names[n]: n for n, code in enumerate(graph.op_types.codes.tolist()) if code in codes}
    return found
