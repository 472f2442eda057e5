"""The order in which nodes can run."""

from typing import TYPE_CHECKING

import numpy as np

from errorflow.base.arrays import Ints, Ragged

if TYPE_CHECKING:
    from errorflow.graph.model import Graph


def is_sorted(graph: "Graph") -> bool:
    """Whether the file already lists every node behind those that it reads from or waits for."""
    start, end = _links(graph)
    return bool(np.all(start < end))


def run_order(graph: "Graph") -> Ints:
    """Nodes so that each stands behind those it reads from or waits for, else in file order.

    Nodes in a cycle, and those that lie behind one, come last.
    """
    if is_sorted(graph):
        return np.arange(len(graph), dtype=np.int32)
    order = _peel(graph)
    left = np.ones(len(graph), bool)
    left[order] = False
    return np.concatenate([order, np.flatnonzero(left)]).astype(np.int32)


def cyclic_nodes(graph: "Graph") -> Ints:
    """Nodes that are part of a cycle."""
    stuck = np.ones(len(graph), bool)
    stuck[np.arange(len(graph)) if is_sorted(graph) else _peel(graph)] = False
    if not stuck.any():
        return np.zeros(0, np.int32)
    import networkx as nx

    start, end = _links(graph)
    inside = stuck[start] & stuck[end]
    view = nx.DiGraph(zip(start[inside].tolist(), end[inside].tolist(), strict=True))
    loops = set(nx.nodes_with_selfloops(view))
    found = loops.union(*(part for part in nx.strongly_connected_components(view) if len(part) > 1))
    return np.array(sorted(found), np.int32)


def _links(graph: "Graph") -> tuple[Ints, Ints]:
    """Data and control edges: what runs first, and what runs behind it."""
    start, end, _ = graph.edges
    if not len(graph.waits_for):
        return start, end
    waits = graph.waits_for
    return np.concatenate([start, waits.values]), np.concatenate([end, waits.owners()])


def _peel(graph: "Graph") -> Ints:
    start, end = _links(graph)
    return _peel_edges(start, end, len(graph))


def _peel_edges(start: Ints, end: Ints, nodes: int) -> Ints:
    """Repeatedly takes the lowest node that nothing unfinished leads to."""
    import heapq

    readers = Ragged.grouped(start, end, nodes)
    waiting = np.bincount(end, minlength=nodes).tolist()
    ready = [node for node, count in enumerate(waiting) if count == 0]
    heapq.heapify(ready)
    starts, values = readers.starts.tolist(), readers.values.tolist()
    order: list[int] = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for reader in values[starts[node] : starts[node + 1]]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                heapq.heappush(ready, reader)
    return np.array(order, np.int32)
