"""A comparison as arrays: what one metric says of each tensor of a graph."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints, frozen
from errorflow.base.values import dataclass, field
from errorflow.compare.metrics.metric import Scale, places
from errorflow.compare.model import Comparison, Row
from errorflow.compare.states import reference_text
from errorflow.graph.model import Graph
from errorflow.graph.quiet import CONVERSIONS

# Tensors that were not measured, and the measured ones that say the same behind nodes that only convert.

Bools = NDArray[np.bool_]
# Between real types only: what becomes a whole number or a truth value there is another value.
_CASTS: Final = frozenset(("Cast", "CastLike"))
# A chain of conversions is never as long.
_DEEPEST = 64


def behind(graph: Graph, measured: Iterable[int]) -> dict[int, int]:
    """Maps tensors that were not measured to the first one that was, where nothing but conversions lies between.

    No other node may compute on what is passed over: a reader that gets the value as it was made has another one.
    """
    nodes = _converting(graph)
    if not len(nodes):
        return {}
    made, read = _first(graph, nodes)
    open_ones = ~_used(graph, nodes)
    found = np.full(len(graph.tensor_names), -1, np.int32)
    known = np.fromiter(measured, np.int32)
    found[known] = known
    # The last first, so that of several readers the first in the file stays.
    passing = open_ones[read]
    read, made = read[passing][::-1], made[passing][::-1]
    for _ in range(_DEEPEST):
        fresh = (found[read] < 0) & (found[made] >= 0)
        if not fresh.any():
            break
        found[read[fresh]] = found[made[fresh]]
    found[known] = -1
    tensors = np.flatnonzero(found >= 0)
    return dict(zip(tensors.tolist(), found[tensors].tolist(), strict=True))


def behind_text(graph: Graph, node: int) -> str:
    """Says that `node` makes what was measured."""
    return f"measured behind its {graph.op_types[node]} {graph.title(node)}"


def _converting(graph: Graph) -> Ints:
    """Nodes that convert one tensor into one other."""
    kinds = np.array([value in CONVERSIONS for value in graph.op_types.values], bool)
    if not kinds.any():
        return np.zeros(0, np.int32)
    found = kinds[graph.op_types.codes]
    found &= (np.diff(graph.node_inputs.starts) > 0) & (np.diff(graph.node_outputs.starts) == 1)
    nodes = np.flatnonzero(found).astype(np.int32)
    made, read = _first(graph, nodes)
    nodes = nodes[(made >= 0) & (read >= 0)]
    return nodes[_keeps(graph, nodes)]


def _keeps(graph: Graph, nodes: Ints) -> Bools:
    """Whether the type that comes out can hold what went in, as far as types are known."""
    casts = np.array([value in _CASTS for value in graph.op_types.values], bool)[graph.op_types.codes[nodes]]
    kept: Bools = np.ones(len(nodes), bool)
    if not casts.any():
        return kept
    types = graph.dtypes.codes[_first(graph, nodes)[0]]
    kept[casts] = np.array([_is_real(dtype) for dtype in graph.dtypes.values], bool)[types[casts]]
    from errorflow.formats.onnx.dtypes import dtype_name  # a window is there before anything that reads is loaded

    unknown = np.array([not dtype for dtype in graph.dtypes.values], bool)[types]
    for place in np.flatnonzero(casts & unknown).tolist():  # few files leave the types of so many open
        asked = graph.attributes(int(nodes[place])).get("to")
        kept[place] = not isinstance(asked, int) or _is_real(dtype_name(asked))
    return kept


def _is_real(dtype: str) -> bool:
    return not dtype or "float" in dtype.lower()


def _first(graph: Graph, nodes: Ints) -> tuple[Ints, Ints]:
    """Finds what each node makes first, and reads first."""
    made, read = graph.node_outputs, graph.node_inputs
    return made.values[made.starts[nodes]], read.values[read.starts[nodes]]


def _used(graph: Graph, nodes: Ints) -> Bools:
    """Marks tensors that a node computes on or that leave the graph, and constants."""
    found = np.zeros(len(graph.tensor_names) + 1, bool)  # the last: what is left out
    beside = np.ones(len(graph.node_inputs.values), bool)
    beside[graph.node_inputs.starts[nodes]] = False
    found[graph.node_inputs.values[beside]] = True
    found[graph.outputs] = found[graph.constants] = True
    for body in (body for path, body in graph.walk() if path):  # one in another may read of all around it
        inner = (graph.tensor_index(name) for name in body.tensor_names)
        found[[tensor for tensor in inner if tensor is not None]] = True
    return found[:-1]


Floats = NDArray[np.float64]
# Whose names the tensors of the graph have.
Side = Literal["candidate", "reference"]
# Better or worse than that nobody tells apart; what was not measured lies below it.
_FAR = 1e6
# As rows of an NPU's dump are called, and as files of an original model's run are.
_ENDS = re.compile(r"(?P<node>.+):(?P<end>input|output):(?P<place>\d{1,6})")
_FILE = re.compile(r"(?P<node>.+)[.:](?P<place>\d{1,6})")


@dataclass(frozen=True, eq=False)
class Measured:
    """Measurements per tensor of the graph."""

    metric: Scale
    values: Floats  # NaN also where nothing was measured
    # 0 at the metric's good limit, 1 at its bad one, and beyond them where a value is; -inf: not measured.
    places: Floats
    # Why a tensor could not be measured, as far as that is known.
    notes: Mapping[int, str]
    # What was compared, where the legend says it.
    measure: str = "accumulated"


def order_of(metric: Scale, values: Floats, tensors: Ints) -> Floats:
    """`Measured.places`, where these of all tensors were measured."""
    order = np.full(len(values), -np.inf)
    known = values[tensors]
    order[tensors] = np.where(np.isnan(known), 2 * _FAR, np.clip(places(metric, known), -_FAR, _FAR))
    return order


@dataclass(frozen=True, eq=False)
class Placed:
    """A comparison whose rows have found their tensors; the search is made once, not for each metric."""

    tensors: Ints  # (rows,)
    rows: tuple[Row, ...]
    notes: Mapping[int, str]
    count: int  # of the graph's tensors
    # The places of `rows` in the comparison.
    numbers: Ints
    # What a node read in the run, where that was measured apart from what made it: by node and place.
    read: Mapping[tuple[int, int], int]
    # Every row of the comparison that is about a tensor, by tensor: its own first, then those of its readers.
    about: Mapping[int, tuple[int, ...]]
    # Tensors that were not measured themselves, each with the one that was behind nodes that only convert: a model with
    # QuantizeLinear and DequantizeLinear holds a value in several forms, and a run often only the last of them.
    behind: Mapping[int, int]
    # What was compared, as the comparison says.
    measure: str = "accumulated"
    _columns: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: Graph, comparison: Comparison, side: Side = "candidate") -> "Placed":
        made, read = _ends(graph, comparison, side)
        rows, notes, about = _chosen(graph, comparison, made, read)
        numbers = list(rows.values())
        return cls(
            frozen(list(rows)),
            tuple(comparison.rows[number] for number in numbers),
            notes,
            len(graph.tensor_names),
            frozen(numbers),
            read,
            about,
            behind(graph, rows),
            comparison.measure,
        )

    def by(self, metric: Scale) -> Measured:
        tensors, measured = self._column(metric.key)
        values = np.full(self.count, np.nan)
        values[tensors] = measured
        order = order_of(metric, values, tensors)
        if self.behind:
            fronts, backs = self._pairs_behind
            values[fronts], order[fronts] = values[backs], order[backs]
        return Measured(metric, values, order, self.notes, self.measure)

    @cached_property
    def _pairs_behind(self) -> tuple[Ints, Ints]:
        count = len(self.behind)
        return np.fromiter(self.behind, np.int32, count), np.fromiter(self.behind.values(), np.int32, count)

    def _column(self, key: str) -> tuple[Ints, Floats]:
        """Tensors with their values; found once per metric, for its limits may change at every move of a hand."""
        if key not in self._columns:
            every, tensors = [row.values for row in self.rows], self.tensors
            try:
                column = _values(every, key)
            except KeyError:  # not all have it, which to ask beforehand takes as long as all the rest
                tensors = tensors[[key in values for values in every]]
                column = _values([values for values in every if key in values], key)
            self._columns[key] = self._told(tensors, column)
        return self._columns[key]

    def _told(self, tensors: Ints, column: Floats) -> tuple[Ints, Floats]:
        """Lists values that are numbers; one that is none because the reference is none says nothing of the
        candidate.
        """
        if not self._no_reference or not np.isnan(column).any():
            return tensors, column
        kept = ~np.isnan(column) | ~np.isin(tensors, list(self._no_reference))
        return tensors[kept], column[kept]

    @cached_property
    def _no_reference(self) -> frozenset[int]:
        pairs = zip(self.tensors.tolist(), self.rows, strict=True)
        return frozenset(tensor for tensor, row in pairs if reference_text(row))


def side_of(graph: Graph, comparison: Comparison) -> Side:
    """Chooses the side whose names the tensors of the graph have: the one by which more rows find their tensors."""
    found = _found(graph, comparison, "candidate")
    if found >= sum(bool(row.values) for row in comparison.rows):  # no side can be better
        return "candidate"
    return "reference" if _found(graph, comparison, "reference") > found else "candidate"


def _found(graph: Graph, comparison: Comparison, side: Side) -> int:
    """Counts how much was measured of the graph's tensors, and of what its nodes read."""
    placed = Placed.of(graph, comparison, side)
    return len(placed.tensors) + sum(bool(comparison.rows[number].values) for number in placed.read.values())


