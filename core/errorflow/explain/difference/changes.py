"""What differs in two nodes that belong together: type, attributes, and what they make."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from errorflow.base.arrays import Column, Ints, T
from errorflow.explain.difference.model import Links
from errorflow.explain.difference.operators import CONVERSIONS, work_of
from errorflow.graph.model import Graph, Shape

# Characters of a value beyond which only its beginning is told.
LONGEST = 60
# Attributes of a compiler about itself.
_PRIVATE = "_"


@dataclass(frozen=True, slots=True)
class Change:
    """`what` names it: "operator", "precision", "shape", "layout" or an attribute."""

    what: str
    reference: str
    candidate: str

    @property
    def text(self) -> str:
        return f"{self.what} {self.reference} → {self.candidate}"


class Changes:
    """Answers for one pair after the other; columns are compared once for all."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._reference = links.reference
        self._candidate = links.candidate

    def of(self, reference: int, candidate: int) -> tuple[Change, ...]:
        """Empty: they are the same, as far as the files tell."""
        found = [*self._of_types(reference, candidate), *self._of_output(reference, candidate)]
        if self._reference.op_types[reference] == self._candidate.op_types[candidate]:
            found += _of_attributes(self._reference.attributes(reference), self._candidate.attributes(candidate))
        return tuple(found)

    def _of_types(self, reference: int, candidate: int) -> list[Change]:
        before, after = self._reference.op_types[reference], self._candidate.op_types[candidate]
        return [] if work_of(before) == work_of(after) else [Change("operator", before, after)]

    def _of_output(self, reference: int, candidate: int) -> list[Change]:
        before, after = self._precisions[0][reference], self._precisions[1][candidate]
        found = [Change("precision", before, after)] if before and after and before != after else []
        ours, others = _first_output(self._reference, reference), _first_output(self._candidate, candidate)
        if ours < 0 or others < 0:
            return found
        shape, other_shape = _shape(self._reference, ours), _shape(self._candidate, others)
        if _differ(shape, other_shape):
            found.append(Change("shape", _shape_text(shape), _shape_text(other_shape)))
        layout, other_layout = self._layouts(ours, others)
        if layout and other_layout and layout != other_layout:
            found.append(Change("layout", layout, other_layout))
        return found

    def _layouts(self, reference: int, candidate: int) -> tuple[str, str]:
        """A model file says nothing of layouts; then it is what the compiler calls the original one."""
        layout, after = self._reference.layouts[reference], self._candidate.layouts[candidate]
        return layout if layout else self._candidate.original_layouts[candidate], after

    @cached_property
    def _precisions(self) -> tuple[list[str], list[str]]:
        return precisions(self._reference), precisions(self._candidate)


def precisions(graph: Graph) -> list[str]:
    """For each node the type that it computes in: of its first output, or where quantization is simulated, of what was
    quantized before it. "": nobody says."""
    outputs = _firsts(graph)
    types = [*graph.dtypes, ""]
    found = [types[tensor] for tensor in outputs.tolist()]
    for node, simulated in _simulated(graph).items():
        found[node] = simulated
    return found


def _simulated(graph: Graph) -> dict[int, str]:
    """Nodes that read what was just dequantized, and the type that it was quantized to."""
    kinds = {code for code, value in enumerate(graph.op_types.values) if CONVERSIONS.get(value) == "quantization"}
    codes = graph.op_types.codes.tolist()
    found: dict[int, str] = {}
    for node, code in enumerate(codes):
        inputs = graph.node_inputs[node][:1]
        maker = int(graph.producers[inputs[0]]) if len(inputs) and inputs[0] >= 0 else -1
        if code in kinds or maker < 0 or codes[maker] not in kinds:
            continue
        read = [graph.dtypes[int(tensor)] for tensor in graph.node_inputs[maker] if tensor >= 0]
        dtype = next((dtype for dtype in read if "int" in dtype or "float8" in dtype), "")
        if dtype:
            found[node] = dtype
    return found


def _firsts(graph: Graph) -> Ints:
    """For each node its first output; -1: it has none."""
    starts = graph.node_outputs.starts
    values = np.append(graph.node_outputs.values, -1)
    firsts: Ints = np.where(np.diff(starts) > 0, values[starts[:-1]], -1)
    return firsts


def _first_output(graph: Graph, node: int) -> int:
    outputs = graph.node_outputs[node]
    return int(outputs[0]) if len(outputs) else -1


def _shape(graph: Graph, tensor: int) -> Shape:
    """That of the original model where a compiler recorded it."""
    original = _known(graph.original_shapes, tensor)
    return graph.shapes[tensor] if original is None else original


def _known(column: Column[T], row: int) -> T | None:
    return column[row] if len(column) else None


def _differ(one: Shape, other: Shape) -> bool:
    """Sizes that are open until the model runs are no difference."""
    if one is None or other is None:
        return False
    if len(one) != len(other):
        return True
    return any(a != b for a, b in zip(one, other, strict=True) if isinstance(a, int) and isinstance(b, int))


def _shape_text(shape: Shape) -> str:
    return "×".join("?" if dim is None else str(dim) for dim in shape) if shape else "scalar"


def _of_attributes(before: Mapping[str, object], after: Mapping[str, object]) -> list[Change]:
    """Those that both nodes have, and are not a compiler's own."""
    names = [name for name in before if name in after and not name.startswith(_PRIVATE)]
    texts = ((name, _text(before[name]), _text(after[name])) for name in names)
    return [Change(name, one, other) for name, one, other in texts if one != other]


def _text(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
