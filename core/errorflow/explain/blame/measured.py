"""Errors before and behind each node: one relative number per tensor and per input of a node.

Infinite stands for "broken": a NaN or an infinity that the reference has not. NaN: not known.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from errorflow.base.arrays import Ints
from errorflow.base.values import dataclass, replace
from errorflow.compare.metrics.metric import FLOOR
from errorflow.compare.model import Comparison, Row
from errorflow.compare.placed import Placed
from errorflow.explain.blame.limits import REGAINS
from errorflow.explain.blame.model import Floats, Slots
from errorflow.graph.model import Graph
from errorflow.graph.order import run_order
from errorflow.graph.quiet import NOISE

# What was read is not what was made if it is worse by this factor: rounding on the way is less.
CHANGED = 2.0
Bools = NDArray[np.bool_]
# Ratios beyond are errors of nothing, or of everything: FLOOR and its reciprocal.
DECIBELS = 600.0
# Constants may pass some nodes that unpack or rearrange them before they are used.
DEEPEST = 16
# What takes some of the values that it reads and lets go of the others.
PICKING = frozenset(
    {
        *("Where", "Select", "SelectV2", "Slice", "StridedSlice", "StridedSliceD", "Split", "SplitD", "SplitV"),
        *("SplitVD", "Gather", "GatherD", "GatherV2", "GatherElements", "GatherND", "TopK", "TopKD"),
    }
)
# Two errors that have nothing to do with each other add up as powers where both inputs are multiplied; where inputs are
# added or put side by side, the result is as bad as the worst of them at most.
PRODUCTS = frozenset({"MatMul", "Mul", "Div", "Gemm", "BatchMatMul", "BatchMatMulV2", "MatMulV2", "Einsum", "RealDiv"})


@dataclass(frozen=True, eq=False)
class TensorErrors:
    """Errors, per tensor unless a comment says otherwise."""

    # What a node that changes the form only shows of its output holds for its input as well: codes between
    # quantizing and dequantizing cannot be measured, what is behind them can.
    made: Floats
    # Tensors that were measured in such a way, and the node behind which.
    behind: dict[int, int]
    # Of the channel in the middle; NaN: the tensor has no channels.
    quiet: Floats
    # As `made`, and of those that were not measured the error that reaches them from the nearest measured ones.
    reaching: Floats
    slots: Slots
    rows: dict[int, Row]


def relative_error(row: Row) -> float:
    """The relative error; out of SQNR or cosine in tables of other tools that have nothing else."""
    values = row.values
    error = values.get("relative_l2", math.nan)
    if math.isfinite(error):
        return _bounded(error)
    if is_broken(row):
        return math.inf
    if "relative_l2" in values:  # a reference that is all zero, or that holds NaN itself
        return math.nan
    ratio = values.get("sqnr", math.nan)
    if not math.isnan(ratio):
        return _bounded(10 ** (-min(max(ratio, -DECIBELS), DECIBELS) / 20))
    cosine = values.get("cosine", math.nan)
    # Of two vectors of one length; lengths are not known.
    return math.nan if math.isnan(cosine) else math.sqrt(max(0.0, 2 - 2 * cosine))


def _bounded(error: float) -> float:
    """Powers of it can be compared, and what is below is none, as for all metrics."""
    return 0.0 if error < FLOOR else min(error, 1 / FLOOR)


def is_broken(row: Row) -> bool:
    """Whether the candidate holds a NaN or an infinity where the reference has neither."""
    mine, golden = row.candidate_side, row.reference_side
    if mine is None or golden is None:
        return False
    return bool(mine.nan or mine.inf) and not (golden.nan or golden.inf)


def errors_of(graph: Graph, placed: Placed, comparison: Comparison) -> TensorErrors:
    made, quiet = np.full(placed.count, np.nan), np.full(placed.count, np.nan)
    tensors = placed.tensors
    made[tensors] = [relative_error(row) for row in placed.rows]
    rows = dict(zip(tensors.tolist(), placed.rows, strict=True))
    with_channels = [(tensor, row.channels.median) for tensor, row in rows.items() if row.channels is not None]
    for tensor, median in with_channels:
        quiet[tensor] = math.inf if math.isnan(median) else 10 ** (-min(max(median, -DECIBELS), DECIBELS) / 20)
    constant = constants(graph)
    behind = _from_behind(graph, made, constant)
    # What was measured stays as it is, whatever the graph says.
    known = np.where(constant & np.isnan(made), 0.0, made)
    reaching = _reaching(graph, known)
    slots = _without_dropped(graph, made, known, _slots(graph, placed, comparison, known, reaching, constant))
    return TensorErrors(made, behind, quiet, reaching, slots, rows)


def _without_dropped(graph: Graph, made: Floats, known: Floats, slots: Slots) -> Slots:
    """NaN or infinite values that a reader did not take are no error of what it makes.

    How good the values are that it did take was not measured: what stands before them is known of them.
    """
    picking = np.array([value in PICKING for value in graph.op_types.values], bool)
    out, broken = worst_made(graph, made), np.isposinf(slots.errors)
    spared = picking[graph.op_types.codes] & np.isfinite(out) if len(graph) else np.zeros(0, bool)
    dropped = broken & spared[slots.readers]
    for _ in range(DEEPEST if dropped.any() else 0):
        taken = np.append(graph.outputs, slots.tensors[broken & ~dropped])
        spared |= np.isposinf(out) & ~np.isin(np.arange(len(graph)), graph.producers[taken])
        dropped = broken & spared[slots.readers]
    if not dropped.any():
        return slots
    before = np.fmax(_reaching(graph, np.where(np.isposinf(known), np.nan, known)), FLOOR)
    errors = np.where(dropped, np.nan_to_num(before, posinf=FLOOR)[slots.tensors], slots.errors)
    return replace(slots, errors=errors, open=slots.open | dropped, dropped=dropped)


def _from_behind(graph: Graph, made: Floats, constant: Bools) -> dict[int, int]:
    """Fills in `made` in front of nodes that change the form only, and says which tensors these are."""
    form = np.array([value in NOISE for value in graph.op_types.values], bool)
    found: dict[int, int] = {}
    order = run_order(graph)[::-1]
    for node in order[form[graph.op_types.codes[order]]].tolist() if len(form) else ():
        inputs, outputs = graph.node_inputs[node], graph.node_outputs[node]
        if not (len(inputs) and len(outputs) and inputs[0] >= 0 and outputs[0] >= 0):
            continue
        tensor, error = int(inputs[0]), made[outputs[0]]
        if np.isnan(made[tensor]) and not np.isnan(error) and not constant[tensor] and graph.producers[tensor] >= 0:
            made[tensor] = error
            found[tensor] = found.get(int(outputs[0]), node)
    return found


def constants(graph: Graph) -> Bools:
    """Tensors that are the same in every run: from the file, or made of such only.

    What a file reads and holds nowhere may be anything: a compiled model without its inputs has no constants for that.
    """
    lasting = np.array(["const" in value.lower() for value in graph.op_types.values], bool)
    is_lasting = lasting[graph.op_types.codes] if len(lasting) else np.zeros(len(graph), bool)
    reads_nothing = np.append((np.diff(graph.node_inputs.starts) == 0) & is_lasting, False)  # the last: made by no node
    found: Bools = reads_nothing[graph.producers] if len(graph.producers) else np.zeros(0, bool)
    found[graph.inputs] = False
    found[graph.constants] = True
    readers, tensors = _inputs(graph)
    makers, outputs = _made(graph)
    for _ in range(DEEPEST):
        varying = np.ones(len(graph), bool)
        varying[readers] = False
        varying[readers[~found[tensors]]] = True
        fresh = outputs[~varying[makers] & ~found[outputs]]
        if not len(fresh):
            break
        found[fresh] = True
    return found


def worst_made(graph: Graph, errors: Floats) -> Floats:
    """Finds for each node the largest error that it makes; NaN: none is known."""
    makers, outputs = _made(graph)
    return _largest(len(graph), makers, errors[outputs])


def arriving(graph: Graph, slots: Slots) -> Floats:
    """Finds for each node the error of all that it reads together: 0 if only constants, NaN if nothing is known."""
    varying = ~slots.constant
    readers, errors = slots.readers[varying], slots.errors[varying]
    found = _largest(len(graph), readers, errors)
    product = np.array([value in PRODUCTS for value in graph.op_types.values], bool)
    is_product = product[graph.op_types.codes] if len(product) else np.zeros(len(graph), bool)
    with np.errstate(all="ignore"):
        powers = np.bincount(readers, np.nan_to_num(errors, nan=0.0, posinf=0.0) ** 2, len(graph))
    found = np.where(is_product & np.isfinite(found), np.sqrt(powers), found)
    only_constants = np.ones(len(graph), bool)
    only_constants[readers] = False
    found[only_constants] = 0.0
    return found


def regained(graph: Graph, slots: Slots, arrived: Floats) -> Floats:
    """Finds what arrives at each node, or what arrived upstream and may come back: up to REGAINS times as much."""
    usable = ~slots.constant & np.isfinite(slots.errors)
    highest = np.zeros(len(graph))
    np.maximum.at(highest, slots.readers[usable], slots.errors[usable])
    makers = graph.producers[slots.tensors]
    linked = ~slots.constant & (makers >= 0)
    above, peaks = makers[linked].tolist(), highest.tolist()
    starts = np.searchsorted(slots.readers[linked], np.arange(len(graph) + 1)).tolist()
    for node in run_order(graph).tolist():
        for maker in above[starts[node] : starts[node + 1]]:
            if peaks[maker] > peaks[node]:
                peaks[node] = peaks[maker]
    return np.asarray(np.fmax(arrived, np.fmin(peaks, REGAINS * arrived)))


def _largest(count: int, owners: Ints, errors: Floats) -> Floats:
    found = np.full(count, -np.inf)
    known = ~np.isnan(errors)
    np.maximum.at(found, owners[known], errors[known])
    found[found == -np.inf] = np.nan
    return found


def _inputs(graph: Graph) -> tuple[Ints, Ints]:
    """Readers and tensors of all inputs that are there."""
    used = graph.node_inputs.values >= 0
    return graph.node_inputs.owners()[used], graph.node_inputs.values[used]


def _made(graph: Graph) -> tuple[Ints, Ints]:
    used = graph.node_outputs.values >= 0
    return graph.node_outputs.owners()[used], graph.node_outputs.values[used]


def _reaching(graph: Graph, known: Floats) -> Floats:
    """Fills in tensors that were not measured, upstream first; what hangs in a circle stays unknown."""
    found = known.copy()
    makers, outputs = _made(graph)
    missing = np.zeros(len(graph), bool)
    missing[makers[np.isnan(known[outputs])]] = True
    order = run_order(graph)
    for node in order[missing[order]].tolist():
        inputs = graph.node_inputs[node]
        before = found[inputs[inputs >= 0]]
        before = before[~np.isnan(before)]
        made = graph.node_outputs[node]
        made = made[made >= 0]
        blank = made[np.isnan(found[made])]
        if len(before):
            found[blank] = _together(graph.op_types[node], before.tolist())
    return found


def _together(op_type: str, errors: Iterable[float]) -> float:
    return math.hypot(*errors) if op_type in PRODUCTS else max(errors)


def _slots(
    graph: Graph, placed: Placed, comparison: Comparison, known: Floats, reaching: Floats, constant: Bools
) -> Slots:
    """Finds errors of inputs: what was measured at a reader itself counts there, else what is known of the tensor."""
    readers, tensors = _inputs(graph)
    errors, is_open = reaching[tensors], np.isnan(known[tensors]) & ~np.isin(tensors, placed.tensors)
    if placed.read:
        used = np.flatnonzero(graph.node_inputs.values >= 0)
        number = np.full(len(graph.node_inputs.values), -1, np.int64)
        number[used] = np.arange(len(used))
        for (node, place), row in placed.read.items():
            error = relative_error(comparison.rows[row])
            at = int(graph.node_inputs.starts[node]) + place
            if at < graph.node_inputs.starts[node + 1] and number[at] >= 0 and not math.isnan(error):
                errors[number[at]], is_open[number[at]] = error, False
    before = reaching[tensors]
    with np.errstate(all="ignore"):
        made = np.where(errors > CHANGED * before, (before / errors) ** 2, 1.0)
    made[np.isposinf(errors) & np.isfinite(before)] = 0.0
    return Slots(readers, tensors, errors, constant[tensors], made, is_open, np.zeros(len(readers), bool))
