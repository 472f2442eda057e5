"""Groups of nodes that are switched as one: a product with its norm and activation, an activation spelled out.

Between them no NPU rounds, and three nodes of one spelled-out activation show one error three times.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from errorflow.base.arrays import Ints, Ragged, frozen
from errorflow.base.values import dataclass
from errorflow.graph.model import Graph
from errorflow.graph.order import run_order
from errorflow.quant.operators import MOVING, PRODUCTS

ACTIVATIONS = frozenset(
    (
        *("Relu", "LeakyRelu", "PRelu", "Clip", "Sigmoid", "Tanh", "HardSwish", "HardSigmoid", "Elu", "Selu"),
        *("Celu", "Softplus", "Softsign", "Mish", "Gelu", "ThresholdedRelu", "Swish"),
    )
)
# Between one tensor and constants.
_SIMPLE = frozenset(("Add", "Sub", "Mul", "Div", "Max", "Min"))
_AFFINE = frozenset(("Add", "Mul"))
# What spelled-out activations and norms are made of: from what they read to the node that all of it ends in.
_HARD_SWISH = frozenset(("Add", "Clip", "Mul", "Div", "HardSigmoid", "Relu", "Min", "Max"))
_GELU = frozenset(("Div", "Mul", "Add", "Erf", "Tanh", "Pow"))
_SWISH = frozenset(("Sigmoid", "Mul"))
_NORM = frozenset(("ReduceMean", "Sub", "Pow", "Mul", "Add", "Sqrt", "Div", "Reciprocal", "Cast"))
# They pass on what they read.
_NOTHING = frozenset(("Identity", "Dropout"))
LAYER_NORM = "LayerNorm"
# They give something else each time, whatever they read.
_RANDOM = frozenset(("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial"))
# Nodes of one that is spelled out.
_LONGEST = 12


@dataclass(frozen=True, slots=True)
class _Spelled:
    """Form of a group that is spelled out: what it must have, and what else may be in it."""

    name: str
    made_of: frozenset[str]
    must: frozenset[str]
    # The types of the node that all of it ends in.
    ends: frozenset[str]


_SPELLED = (
    _Spelled(LAYER_NORM, _NORM, frozenset(("ReduceMean", "Sub", "Sqrt")), frozenset(("Div", "Mul"))),
    _Spelled("GELU", _GELU, frozenset(("Erf",)), frozenset(("Mul",))),
    _Spelled("GELU", _GELU, frozenset(("Tanh", "Pow")), frozenset(("Mul",))),
    _Spelled("HardSwish", _HARD_SWISH, frozenset(("Clip", "Add")), frozenset(("Mul", "Div"))),
    _Spelled("HardSwish", _HARD_SWISH, frozenset(("HardSigmoid",)), frozenset(("Mul",))),
    _Spelled("Swish", _SWISH, _SWISH, frozenset(("Mul",))),
)


@dataclass(frozen=True, eq=False)
class Units:
    """Every node is in one unit; units are numbered in the order of running."""

    # By node.
    of: Ints
    # By unit what it is, such as `Conv + BatchNormalization + Relu` or `HardSwish`.
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def nodes(self) -> Ragged:
        """Nodes by unit, in the order of the file."""
        return Ragged.grouped(self.of, np.arange(len(self.of), dtype=np.int32), len(self.names))


def main_node(graph: Graph, units: Units, unit: int) -> int:
    """The first node of a group that does more than move values, or hold them: what the group is called after."""
    nodes: list[int] = units.nodes[unit].tolist()
    reading = [node for node in nodes if len(graph.node_inputs[node])]
    wanted = reading if reading else nodes
    return next((node for node in wanted if graph.op_types[node] not in MOVING), wanted[0])


def units_of(graph: Graph) -> Units:
    work = _Work(graph)
    work.spell()
    work.chain()
    return work.units()


class _Work:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._types = list(graph.op_types)
        self._inputs, self._outputs = graph.node_inputs.lists(), graph.node_outputs.lists()
        self._readers = graph.consumers.lists()
        self._outside = set(graph.outputs.tolist())
        self._producers = graph.producers.tolist()
        self._order = run_order(graph).tolist()
        self._through = [node for node in self._order if self._types[node] in _NOTHING and self._is_one_to_one(node)]
        for node in self._through:
            self._bridge(node)
        self._unit: dict[int, int] = {}
        self._members: dict[int, list[int]] = {}
        self._names: dict[int, list[str]] = {}

    def _is_one_to_one(self, node: int) -> bool:
        read, made = self._inputs[node], self._outputs[node]
        return bool(read) and read[0] >= 0 and len(made) == 1 and made[0] >= 0 and self._producers[made[0]] == node

    def _bridge(self, node: int) -> None:
        """Bridges a node: its readers read what it reads."""
        read, made = self._inputs[node][0], self._outputs[node][0]
        for reader in self._readers[made]:
            self._inputs[reader] = [read if tensor == made else tensor for tensor in self._inputs[reader]]
        self._readers[read] = [reader for reader in self._readers[read] if reader != node] + self._readers[made]
        if made in self._outside:
            self._outside.add(read)

    def spell(self) -> None:
        """Spells out groups from the end on, so that the longest is found."""
        for node in reversed(self._order):
            for kind in _SPELLED:
                if node in self._unit or self._types[node] not in kind.ends:
                    continue
                members = self._spelled(node, kind)
                if members:
                    self._join(min(members, key=self._places.__getitem__), members, kind.name)

    def chain(self) -> None:
        """Chains what follows a product and only that joins it, step by step."""
        for node in self._order:
            if self._types[node] in PRODUCTS and node not in self._unit and not self._is_constant_node(node):
                self._join(node, [node], self._types[node])
                self._follow(node)
        for unit in [unit for unit, names in self._names.items() if names[0] == LAYER_NORM]:
            self._scale_and_shift(unit)

    def units(self) -> Units:
        """Constants belong to the one unit that reads them, and who passes on a value to the one that makes it."""
        makers = {node: self._producers[self._inputs[node][0]] for node in self._through}
        for node in reversed(self._order):
            if node not in self._unit and self._is_constant_node(node):
                readers = {self._unit.get(reader) for made in self._outputs[node] for reader in self._readers[made]}
                unit = readers.pop() if len(readers) == 1 else None
                if unit is not None:
                    self._unit[node] = unit
        for node in self._order:
            if node not in self._unit and makers.get(node, -1) in self._unit:
                self._unit[node] = self._unit[makers[node]]
            if node not in self._unit:
                self._join(node, [node], self._types[node])
        numbers: dict[int, int] = {}
        for node in self._order:
            numbers.setdefault(self._unit[node], len(numbers))
        of = frozen([numbers[self._unit[node]] for node in range(len(self._graph))])
        return Units(of, tuple(" + ".join(self._names[unit]) for unit in numbers))

    def _join(self, unit: int, members: Iterable[int], name: str | None = None) -> None:
        for node in members:
            self._unit[node] = unit
            self._members.setdefault(unit, []).append(node)
        if name is not None:
            self._names.setdefault(unit, []).append(name)

    def _follow(self, unit: int) -> None:
        last = unit
        while True:
            reader = self._only_reader(last)
            if reader is None:
                return
            found = self._unit.get(reader)
            if found == unit:  # it reads what it makes
                return
            if found is not None and self._takes(found, last):
                name = self._names.pop(found)
                self._join(unit, self._members.pop(found), name[0])
                last = self._end(unit)
            elif found is None and self._fits(reader, last):
                self._join(unit, [reader], self._types[reader])
                last = reader
            else:
                return

    def _scale_and_shift(self, unit: int) -> None:
        """Joins what a norm is multiplied by and what is added."""
        last = self._end(unit)
        while True:
            reader = self._only_reader(last)
            if reader is None or reader in self._unit or self._types[reader] not in _AFFINE:
                return
            if not self._fits(reader, last):
                return
            self._join(unit, [reader])
            last = reader

    def _takes(self, unit: int, last: int) -> bool:
        """Whether a spelled-out activation reads nothing but what that node makes, in all its places."""
        if self._names[unit][0] == LAYER_NORM:
            return False
        members = set(self._members[unit])
        return all(
            self._producers[tensor] in members or self._producers[tensor] == last
            for node in members
            for tensor in self._flowing(node)
        )

    def _end(self, unit: int) -> int:
        return max(self._members[unit], key=self._places.__getitem__)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {node: place for place, node in enumerate(self._order)}

    def _fits(self, node: int, last: int) -> bool:
        """A norm, an activation, or what is added or multiplied and constant."""
        kind = self._types[node]
        if kind == "BatchNormalization" or kind in ACTIVATIONS:
            return True
        return kind in _SIMPLE and all(self._producers[tensor] == last for tensor in self._flowing(node))

    def _only_reader(self, node: int) -> int | None:
        """Finds the unit or node that alone reads the one output; None: there is none, or one outside reads too."""
        made = [tensor for tensor in self._outputs[node] if tensor >= 0]
        if len(made) != 1 or made[0] in self._outside:
            return None
        readers = set(self._readers[made[0]])
        units = {self._unit.get(reader, ~reader) for reader in readers}
        if len(units) != 1:
            return None
        return min(readers, key=self._places.__getitem__) if readers else None

    def _flowing(self, node: int) -> Iterator[int]:
        """Inputs that are no constants."""
        for tensor in self._inputs[node]:
            if tensor >= 0 and not self._is_constant(tensor):
                yield tensor

    def _is_constant(self, tensor: int) -> bool:
        return tensor in self._constants

    def _is_constant_node(self, node: int) -> bool:
        return any(made in self._constants for made in self._outputs[node])

    @cached_property
    def _constants(self) -> frozenset[int]:
        """Also what is made of nothing but constants, as exporters leave it."""
        found = set(self._graph.constants.tolist())
        for node in self._order:
            read = [tensor for tensor in self._inputs[node] if tensor >= 0]
            if found.issuperset(read) and self._types[node] not in _RANDOM and node not in self._owners:
                found.update(tensor for tensor in self._outputs[node] if tensor >= 0)
        return frozenset(found)

    @cached_property
    def _owners(self) -> frozenset[int]:
        """Owners of bodies, which may read more than they say."""
        return frozenset(body.owner for body in self._graph.subgraphs)

    def _spelled(self, end: int, kind: _Spelled) -> Sequence[int]:
        """The nodes of such a group that ends there: they read one tensor of others, and only the end is read."""
        found = [end]
        for node in found:
            for tensor in self._flowing(node):
                maker = self._producers[tensor]
                if maker >= 0 and maker not in found and self._belongs(maker, found, kind):
                    found.append(maker)
            if len(found) > _LONGEST:
                break
            if kind.must <= {self._types[member] for member in found} and self._reads_one(found):
                return found
        return ()

    def _belongs(self, node: int, members: Sequence[int], kind: _Spelled) -> bool:
        if self._types[node] not in kind.made_of or node in self._unit:
            return False
        made = [tensor for tensor in self._outputs[node] if tensor >= 0]
        if self._outside.intersection(made):
            return False
        return all(reader in members for tensor in made for reader in self._readers[tensor])

    def _reads_one(self, members: Sequence[int]) -> bool:
        outside = {
            tensor for node in members for tensor in self._flowing(node) if self._producers[tensor] not in members
        }
        return len(outside) == 1
