"""A result table of another tool painted on a model: each tensor by one column, on the limits of our own measures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from errorflow.base.arrays import frozen
from errorflow.base.errors import UsageError
from errorflow.case.scenarios.imported import PREFERRED
from errorflow.case.session.model import Painting
from errorflow.compare.metrics import METRICS
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale, badness
from errorflow.compare.placed import Measured, order_of
from errorflow.compare.results.place import HOW, Placement, place
from errorflow.compare.results.table import Column, ResultTable
from errorflow.explain.findings.model import with_limits
from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.report.box_signs import BoxSigns, bar_badness, node_places
from errorflow.report.findings_paint import tints
from errorflow.report.paint import Paint, measure_text, paint_of

_ACCUMULATED, _NODE = "accumulated", "node"
AS_USUAL = Painting()
_MAIN_FIRST = tuple(scale.key for scale in (*METRICS, *MEASURES))
# How sure a place is: what is found by name comes before what is found by likeness.
_SURE = tuple(HOW)


@dataclass(frozen=True, slots=True)
class Chosen:
    """One column of one table, and the measure of ours that its numbers can be turned into."""

    table: ResultTable
    column: Column
    scale: Scale


def choose(tables: Sequence[ResultTable], key: str | None = None, metric: str = AS_USUAL.metric) -> Chosen:
    """The column of that key or name; without one, what the window paints by: of the measure that says most, the
    column that is the wanted metric, else the main one."""
    found = [chosen for table in tables for column in table.columns if (chosen := _chosen(table, column))]
    if key is not None:
        found = [chosen for chosen in found if key in (chosen.column.key, chosen.column.name)]
    if found:
        return min(found, key=lambda chosen: _order(chosen, metric)) if key is None else found[0]
    can = [each.column.key for table in tables for column in table.columns if (each := _chosen(table, column))]
    if not can:
        raise UsageError("No column of this table can be painted.", "It needs one that is a measure of ours as well.")
    raise UsageError(f"The column {key} cannot be painted.", f"These can: {', '.join(can)}.")


def _order(chosen: Chosen, metric: str) -> tuple[int, bool, int]:
    key = chosen.scale.key
    return PREFERRED.index(chosen.column.definition.measure), key != metric, _MAIN_FIRST.index(key)


def _chosen(table: ResultTable, column: Column) -> Chosen | None:
    scale = next((scale for scale in MEASURES if scale.key == column.definition.equals), None)
    return None if scale is None else Chosen(table, column, scale)


def result_paint(graph: Graph, drawing: Drawing, chosen: Chosen, painting: Painting = AS_USUAL) -> Paint:
    """What `error_paint` is for a comparison; rows that the graph has nothing for are left out.

    Where the table has what has come together and what each node adds, the one fills, and the other is the bar.
    """
    placement = place(chosen.table, graph)
    if not placement.places:
        raise UsageError(
            "No row of this table is about a tensor or node of this model.",
            "Choose the model that the tool was given, or the one that it made.",
        )
    other = companion(chosen, painting)
    fill, bar = (other, chosen) if painting.swapped and other is not None else (chosen, other)
    measured = _measured(graph, fill, placement)
    paint = paint_of(graph, drawing, measured)
    flows = fill.column.definition.measure == _ACCUMULATED
    paint = replace(paint, tints=tints(measured)) if painting.edges and flows else paint
    return paint if bar is None else _with_bar(paint, graph, drawing, _measured(graph, bar, placement))


def _with_bar(paint: Paint, graph: Graph, drawing: Drawing, measured: Measured) -> Paint:
    count = len(drawing)
    nothing = np.zeros(count, np.bool_)
    bars = bar_badness(node_places(graph, measured.places), drawing.node_boxes, count)
    signs = BoxSigns(bars, np.zeros(count, np.uint16), np.zeros(count, np.int8), nothing, nothing)
    return replace(paint, signs=signs, bar=measure_text(measured))


def companion(chosen: Chosen, painting: Painting = AS_USUAL) -> Chosen | None:
    """The column that says of each node alone what the chosen one says of all up to it, or the other way round."""
    measure = chosen.column.definition.measure
    wanted = {_ACCUMULATED: _NODE, _NODE: _ACCUMULATED}.get(measure)
    found = (_chosen(chosen.table, column) for column in chosen.table.columns if column.definition.measure == wanted)
    others = [other for other in found if other is not None]
    alike = next((other for other in others if other.scale.key == chosen.scale.key), next(iter(others), None))
    return None if alike is None else replace(alike, scale=with_limits(alike.scale, painting.limits))


def placed_text(chosen: Chosen, graph: Graph) -> str:
    """How many of the rows were found, for the line below the title."""
    placement = place(chosen.table, graph)
    total = len(chosen.table.rows)
    return f"{chosen.table.label}: {len(placement.places):,} of {total:,} rows found in the model"


def _measured(graph: Graph, chosen: Chosen, placement: Placement) -> Measured:
    """Of several rows about one tensor the surest counts, and of these the worst."""
    values = np.full(len(graph.tensor_names), np.nan)
    best: dict[int, tuple[int, float]] = {}
    notes: dict[int, str] = {}
    for where in placement.places:
        value, note = _value(chosen, where.row)
        if value is None:
            notes.update(dict.fromkeys(where.tensors, note))
            continue
        order = (_SURE.index(where.how), -badness(chosen.scale, value))
        for tensor in where.tensors:
            if tensor not in best or order < best[tensor]:
                best[tensor] = order
                values[tensor] = value
    known = frozen(sorted(best))
    measure = f"{chosen.table.vendor} {chosen.column.name} · {chosen.column.definition.measure}"
    return Measured(chosen.scale, values, order_of(chosen.scale, values, known), notes, measure)


def _value(chosen: Chosen, index: int) -> tuple[float | None, str]:
    """The number of a row as ours; without one, why there is none."""
    row, key = chosen.table.rows[index], chosen.column.key
    if key in row.values:
        return chosen.column.definition.ours(row.values[key]), ""
    return None, " ".join([*([row.states[key]] if key in row.states else []), *row.notes])
