"""Portions of a plan that are coded for a curve: only weights, only activations, only some nodes, all but some."""

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from errorflow.base.values import dataclass, replace
from errorflow.quant.assign import Assigned
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.rank.model import Part, Question
from errorflow.study.rank.parts import parts_of
from errorflow.study.rank.switching import Switching

# Of what is constant, of what flows, of both.
Half = Literal["weights", "activations", "both"]
HALVES: tuple[Half, ...] = ("weights", "activations", "both")
# What is meant together: names of nodes or tensors, or what else `quant.asking` understands.
Group = tuple[str, ...]
_WORDS = {"weights": "weights only", "activations": "activations only", "both": "weights and activations"}
WHOLE = "everything"


@dataclass(frozen=True, slots=True)
class Portion:
    """A plan that codes a portion of another one, and what it is called beside others."""

    label: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class PortionChoice:
    """Portions that are wanted: each of `halves` with each of the sets; of all nodes where there are none."""

    halves: tuple[Half, ...] = HALVES
    only: tuple[Group, ...] = ()
    without: tuple[Group, ...] = ()
    # Sets of parts that are kept in float, such as the first ones of a ranking.
    kept: tuple[tuple[Part, ...], ...] = ()


def portions(engine: Engine, plan: Plan, wanted: PortionChoice) -> tuple[Portion, ...]:
    """Lists portions. Where nodes are named the whole plan comes first; a `UsageError` where a name means nothing.

    To a node belongs all that it reads and makes.
    """
    assigned = engine.assigned(plan)
    switching = Switching(engine.graph, plan, assigned)
    work = _Work(engine, switching, plan, assigned)
    if not (wanted.only or wanted.without or wanted.kept):
        return tuple(Portion(_WORDS[half], work.half(half)) for half in wanted.halves)
    found = [Portion(WHOLE, plan)]
    for half in wanted.halves:
        after = "" if half == "both" else f", {half}"
        for part in work.parts(wanted.only):
            found.append(Portion(f"only {part.name}{after}", work.half(half, part.tensors)))
        for part in work.parts(wanted.without):
            rest = switching.without([part])
            found.append(Portion(f"all but {part.name}{after}", work.half(half, base=rest)))
        for parts in wanted.kept:
            rest = switching.without(parts)
            found.append(Portion(f"worst {len(parts)} kept in float{after}", work.half(half, base=rest)))
    return tuple(_told_apart(found))


@dataclass(frozen=True)
class _Work:
    engine: Engine
    switching: Switching
    plan: Plan
    assigned: Assigned

    def parts(self, groups: tuple[Group, ...]) -> tuple[Part, ...]:
        if not groups:
            return ()
        return parts_of(self.engine.graph, self.assigned, Question("group", only=groups))

    def half(self, half: Half, tensors: Collection[str] | None = None, base: Plan | None = None) -> Plan:
        """Plans what of the plan, or of `base`, belongs to the half, and to the tensors if any are named."""
        plan = self.plan if base is None else base
        if half == "both" and tensors is None:
            return plan
        assigned = self.assigned if base is None else self.engine.assigned(base)
        sides = {"weights": assigned.constants, "activations": assigned.activations, "both": assigned.coded}
        names = [self.engine.graph.tensor_names[tensor] for tensor in sides[half]]
        kept = tuple(name for name in names if tensors is None or name in tensors)
        return self.switching.alone([Part("", "", (), kept)])


def _told_apart(found: Sequence[Portion]) -> Iterator[Portion]:
    """Labels tell curves apart: the second of the same is numbered."""
    seen: dict[str, int] = {}
    for portion in found:
        count = seen[portion.label] = seen.get(portion.label, 0) + 1
        yield portion if count == 1 else replace(portion, label=f"{portion.label} ({count})")
