"""Flow of blame: it goes back from an output, and each node keeps what it introduced.

A node that answers for the part p of the output's error power keeps p · share, where share is what it introduced of
its own error, and hands the rest to what it reads, in proportion to the powers of the errors there. What arrives at a
graph's input is the input's, and what was not there yet when a tensor was made is its reader's. So the contributions of
nodes and inputs add up to one.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.explain.blame.model import Floats, Slots
from errorflow.graph.model import Graph
from errorflow.graph.order import run_order

# Of one end, or of each of several.
Part = float | Floats
# Nodes between two looks at whether somebody cancelled.
EVERY = 2000


@dataclass(frozen=True, eq=False)
class BlameFlow:
    """Flow of several tensors at a time: a row per node, and one per tensor of the graph that no node makes."""

    nodes: Floats  # (nodes, ends)
    leaves: dict[int, Floats]  # by tensor: (ends,)


def contributions(
    graph: Graph, ends: Sequence[int], shares: Floats, slots: Slots, progress: Progress = SILENT
) -> BlameFlow:
    """Finds which part of the error power of each of the tensors `ends` a node brings; all zero where none can be
    named.
    """
    waiting: dict[int, Part] = {}
    leaves: dict[int, Part] = {}
    makers = graph.producers.tolist()
    for at, tensor in enumerate(ends):
        # A plain number is added up ten times faster than an array of one.
        first: Part = 1.0 if len(ends) == 1 else np.eye(len(ends))[at]
        maker = makers[tensor]
        _add(waiting if maker >= 0 else leaves, maker if maker >= 0 else tensor, first)
    kept: dict[int, Part] = {}
    order = run_order(graph)
    starts = np.searchsorted(slots.readers, np.arange(len(graph) + 1))
    parts = _parts(slots, starts)
    own, begin = _own(shares, slots, parts).tolist(), starts.tolist()
    made = slots.made.tolist()
    tensors, fractions = slots.tensors.tolist(), parts.tolist()
    for done, node in enumerate(order[::-1].tolist()):
        if done % EVERY == 0:
            progress.step(done, len(order), "Following the error back")
        part = waiting.pop(node, None)
        if part is None:
            continue
        kept[node] = part * own[node]
        rest = 1 - own[node]
        for slot in range(begin[node], begin[node + 1]) if rest else ():
            fraction = fractions[slot] * rest
            if fraction:
                maker = makers[tensors[slot]]
                passed = part * (fraction * made[slot])
                _add(waiting if maker >= 0 else leaves, maker if maker >= 0 else tensors[slot], passed)
                kept[node] += part * (fraction * (1 - made[slot]))
    found = np.zeros((len(graph), len(ends)))
    for node, part in kept.items():
        found[node] = part
    return _scaled(BlameFlow(found, {tensor: np.atleast_1d(part) for tensor, part in leaves.items()}))


def _own(shares: Floats, slots: Slots, parts: Floats) -> Floats:
    """Finds what each node keeps: all where nothing is known to arrive, and nothing where it was not measured itself.

    An exact share may lie beyond 0 or 1, where introduced and inherited errors cancel each other in part.
    """
    arrives = np.bincount(slots.readers, parts, len(shares)) > 0
    return np.where(arrives, np.clip(np.nan_to_num(shares), 0.0, 1.0), 1.0)


def _parts(slots: Slots, starts: NDArray[np.intp]) -> Floats:
    """Divides a node's inherited error among its inputs: by powers; a broken one brings all of it."""
    errors = np.where(slots.constant, 0.0, np.nan_to_num(slots.errors, nan=0.0, posinf=np.inf))
    broken = np.isposinf(errors)
    worst = np.zeros(len(starts) - 1)
    np.maximum.at(worst, slots.readers, np.where(broken, 0.0, errors))
    with np.errstate(all="ignore"):
        powers = np.nan_to_num((np.where(broken, 0.0, errors) / worst[slots.readers]) ** 2)
    some_broken = np.zeros(len(worst), bool)
    some_broken[slots.readers[broken]] = True
    powers = np.where(some_broken[slots.readers], broken.astype(float), powers)
    total = np.bincount(slots.readers, powers, len(worst))[slots.readers]
    return np.asarray(np.divide(powers, total, out=np.zeros_like(powers), where=total > 0))


def _add(where: dict[int, Part], key: int, part: Part) -> None:
    where[key] = where[key] + part if key in where else part


def _scaled(flow: BlameFlow) -> BlameFlow:
    """Scales what is left to all that is known: in circles some of it is lost."""
    total = flow.nodes.sum(axis=0) + sum(flow.leaves.values(), np.zeros(flow.nodes.shape[1]))
    factor = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return BlameFlow(flow.nodes * factor, {tensor: part * factor for tensor, part in flow.leaves.items()})


def effective(parts: Floats) -> float:
    """(Σ c)² / Σ c²: how many equal contributors would do the same; NaN: there is none."""
    power = float((parts**2).sum())
    return float(parts.sum()) ** 2 / power if power > 0 else float("nan")


def largest(parts: Floats, most: int) -> Ints:
    """Numbers of the largest parts, the largest first."""
    order = np.argsort(-parts, kind="stable")[:most]
    return order[parts[order] > 0].astype(np.int32)
