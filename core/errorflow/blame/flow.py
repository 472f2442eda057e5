"""Where the error of an output comes from: blame flows back from it, and each node keeps what it introduced.

A node that answers for the part p of the output's error power keeps p · share, where share is what it introduced of
its own error, and hands the rest to what it reads, in proportion to the powers of the errors there. What arrives at a
graph's input is the input's. So the contributions of nodes and inputs add up to one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorflow.arrays import Ints
from errorflow.blame.model import Floats, Slots
from errorflow.graph.model import Graph
from errorflow.graph.order import run_order
from errorflow.progress import SILENT, Progress

# Nodes between two looks at whether somebody cancelled.
EVERY = 2000


@dataclass(frozen=True, eq=False)
class Flow:
    """Of several tensors at a time: a row per node, and one per tensor of the graph that no node makes."""

    nodes: Floats  # (nodes, ends)
    leaves: dict[int, Floats]  # by tensor: (ends,)


def contributions(graph: Graph, ends: Sequence[int], shares: Floats, slots: Slots, progress: Progress = SILENT) -> Flow:
    """Who brings which part of the error power of each of the tensors `ends`; all zero where nobody can be named."""
    count = len(ends)
    waiting: dict[int, Floats] = {}
    leaves: dict[int, Floats] = {}
    kept = np.zeros((len(graph), count))
    for at, tensor in enumerate(ends):
        _add(waiting, leaves, graph, tensor, np.eye(count)[at])
    order = run_order(graph)
    starts = np.searchsorted(slots.readers, np.arange(len(graph) + 1))
    parts = _parts(slots, starts)
    for done, node in enumerate(order[::-1].tolist()):
        if done % EVERY == 0:
            progress.step(done, len(order), "Following the error back")
        part = waiting.pop(node, None)
        if part is None:
            continue
        own = shares[node]
        here = slice(int(starts[node]), int(starts[node + 1]))
        above = parts[here]
        own = 1.0 if not above.any() else 0.0 if np.isnan(own) else float(own)
        kept[node] += part * own
        if own < 1:
            for tensor, fraction in zip(slots.tensors[here].tolist(), above.tolist(), strict=True):
                if fraction:
                    _add(waiting, leaves, graph, tensor, part * ((1 - own) * fraction))
    return _scaled(Flow(kept, leaves))


def _parts(slots: Slots, starts: NDArray[np.intp]) -> Floats:
    """What of a node's inherited error comes by each input: by powers; a broken one brings all of it."""
    errors = np.where(slots.constant, 0.0, np.nan_to_num(slots.errors, nan=0.0, posinf=np.inf))
    broken = np.isposinf(errors)
    worst = np.zeros(len(starts) - 1)
    np.maximum.at(worst, slots.readers, np.where(broken, 0.0, errors))
    with np.errstate(invalid="ignore", divide="ignore"):
        powers = np.nan_to_num((np.where(broken, 0.0, errors) / worst[slots.readers]) ** 2)
    some_broken = np.zeros(len(worst), bool)
    some_broken[slots.readers[broken]] = True
    powers = np.where(some_broken[slots.readers], broken.astype(float), powers)
    total = np.bincount(slots.readers, powers, len(worst))[slots.readers]
    return np.asarray(np.divide(powers, total, out=np.zeros_like(powers), where=total > 0))


def _add(waiting: dict[int, Floats], leaves: dict[int, Floats], graph: Graph, tensor: int, part: Floats) -> None:
    maker = int(graph.producers[tensor])
    where, key = (leaves, tensor) if maker < 0 else (waiting, maker)
    where[key] = where[key] + part if key in where else part


def _scaled(flow: Flow) -> Flow:
    """In circles some of it is lost; what is left is all that is known."""
    total = flow.nodes.sum(axis=0) + sum(flow.leaves.values(), np.zeros(flow.nodes.shape[1]))
    factor = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return Flow(flow.nodes * factor, {tensor: part * factor for tensor, part in flow.leaves.items()})


def effective(parts: Floats) -> float:
    """(Σ c)² / Σ c²: how many equal contributors would do the same; NaN: there is none."""
    power = float((parts**2).sum())
    return float(parts.sum()) ** 2 / power if power > 0 else float("nan")


def largest(parts: Floats, most: int) -> Ints:
    """Numbers of the largest parts, the largest first."""
    order = np.argsort(-parts, kind="stable")[:most]
    return order[parts[order] > 0].astype(np.int32)
