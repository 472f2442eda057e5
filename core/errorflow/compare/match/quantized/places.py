"""Places of float tensors in the quantized model: by names, then by their neighbours."""

from collections.abc import Callable, Iterator
from functools import cached_property

from errorflow.base import SILENT, ErrorflowError, Progress, dataclass, field
from errorflow.compare.match.quantized.ops import DEQUANTIZE, FUSABLE, MOVING, PASSING, QUANTIZE, base_type, quantized
from errorflow.graph.model import Graph
from errorflow.graph.order import run_order
from errorflow.graph.qparams import CODE_TYPES, QParams

# Nodes between two looks at whether somebody cancelled.
EVERY = 500
NAME, PLACE, FUSED, ONE_OF_SEVERAL = "tensor-name", "same-place", "fused-place", "one-of-several"


# A chain of nodes that only pass on is never as long.
_DEEPEST = 64
# Values by the place at which a node reads them.
Reads = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class QuantizedValues:
    """A value has the number of the tensor that it first appears as."""

    graph: Graph

    @cached_property
    def of(self) -> list[int]:
        """Values that tensors carry, by tensor."""
        return [self._source(tensor) for tensor in range(len(self.graph.tensor_names))]

    @cached_property
    def carriers(self) -> dict[int, list[int]]:
        """Tensors that carry a value, by value."""
        found: dict[int, list[int]] = {}
        for tensor, value in enumerate(self.of):
            found.setdefault(value, []).append(tensor)
        return found

    @cached_property
    def readers(self) -> dict[int, list[int]]:
        """Nodes that make another value out of one, by value, in the order of the file."""
        found: dict[int, dict[int, None]] = {}
        for node in range(len(self.graph)):
            if self.graph.op_types[node] not in PASSING:
                for _, tensor in self._read(node):
                    found.setdefault(self.of[tensor], {})[node] = None
        return {value: list(nodes) for value, nodes in found.items()}

    @cached_property
    def constant(self) -> frozenset[int]:
        """Values that are in the file."""
        made = {int(tensor) for tensor in self.graph.constants.tolist()}
        return frozenset(made | {t for t in range(len(self.of)) if self._makes_constant(t)})

    @cached_property
    def twins(self) -> dict[tuple[str, Reads], list[int]]:
        """Nodes that stand for the same and read the same non-constants, in the order of the file."""
        found: dict[tuple[str, Reads], list[int]] = {}
        for node in range(len(self.graph)):
            if self.graph.op_types[node] not in PASSING:
                values = ((place, self.of[tensor]) for place, tensor in self._read(node))
                reads = tuple((place, value) for place, value in values if value not in self.constant)
                found.setdefault((base_type(self.graph.op_types[node]), reads), []).append(node)
        return found

    def _read(self, node: int) -> Iterator[tuple[int, int]]:
        """Yields what the node reads, without scales and zero points, each with its place among what it would read in
        float.

        Constants at the end may be more or fewer than there, such as a bias.
        """
        inputs = self.graph.node_inputs[node].tolist()
        row = quantized(self.graph.op_types[node], len(inputs))
        for place, at in enumerate(range(len(inputs)) if row is None else row.reads):
            if at < len(inputs) and inputs[at] >= 0:
                yield place, inputs[at]

    def best(self, tensor: int) -> int:
        """Chooses what the readers of that very tensor get: dequantized if there is such a one, else in codes, else as
        it is.

        Not what is behind an Identity: that has a name, and a DequantizeLinear, of its own.
        """
        if self._maker(tensor) == DEQUANTIZE:
            return tensor
        real, codes, seen = [], [tensor], 0
        while seen < min(len(codes), _DEEPEST):
            here = codes[seen]
            seen += 1
            for kind, made in self._passed_on(here):
                if kind == DEQUANTIZE:
                    real.append(made)
                elif kind == QUANTIZE or here != tensor:
                    codes.append(made)
        # A tensor may be rounded anew for each of its readers.
        name = self.graph.tensor_names[tensor]
        own = (made for made in real if self.graph.tensor_names[made].startswith(name))
        usual = real[0] if real else codes[min(1, len(codes) - 1)]
        return next(own, usual)

    def origin(self, tensor: int) -> int:
        """The node that made it before it was rounded; -1: none did."""
        maker = int(self.graph.producers[tensor])
        for _ in range(_DEEPEST):
            if maker < 0 or self.graph.op_types[maker] not in (QUANTIZE, DEQUANTIZE):
                break
            maker = int(self.graph.producers[self._first(maker)]) if self._first(maker) >= 0 else -1
        return maker

    def _passed_on(self, tensor: int) -> Iterator[tuple[str, int]]:
        """Yields what the nodes that only pass it on make of it, each with the node's kind."""
        for reader in self.graph.consumers[tensor].tolist():
            kind, made = self.graph.op_types[reader], next(iter(self.graph.node_outputs[reader].tolist()), -1)
            if kind in PASSING and self._first(reader) == tensor and made >= 0:
                yield kind, int(made)

    def qparams(self, tensor: int, dtype: str) -> QParams | None:
        """Finds what the codes in a tensor of that type mean, as its maker or readers say; None for real values."""
        if dtype not in CODE_TYPES:
            return None
        seen: set[int] = set()
        waiting = [tensor]
        while waiting and len(seen) < _DEEPEST:
            here = waiting.pop(0)
            seen.add(here)
            for scale, zero in self._scales(here):
                found = self._qparams(scale, zero, *CODE_TYPES[dtype])
                if found is not None:
                    return found
            waiting += [other for other in self._moved(here) if other not in seen]
        return None

    def _moved(self, tensor: int) -> Iterator[int]:
        """Tensors with the same codes in another order or choice."""
        maker = int(self.graph.producers[tensor])
        if maker >= 0 and self.graph.op_types[maker] in MOVING and self._first(maker) >= 0:
            yield self._first(maker)
        for reader in self.graph.consumers[tensor].tolist():
            if self.graph.op_types[reader] in MOVING and self._first(reader) == tensor:
                yield from (out for out in self.graph.node_outputs[reader].tolist() if out >= 0)

    def _scales(self, tensor: int) -> Iterator[tuple[int, int | None]]:
        """Tensors that hold its scale and its zero point."""
        maker = int(self.graph.producers[tensor])
        if maker >= 0:
            inputs = self.graph.node_inputs[maker].tolist()
            row = quantized(self.graph.op_types[maker], len(inputs))
            place = 1 if self.graph.op_types[maker] == QUANTIZE else None if row is None else row.makes
            if place is not None and place < len(inputs):
                yield inputs[place], _at(inputs, place + 1)
        for reader in self.graph.consumers[tensor].tolist():
            inputs = self.graph.node_inputs[reader].tolist()
            row = quantized(self.graph.op_types[reader], len(inputs))
            places = (0,) if self.graph.op_types[reader] == DEQUANTIZE else () if row is None else row.reads
            for place in places:
                if _at(inputs, place) == tensor and place + 1 < len(inputs):
                    yield inputs[place + 1], _at(inputs, place + 2)

    def _qparams(self, scale: int, zero: int | None, bits: int, signed: bool) -> QParams | None:
        try:
            scales = self.graph.weights.read(self.graph.tensor_names[scale]).reshape(-1)
            zeros = None if zero is None else self.graph.weights.read(self.graph.tensor_names[zero]).reshape(-1)
        except (KeyError, ErrorflowError):  # the scale is worked out while the model runs, or its file is gone
            return None
        return QParams(
            tuple(float(value) for value in scales.tolist()),
            (0,) if zeros is None else tuple(int(value) for value in zeros.tolist()),
            bits,
            signed,
        )

    def _maker(self, tensor: int) -> str:
        maker = int(self.graph.producers[tensor])
        return "" if maker < 0 else self.graph.op_types[maker]

    def _source(self, tensor: int) -> int:
        for _ in range(_DEEPEST):
            maker = int(self.graph.producers[tensor])
            if maker < 0 or self.graph.op_types[maker] not in PASSING or self._first(maker) < 0:
                break
            tensor = self._first(maker)
        return tensor

    def _first(self, node: int) -> int:
        """Finds the node's first input; -1: it has none."""
        return int(next(iter(self.graph.node_inputs[node].tolist()), -1))

    def _makes_constant(self, tensor: int) -> bool:
        maker = int(self.graph.producers[tensor])
        return maker >= 0 and not len(self.graph.node_inputs[maker])


