"""The differences of two graphs as rows: for the list in the window, for the command line and for CSV alike."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from errorflow.base import SILENT, Progress, dataclass
from errorflow.base.arrays import CodedColumn, Ints, T
from errorflow.compare.match.rules import MatchRule
from errorflow.explain.difference.model import KINDS, Kind, Links, NodeGroup
from errorflow.explain.difference.operators import CONVERSIONS, work_of
from errorflow.graph.model import Graph, Shape

_STEP = 2000


# What differs in two nodes that belong together: type, attributes, and what they make.

# Characters of a value beyond which only its beginning is told.
LONGEST = 60
# Attributes of a compiler about itself.
_PRIVATE = "_"


@dataclass(frozen=True, slots=True)
class NodeChange:
    """A change. `what` names it: "operator", "precision", "shape", "layout" or an attribute."""

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

    def of(self, reference: int, candidate: int) -> tuple[NodeChange, ...]:
        """Empty: they are the same, as far as the files tell."""
        found = [*self._of_types(reference, candidate), *self._of_output(reference, candidate)]
        if self._reference.op_types[reference] == self._candidate.op_types[candidate]:
            found += _of_attributes(self._reference.attributes(reference), self._candidate.attributes(candidate))
        return tuple(found)

    def _of_types(self, reference: int, candidate: int) -> list[NodeChange]:
        before, after = self._reference.op_types[reference], self._candidate.op_types[candidate]
        return [] if work_of(before) == work_of(after) else [NodeChange("operator", before, after)]

    def _of_output(self, reference: int, candidate: int) -> list[NodeChange]:
        before, after = self._precisions[0][reference], self._precisions[1][candidate]
        found = [NodeChange("precision", before, after)] if before and after and before != after else []
        ours, others = _first_output(self._reference, reference), _first_output(self._candidate, candidate)
        if ours < 0 or others < 0:
            return found
        shape, other_shape = _shape(self._reference, ours), _shape(self._candidate, others)
        if _differ(shape, other_shape):
            found.append(NodeChange("shape", _shape_text(shape), _shape_text(other_shape)))
        layout, other_layout = self._layouts(ours, others)
        if layout and other_layout and layout != other_layout:
            found.append(NodeChange("layout", layout, other_layout))
        return found

    def _layouts(self, reference: int, candidate: int) -> tuple[str, str]:
        """A model file says nothing of layouts; then it is what the compiler calls the original one."""
        layout, after = self._reference.layouts[reference], self._candidate.layouts[candidate]
        return layout if layout else self._candidate.original_layouts[candidate], after

    @cached_property
    def _precisions(self) -> tuple[list[str], list[str]]:
        return precisions(self._reference), precisions(self._candidate)


def precisions(graph: Graph) -> list[str]:
    """Finds for each node the type that it computes in: of its first output, or where quantization is simulated, of
    what was quantized before it. "": unknown."""
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
    """Finds for each node its first output; -1: it has none."""
    starts = graph.node_outputs.starts
    values = np.append(graph.node_outputs.values, -1)
    firsts: Ints = np.where(np.diff(starts) > 0, values[starts[:-1]], -1)
    return firsts


def _first_output(graph: Graph, node: int) -> int:
    outputs = graph.node_outputs[node]
    return int(outputs[0]) if len(outputs) else -1


def _shape(graph: Graph, tensor: int) -> Shape:
    """Finds the shape of the original model where a compiler recorded it."""
    original = _known(graph.original_shapes, tensor)
    return graph.shapes[tensor] if original is None else original


def _known(column: CodedColumn[T], row: int) -> T | None:
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


def _of_attributes(before: Mapping[str, object], after: Mapping[str, object]) -> list[NodeChange]:
    """Lists changes of attributes that both nodes have, and are not a compiler's own."""
    names = [name for name in before if name in after and not name.startswith(_PRIVATE)]
    texts = ((name, _text(before[name]), _text(after[name])) for name in names)
    return [NodeChange(name, one, other) for name, one, other in texts if one != other]


