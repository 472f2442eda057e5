"""The tensors of a quantized model by the value that they carry: rounded to codes or not, it is one value."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from errorflow.base.errors import ErrorflowError
from errorflow.compare.match.quantized.ops import DEQUANTIZE, MOVING, PASSING, QUANTIZE, base_type, quantized
from errorflow.graph.model import Graph
from errorflow.graph.qparams import CODE_TYPES, QParams

# A chain of nodes that only pass on is never as long.
_DEEPEST = 64
# Values by the place at which a node reads them.
Reads = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Values:
    """A value has the number of the tensor that it first appears as."""

    graph: Graph

    @cached_property
    def of(self) -> list[int]:
        """For each tensor the value that it carries."""
        return [self._source(tensor) for tensor in range(len(self.graph.tensor_names))]

    @cached_property
    def carriers(self) -> dict[int, list[int]]:
        """For each value the tensors that carry it."""
        found: dict[int, list[int]] = {}
        for tensor, value in enumerate(self.of):
            found.setdefault(value, []).append(tensor)
        return found

    @cached_property
    def readers(self) -> dict[int, list[int]]:
        """For each value the nodes that make another one out of it, in the order of the file."""
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
        """By what they stand for and what they read that is no constant, nodes in the order of the file."""
        found: dict[tuple[str, Reads], list[int]] = {}
        for node in range(len(self.graph)):
            if self.graph.op_types[node] not in PASSING:
                values = ((place, self.of[tensor]) for place, tensor in self._read(node))
                reads = tuple((place, value) for place, value in values if value not in self.constant)
                found.setdefault((base_type(self.graph.op_types[node]), reads), []).append(node)
        return found

    def _read(self, node: int) -> Iterator[tuple[int, int]]:
        """What the node reads, without scales and zero points, each with its place among what it would read in float.

        Constants at the end may be more or fewer than there, such as a bias.
        """
        inputs = self.graph.node_inputs[node].tolist()
        row = quantized(self.graph.op_types[node], len(inputs))
        for place, at in enumerate(range(len(inputs)) if row is None else row.reads):
            if at < len(inputs) and inputs[at] >= 0:
                yield place, inputs[at]

    def best(self, tensor: int) -> int:
        """What the readers of that very tensor get: dequantized if there is such a one, else in codes, else as it is.

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
        """What the nodes that only pass it on make of it, each with the node's kind."""
        for reader in self.graph.consumers[tensor].tolist():
            kind, made = self.graph.op_types[reader], next(iter(self.graph.node_outputs[reader].tolist()), -1)
            if kind in PASSING and self._first(reader) == tensor and made >= 0:
                yield kind, int(made)

    def qparams(self, tensor: int, dtype: str) -> QParams | None:
        """What the codes in a tensor of that type mean, as those who make or read them say; None for real values."""
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
        """Its first input; -1: it has none."""
        return int(next(iter(self.graph.node_inputs[node].tolist()), -1))

    def _makes_constant(self, tensor: int) -> bool:
        maker = int(self.graph.producers[tensor])
        return maker >= 0 and not len(self.graph.node_inputs[maker])


def _at(inputs: list[int], place: int) -> int | None:
    return inputs[place] if place < len(inputs) and inputs[place] >= 0 else None
