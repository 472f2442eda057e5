"""Wishes for single nodes where nothing computes: as the plan alone says them, such as in a ticket."""

import numpy as np
from numpy.typing import NDArray

from errorflow.graph.model import Graph
from errorflow.quant.plan import FLOAT, PLANNED, Plan, Wish
from errorflow.quant.precision import Precision
from errorflow.quant.switching import Kept, Pair, facts_of, kept_of, overrides

_FLOAT: Pair = (FLOAT, FLOAT)


class Wished:
    """Wishes; what comes of one is known only where the plan is simulated: see `effective`. Keeps no graph."""

    def __init__(self, graph: Graph, plan: Plan) -> None:
        # The nodes that rules name, and those of which each tensor was put to float.
        self._switches: dict[int, Pair] = dict.fromkeys(_freed(graph, plan), _FLOAT) | dict(overrides(graph, plan))
        # By node its `Kept`, 0 where it is as planned.
        self.kept: NDArray[np.uint8] = np.zeros(len(graph), np.uint8)
        for node, pair in self._switches.items():
            self.kept[node] = kept_of(pair) or 0
        # What each node computes in, which nobody knows.
        self.texts = ("",) * len(graph)

    def told(self, node: int) -> str:
        """Writes the wish for a tooltip; "": the node was not switched."""
        pair = self._switches.get(node)
        if pair is None:
            return ""
        activations, weights = map(_word, pair)
        if kept_of(pair) != Kept.PART:
            return f"wished: {activations}"
        return f"wished: activations {activations}, weights {weights}"


def _freed(graph: Graph, plan: Plan) -> list[int]:
    single = {graph.tensor_index(name) for name, wish in plan.tensors if wish == FLOAT} - {None}
    if not single:
        return []
    facts = facts_of(graph)
    return [node for node in range(len(graph)) if facts.flows[node] and single.issuperset(facts.tensors(node))]


def _word(wish: Wish) -> str:
    if isinstance(wish, Precision):
        return wish.text
    return "as planned" if wish == PLANNED else wish
