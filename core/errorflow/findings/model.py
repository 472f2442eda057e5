"""The findings on one graph: metrics, verdicts and states per node and per tensor."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import Ints
from errorflow.blame.model import Blame
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import Floats, Measured, Placed, Side
from errorflow.findings.states import tensor_states
from errorflow.graph.model import Graph
from errorflow.graph.order import run_order
from errorflow.metrics import METRICS
from errorflow.metrics.measure import MEASURES
from errorflow.metrics.metric import Scale

# Limits that the user moved, by the metric's key: good and bad.
Limits = Mapping[str, tuple[float, float]]


def with_limits(scale: Scale, limits: Limits) -> Scale:
    """The same metric on the user's own limits."""
    if scale.key not in limits:
        return scale
    good, bad = limits[scale.key]
    return replace(scale, good=good, bad=bad)


@dataclass(frozen=True, eq=False)
class Findings:
    """A comparison whose rows have found their places in a graph; arrays have an entry per node or per tensor."""

    graph: Graph
    comparison: Comparison
    placed: Placed
    side: Side = "candidate"
    # None: not worked out.
    blame: Blame | None = None
    _worst: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, graph: Graph, comparison: Comparison, blame: Blame | None = None, side: Side = "candidate"
    ) -> "Findings":
        return cls(graph, comparison, Placed.of(graph, comparison, side), side, blame)

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        """What was measured of at least one tensor, the main ones first."""
        known = {key for row in self.placed.rows for key in row.values}
        main = [scale for scale in METRICS if scale.key in known]
        others = (scale for scale in MEASURES if scale.key in known and scale not in main)
        return (*main, *others, *(scale for scale in self.comparison.scales if scale.key in known))

    def scale(self, key: str, limits: Limits) -> Scale | None:
        """The metric of that key if it was measured, else the first that was, on the user's limits."""
        found = next((scale for scale in self.scales if scale.key == key), next(iter(self.scales), None))
        return None if found is None else with_limits(found, limits)

    def measured(self, scale: Scale) -> Measured:
        """Per tensor."""
        return self.placed.by(scale)

    def worst(self, scale: Scale) -> tuple[Ints, Floats]:
        """For each node the worst tensor that it makes and its value; -1 and NaN: none of them was measured."""
        if scale.key not in self._worst:
            self._worst[scale.key] = self._find_worst(scale)
        return self._worst[scale.key]

    @cached_property
    def tensor_states(self) -> NDArray[np.uint16]:
        """`State` bits."""
        return tensor_states(self.placed, self.comparison.rows)

    @cached_property
    def node_states(self) -> NDArray[np.uint16]:
        """Those of all tensors that the node makes."""
        found = np.zeros(len(self.graph), np.uint16)
        made = self.graph.node_outputs
        real = made.values >= 0
        np.bitwise_or.at(found, made.owners()[real], self.tensor_states[made.values[real]])
        return found

    @cached_property
    def depths(self) -> Ints:
        """Where each node stands in the order of running, from 0."""
        order = run_order(self.graph)
        depths = np.zeros(len(order), np.int32)
        depths[order] = np.arange(len(order), dtype=np.int32)
        return depths

    def row(self, tensor: int) -> int | None:
        """The place in the comparison of the row that counts for a tensor, measured or not."""
        numbers = self.placed.about.get(tensor, ())
        rows = self.comparison.rows
        return next((number for number in numbers if rows[number].values), next(iter(numbers), None))

    def rows_of(self, node: int) -> tuple[tuple[str, Row], ...]:
        """What was measured of what it reads ("input 0") and makes ("output 0"), in this order."""
        ends = (("input", self.graph.node_inputs[node]), ("output", self.graph.node_outputs[node]))
        found = []
        for word, tensors in ends:
            for place, tensor in enumerate(tensors.tolist()):
                number = self.placed.read.get((node, place)) if word == "input" else None
                number = self.row(tensor) if number is None and tensor >= 0 else number
                if number is not None:
                    found.append((f"{word} {place}", self.comparison.rows[number]))
        return tuple(found)

    def _find_worst(self, scale: Scale) -> tuple[Ints, Floats]:
        measured = self.measured(scale)
        order, made = np.append(measured.places, -np.inf), self.graph.node_outputs
        owners, tensors = made.owners(), made.values
        top = np.full(len(self.graph), -np.inf)
        np.maximum.at(top, owners, order[tensors])
        hits = np.flatnonzero((order[tensors] == top[owners]) & (order[tensors] > -np.inf))[::-1]
        worst = np.full(len(self.graph), -1, np.int32)
        worst[owners[hits]] = tensors[hits]  # of equals the last one stays, which is the first
        return worst, np.append(measured.values, np.nan)[worst]