def _at(inputs: list[int], place: int) -> int | None:
    return inputs[place] if place < len(inputs) and inputs[place] >= 0 else None


@dataclass
class QuantizedPlaces:
    """Maps tensors of the float model to the value in the quantized one, and the rule."""

    reference: Graph
    candidate: QuantizedValues
    found: dict[int, tuple[int, str]] = field(default_factory=dict)
    # The tensor of the same name in the quantized model, where there is one.
    named: dict[int, int] = field(default_factory=dict)
    # Tensors that the quantized model's node has inside, by the node's number.
    inside: dict[int, int] = field(default_factory=dict)
    _taken: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, reference: Graph, candidate: Graph, progress: Progress = SILENT) -> "QuantizedPlaces":
        places = cls(reference, QuantizedValues(candidate))
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
        """Finds what the tensor's only reader makes, if the quantized model has no such node behind the value."""
        made = self._follower(tensor)
        if made is None or made in self.found:
            return None
        kind = self.reference.op_types[int(self.reference.producers[made])]
        theirs = (self.candidate.graph.op_types[reader] for reader in self.candidate.readers.get(value, ()))
        return None if kind in map(base_type, theirs) else made

    def _follower(self, tensor: int) -> int | None:
        """Finds what the tensor's only reader makes, where that may be part of the node before it."""
        readers = self.reference.consumers[tensor].tolist()
        if len(readers) != 1 or tensor in self._outputs:
            return None
        made = int(self.reference.node_outputs[readers[0]][0])
        return made if self.reference.op_types[readers[0]] in FUSABLE and made >= 0 else None

    def _made(self, node: int) -> int:
        return self._every_made[node]

    @cached_property
    def _every_made(self) -> list[int]:
        """Values that are the first outputs of nodes; -1: a node has none."""
        firsts = (next(iter(made), -1) for made in self.candidate.graph.node_outputs.lists())
        return [self.candidate.of[tensor] if tensor >= 0 else -1 for tensor in firsts]