def _values(rows: Sequence[Mapping[str, float]], key: str) -> Floats:
    return np.fromiter(map(itemgetter(key), rows), np.float64, len(rows))


def _ends(graph: Graph, comparison: Comparison, side: Side) -> tuple[list[tuple[int, int]], dict[tuple[int, int], int]]:
    """Tensor and row of all that was measured where it is made; node, place and row of what was where it is read."""
    made: list[tuple[int, int]] = []
    read: dict[tuple[int, int], int] = {}
    nodes = _Nodes(graph, in_files=side == "reference")
    for number, row in enumerate(comparison.rows):
        name = row.tensor if side == "candidate" else "" if row.reference is None else row.reference.name
        if not name:  # nodes without a name are not meant by that
            continue
        tensor = graph.tensor_index(name)
        if tensor is not None:
            made.append((tensor, number))
            continue
        found = _ENDS.fullmatch(name)
        if found is None and side == "reference":
            found = _FILE.fullmatch(name)
        node = nodes.find(name if found is None else found["node"])
        if node is None:
            continue
        place = 0 if found is None else int(found["place"])
        if found is not None and found.re is _ENDS and found["end"] == "input":
            read[node, place] = number
            continue
        outputs = graph.node_outputs[node]
        if place < len(outputs) and outputs[place] >= 0:
            made.append((int(outputs[place]), number))
    return made, read