def _text(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


@dataclass(frozen=True, slots=True)
class Difference:
    """Nodes are numbers in their graphs; one of the sides is empty for what was inserted or removed."""

    kind: Kind
    reference: tuple[int, ...]
    candidate: tuple[int, ...]
    changes: tuple[NodeChange, ...] = ()
    # What brought them together; None: nothing is there to be brought together.
    rule: MatchRule | None = None
    # Why a node stands alone, in a word or two.
    reason: str = ""

    @property
    def certain(self) -> bool:
        return self.rule is None or self.rule.certain


@dataclass(frozen=True, eq=False)
class Differences:
    """All rows, what differs in structure first, and how many nodes stayed as they are."""

    links: Links
    rows: tuple[Difference, ...]
    same: int

    @property
    def counts(self) -> dict[Kind, int]:
        """Rows of each kind."""
        found = Counter(row.kind for row in self.rows)
        return {kind: found[kind] for kind in KINDS}

    def types(self, row: Difference) -> tuple[str, str]:
        """Operator types of both sides."""
        return _types(self.links.reference, row.reference), _types(self.links.candidate, row.candidate)

    def names(self, row: Difference) -> tuple[str, str]:
        return _names(self.links.reference, row.reference), _names(self.links.candidate, row.candidate)

    def what(self, row: Difference) -> str:
        """Says what happened, in a line."""
        if row.changes:
            return ", ".join(change.text for change in row.changes)
        return row.reason if row.reason else KINDS[row.kind].why


def differences(links: Links, progress: Progress = SILENT) -> Differences:
    """Compares all that is linked, and lists what is not."""
    changed, same = _changed(links, progress)
    groups = sorted((_of_group(links, group) for group in links.groups), key=lambda row: list(KINDS).index(row.kind))
    rows = (*groups, *changed, *_inserted(links), *_removed(links))
    return Differences(links, rows, same)


def _changed(links: Links, progress: Progress) -> tuple[list[Difference], int]:
    changes, found = Changes(links), []
    ours, others = (column.tolist() for column in links.pairs)
    for number, (reference, candidate) in enumerate(zip(ours, others, strict=True)):
        if number % _STEP == 0:
            progress.step(number, len(ours), "Comparing nodes")
        differ = changes.of(reference, candidate)
        if differ:
            rule = links.rule(reference, candidate)
            found.append(Difference("changed", (reference,), (candidate,), differ, rule))
    return found, len(ours) - len(found)


def _of_group(links: Links, group: NodeGroup) -> Difference:
    rules = [rule for r in group.reference for c in group.candidate if (rule := links.rule(r, c)) is not None]
    weakest = next((rule for rule in rules if not rule.certain), rules[0])
    return Difference(group.kind, group.reference, group.candidate, (), weakest)


def _inserted(links: Links) -> Iterator[Difference]:
    types = links.candidate.op_types
    for node in np.flatnonzero(links.unmatched("candidate")).tolist():
        purpose = CONVERSIONS.get(types[node])
        reason = {"quantization": "quantization", "type": "change of type", "layout": "change of layout"}
        yield Difference("inserted", (), (node,), reason="added" if purpose is None else reason[purpose])


def _removed(links: Links) -> Iterator[Difference]:
    graph = links.reference
    lonely = np.flatnonzero(links.unmatched("reference")).tolist()
    constant, dead = (constants(graph), dead_ends(graph)) if lonely else (None, None)
    for node in lonely:
        folded = constant is not None and bool(constant[node])
        reason = "constant folded" if folded else "read by nobody" if dead is not None and dead[node] else "left out"
        yield Difference("removed", (node,), (), reason=reason)


def constants(graph: Graph) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Marks the nodes of which no input of the graph can change what they make."""
    return ~_reached(graph, _readers(graph, graph.inputs.tolist()), forwards=True)


def dead_ends(graph: Graph) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Marks the nodes that no output of the graph depends on."""
    makers = [int(graph.producers[tensor]) for tensor in graph.outputs.tolist()]
    ends = [n for n, value in enumerate(graph.op_types) if value == "NetOutput"]
    return ~_reached(graph, [maker for maker in (*makers, *ends) if maker >= 0], forwards=False)


def _readers(graph: Graph, tensors: list[int]) -> list[int]:
    entries = [n for n, value in enumerate(graph.op_types) if value == "Data"]
    return [*entries, *(reader for tensor in tensors for reader in graph.consumers[tensor].tolist())]


def _reached(graph: Graph, seeds: list[int], forwards: bool) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    starts, ends, _ = graph.edges
    near: dict[int, list[int]] = {}
    for one, other in zip(starts.tolist(), ends.tolist(), strict=True):
        near.setdefault(one if forwards else other, []).append(other if forwards else one)
    reached = np.zeros(len(graph), bool)
    fresh = list(dict.fromkeys(seeds))
    reached[fresh] = True
    while fresh:
        node = fresh.pop()
        for other in near.get(node, ()):
            if not reached[other]:
                reached[other] = True
                fresh.append(other)
    return reached


def _types(graph: Graph, nodes: tuple[int, ...]) -> str:
    return " + ".join(graph.op_types[node] for node in nodes)


def _names(graph: Graph, nodes: tuple[int, ...]) -> str:
    """Also of those that have none of their own."""
    return ", ".join(graph.node_names[node] if graph.node_names[node] else graph.node(node).title for node in nodes)
