"""Results as comma-separated tables that spreadsheets open."""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from errorflow.base.files import replacing
from errorflow.base.values import dataclass
from errorflow.compare.comparer import Printed
from errorflow.compare.match.by_fusion import MappingLine
from errorflow.compare.match.model import GOLDEN_TYPE, MY_TYPE, OVERFLOW, SHAPE, Listed
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


# The tables of msaccucmp, cell by cell: result_….csv of a comparison and mapping_….csv of `-map`.
# A missing thing is the text NaN there, a number that is none is nan; two columns are called DataType, up to two
# Address.

NAN = "NaN"
# What a spreadsheet would take for a formula; msaccucmp itself ends without a result then.
_FORMULA = re.compile(r"^[＝＋－+\-=%@]|;[＝＋－+\-=%@]")
_MAPPING = ("Index", "OpType", "NPUDump", "GroundTruth", "TensorIndex", "NPUDumpPath", "GroundTruthPath")


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """Columns that the table has."""

    # The names of the algorithms, in the order in which they were asked for.
    metrics: tuple[str, ...]
    # Only dumps of an NPU have addresses.
    my_address: bool = True
    golden_address: bool = True
    # Against a model without fusion the golden address is NaN although there is one.
    knows_golden_address: bool = True
    overflow: bool = False
    sequence: bool = False

    @property
    def header(self) -> list[str]:
        return [
            "Index",
            *(["OpSequence"] if self.sequence else []),
            *("OpType", "NPUDump", "DataType"),
            *(["Address"] if self.my_address else []),
            *("GroundTruth", "DataType"),
            *(["Address"] if self.golden_address else []),
            *("TensorIndex", "Shape"),
            *(["OverFlow"] if self.overflow else []),
            *self.metrics,
            "CompareFailReason",
        ]

    def line(self, row: Row, printed: Printed) -> list[str]:
        listed, columns = printed.listed, printed.cells
        measured = listed.tensor != NAN
        found = columns.get(MY_TYPE, NAN), columns.get(GOLDEN_TYPE, NAN)
        types = found if listed.types is None else listed.types
        return [
            str(listed.index),
            *([str(listed.sequence)] if self.sequence else []),
            *(listed.op_type, listed.candidates, types[0]),
            *([_my_address(row, listed)] if self.my_address else []),
            *(listed.references, types[1]),
            *([_address(row.reference) if self.knows_golden_address else NAN] if self.golden_address else []),
            listed.tensor,
            columns.get(SHAPE, _shape(row.candidate)) if measured else NAN,
            *([columns.get(OVERFLOW, NAN)] if self.overflow else []),
            *(columns.get(name, NAN) for name in self.metrics),
            printed.reason if listed.measured else listed.reason,
        ]


def write_result(path: Path, rows: Iterable[Row], table: ResultColumns) -> None:
    """Rows come in the order of their Index, as matching gives them; those that the tool does not list are left out."""
    lines = (table.line(row, row.printed) for row in rows if row.printed is not None)
    _write(path, table.header, lines)


def write_mapping(path: Path, lines: Iterable[MappingLine], sequence: bool) -> None:
    """`sequence`: with the column that -r and -s add."""
    header = [_MAPPING[0], *(["OpSequence"] if sequence else []), *_MAPPING[1:]]
    _write(path, header, (_mapping_line(line, sequence) for line in lines))


def result_name(kind: str, now: datetime, prefix: str = "") -> str:
    """`result_20260131235959.csv`."""
    return f"{prefix}{kind}_{now:%Y%m%d%H%M%S}.csv"


def _mapping_line(line: MappingLine, sequence: bool) -> list[str]:
    return [
        str(line.index),
        *([str(line.sequence)] if sequence else []),
        *(line.op_type, line.candidates, line.references, line.tensor, line.candidate_path, line.reference_path),
    ]


def _write(path: Path, header: Sequence[str], lines: Iterator[list[str]]) -> None:
    with (
        replacing(path, follow=False) as beside,
        # What is not UTF-8 in the name of a file is written as an escape.
        beside.open("x", newline="", encoding="utf-8", errors="backslashreplace") as file,
    ):
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(map(_tame, line) for line in lines)


def _address(info: TensorInfo | None) -> str:
    return NAN if info is None or info.address is None else str(info.address)


def _my_address(row: Row, listed: Listed) -> str:
    return _address(row.candidate) if listed.address is None else str(listed.address)


def _shape(info: TensorInfo | None) -> str:
    return NAN if info is None else f"[{','.join(map(str, info.shape))}]"


def _tame(cell: str) -> str:
    """Names come from files of others: a spreadsheet must not run them as formulas."""
    return f"'{cell}" if _FORMULA.search(cell) and not is_number(cell) else cell
