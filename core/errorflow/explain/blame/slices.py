"""Outputs that are put together of parts: a quiet one may be lost where the whole looks good."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from errorflow.base.language import say
from errorflow.explain.blame.limits import CLEAN, CLEARLY
from errorflow.explain.blame.measured import Errors
from errorflow.explain.blame.trace import MERGING
from errorflow.graph.model import Graph
from errorflow.graph.quiet import CONVERSIONS, NOISE

_PASSING = NOISE | {"Transpose", "TransposeD", "Permute"}
# Nodes at the end of a model that are looked through.
_MOST = 64
_Parts = Iterator[tuple[int, str]]
# Ends with their errors, and what those are that are parts.
WithParts = tuple[tuple[tuple[int, float], ...], Mapping[int, str]]


def with_parts(graph: Graph, errors: Errors, ends: Sequence[tuple[int, float]]) -> WithParts:
    """The worst part in place of each output that is clearly better as a whole, and what that part is."""
    found, told = list(ends), dict[int, str]()
    for at, (tensor, error) in enumerate(ends):
        parts = dict(_parts(graph, errors, tensor, graph.tensor_names[tensor], set()))
        worst = max(parts, key=lambda part: float(np.nan_to_num(errors.made[part], posinf=np.inf)), default=tensor)
        if worst in parts and errors.made[worst] >= max(CLEARLY * error, CLEAN):
            found[at], told[worst] = (worst, float(errors.made[worst])), parts[worst]
    return tuple(found), told


def _parts(graph: Graph, errors: Errors, tensor: int, name: str, seen: set[int], moved: bool = False) -> _Parts:
    """`moved`: what were columns are none in the tensor of that name."""
    maker = int(graph.producers[tensor])
    if maker < 0 or maker in seen or len(seen) > _MOST:
        return
    seen.add(maker)
    read = graph.node_inputs[maker].tolist()
    if graph.op_types[maker] in _PASSING and read and read[0] >= 0:
        yield from _parts(graph, errors, read[0], name, seen, moved or graph.op_types[maker] not in CONVERSIONS)
    if graph.op_types[maker] not in MERGING:
        return
    joined = int(graph.node_outputs[maker][0])
    read = [each for each in read if each in errors.rows]
    shapes = [errors.rows[each].shape for each in (joined, *read) if each in errors.rows and joined in errors.rows]
    sizes = list(zip(*shapes, strict=False)) if len(set(map(len, shapes))) == 1 and not moved else []
    axes = [at for at, each in enumerate(sizes) if len(set(each)) > 1]
    fits = len(axes) == 1 and 2 * sizes[axes[0]][0] == sum(sizes[axes[0]])
    start = 0
    for part in read:
        size = errors.rows[part].shape[axes[0]] if fits else 0
        own = graph.tensor_names[part]
        inner = list(_parts(graph, errors, part, own, seen))
        where = (
            say("columns {}–{} of {}", start, start + size - 1, name) if size else say("the part {} of {}", own, name)
        )
        yield from inner if inner else [(part, where)]
        start += size
