"""Whether files belong together, as far as it can be seen: a model to its runs, a record of scales to a dump."""

from collections.abc import Iterator
from itertools import chain

from errorflow.compare.match.model import AS_THEY_ARE, Match
from errorflow.compare.model import Comparison
from errorflow.compare.placed import Placed, Side
from errorflow.explain.blame.estimate import ASCEND
from errorflow.explain.blame.limits import CLEAN, LOST, MOST
from errorflow.explain.blame.measured import relative_error
from errorflow.graph.model import Graph, Problem

# So many at least must speak against it; one may be odd for itself.
SEVERAL = 2


def misfits(match: Match, comparison: Comparison, graph: Graph, side: Side) -> Iterator[Problem]:
    """What no verdict can be built on."""
    placed = Placed.of(graph, comparison, side)
    infos = [row.candidate if side == "candidate" else row.reference for row in comparison.rows]
    names = {info.name for info in infos if info is not None}
    if side == "candidate" and any(pair.listed is not None for pair in match.pairs):  # operators that were dumped
        names.update(match.only_candidate)
    there = (infos[number] for number in chain(placed.read.values(), *placed.about.values()))
    known = len({info.name for info in there if info is not None})
    # Fused operators have few names in common with a float graph.
    fused = any(pair.rule == "origin" for pair in match.pairs) and not ASCEND & set(graph.op_types.values)
    if known < MOST * min(len(names), len(graph)) and not (fused and known):
        yield Problem(f"{known:,} of {len(names):,} tensors are in {graph.name}: it may be another model.")
    yield from _other_shapes(match, graph, side, placed)
    yield from _other_scales(match, comparison)


def _other_shapes(match: Match, graph: Graph, side: Side, placed: Placed) -> Iterator[Problem]:
    """Batches may differ; what an NPU keeps in layouts of its own says nothing."""
    differ, count = list[str](), 0
    for tensor, number in zip(placed.tensors.tolist(), placed.numbers.tolist(), strict=True):
        pair, said = match.pairs[number], graph.shapes[tensor]
        stored = pair.candidate if side == "candidate" else pair.reference
        if stored is None or not said or pair.way != AS_THEY_ARE or not all(isinstance(size, int) for size in said):
            continue
        count, shape = count + 1, stored.info.shape
        if len(shape) == len(said) and shape[1:] != said[1:]:
            differ.append(f"{graph.tensor_names[tensor]} is {shape} and {said} in the model")
    if len(differ) >= max(SEVERAL, MOST * count):
        yield Problem(f"{len(differ):,} of {count:,} shapes differ, {differ[0]}: it is another model.")


def _other_scales(match: Match, comparison: Comparison) -> Iterator[Problem]:
    """Codes that make no sense where what is made of them does."""
    errors: dict[bool, list[float]] = {True: [], False: []}
    for pair, row in zip(match.pairs, comparison.rows, strict=True):
        if row.values and pair.candidate is not None:
            errors[pair.qparams is not None and pair.candidate.info.qparams is None].append(relative_error(row))
    far, good = sum(error > LOST for error in errors[True]), sum(error <= CLEAN for error in errors[False])
    least, several = max(SEVERAL, MOST * len(errors[True])), max(SEVERAL, MOST * len(errors[False]))
    if far >= least and good >= several and not any(error <= CLEAN for error in errors[True]):
        yield Problem(
            f"{far:,} of {len(errors[True]):,} tensors in codes are far off with these scales: another record."
        )
