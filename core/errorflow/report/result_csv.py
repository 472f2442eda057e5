"""The tables of msaccucmp, cell by cell: result_….csv of a comparison and mapping_….csv of `-map`.

A missing thing is the text NaN there, a number that is none is nan; two columns are called DataType, up to two Address.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from errorflow.base.files import replacing
from errorflow.base.values import dataclass
from errorflow.compare.comparer import Printed
from errorflow.compare.match.mapping import MappingLine
from errorflow.compare.match.model import GOLDEN_TYPE, MY_TYPE, OVERFLOW, SHAPE, Listed
from errorflow.compare.model import Row
from errorflow.graph.dump import TensorInfo
from errorflow.report.tables import is_number

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
