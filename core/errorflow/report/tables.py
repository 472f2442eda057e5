"""Results as comma-separated tables that spreadsheets open."""

import csv
import io
from collections.abc import Iterable, Sequence

from errorflow.compare import Comparison
from errorflow.describe import shape_text, tensor_text
from errorflow.graph.model import Graph
from errorflow.metrics import METRICS

FORMULA_MARKS = frozenset("=+-@\t\r")


def tensors_csv(comparison: Comparison) -> str:
    """A line per tensor: every metric under its name, states and notes in words."""
    head = ["tensor", "dtype", "shape", *(metric.key for metric in METRICS), "states", "note"]
    rows = (
        [
            row.tensor,
            row.dtype,
            shape_text(row.shape),
            *(_number(row.values[metric.key]) if metric.key in row.values else "" for metric in METRICS),
            "; ".join(row.states),
            row.note,
        ]
        for row in comparison.rows
    )
    return _csv(head, rows)


def nodes_csv(graph: Graph) -> str:
    """A line per node: type, name, what it reads and makes."""
    head = ["index", "type", "name", "inputs", "outputs", "made"]
    rows = (
        [
            str(node.index),
            node.op_type,
            node.name,
            " ".join(node.inputs),
            " ".join(node.outputs),
            _made(graph, node.outputs),
        ]
        for node in graph.nodes()
    )
    return _csv(head, rows)


def _made(graph: Graph, names: Sequence[str]) -> str:
    found = (graph.tensor_index(name) for name in names)
    return "; ".join(tensor_text(graph.tensor(index)) for index in found if index is not None)


def _number(value: float) -> str:
    return f"{value:.9g}"


def _csv(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_tame(cell) for cell in row] for row in rows)
    return text.getvalue()


def _tame(cell: str) -> str:
    """Names come from files of others: a spreadsheet must not run them as formulas."""
    return f"'{cell}" if cell[:1] in FORMULA_MARKS and not _is_number(cell) else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
