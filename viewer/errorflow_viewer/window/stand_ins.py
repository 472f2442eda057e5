"""Stand-ins in the place of what has no box: constants, and nodes that only make them."""

from collections import deque

from errorflow.graph.model import Graph
from errorflow_viewer.kit.drawings import Unfolded

# How far to look for a node that is drawn.
MOST_STEPS = 1000


def reader_of(shown: Unfolded, graph: Graph, node: int | None, tensor: int | None) -> int | None:
    """The node that one is drawn with, or a tensor is; None: it is drawn itself, or nothing that depends on it is."""
    if node is not None:
        found = drawn_near(shown, graph, [node])
        return None if found == node else found
    if tensor is None or (shown.drawing.tensors == tensor).any():
        return None
    made = int(graph.producers[tensor])
    return drawn_near(shown, graph, [made] if made >= 0 else graph.consumers[tensor].tolist())


def drawn_near(shown: Unfolded, graph: Graph, nodes: list[int]) -> int | None:
    """The first that is drawn of these nodes, or else of those that they serve."""
    waiting, seen = deque(nodes), set(nodes)
    while waiting and len(seen) <= MOST_STEPS:
        current = waiting.popleft()
        if shown.box_of(current) is not None:
            return shown.draft.real_node(shown.draft.drawn_node(current))
        outputs = graph.node_outputs[current]
        readers = [reader for tensor in outputs[outputs >= 0] for reader in graph.consumers[int(tensor)].tolist()]
        fresh = [reader for reader in dict.fromkeys(readers) if reader not in seen]
        seen.update(fresh)
        waiting.extend(fresh)
    return None
