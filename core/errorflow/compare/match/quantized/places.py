"""Which value of the quantized model stands for each tensor of the float model: by names, then by their places."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from errorflow.base.progress import SILENT, Progress
from errorflow.compare.match.quantized.ops import FUSABLE, base_type
from errorflow.compare.match.quantized.values import Reads, Values
from errorflow.graph.model import Graph
from errorflow.graph.order import run_order

# Nodes between two looks at whether somebody cancelled.
EVERY = 500
NAME, PLACE, FUSED, ONE_OF_SEVERAL = "tensor-name", "same-place", "fused-place", "one-of-several"


@dataclass
class Places:
    """By tensor of the float model: the value in the quantized one, and the rule."""

    reference: Graph
    candidate: Values
    found: dict[int, tuple[int, str]] = field(default_factory=dict)
    # The tensor of the same name in the quantized model, where there is one.
    named: dict[int, int] = field(default_factory=dict)
    # Tensors that the quantized model's node has inside, by the node's number.
    inside: dict[int, int] = field(default_factory=dict)
    _taken: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, reference: Graph, candidate: Graph, progress: Progress = SILENT) -> "Places":
        places = cls(reference, Values(candidate))
        places._by_names()
        for done, node in enumerate(run_order(reference).tolist()):
            if done % EVERY == 0:
                progress.step(done, len(reference), "Matching")
            places._by_place(node)
        return places

    def _by_names(self) -> None:
        graph = self.candidate.graph
        for tensor, name in enumerate(self.reference.tensor_names):
            twin = graph.tensor_index(name)
            if twin is not None and self.candidate.of[twin] not in self.candidate.constant:
                self._take(tensor, self.candidate.of[twin], NAME)
                self.named[tensor] = twin

    def twin(self, tensor: int) -> int:
        """The quantized model's tensor for one that was found: that of its name, else where the value first appears."""
        return self.named.get(tensor, self.found[tensor][0])

    def _take(self, tensor: int, value: int, rule: str) -> None:
        self.found[tensor] = value, rule
        self._taken.add(value)

    def _by_place(self, node: int) -> None:
        """The node's first output, or what it becomes in nodes that the quantized model's node took in."""
        made = [tensor for tensor in self.reference.node_outputs[node].tolist() if tensor >= 0]
        if not made or made[0] in self.found or made[0] in self.inside:
            return
        every = self._twins(node)
        twins = [twin for twin in every if self._made(twin) not in self._taken]
        if not twins:
            self._note_inside(made[0], every)
            return
        twin, rule = self._chosen(node, twins)
        value = self._made(twin)
        tensor = made[0]
        while tensor not in self.inside and (after := self._taken_in(tensor, value)) is not None:
            self.inside[tensor] = twin
            tensor, rule = after, FUSED if rule == PLACE else rule
        if tensor not in self.found:
            self._take(tensor, value, rule)
        for place, other in enumerate(made[1:], 1):
            outputs = self.candidate.graph.node_outputs[twin].tolist()
            if other not in self.found and tensor == made[0] and place < len(outputs) and outputs[place] >= 0:
                self._take(other, self.candidate.of[outputs[place]], rule)

    def _note_inside(self, tensor: int, twins: list[int]) -> None:
        """The tensor is made in the node whose output bears the name of what follows."""
        makers = {self._made(twin): twin for twin in twins}
        after, seen = self._follower(tensor), {tensor}
        while after is not None and after not in self.found and after not in seen:
            seen.add(after)
            after = self._follower(after)
        if after in self.found and self.found[after][0] in makers:
            self.inside[tensor] = makers[self.found[after][0]]

    def _twins(self, node: int) -> list[int]:
        """Nodes of the same kind that read the same values at the same places, in the order of the file."""
        wanted = self._values(node)
        return (
            [] if wanted is None else self.candidate.twins.get((base_type(self.reference.op_types[node]), wanted), [])
        )

    def _values(self, node: int) -> Reads | None:
        """The values that the quantized model has for what the node reads; None: for one it has none."""
        wanted: list[tuple[int, int]] = []
        for place, tensor in enumerate(self.reference.node_inputs[node].tolist()):
            if tensor in self.found:
                wanted.append((place, self.found[tensor][0]))
            elif tensor >= 0 and tensor not in self._constants:
                return None
        return tuple(wanted) if wanted else None

    @cached_property
    def _outputs(self) -> frozenset[int]:
        return frozenset(self.reference.outputs.tolist())

    @cached_property
    def _constants(self) -> frozenset[int]:
        return frozenset(self.reference.constants.tolist())

    def _chosen(self, node: int, twins: list[int]) -> tuple[int, str]:
        if len(twins) == 1:
            return twins[0], PLACE
        name = self.reference.node_names[node]
        names = self.candidate.graph.node_names
        alike: list[Callable[[str], bool]] = [
            name.__eq__,
            lambda other: other.startswith(name),
            lambda other: name in other,
        ]
        for is_alike in alike if name else ():
            named = [twin for twin in twins if is_alike(names[twin])]
            if named:
                return named[0], ONE_OF_SEVERAL
        return twins[0], ONE_OF_SEVERAL

    def _taken_in(self, tensor: int, value: int) -> int | None:
        """What the tensor's only reader makes, if the quantized model has no such node behind the value."""
        made = self._follower(tensor)
        if made is None or made in self.found:
            return None
        kind = self.reference.op_types[int(self.reference.producers[made])]
        theirs = (self.candidate.graph.op_types[reader] for reader in self.candidate.readers.get(value, ()))
        return None if kind in map(base_type, theirs) else made

    def _follower(self, tensor: int) -> int | None:
        """What the tensor's only reader makes, where that may be part of the node before it."""
        readers = self.reference.consumers[tensor].tolist()
        if len(readers) != 1 or tensor in self._outputs:
            return None
        made = int(self.reference.node_outputs[readers[0]][0])
        return made if self.reference.op_types[readers[0]] in FUSABLE and made >= 0 else None

    def _made(self, node: int) -> int:
        return self._every_made[node]

    @cached_property
    def _every_made(self) -> list[int]:
        """By node the value that is its first output; -1: it has none."""
        firsts = (next(iter(made), -1) for made in self.candidate.graph.node_outputs.lists())
        return [self.candidate.of[tensor] if tensor >= 0 else -1 for tensor in firsts]
