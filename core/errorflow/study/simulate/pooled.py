"""Pooled measurements of a simulation over samples, as one comparison and as the parts of each node's error.

Samples are put together as if they were one large tensor: powers of references and errors add up.
"""

from collections.abc import Mapping
from functools import reduce
from operator import add

import numpy as np

from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.measure import MeasuredPair
from errorflow.compare.metrics.sums import Sums
from errorflow.compare.model import Comparison, Row
from errorflow.explain.blame.model import ExactParts, Floats, Switched
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.run.engine.table import Measure, Table

RULE = "tensor-name"
_BYTES = 4


def pooled_sums(table: Table, tensor: str, measure: Measure = "accumulated") -> Sums | None:
    """Pools all samples; None where none was measured."""
    found = (table.sums(tensor, place, measure) for place in range(len(table.samples)))
    known = [sums for sums in found if sums is not None]
    return reduce(add, known) if known else None


def comparison_of(
    table: Table, graph: Graph, shapes: Mapping[str, tuple[int, ...]], seen: Mapping[str, MeasuredPair]
) -> Comparison:
    """A row per tensor, in the order of running: errors of all samples, and what was `seen` closely of one of them."""
    return Comparison(tuple(_row(table, graph, name, shapes.get(name, ()), seen.get(name)) for name in table.tensors))


def _row(table: Table, graph: Graph, name: str, shape: tuple[int, ...], seen: MeasuredPair | None) -> Row:
    info = TensorInfo(name, "float32", shape, _BYTES * int(np.prod(shape, dtype=np.int64)))
    number = graph.tensor_index(name)
    maker = -1 if number is None else int(graph.producers[number])
    node, kind = ("", "") if maker < 0 else (graph.title(maker), graph.op_types[maker])
    sums = pooled_sums(table, name)
    if sums is None:
        return Row(name, info, info, note="it was not measured", rule=RULE, node=node, op_type=kind)
    with np.errstate(all="ignore"):
        pooled = {metric.key: metric.of(sums) for metric in METRICS}
    if seen is None:
        return Row(name, info, info, pooled, "", sums.reference, sums.candidate, rule=RULE, node=node, op_type=kind)
    sides = sums.reference + seen.reference, sums.candidate + seen.candidate
    values = {**seen.values, **pooled}
    return Row(name, info, info, values, "", *sides, seen.channels, seen.unique, RULE, node, kind)


def relative_errors(table: Table, measure: Measure = "accumulated") -> dict[str, float]:
    """Computes by tensor the relative error of all samples together."""
    metric = next(metric for metric in METRICS if metric.key == "relative_l2")
    found = ((name, pooled_sums(table, name, measure)) for name in table.tensors)
    with np.errstate(all="ignore"):
        return {name: metric.of(sums) for name, sums in found if sums is not None}


def exact_parts(table: Table, graph: Graph, switched: Mapping[int, Switched]) -> ExactParts:
    """Finds parts by node, of several outputs the one with the largest error. `switched` as `ExactParts` has it."""
    columns = np.full((4, len(graph)), np.nan)
    powers, errors = (_powers(table, at) for at in ("rr", "dd"))
    introduced, inherited, shares = (table.part(part) for part in ("introduced", "inherited", "share"))
    for place, name in enumerate(table.tensors):
        number = graph.tensor_index(name)
        node = -1 if number is None else int(graph.producers[number])
        if node < 0:
            continue
        size, error = powers[:, place], errors[:, place]
        with np.errstate(invalid="ignore"):  # what is added to nothing is infinite, and times nothing not known
            added = [part[:, place] ** 2 * size for part in (introduced, inherited)]
        found = (_norm(error, size), *(_norm(part, size) for part in added), _mean(shares[:, place], error))
        if not columns[0, node] >= found[0]:
            columns[:, node] = found
    known = ~np.isnan(columns[0]) & ~np.isnan(columns[1])
    accumulated, own, arrived, share = columns
    return ExactParts(known, accumulated, own, arrived, share, {}, switched)


def _powers(table: Table, field: str) -> Floats:
    """Samples × tensors of a sum."""
    found = np.full(table.rows.shape[:2], np.nan)
    for sample in range(len(table.samples)):
        for place, name in enumerate(table.tensors):
            sums = table.sums(name, sample)
            if sums is not None:
                found[sample, place] = float(getattr(sums, field))
    return found


def _norm(power: Floats, size: Floats) -> float:
    """Computes the norm of powers that add up, in units of the reference's; NaN where nothing was measured."""
    known = ~np.isnan(power) & ~np.isnan(size)
    if not known.any():
        return float("nan")
    with np.errstate(all="ignore"):
        total, unit = float(power[known].sum()), float(size[known].sum())
    if not total:
        return 0.0
    return float(np.sqrt(total / unit)) if unit else float("inf")


def _mean(values: Floats, weights: Floats) -> float:
    known = ~np.isnan(values) & (np.nan_to_num(weights) > 0)
    return float(np.average(values[known], weights=weights[known])) if known.any() else float("nan")
