"""Assignment of a plan to a graph: the precision of each tensor.

A tensor is coded once, for all that read it. So a node gets rid of the error of its own tensors only when these are
left in float, for its neighbours too: one node that is wished in float frees all that it reads and makes. Otherwise
the wish for most bits counts. Who only moves values has no wish of its own and does as its readers do.

A constant that nodes pass on under other names is coded itself, for all of them; ONNX Runtime's tool codes what is
passed on, which has the same values but leaves other readers of the constant in float.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.graph.model import Graph, Shape
from errorflow.graph.order import run_order
from errorflow.quant.operators import KEEPING, MOVING, WEIGHTED, flowing
from errorflow.quant.plan import FLOAT, PLANNED, Floating, Plan, Wish
from errorflow.quant.precision import Precision
from errorflow.quant.selecting import chosen

Bools = NDArray[np.bool_]
# None: nobody has a wish.
Vote = Precision | Floating | None
# What wishes depend on where there are no rules: activations, weights, types, whether the model was in float.
Bare = tuple[Precision | Floating, Precision | Floating, tuple[str, ...] | None, bool]
_NO_WISH: tuple[Vote, Vote] = (None, None)
Given = TypeVar("Given", Precision, Precision | Floating)


@dataclass(frozen=True, slots=True)
class Bias:
    """Added to the product of codes, by one node."""

    bias: int
    source: int
    weight: int


@dataclass(frozen=True, slots=True)
class CodedConstant:
    """A constant that is coded: how, and along which axis its scales are."""

    precision: Precision
    axis: int | None = None


@dataclass(frozen=True, eq=False)
class Assigned:
    """Precisions by the numbers of tensors; of biases by that of the node."""

    activations: Mapping[int, Precision]
    constants: Mapping[int, CodedConstant]
    biases: Mapping[int, Bias]
    # Takes scale and zero point of another one …
    scale_of: Mapping[int, int]
    # … and holds nothing but values of it, so that coding it again would change nothing.
    moved: frozenset[int]
    # What was wished of each node: activations, weights.
    wishes: tuple[tuple[Vote, Vote], ...]

    @property
    def coded(self) -> frozenset[int]:
        """Tensors that are not in float."""
        return frozenset(self.activations) | frozenset(self.constants)

    def precisions(self, names: Sequence[str]) -> dict[str, Precision]:
        """Maps names of tensors to how each that is not in float is coded."""
        found = {names[tensor]: precision for tensor, precision in self.activations.items()}
        return found | {names[tensor]: coded.precision for tensor, coded in self.constants.items()}


def assign(graph: Graph, plan: Plan, floats: Bools) -> Assigned:
    """`floats`: which tensors hold float values; only those can be quantized."""
    work = _Work(graph, plan, floats)
    work.vote()
    return work.assigned()


def freed(before: Assigned, after: Assigned) -> frozenset[int]:
    """The tensors that the second leaves in float and the first does not."""
    return before.coded - after.coded


class _Work:
    def __init__(self, graph: Graph, plan: Plan, floats: Bools) -> None:
        self._graph, self._plan, self._floats = graph, plan, floats
        self._facts = _facts(graph)
        self._nodes = self._facts.nodes
        self._constant = self._facts.constant
        self._explicit = _numbered(graph, plan.tensors)
        self._before = None if plan.coded is None else _numbered(graph, plan.coded)
        self._ruled, self._wishes = _wishes(graph, plan, self._facts)
        self._found: dict[int, Vote] = {}
        self._coded: dict[int, CodedConstant | None] = {}

    def vote(self) -> None:
        """Votes from the end on: a node that moves values takes the vote of its readers."""
        facts = self._facts
        flowing: Iterable[int] = facts.flowing_tensors
        constants: Iterable[int] = facts.constants
        if self._is_bare:
            flowing = sorted(self._near(), key=facts.age.__getitem__, reverse=True)
            constants = sorted({facts.known_as(tensor) for tensor in self._explicit if self._constant[tensor]})
        for tensor in flowing:
            self._found[tensor] = self._decide(tensor, facts.maker[tensor], facts.readers[tensor])
        for tensor in constants:
            read = [
                (name, reader)
                for name in self._names_of(tensor)
                for reader in facts.readers[name]
                if facts.source.keys().isdisjoint(self._made(reader))
            ]
            self._coded[tensor] = self._decide_constant(tensor, read)

    @property
    def _is_bare(self) -> bool:
        """Whether codes are wished for single tensors only: then only what is near these can have any."""
        plan = self._plan
        return plan.activations == plan.weights == FLOAT and not plan.rules and plan.coded is None

    def _near(self) -> set[int]:
        """Finds what flows and has a wish of its own, or is only moved to where one is, and the tensors that these
        depend on.
        """
        facts = self._facts
        asked = {tensor for tensor in self._explicit if not self._constant[tensor]}
        left = list(asked)
        while left:
            maker = facts.maker[left.pop()]
            read = () if maker is None or not self._moves(maker) else facts.flowing[maker]
            left += [tensor for tensor in read if not self._constant[tensor] and tensor not in asked]
            asked.update(left)
        left = list(asked)
        while left:
            readers = [reader for reader in facts.readers[left.pop()] if self._moves(reader)]
            left += [tensor for reader in readers for tensor in self._made(reader) if tensor not in asked]
            asked.update(left)
        return asked

    def assigned(self) -> Assigned:
        votes = {tensor: self._settled(tensor, vote) for tensor, vote in self._found.items()}
        activations = {tensor: vote for tensor, vote in votes.items() if isinstance(vote, Precision)}
        constants = {tensor: coded for tensor, coded in self._coded.items() if coded is not None}
        scale_of, moved = self._shared(activations)
        biases = dict(self._biases(activations, constants)) if self._plan.biases else {}
        for bias in biases.values():
            constants.pop(bias.bias, None)
        wishes = self._wishes
        if self._before:
            wishes = tuple(self._known_wish(number, wish) for number, wish in enumerate(wishes))
        return Assigned(activations, constants, biases, scale_of, frozenset(moved), wishes)

    def _settled(self, tensor: int, vote: Vote) -> Vote:
        """Settles a tensor of a model that is quantized already: it stays as it is, unless something else is wished."""
        if self._before is None or tensor in self._explicit:
            return vote
        before = self._before.get(tensor)
        return before if vote is None or before is None else vote

    def _known_wish(self, node: int, wish: tuple[Vote, Vote]) -> tuple[Vote, Vote]:
        """Settles the wishes of nodes where a model is quantized already."""
        assert self._before is not None
        weighted = WEIGHTED.get(self._nodes[node].op_type)
        inputs = self._facts.inputs[node]
        weight = inputs[weighted.weight] if weighted is not None and weighted.weight < len(inputs) else None
        flowing = [tensor for tensor in (*self._flowing(node), *self._made(node)) if tensor != weight]
        found = next((self._before[tensor] for tensor in flowing if tensor in self._before), None)
        of_weight = None if weight is None else self._before.get(self._facts.known_as(weight))
        return found if wish[0] is None else wish[0], of_weight if wish[1] is None else wish[1]

    def _decide(self, tensor: int, maker: int | None, readers: Iterable[int]) -> Vote:
        if not self._floats[tensor]:
            return None
        if tensor in self._explicit:
            return self._explicit[tensor]
        votes = [] if maker is None or self._moves(maker) else [self._maker_vote(maker)]
        votes += [vote for reader in readers for vote in self._reader_votes(tensor, reader)]
        return _combined(votes)

    def _maker_vote(self, maker: int) -> Vote:
        wish = self._wishes[maker][0]
        return wish if self._plan.outputs or wish == FLOAT or self._ruled[maker] else None

    def _reader_votes(self, tensor: int, reader: int) -> list[Vote]:
        if tensor not in self._flowing(reader):
            return []
        if self._moves(reader):
            return [self._found.get(made) for made in self._made(reader)]
        return [self._wishes[reader][0]]

    def _names_of(self, constant: int) -> list[int]:
        """Itself, and what else it goes by."""
        return [constant, *self._facts.aliases.get(constant, ())]

    def _said_of(self, constant: int) -> Vote:
        """Finds the wish for the constant itself, or else under another name."""
        if constant in self._explicit:
            return self._explicit[constant]
        return _combined(self._explicit[name] for name in self._names_of(constant) if name in self._explicit)

    def _decide_constant(self, constant: int, readers: Iterable[tuple[int, int]]) -> CodedConstant | None:
        """`readers`: the nodes that read it, each with the name under which."""
        if not self._floats[constant]:
            return None
        votes: list[Vote] = []
        axis: int | None = None
        for tensor, reader in readers:
            node = self._nodes[reader]
            weighted = WEIGHTED.get(node.op_type)
            inputs = self._facts.inputs[reader]
            if weighted is not None and weighted.weight < len(inputs) and inputs[weighted.weight] == tensor:
                votes.append(self._wishes[reader][1])
                axis = weighted.axis_of(node)
            elif tensor in self._flowing(reader):
                votes.append(self._wishes[reader][0])
        said = self._said_of(constant)
        vote = self._settled(constant, _combined(votes)) if said is None else said
        if not isinstance(vote, Precision):
            return None
        shape = self._facts.shape(constant)
        along = vote.per_channel and axis is not None and shape is not None and len(shape) > 1
        return CodedConstant(vote, axis % len(shape) if along and axis is not None and shape is not None else None)

    def _shared(self, activations: Mapping[int, Precision]) -> tuple[dict[int, int], list[int]]:
        scale_of: dict[int, int] = {}
        moved: list[int] = []
        for node in self._in_order(activations):
            kind = self._nodes[node].op_type
            if kind not in MOVING and kind not in KEEPING:
                continue
            source = self._facts.inputs[node][0]
            for made in self._made(node):
                if made in activations and activations.get(source) == activations[made]:
                    known = scale_of.get(source)
                    scale_of[made] = source if known is None else known
                    if kind in MOVING:
                        moved.append(made)
        return scale_of, moved

    def _in_order(self, made: Iterable[int]) -> list[int]:
        """The nodes that make these, as they run."""
        if not self._is_bare:
            return self._facts.order
        makers = {self._facts.maker[tensor] for tensor in made} - {None}
        return sorted((maker for maker in makers if maker is not None), key=self._facts.rank.__getitem__)

    def _biases(
        self, activations: Mapping[int, Precision], constants: Mapping[int, CodedConstant]
    ) -> Iterable[tuple[int, Bias]]:
        read = (
            reader for tensor in constants for name in self._names_of(tensor) for reader in self._facts.readers[name]
        )
        for number in sorted(set(read)) if self._is_bare else range(len(self._nodes)):
            weighted = WEIGHTED.get(self._nodes[number].op_type)
            inputs = self._facts.inputs[number]
            if weighted is None or weighted.bias is None or len(inputs) <= weighted.bias or inputs[weighted.bias] < 0:
                continue
            bias = Bias(
                self._facts.known_as(inputs[weighted.bias]), inputs[0], self._facts.known_as(inputs[weighted.weight])
            )
            if self._constant[bias.bias] and bias.source in activations and bias.weight in constants:
                yield number, bias

    def _moves(self, node: int) -> bool:
        """Whether a node moves values; one whose activations a rule names has a wish of its own."""
        return self._nodes[node].op_type in MOVING and not self._ruled[node]

    def _flowing(self, node: int) -> list[int]:
        return self._facts.flowing[node]

    def _made(self, node: int) -> list[int]:
        return self._facts.made[node]


class _Facts:
    """Facts that are decoded of a graph, which takes longer than all the rest: one graph gets many plans."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.nodes = tuple(graph.nodes())
        self.order: list[int] = run_order(graph).tolist()
        self.inputs = graph.node_inputs.lists()
        self.made = [[tensor for tensor in row if tensor >= 0] for row in graph.node_outputs.lists()]
        self.readers = [list(dict.fromkeys(row)) for row in graph.consumers.lists()]
        self.flowing = [self._flowing(number) for number in range(len(graph))]
        # Which nodes can be quantized at all.
        self.flows = [bool(flowing(node)) for node in self.nodes]
        self._shapes: dict[int, Shape] = {}
        self.rank = {node: place for place, node in enumerate(self.order)}
        self.constant: Bools = np.zeros(len(graph.tensor_names), bool)
        self.constant[graph.constants] = True
        # Of a constant that goes by another name, as some exporters leave it, the constant.
        self.source: dict[int, int] = {}
        for number in self.order:
            self._note_constant(number)
        self.constants = [each for each in np.flatnonzero(self.constant).tolist() if each not in self.source]
        self.aliases: dict[int, list[int]] = {}
        for alias, source in self.source.items():
            self.aliases.setdefault(source, []).append(alias)
        self.maker: list[int | None] = [None] * len(graph.tensor_names)
        for node in self.order:
            for tensor in self.made[node]:
                self.maker[tensor] = node
        made = (tensor for node in reversed(self.order) for tensor in self.made[node])
        ordered = (tensor for tensor in (*made, *graph.inputs.tolist()) if not self.constant[tensor])
        # All that is no constant, from the end on.
        self.flowing_tensors = tuple(dict.fromkeys(ordered))
        self.age = {tensor: -place for place, tensor in enumerate(self.flowing_tensors)}
        self._bare: dict[Bare, tuple[tuple[Vote, Vote], ...]] = {}

    def wishes(self, plan: Plan) -> "tuple[tuple[Vote, Vote], ...]":
        """Finds the wishes of each node for its activations and weights, before there are rules."""
        key = (plan.activations, plan.weights, plan.types, plan.coded is None)
        if key not in self._bare:
            said: tuple[Vote, Vote] = (plan.activations, plan.weights)
            self._bare[key] = tuple(
                said
                if flows and plan.coded is None and (plan.types is None or node.op_type in plan.types)
                else _NO_WISH
                for node, flows in zip(self.nodes, self.flows, strict=True)
            )
        return self._bare[key]

    def _note_constant(self, number: int) -> None:
        """Weights may stand in nodes of their own, and be read through nodes that do nothing."""
        kind, made = self.nodes[number].op_type, self.made[number]
        if kind == "Constant":
            self.constant[made] = True
        read = self.inputs[number] if kind == "Identity" else []
        if read and read[0] >= 0 and self.constant[read[0]]:
            self.constant[made] = True
            self.source |= dict.fromkeys(made, self.known_as(read[0]))

    def known_as(self, constant: int) -> int:
        return self.source.get(constant, constant)

    def _flowing(self, number: int) -> list[int]:
        inputs = self.inputs[number]
        places = flowing(self.nodes[number])
        return [inputs[place] for place in places if place < len(inputs) and inputs[place] >= 0]

    def shape(self, constant: int) -> Shape:
        """Graphs know no shapes of what Constant nodes make."""
        if constant not in self._shapes:
            known = self._graph.shapes[constant]
            name = self._graph.tensor_names[constant]
            self._shapes[constant] = self._graph.weights.info(name).shape if known is None else known
        return self._shapes[constant]


