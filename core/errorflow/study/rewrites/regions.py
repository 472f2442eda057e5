"""Regions of tensors that have to be scaled when one is, and the constants that take it up at the ends."""

from collections.abc import Iterator

import numpy as np

from errorflow.base.values import dataclass
from errorflow.study.rewrites.axes import TensorAxis
from errorflow.study.rewrites.edges import Doubles, Edge, RewrittenConstants
from errorflow.study.rewrites.net import Net
from errorflow.study.rewrites.rules import At, Blocked, Touch, made, read

# Beyond, a factor flows through half of the net.
MOST = 64


@dataclass(frozen=True, eq=False)
class Region:
    """Tensors that are divided channel by channel without the outputs noticing."""

    tensors: dict[str, TensorAxis]
    divided: tuple[Edge, ...]
    multiplied: tuple[Edge, ...]
    channels: int

    @property
    def makers(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(edge.node for edge in self.divided))

    @property
    def readers(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(edge.node for edge in self.multiplied))

    def apply(self, constants: RewrittenConstants, factors: Doubles) -> None:
        for edge in _once(self.divided):
            constants.scale(edge, 1 / factors)
        for edge in _once(self.multiplied):
            constants.scale(edge, factors)
        for tensor in self.tensors:
            constants.divide(tensor, factors)

    def sizes(self, constants: RewrittenConstants, edges: tuple[Edge, ...]) -> Doubles:
        """Finds the largest magnitude of each channel of the weights among them."""
        found = [constants.sizes(edge) for edge in edges if edge.is_weight]
        largest: Doubles = np.max(found, axis=0)
        return largest


def region_of(net: Net, constants: RewrittenConstants, tensor: str, axis: TensorAxis, deep: bool) -> Region:
    """Raises `Blocked` where there is none."""
    work = _Growing(net, deep)
    work.join(tensor, axis)
    while work.waiting:
        work.grow(work.waiting.pop())
    return _closed(net, constants, work)


def readers_of(net: Net, constants: RewrittenConstants, tensor: str, axis: TensorAxis) -> Region:
    """Finds what reads a tensor that is divided elsewhere. Raises `Blocked` where others than products read it."""
    work = _Growing(net, False)
    for number in net.readers.get(tensor, ()):
        touch = read(At(net, net.nodes[number], tensor, axis))
        if touch.joined or touch.divided:
            raise Blocked(f"{net.nodes[number].op_type} reads it too")
        work.take(touch)
    return _closed(net, constants, work)


class _Growing:
    def __init__(self, net: Net, deep: bool) -> None:
        self._net, self._deep = net, deep
        self.tensors: dict[str, TensorAxis] = {}
        self.waiting: list[str] = []
        self.divided: dict[Edge, None] = {}
        self.multiplied: dict[Edge, None] = {}
        # Nodes through which the factor goes on.
        self._through: set[int] = set()

    def join(self, name: str, axis: TensorAxis) -> None:
        axis = TensorAxis.of(axis.index, self._net.shape(name), axis.rank)
        known = self.tensors.get(name)
        if known is not None:
            if not known.same(axis):
                raise Blocked("its channels would have to lie along two axes")
            return
        for kind, among in (("an input", self._net.inputs), ("an output", self._net.outputs)):
            if name in among:
                raise Blocked(f"{name} is {kind} of the model")
        if name in self._net.captured or name not in self._net.makers:
            raise Blocked(f"{name} is read by the body of another node")
        if len(self.tensors) >= MOST:
            raise Blocked("too much of the model would have to be scaled")
        self.tensors[name] = axis
        self.waiting.append(name)

    def grow(self, name: str) -> None:
        net, axis = self._net, self.tensors[name]
        maker = net.makers[name]
        touch = made(At(net, net.nodes[maker], name, axis, self._deep))
        if touch.joined:
            self._through.add(maker)
        self.take(touch)
        for number in net.readers.get(name, ()):
            if number not in self._through:
                self.take(read(At(net, net.nodes[number], name, axis)))

    def take(self, touch: Touch) -> None:
        self.divided |= dict.fromkeys(touch.divided)
        self.multiplied |= dict.fromkeys(touch.multiplied)
        for name, axis in touch.joined:
            self.join(name, axis)


def _closed(net: Net, constants: RewrittenConstants, work: _Growing) -> Region:
    """Closes a region with constants of its own, and one number of channels."""
    edges = [*work.divided, *work.multiplied]
    _check_shared(net, work)
    counts = {edge.channels(constants.shape(edge.constant)) for edge in edges}
    if len(counts) != 1:
        raise Blocked(
            "its constants have different numbers of channels" if counts else "nothing could take the factors"
        )
    return Region(work.tensors, tuple(work.divided), tuple(work.multiplied), counts.pop())


def _check_shared(net: Net, work: _Growing) -> None:
    nodes: dict[str, set[int]] = {}
    ways: dict[str, set[tuple[bool, int, int]]] = {}
    for is_divided, edge in _sided(work):
        nodes.setdefault(edge.constant, set()).add(edge.node)
        ways.setdefault(edge.constant, set()).add((is_divided, edge.axis, edge.groups))
    for name, found in nodes.items():
        if found != net.readers_of_constant(name) or len(ways[name]) > 1 or not net.is_free(name):
            raise Blocked(f"{name} is read by others too")
        if net.graph.weights.info(name).dtype != "float32":
            raise Blocked(f"{name} holds no floats of 32 bits")


def _sided(work: _Growing) -> Iterator[tuple[bool, Edge]]:
    yield from ((True, edge) for edge in work.divided)
    yield from ((False, edge) for edge in work.multiplied)


def _once(edges: tuple[Edge, ...]) -> list[Edge]:
    """A constant that several nodes read is scaled once."""
    return list({edge.constant: edge for edge in edges}.values())
