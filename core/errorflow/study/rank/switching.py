"""The plans in which a part alone is quantized, and in which all but a part is."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from errorflow.graph.model import Graph
from errorflow.quant.assign import Assigned
from errorflow.quant.plan import FLOAT, PLANNED, Floating, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.switching import Switch
from errorflow.study.rank.model import Measure, Part


class Switching:
    """Switching of one plan; `assigned` is what it makes of the graph."""

    def __init__(self, graph: Graph, plan: Plan, assigned: Assigned) -> None:
        self._graph, self._plan, self._assigned = graph, plan, assigned

    def plan(self, measure: Measure, parts: Iterable[Part], to: Switch = FLOAT) -> Plan:
        """Plans what is to be simulated for a measure of these parts together."""
        return self.alone(parts) if measure == "impact" else self.without(parts, to)

    def alone(self, parts: Iterable[Part]) -> Plan:
        """Codes nothing but these, as the whole plan codes them, with what it corrects of their biases."""
        names = sorted({name for part in parts for name in part.tensors})
        return self._plan.only({name: self._wished[name] for name in names})

    def without(self, parts: Iterable[Part], to: Switch = FLOAT) -> Plan:
        """Codes all but these, which are in float or in other bits."""
        rest: dict[str, Precision | Floating] = dict(self._plan.tensors)
        for name in {name for part in parts for name in part.tensors}:
            rest.pop(name, None)
            if to != PLANNED:
                rest[name] = self._switched(name, to)
        return replace(self._plan, tensors=tuple(sorted(rest.items())))

    def _switched(self, name: str, to: Switch) -> Precision | Floating:
        if isinstance(to, str):
            return FLOAT
        activations, weights = self._plan.in_bits(to)
        return weights if name in self._constants else activations

    @cached_property
    def _constants(self) -> frozenset[str]:
        return frozenset(self._graph.tensor_names[tensor] for tensor in self._assigned.constants)

    @cached_property
    def _wished(self) -> dict[str, Precision]:
        return self._assigned.precisions(self._graph.tensor_names)
