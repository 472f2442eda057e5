"""What is true of a planted fault, as ONNX Runtime's own runs of the quantized model show it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errorflow.explain.blame.limits import FEW, FEW_ESTIMATED
from errorflow.quant.plan import FLOAT, Plan
from errorflow.study.rank.interaction import EXPLAINED
from errorflow.study.rank.model import Part, Question
from errorflow.study.rank.parts import parts_of
from errorflow.study.rank.switching import Switching
from errorflow.study.search.raising import Raising
from errorflow.study.simulate.pooled import pooled_sums
from planted_faults import Planted, together
from planted_judging import CLEARLY, Trial

NODE, MANY = "node error", "accumulated error"
EITHER = frozenset({NODE, MANY})
# Of so many parts with a fault all choices are tried; more only as a whole.
FAULTS = 4
# Up to so many sets are tried by simulation, all of them; else those that differ by one or two parts.
SETS = 1000


@dataclass(frozen=True)
class Truth:
    """Of a case under a plan. Parts are those that a search raises: nodes that are switched as one."""

    trial: Trial
    case: Planted
    plan: Plan

    @property
    def output(self) -> str:
        return self.case.output if self.case.output else next(iter(self.case.base.net.outputs))

    @property
    def is_of_weights(self) -> bool:
        """Else the net itself is at fault."""
        return self.case.weights is not self.case.base.weights

    @cached_property
    def guilty(self) -> frozenset[str]:
        """The nodes with a fault in them, with those that are coded with them."""
        steps = [step for step in self.case.base.net.steps if self._differs(step.weights)]
        names = self.case.nodes if self.case.nodes or not self.is_of_weights else [step.name for step in steps]
        groups = [together(self.case.base.net, name) for name in names]
        return frozenset().union(*groups, *self.case.culprits)

    def _differs(self, keys: Sequence[str]) -> bool:
        return any(self.case.weights.get(key) is not self.case.base.weights.get(key) for key in keys)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        engine = self.trial.bench.engine
        return parts_of(engine.graph, engine.assigned(self.plan), Question("unit"))

    @property
    def faults(self) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if self.guilty.intersection(part.nodes))

    def raised(self, parts: Iterable[Part]) -> Plan:
        return Raising(self.trial.bench.engine, self.plan, "unit").plan([(part, FLOAT) for part in parts])

    def error(self, plan: Plan) -> float:
        return self.trial.error(plan, self.output, self.case.hidden)

    def enough(self, limit: float) -> int:
        """So many of the parts with a fault in float are enough; 0: not even all of them are."""
        for kept in _subsets(self.faults):
            if self.error(self.raised(kept)) <= limit:
                return len(kept)
        return 0

    def helps_most(self, nodes: frozenset[str]) -> bool:
        """Whether no part with a fault, in float alone, leaves less of the error than the part with these nodes.

        Of several faults each may ruin the output by itself: then none of them in float alone helps.
        """
        mine = [part for part in self.parts if nodes.intersection((*part.nodes, part.name))]
        left = [
            min((self.error(self.raised([part])) for part in some), default=math.inf) for some in (mine, self.faults)
        ]
        return left[0] <= left[1]

    def kinds(self, error: float) -> frozenset[str]:
        """The verdicts that are right, if the fault has ruined the output.

        Of several faults it is counted who brings how much, each part quantized alone; where that does not add up to
        the error, or the count is near the line, either is.
        """
        if self.case.kind:
            return frozenset({self.case.kind})
        powers = self._powers()
        if not math.isfinite(error) or not EXPLAINED[0] <= float(powers.sum()) / error**2 <= EXPLAINED[1]:
            return EITHER
        count = float(powers.sum() ** 2 / (powers**2).sum())
        if count <= FEW_ESTIMATED / CLEARLY:
            return frozenset({NODE})
        return frozenset({MANY}) if count > FEW * CLEARLY else EITHER

    def _powers(self) -> NDArray[np.float64]:
        engine = self.trial.bench.engine
        switching = Switching(engine.graph, self.plan, engine.assigned(self.plan))
        return np.array([self.error(switching.alone([part])) ** 2 for part in self.parts])

    def fewer(self, chosen: Sequence[str], limit: float) -> tuple[str, ...]:
        """One part less than was chosen with which the output is within the limit; (): there is nothing of the kind.

        That many sets only a simulation can try. Where others' channels are louder it does not tell.
        """
        named = {part.name: part for part in self.parts}
        sets = [] if self.case.hidden else list(_one_less(tuple(named), chosen))
        plans = [self.raised(named[name] for name in names) for names in sets]
        for names, table in zip(sets, self.trial.bench.engine.run_many(plans, [self.output]), strict=True):
            sums = pooled_sums(table, self.output)
            if sums is not None and not sums.broken and math.sqrt(float(sums.dd) / float(sums.rr)) <= limit:
                return names
        return ()


def _subsets(parts: Sequence[Part]) -> Iterator[tuple[Part, ...]]:
    """The smallest first."""
    if len(parts) > FAULTS:
        yield tuple(parts)
        return
    for count in range(1, len(parts) + 1):
        yield from combinations(parts, count)


def _one_less(names: Sequence[str], chosen: Sequence[str]) -> Iterator[tuple[str, ...]]:
    count = len(chosen) - 1
    if count < 1:
        return
    if math.comb(len(names), count) <= SETS:
        yield from combinations(names, count)
        return
    yield from combinations(chosen, count)
    others = [name for name in names if name not in chosen]
    for kept in combinations(chosen, count - 1):
        yield from ((*kept, other) for other in others)
