"""The findings on one graph: metrics, verdicts and states per node and per tensor."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import CodedColumn, Ints, Ragged
from errorflow.base.values import dataclass, field, replace
from errorflow.compare.match.rules import RULES
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale, are_limits
from errorflow.compare.metrics.states import State as State
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import Floats, Measured, Placed, Side, behind_text
from errorflow.compare.states import state_bits
from errorflow.compare.states import states_of as states_of
from errorflow.explain.blame.model import Blame
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Dim, Graph, Shape
from errorflow.graph.order import run_order

Bools = NDArray[np.bool_]
# Limits that the user moved, by the metric's key: good and bad.
Limits = Mapping[str, tuple[float, float]]


def with_limits(scale: Scale, limits: Limits) -> Scale:
    """Puts a metric on the user's own limits, unless these can be none: their file may be of any origin."""
    good, bad = limits.get(scale.key, (scale.good, scale.bad))
    return replace(scale, good=good, bad=bad) if are_limits(scale, good, bad) else scale


@dataclass(frozen=True, eq=False)
class Findings:
    """A comparison whose rows have found their places in a graph; arrays have an entry per node or per tensor."""

    graph: Graph
    comparison: Comparison
    placed: Placed
    side: Side = "candidate"
    # None: not worked out.
    blame: Blame | None = None
    # What the run is called where there are several.
    name: str = ""
    # Another run on the same graph, which this one is compared with; None: there is none.
    against: "Findings | None" = None
    _worst: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, graph: Graph, comparison: Comparison, blame: Blame | None = None, side: Side = "candidate"
    ) -> "Findings":
        return cls(graph, comparison, Placed.of(graph, comparison, side), side, blame)

    def beside(self, name: str, against: "Findings | None") -> "Findings":
        """The same, called so and compared with another run; what was worked out stays."""
        found = replace(self, name=name, against=against)
        vars(found).update({key: value for key, value in vars(self).items() if key not in vars(found)})
        return found

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        """Metrics that were measured of at least one tensor, the main ones first."""
        known = {key for row in self.placed.rows for key in row.values}
        main = [scale for scale in METRICS if scale.key in known]
        others = (scale for scale in MEASURES if scale.key in known and scale not in main)
        return (*main, *others, *(scale for scale in self.comparison.scales if scale.key in known))

    def scale(self, key: str, limits: Limits) -> Scale | None:
        """The metric of that key if it was measured, else the first that was, on the user's limits."""
        found = next((scale for scale in self.scales if scale.key == key), next(iter(self.scales), None))
        return None if found is None else with_limits(found, limits)

    def measured(self, scale: Scale) -> Measured:
        """Finds measurements per tensor."""
        return self.placed.by(scale)

    def worst(self, scale: Scale) -> tuple[Ints, Floats]:
        """Finds for each node the worst tensor that it makes and its value; -1 and NaN: none of them was measured."""
        if scale.key not in self._worst:
            self._worst[scale.key] = self._find_worst(scale)
        return self._worst[scale.key]

    @cached_property
    def tensor_states(self) -> NDArray[np.uint16]:
        """`State` bits."""
        return tensor_states(self.placed, self.comparison.rows)

    @cached_property
    def node_states(self) -> NDArray[np.uint16]:
        """States of all tensors that each node makes."""
        found = np.zeros(len(self.graph), np.uint16)
        made = self.graph.node_outputs
        real = made.values >= 0
        np.bitwise_or.at(found, made.owners()[real], self.tensor_states[made.values[real]])
        return found

    @cached_property
    def depths(self) -> Ints:
        """Places of the nodes in the order of running, from 0."""
        return depths_of(self.graph)

    @cached_property
    def is_measured(self) -> Bools:
        """Nodes of which at least one output was measured."""
        tensors = np.zeros(self.placed.count, bool)
        tensors[self.placed.tensors] = True
        tensors[list(self.placed.behind)] = True
        return self._makes(tensors)

    @cached_property
    def unmatched(self) -> Bools:
        """Nodes that make something, and no rule found a partner for any of it."""
        partners = self._rows_with(lambda row: bool(row.rule))
        partners[[tensor for tensor, other in self.placed.behind.items() if partners[other]]] = True
        makes = np.diff(self.graph.node_outputs.starts) > 0
        return makes & ~self._makes(partners)

    @cached_property
    def quantized(self) -> Bools:
        """Nodes that read or make codes or what becomes real values again with a scale, in the graph or in the run."""
        codes = self._rows_with(lambda row: row.candidate is not None and _is_quantized(row.candidate))
        types = np.array([is_code(dtype) for dtype in self.graph.dtypes.values], bool)
        if len(types):
            codes |= types[self.graph.dtypes.codes]
        ops = np.array(["dequant" in op_type.lower() for op_type in self.graph.op_types.values], bool)
        back = np.append(ops[self.graph.op_types.codes] if len(ops) else np.zeros(0, bool), False)
        given = codes | back[self.graph.producers]  # -1, made by no node, is the last one
        return self._makes(codes) | self._linked(self.graph.node_inputs, given)

    @cached_property
    def rules(self) -> CodedColumn[str]:
        """Rules by which an output of each node found its partner; "" where none did."""
        rows, by_tensor = self.comparison.rows, [""] * self.placed.count
        for tensor, numbers in self.placed.about.items():
            by_tensor[tensor] = next((rows[number].rule for number in numbers if rows[number].rule), "")
        for tensor, other in self.placed.behind.items():
            by_tensor[tensor] = by_tensor[other]
        made = self.graph.node_outputs.lists()
        return CodedColumn.of(
            next((by_tensor[tensor] for tensor in tensors if tensor >= 0 and by_tensor[tensor]), "") for tensors in made
        )

    def of_type(self, text: str, exact: bool) -> Bools:
        """Nodes whose output has a type that begins with `text` in the run, or is exactly that."""
        wanted = text.lower()
        types = (dtype.lower() for dtype in self._dtypes.values)
        hits = [dtype == wanted if exact else bool(dtype) and dtype.startswith(wanted) for dtype in types]
        return self._makes(np.array(hits, bool)[self._dtypes.codes]) if hits else np.zeros(len(self.graph), bool)

    def matched_by(self, text: str) -> Bools:
        """Nodes with an output whose partner was found by a rule that is called so."""
        wanted = text.lower()
        keys = {rule.key for rule in RULES if wanted in rule.key or wanted in rule.label.lower()}
        hits = [key in keys for key in self.rules.values]
        return np.array(hits, bool)[self.rules.codes] if hits else np.zeros(0, bool)

    @cached_property
    def _dtypes(self) -> CodedColumn[str]:
        """Types of the candidate per tensor in the run, "" where it is in none."""
        rows, types = self.comparison.rows, [""] * self.placed.count
        for tensor, numbers in self.placed.about.items():
            sides = (rows[number].candidate for number in numbers)
            types[tensor] = next((side.dtype for side in sides if side is not None), "")
        return CodedColumn.of(types)

    def prepare(self) -> None:
        """Works out all columns, so that the first use of one does not wait."""
        for scale in self.scales:
            self.worst(scale)
        _ = self.node_states, self.depths, self.is_measured, self.unmatched, self.quantized, self.rules, self._dtypes

    def row(self, tensor: int) -> int | None:
        """The place in the comparison of the row that counts for a tensor, measured or not."""
        numbers = self.placed.about.get(self.placed.behind.get(tensor, tensor), ())
        rows = self.comparison.rows
        return next((number for number in numbers if rows[number].values), next(iter(numbers), None))

    def shape(self, tensor: int) -> Shape:
        """The model's, or where it leaves sizes open, that of the run."""
        known, number = self.graph.shapes[tensor], self.row(tensor)
        if number is None or (known is not None and all(isinstance(dim, int) for dim in known)):
            return known
        row = self.comparison.rows[number]
        if row.reference is None and row.candidate is None:
            return known
        seen = row.shape if row.measured_shape is None else row.measured_shape
        return seen if known is None or _fits(known, seen) else known

    def behind(self, node: int) -> int | None:
        """The node behind which was measured what this one makes; None: it was measured itself, or not at all."""
        made = (self.placed.behind.get(tensor) for tensor in self.graph.node_outputs[node].tolist())
        return next((int(self.graph.producers[other]) for other in made if other is not None), None)

    def told_behind(self, node: int) -> str:
        """The same in words; "": none."""
        other = self.behind(node)
        return "" if other is None else behind_text(self.graph, other)

    @cached_property
    def row_shares(self) -> Mapping[int, float]:
        """Shares of blame of what makes a tensor, by the place of the row that counts for it; none is not known."""
        if self.blame is None:
            return {}
        pairs = zip(self.placed.numbers.tolist(), self.placed.tensors.tolist(), strict=True)
        found = ((number, self.blame.share_of(tensor)) for number, tensor in pairs)
        return {number: share for number, share in found if not np.isnan(share)}

    def _rows_with(self, holds: Callable[[Row], bool]) -> Bools:
        """Marks the tensors of which one row is so."""
        found = np.zeros(self.placed.count, bool)
        rows = self.comparison.rows
        for tensor, numbers in self.placed.about.items():
            found[tensor] = any(holds(rows[number]) for number in numbers)
        return found

    def _makes(self, tensors: Bools) -> Bools:
        return self._linked(self.graph.node_outputs, tensors)

    def _linked(self, links: Ragged, tensors: Bools) -> Bools:
        found = np.zeros(len(self.graph), bool)
        real = links.values >= 0
        found[links.owners()[real][tensors[links.values[real]]]] = True
        return found

    def _find_worst(self, scale: Scale) -> tuple[Ints, Floats]:
        measured = self.measured(scale)
        order, made = np.append(measured.places, -np.inf), self.graph.node_outputs
        owners, tensors = made.owners(), made.values
        top = np.full(len(self.graph), -np.inf)
        np.maximum.at(top, owners, order[tensors])
        hits = np.flatnonzero((order[tensors] == top[owners]) & (order[tensors] > -np.inf))[::-1]
        worst = np.full(len(self.graph), -1, np.int32)
        worst[owners[hits]] = tensors[hits]  # of equals the last one stays, which is the first
        return worst, np.append(measured.values, np.nan)[worst]


