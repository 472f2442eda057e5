"""The table of another tool as a comparison, so that its numbers are painted, listed and drawn like ours."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from errorflow.base import SILENT, Progress, UsageError
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import Comparison, Row
from errorflow.compare.results import read_results
from errorflow.compare.results.place import HOW, TablePlacement, place
from errorflow.compare.results.table import Column, ResultRow, ResultTable
from errorflow.graph.model import Graph

# What a table is painted by where it has several measures.
PREFERRED = ("accumulated", "node", "recovery", "impact", "local", "")
# Where the limits of a number of which nobody knows good from bad are put among those that are there, in percent.
_QUARTER, _MOST = 25, 95
_DECIMALS = 6
_NOT_THERE = "the model has nothing of this name"
_NO_NUMBER = "the table has no number for it"


def comparison_of(table: ResultTable, graph: Graph, measure: str | None = None) -> Comparison:
    """Lays a table's rows on the tensors of the graph; of several measures, the given one or the one that says most.

    A number that is one of our metrics in disguise is shown as that, another one under its own definition and, as
    its limits are unknown, on limits taken from the table itself.
    """
    columns = _columns(table, measure)
    if not columns:
        raise UsageError(
            f"{table.label} holds no number of which one way is better.", "`errorflow results` prints what it holds."
        )
    placement = place(table, graph)
    if not placement.places:
        raise UsageError(
            f"No row of {table.label} has the name of a tensor or an operator of this model.",
            "Open the model that was measured, or the file that was given to the tool.",
        )
    scales = tuple(_scale(table, column) for column in columns if not column.definition.equals)
    rows = (*_placed(table, placement, graph, columns), *_lost(table, placement))
    return Comparison(rows, columns[0].definition.measure, scales)


def _columns(table: ResultTable, measure: str | None) -> tuple[Column, ...]:
    """Columns of one measure; two that are the same metric of ours would hide each other, and the first is taken."""
    wanted = measure if measure is not None else next((each for each in PREFERRED if _of(table, each)), "")
    found: dict[str, Column] = {}
    for column in _of(table, wanted):
        found.setdefault(_key(column), column)
    return tuple(found.values())


def _of(table: ResultTable, measure: str) -> tuple[Column, ...]:
    return tuple(column for column in table.judging if column.definition.measure == measure)


def _key(column: Column) -> str:
    return column.definition.equals if column.definition.equals else column.key


def _placed(table: ResultTable, placement: TablePlacement, graph: Graph, columns: Sequence[Column]) -> Iterable[Row]:
    for found in placement.places:
        row = table.rows[found.row]
        node = graph.node_names[found.node] if found.node >= 0 else ""
        op_type = graph.op_types[found.node] if found.node >= 0 else row.op_type
        values = _values(row, columns)
        for tensor in found.tensors:
            yield Row(
                _name(row, graph, tensor),
                None,
                None,
                values,
                "" if values else next((note for note in (*row.notes, *row.states.values()) if note), _NO_NUMBER),
                node=node,
                op_type=op_type,
                done=(f"{row.name} is {HOW[found.how]}",),
            )


def _name(row: ResultRow, graph: Graph, tensor: int) -> str:
    """`conv1:input:0` stays what it is: it is about who read the tensor."""
    return row.name if ":input:" in row.name else graph.tensor_names[tensor]


def _values(row: ResultRow, columns: Sequence[Column]) -> Mapping[str, float]:
    found = {}
    for column in columns:
        if column.key in row.values:
            ours = column.definition.ours(row.values[column.key])
            found[_key(column)] = row.values[column.key] if ours is None else ours
    return found


def _lost(table: ResultTable, placement: TablePlacement) -> Iterable[Row]:
    for number in placement.lost:
        row = table.rows[number]
        yield Row(row.name, None, None, note=_NOT_THERE, op_type=row.op_type)


def _scale(table: ResultTable, column: Column) -> Scale:
    higher = column.definition.higher_is_better is True
    good, bad = _limits([row.values[column.key] for row in table.rows if column.key in row.values], higher)
    misleads = f"{column.definition.misleads} Good and bad are where most rows of this table lie.".strip()
    return Scale(
        key=column.key,
        label=f"{column.definition.vendor} {column.name}",
        formula=column.definition.formula,
        higher_is_better=higher,
        best=max(good, bad) if higher else min(0.0, good),
        good=good,
        bad=bad,
        scale="linear",
        decimals=_DECIMALS,
        misleads=misleads,
    )


def _limits(values: Sequence[float], higher: bool) -> tuple[float, float]:
    known = np.array([value for value in values if np.isfinite(value)])
    if not len(known):
        return (1.0, 0.0) if higher else (0.0, 1.0)
    low, high = (100 - _MOST, 100 - _QUARTER) if higher else (_QUARTER, _MOST)
    first, last = float(np.percentile(known, low)), float(np.percentile(known, high))
    last = last if last > first else first + max(abs(first), 1e-6)
    return (last, first) if higher else (first, last)


def import_table(path: Path, graph: Graph, progress: Progress = SILENT) -> Comparison:
    """The table in a file on a graph; of several tables, the one that speaks most of the graph's tensors."""
    tables = read_results(path, progress)
    found = [comparison for table in tables if (comparison := _on(table, graph)) is not None]
    if not found:
        return comparison_of(tables[0], graph)  # which says what is wrong with it
    return max(found, key=lambda each: (-PREFERRED.index(each.measure), sum(bool(row.values) for row in each.rows)))


def _on(table: ResultTable, graph: Graph) -> Comparison | None:
    try:
        return comparison_of(table, graph)
    except UsageError:
        return None
