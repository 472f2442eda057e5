"""Plans in which some parts have more bits, or are in float, said as people and toolchains say it.

Nodes are put to float with all that they read and make, as rules that name them: that is what can be handed over. What
is a tensor is switched as a tensor.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from errorflow.quant.plan import FLOAT, Floating, Plan
from errorflow.quant.precision import Precision
from errorflow.quant.selecting import keys_of
from errorflow.quant.switching import Switch, switched
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.model import Kind, Part
from errorflow.study.rank.switching import Switching
from errorflow.study.search.model import Search, Tried
from errorflow.study.simulate.bench import Bench

_TENSORS = ("tensor", "weight", "activation")


class Raising:
    """Raising in one plan of one kind of parts."""

    def __init__(self, engine: Engine, plan: Plan, kind: Kind) -> None:
        self._graph, self._plan, self._kind = engine.graph, plan, kind
        self._switching = Switching(engine.graph, plan, engine.assigned(plan))
        self._nodes = keys_of(engine.graph).nodes

    def plan(self, parts: Iterable[tuple[Part, Switch]]) -> Plan:
        """Plans these parts; where they share something, float counts more than 16 bits."""
        every = list(parts)
        found = self._plan
        for to in (16, FLOAT):
            some = [part for part, switch in every if switch == to]
            of_tensors = [part for part in some if not part.nodes or self._kind in _TENSORS]
            found = self._tensors(found, of_tensors, to)
            nodes = [
                node for part in some if part not in of_tensors for name in part.nodes for node in self._nodes[name]
            ]
            found = switched(self._graph, found, nodes, to) if nodes else found
        return found

    def _tensors(self, plan: Plan, parts: Sequence[Part], to: Switch) -> Plan:
        if not parts:
            return plan
        made: dict[str, Precision | Floating] = dict(self._switching.without(parts, to).tensors)
        mine = {name: made[name] for part in parts for name in part.tensors}
        return replace(plan, tensors=tuple(sorted((dict(plan.tensors) | mine).items())))


def plan_of(bench: Bench, search: Search, tried: Tried | None = None) -> Plan:
    """Makes the plan of a trial; without one of the best, which is the plan as it is where nothing was tried."""
    tried = search.best if tried is None else tried
    if tried is None or not len(tried.choice):
        return search.plan
    return Raising(bench.engine, search.plan, search.wish.kind).plan(search.chosen(tried))
