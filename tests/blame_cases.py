"""Graphs and comparisons for blame, with errors as the test wants them."""

import math
from collections.abc import Iterable, Mapping, Sequence

from errorflow.compare.metrics.channels import Channels
from errorflow.compare.metrics.distinct import DistinctValues
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph

# Name, type, inputs, outputs.
Line = tuple[str, str, Sequence[str], Sequence[str]]
FINE = Side(low=-1.0, high=1.0)


def graph_of(lines: Iterable[Line], inputs: Sequence[str] = ("x",), outputs: Sequence[str] = ()) -> Graph:
    """Inputs that begin with "w" are weights."""
    builder = GraphBuilder("net")
    for name in inputs:
        builder.input(name)
    lines = list(lines)
    weights = dict.fromkeys(name for _, _, read, _ in lines for name in read if name.startswith("w"))
    for name in weights:
        builder.constant(name)
    for name, op_type, read, made in lines:
        builder.node(op_type, read, made, name=name)
    for name in outputs:
        builder.output(name)
    return builder.build()


def chain(*errors: float, op_type: str = "Conv") -> tuple[Graph, Comparison]:
    """x → n0 → n1 …, all with weights, with the errors of x and of what each makes; NaN: not measured."""
    names = [f"t{at}" for at in range(len(errors) - 1)]
    before = ["x", *names]
    lines = [(f"n{at}", op_type, [before[at], f"w{at}"], [name]) for at, name in enumerate(names)]
    graph = graph_of(lines, outputs=names[-1:])
    return graph, compared(dict(zip(before, errors, strict=True)))


def compared(errors: Mapping[str, float]) -> Comparison:
    return Comparison(tuple(row(name, error) for name, error in errors.items() if not math.isnan(error)))


def row(name: str, error: float, **more: object) -> Row:
    """A row with that relative error; infinite: the candidate holds a NaN."""
    info = TensorInfo(name, "float32", (1, 4, 8), 128)
    broken = math.isinf(error)
    values = {"relative_l2": math.nan if broken else error}
    fields: dict[str, object] = {
        "values": values,
        "reference_side": FINE,
        "candidate_side": Side(1, 0, -1.0, 1.0) if broken else FINE,
    }
    return Row(name, info, info, **(fields | more))  # type: ignore[arg-type] # the fields of a row, as named


def channels(median: float, count: int = 16) -> Channels:
    return Channels(1, count, median - 3, median, ((0, median - 3),))


def holding(low: float, high: float, count: int) -> dict[str, object]:
    """A tensor's range and how many different values it holds."""
    return {"candidate_side": Side(low=low, high=high), "unique": DistinctValues(count)}
