"""Edge of a region: where a constant has the channels that are scaled, and how factors are laid over it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass

Doubles = NDArray[np.float64]
Read = Callable[[str], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Edge:
    """A constant that a node reads. In groups, the first axis goes through all of them, and `axis` is the second."""

    constant: str
    axis: int
    node: int
    groups: int = 1
    # Whether the node multiplies by it and sums up: then its size counts.
    is_weight: bool = False

    def channels(self, shape: tuple[int, ...]) -> int:
        return shape[self.axis] * self.groups

    def spread(self, factors: Doubles, shape: tuple[int, ...]) -> Doubles:
        """Spreads factors in a form that multiplies the constant."""
        rest = [1] * (len(shape) - 2)
        if self.groups == 1:
            return factors.reshape([-1 if place == self.axis else 1 for place in range(len(shape))])
        table = factors.reshape(self.groups, shape[1])
        return np.repeat(table, shape[0] // self.groups, axis=0).reshape(*shape[:2], *rest)

    def sizes(self, values: Doubles) -> Doubles:
        """The largest magnitude of each channel."""
        found = np.abs(values)
        if self.groups == 1:
            others = tuple(place for place in range(values.ndim) if place != self.axis)
            sizes: Doubles = found.max(axis=others, initial=0.0)
            return sizes
        apart = found.reshape(self.groups, values.shape[0] // self.groups, values.shape[1], -1)
        largest: Doubles = apart.max(axis=(1, 3), initial=0.0)
        return largest.reshape(-1)


class RewrittenConstants:
    """The values of constants as they are meanwhile, and by how much each tensor was divided so far."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._held: dict[str, Doubles] = {}
        self.changed: dict[str, Doubles] = {}
        self.divided: dict[str, Doubles] = {}

    def get(self, name: str) -> Doubles:
        if name in self.changed:
            return self.changed[name]
        if name not in self._held:
            self._held[name] = np.asarray(self._read(name), np.float64)
        return self._held[name]

    def shape(self, name: str) -> tuple[int, ...]:
        return self.get(name).shape

    def scale(self, edge: Edge, factors: Doubles) -> None:
        values = self.get(edge.constant)
        self.changed[edge.constant] = values * edge.spread(factors, values.shape)
        self._held.pop(edge.constant, None)

    def sizes(self, edge: Edge) -> Doubles:
        return edge.sizes(self.get(edge.constant))

    def divide(self, tensor: str, factors: Doubles) -> None:
        known = self.divided.get(tensor)
        self.divided[tensor] = factors if known is None else known * factors
