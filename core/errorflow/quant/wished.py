"""What somebody wished of single nodes, where nothing computes: as the plan alone says it, such as in a ticket."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.graph.model import Graph
from errorflow.quant.kept import Kept, kept_of
from errorflow.quant.plan import FLOAT, PLANNED, Plan, Wish
from errorflow.quant.precision import Precision
from errorflow.quant.switching import Pair, facts_of, overrides

_FLOAT: Pair = (FLOAT, FLOAT)


@dataclass(frozen=True, eq=False)
class Wished:
    """What comes of a wish is known only where the plan is simulated: see `effective`."""

    graph: Graph
    plan: Plan

    @cached_property
    def kept(self) -> NDArray[np.uint8]:
        """By node its `Kept`, 0 where it is as planned."""
        found = np.zeros(len(self.graph), np.uint8)
        for node, pair in self._switches.items():
            found[node] = kept_of(pair) or 0
        return found

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What each node computes in, which nobody knows."""
        return ("",) * len(self.graph)

    def told(self, node: int) -> str:
        """For the pointer; "": nobody switched it."""
        pair = self._switches.get(node)
        if pair is None:
            return ""
        activations, weights = map(_word, pair)
        if kept_of(pair) != Kept.PART:
            return f"wished: {activations}"
        return f"wished: activations {activations}, weights {weights}"

    @cached_property
    def _switches(self) -> dict[int, Pair]:
        """The nodes that rules name, and those of which each tensor was put to float."""
        return dict.fromkeys(self._freed, _FLOAT) | dict(overrides(self.graph, self.plan))

    @cached_property
    def _freed(self) -> list[int]:
        single = {self.graph.tensor_index(name) for name, wish in self.plan.tensors if wish == FLOAT} - {None}
        if not single:
            return []
        facts = facts_of(self.graph)
        return [node for node in range(len(self.graph)) if facts.flows[node] and single.issuperset(facts.tensors(node))]


def _word(wish: Wish) -> str:
    if isinstance(wish, Precision):
        return wish.text
    return "as planned" if wish == PLANNED else wish