class _Nodes:
    """Nodes by their names, and where runs are files, by what names become in those of files."""

    def __init__(self, graph: Graph, in_files: bool) -> None:
        self._graph, self._in_files = graph, in_files

    def find(self, name: str) -> int | None:
        node = self._graph.node_index(name)
        return self._written.get(name) if node is None and self._in_files else node

    @cached_property
    def _written(self) -> Mapping[str, int]:
        """Nodes by their written names; a name that several would have names none of them."""
        from errorflow.formats.npu.names import written

        found: dict[str, list[int]] = {}
        for node, name in enumerate(self._graph.node_names):
            if name:
                found.setdefault(written(name), []).append(node)
        return {name: nodes[0] for name, nodes in found.items() if len(nodes) == 1}


def _chosen(
    graph: Graph, comparison: Comparison, made: list[tuple[int, int]], read: Mapping[tuple[int, int], int]
) -> tuple[dict[int, int], dict[int, str], dict[int, tuple[int, ...]]]:
    """Chooses the row for each tensor: of what made it, else of who read it; else says why there is none."""
    about: dict[int, list[int]] = {}
    for tensor, number in made:
        about.setdefault(tensor, []).append(number)
    for (node, place), number in read.items():
        inputs = graph.node_inputs[node]
        if place < len(inputs) and inputs[place] >= 0:
            about.setdefault(int(inputs[place]), []).append(number)
    chosen: dict[int, int] = {}
    notes: dict[int, str] = {}
    rows = comparison.rows
    for tensor, numbers in about.items():
        best = next((number for number in numbers if rows[number].values), None)
        if best is None:
            notes[tensor] = rows[numbers[0]].note
            continue
        chosen[tensor] = best
        if why := reference_text(rows[best]):
            notes[tensor] = why
    return chosen, notes, {tensor: tuple(numbers) for tensor, numbers in about.items()}