def depths_of(graph: Graph) -> Ints:
    """Finds the place of each node in the order of running, from 0."""
    order = run_order(graph)
    depths = np.zeros(len(order), np.int32)
    depths[order] = np.arange(len(order), dtype=np.int32)
    return depths


def _fits(known: Sequence[Dim], seen: Sequence[int]) -> bool:
    return len(known) == len(seen) and all(
        not isinstance(dim, int) or dim == size for dim, size in zip(known, seen, strict=True)
    )


def is_code(dtype: str) -> bool:
    """Whether a type is one of those that only quantization uses for what flows through a network."""
    return dtype.lower() in ("int8", "uint8", "int4", "uint4", "int2", "uint2")


def _is_quantized(info: TensorInfo) -> bool:
    return info.qparams is not None or is_code(info.dtype)


# The states of a graph's tensors, from the rows of a comparison.


def tensor_states(placed: Placed, rows: tuple[Row, ...]) -> NDArray[np.uint16]:
    """Finds the states per tensor of the graph: of the row that counts, and of the first where nothing was measured."""
    found = np.zeros(placed.count, np.uint16)
    for tensor, numbers in placed.about.items():
        if tensor in placed.notes:
            found[tensor] = state_bits(rows[numbers[0]])
    for tensor, row in zip(placed.tensors.tolist(), placed.rows, strict=True):
        found[tensor] = state_bits(row)
    for tensor, other in placed.behind.items():
        found[tensor] = found[other]
    return found
