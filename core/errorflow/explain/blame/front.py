"""The front: the first bad nodes, and what their error explains behind them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, Ragged
from errorflow.explain.blame.limits import CLEAN, CLEARLY, JUMP
from errorflow.explain.blame.model import Blame, Floats, Verdict
from errorflow.graph.model import Graph

Bools = NDArray[np.bool_]
_BAD = (Verdict.ORIGIN, Verdict.AMPLIFIER, Verdict.CARRIER)
_PASSING = (Verdict.AMPLIFIER, Verdict.CARRIER)


def front_of(graph: Graph, verdicts: NDArray[np.int8], errors: Floats, gains: Floats) -> Bools:
    """Nodes of the front: bad ones behind no bad one, and all that only carries or amplifies what they made.

    A carrier is no first one while it is hardly beyond the limit: noise that wavers around it has no birthplace. An
    origin that drowns what it reads begins anew. Nodes that were not measured belong to the front where something bad
    follows them. Other origins further down are another story, and so is what only they explain; a healer ends it.
    """
    bad = np.isin(verdicts, _BAD)
    unknown = verdicts == Verdict.NOT_MEASURED
    clear = bad & ((verdicts != Verdict.CARRIER) | (errors > CLEARLY * CLEAN))
    links = links_of(graph)
    first = clear & ~reached(links[1], np.flatnonzero(clear), bad | unknown, len(graph))
    first |= (verdicts == Verdict.ORIGIN) & (gains >= JUMP)
    # In a circle each is behind another one: the first in file order is as good as any.
    if clear.any() and not first.any():
        first[np.flatnonzero(clear)[0]] = True
    return _region(graph, verdicts, np.flatnonzero(first), links)


def ends(blame: Blame) -> Ints:
    """The first nodes of the front, those that stand in it behind no other."""
    start, end, _ = blame.graph.edges
    behind = np.zeros(len(blame.graph), bool)
    behind[end[blame.front[start] & (start != end)]] = True
    found = np.flatnonzero(blame.front & ~behind)
    if not len(found):
        found = np.flatnonzero(blame.front)[:1]
    return found.astype(np.int32)


def explained(blame: Blame, node: int) -> Bools:
    """The node and everything behind it that its error explains."""
    return _region(blame.graph, blame.verdicts, np.array([node]), links_of(blame.graph))


def _region(graph: Graph, verdicts: NDArray[np.int8], first: NDArray[np.intp], links: tuple[Ragged, Ragged]) -> Bools:
    above, below = links
    passing = np.isin(verdicts, _PASSING)
    unknown = verdicts == Verdict.NOT_MEASURED
    found = reached(below, first, passing | unknown, len(graph))
    found[first] = True
    # Of what was not measured only what leads on to something bad.
    bad = np.flatnonzero(found & ~unknown)
    leads = reached(above, bad, unknown, len(graph))
    return np.asarray(found & (~unknown | leads | np.isin(np.arange(len(graph)), first)))


def links_of(graph: Graph) -> tuple[Ragged, Ragged]:
    start, end, _ = graph.edges
    return Ragged.grouped(end, start, len(graph)), Ragged.grouped(start, end, len(graph))


def reached(links: Ragged, start: Iterable[int], through: Bools, count: int) -> Bools:
    """Nodes that are reached from these by nodes of `through`; the start itself only if it is reached again."""
    found = np.zeros(count, bool)
    starts, values, allowed = links.starts.tolist(), links.values.tolist(), through.tolist()
    seen = [False] * count
    waiting = [int(node) for node in start]
    while waiting:
        node = waiting.pop()
        for other in values[starts[node] : starts[node + 1]]:
            if allowed[other] and not seen[other]:
                seen[other] = True
                waiting.append(other)
    found[:] = seen
    return found
