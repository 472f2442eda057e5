"""Results that are worked out of a graph once, and forgotten with it."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from errorflow.graph.model import Graph

Made = TypeVar("Made")


def once(make: Callable[[Graph], Made]) -> Callable[[Graph], Made]:
    """Makes a function that works once per graph. Its result must not refer to the graph, which would keep it for
    ever.
    """
    known: WeakKeyDictionary[Graph, Made] = WeakKeyDictionary()

    @wraps(make)
    def found(graph: Graph) -> Made:
        made = known.get(graph)
        if made is None:
            made = known[graph] = make(graph)
        return made

    return found
