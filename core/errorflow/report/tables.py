"""Results as comma-separated tables that spreadsheets open."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence

from errorflow.compare.match.rules import RULE_OF
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.model import Comparison, Row
from errorflow.compare.samples import SampleSpread
from errorflow.compare.states import state_texts
from errorflow.graph.describe import shape_text, tensor_text
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph

FORMULA_MARKS = frozenset("=+-@\t\r")


def tensors_csv(comparison: Comparison, shares: Mapping[int, float] | None = None) -> str:
    """A line per tensor: both sides, how they were brought together, every metric under its name, states and notes.

    `shares`: by row the share of blame of what makes the tensor, as `Findings.row_shares`; without any no column.
    """
    head = [
        *("tensor", "operator", "type", "dtype", "shape"),
        *(f"{side} {what}" for side in ("candidate", "reference") for what in ("dtype", "shape", "layout", "tensor")),
        *(
            "rule",
            "certain",
            "done",
            *(measure.key for measure in MEASURES),
            *(("share",) if shares else ()),
            "worst channels",
            "unique values",
            "states",
            "note",
        ),
    ]
    told = ([exact_number(shares.get(number, math.nan))] if shares else [] for number in range(len(comparison.rows)))
    return csv_text(head, map(_tensor_line, comparison.rows, told))


def _tensor_line(row: Row, share: Sequence[str]) -> list[str]:
    rule = RULE_OF.get(row.rule)
    return [
        row.tensor,
        row.node,
        row.op_type,
        row.dtype,
        shape_text(row.shape if row.measured_shape is None else row.measured_shape),
        *_side(row.candidate),
        *_side(row.reference),
        "" if rule is None else rule.label,
        "" if rule is None else "yes" if rule.certain else "no",
        "; ".join(row.done),
        *(_number(row.values[measure.key]) if measure.key in row.values else "" for measure in MEASURES),
        *share,
        _worst_channels(row),
        "" if row.unique is None else str(row.unique),
        "; ".join(state_texts(row)),
        row.note,
    ]


def _worst_channels(row: Row) -> str:
    """Numbers of channels, each with its SQNR."""
    if row.channels is None:
        return ""
    return "; ".join(f"{number}: {_number(value)} dB" for number, value in row.channels.worst)


def _side(info: TensorInfo | None) -> tuple[str, str, str, str]:
    """The last is what that run calls the tensor."""
    return ("", "", "", "") if info is None else (info.dtype, shape_text(info.shape), info.layout, info.name)


def samples_csv(spreads: Sequence[SampleSpread]) -> str:
    """A line per tensor over several inputs: per metric the worst value, whose it is, and the median."""
    head = ["tensor", "samples"]
    for metric in MEASURES:
        head += [f"{metric.key} worst", f"{metric.key} worst sample", f"{metric.key} median"]
    return csv_text(head, (_spread_line(spread) for spread in spreads))


def _spread_line(spread: SampleSpread) -> list[str]:
    line = [spread.tensor, str(spread.samples)]
    for metric in MEASURES:
        if metric.key in spread.worst:
            value, sample = spread.worst[metric.key]
            line += [_number(value), sample, _number(spread.median[metric.key])]
        else:
            line += ["", "", ""]
    return line


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
    return csv_text(head, rows)


def _made(graph: Graph, names: Sequence[str]) -> str:
    found = (graph.tensor_index(name) for name in names)
    return "; ".join(tensor_text(graph.tensor(index)) for index in found if index is not None)


def _number(value: float) -> str:
    return f"{value:.9g}"


def exact_number(value: float) -> str:
    """Writes a number with all its digits; "": not known."""
    return "" if math.isnan(value) else repr(value)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lines of cells; what a spreadsheet would run as a formula is marked as text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([tame(cell) for cell in row] for row in rows)
    return text.getvalue()


def tame(cell: str) -> str:
    """Names come from files of others: a spreadsheet must not run them as formulas."""
    return f"'{cell}" if cell[:1] in FORMULA_MARKS and not is_number(cell) else cell


def is_number(cell: str) -> bool:
    """Whether a spreadsheet may take it for what it looks like."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