_facts = lru_cache(maxsize=2)(_Facts)


def _numbered(graph: Graph, named: Iterable[tuple[str, Given]]) -> dict[int, Given]:
    """Maps the numbers of tensors that the graph has."""
    numbers = ((graph.tensor_index(name), wish) for name, wish in named)
    return {number: wish for number, wish in numbers if number is not None}


def _wishes(graph: Graph, plan: Plan, facts: _Facts) -> tuple[list[bool], tuple[tuple[Vote, Vote], ...]]:
    """Whether a rule names the node, and what is wished of its activations and weights."""
    planned = facts.wishes(plan)
    if not plan.rules:
        return [False] * len(graph), planned
    ruled = np.zeros(len(graph), bool)
    found = list(planned)
    for rule in plan.rules:
        meant = chosen(graph, rule)
        if rule.activations != "keep":
            ruled[meant] = rule.activations != PLANNED
        for number in np.flatnonzero(meant).tolist():
            (activations, weights), base = found[number], planned[number]
            found[number] = _wished(rule.activations, activations, base[0]), _wished(rule.weights, weights, base[1])
    return ruled.tolist(), tuple(found)


def _wished(wish: Wish, before: Vote, planned: Vote) -> Vote:
    if wish == "keep":
        return before
    return planned if wish == PLANNED else wish


def _combined(votes: Iterable[Vote]) -> Vote:
    """Combines votes: float if one is for that, else the most bits; of as many, the first."""
    best: Precision | None = None
    for vote in votes:
        if isinstance(vote, Precision):
            best = vote if best is None or vote.bits > best.bits else best
        elif vote is not None:
            return vote
    return best
