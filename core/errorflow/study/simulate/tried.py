"""Advice that is tried before it is given: the plan with other bits or other scales, and what that gains at an output.

What costs no calibration is tried with every verdict; the rest (SmoothQuant, equalizing, biases, other ranges) is a
plan of its own.
"""

from collections.abc import Iterator, Sequence

from errorflow.base.language import joined, say
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.explain.blame.limits import MOST
from errorflow.explain.blame.model import Remedy
from errorflow.quant.assign import Assigned
from errorflow.quant.operators import PRODUCTS
from errorflow.quant.plan import Plan
from errorflow.quant.precision import Precision
from errorflow.quant.switching import switched
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.gained import drawn, measured_by

# As many bits as can be given short of float.
WIDE = 16
_TEXT = "Trying the advice"


@dataclass(frozen=True, slots=True)
class TriedAdvice:
    """Advice that was tried: what was changed, in words, and the relative errors of the output without and with it."""

    key: str
    text: str
    before: float
    after: float

    @property
    def helps(self) -> bool:
        return self.after**2 <= (1 - MOST) * self.before**2

    @property
    def told(self) -> str:
        return say("{} ({})", self.text, f"{self.after:.2g}")


def tried(
    engine: Engine, plan: Plan, output: str, remedy: Remedy | None, worst: int = -1, progress: Progress = SILENT
) -> tuple[TriedAdvice, ...]:
    """Tries what could be advised at a bad output, the best first."""
    ways = list(_ways(engine, plan, remedy))
    tables = engine.run_many(
        [plan, *(each for _, _, each in ways)], [output], drawn(engine.samples, worst), text=_TEXT, progress=progress
    )
    before, *after = (measured_by(table, [output]).error(output) for table in tables)
    found = [TriedAdvice(key, text, before, error) for (key, text, _), error in zip(ways, after, strict=True)]
    return tuple(sorted(found, key=lambda each: each.after))


def said_of(found: Sequence[TriedAdvice], keys: Sequence[str]) -> str:
    """Says what of these helps and what does not, each with the error that is left; "": none of them was tried."""
    known = [each for each in found if each.key in keys]
    helps, not_ = ([each for each in known if each.helps is wanted] for wanted in (True, False))
    parts = [say("Seen to help: {}.", joined(", ", (each.told for each in helps)))] if helps else []
    parts += [say("Seen not to help: {}.", joined(", ", (each.told for each in not_)))] if not_ else []
    return joined(" ", parts)


def _ways(engine: Engine, plan: Plan, remedy: Remedy | None) -> Iterator[tuple[str, str, Plan]]:
    assigned, graph = engine.assigned(plan), engine.graph
    if remedy is not None and remedy.is_small and _has_room(assigned, remedy):
        yield "set", say("16 bits for them"), switched(graph, plan, (*remedy.nodes, *remedy.others), 16)
    if plan.coded is not None:  # what is quantized already stays as it is but for single nodes
        return
    activations, weights = plan.in_bits(WIDE)
    if isinstance(plan.activations, Precision) and plan.activations.bits < WIDE:
        yield "activations", say("16 bits for activations"), replace(plan, activations=activations)
    if isinstance(plan.weights, Precision) and plan.weights.bits < WIDE:
        yield "weights", say("16 bits for weights"), replace(plan, weights=weights)
        if not plan.weights.per_channel and has_single_scales(engine, assigned):
            channels = replace(plan, weights=replace(plan.weights, per_channel=True))
            yield "channels", say("one scale per channel for weights"), channels


def _has_room(assigned: Assigned, remedy: Remedy) -> bool:
    wishes = (assigned.wishes[node][0] for node in remedy.nodes)
    return any(isinstance(wish, Precision) and wish.bits < WIDE for wish in wishes)


def has_single_scales(engine: Engine, assigned: Assigned) -> bool:
    """Whether weights have one scale that could have one per channel."""
    graph = engine.graph
    coded = (tensor for tensor, each in assigned.constants.items() if each.axis is None)
    kinds = {graph.op_types[node] for tensor in coded for node in graph.consumers[tensor].tolist()}
    return not kinds.isdisjoint(PRODUCTS)
