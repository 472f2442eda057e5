"""The result tables of Ascend's msaccucmp, in all their headers, as .csv and as the old .txt."""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import MAX_LINES, head_text, is_text, limited, number, shape, whole
from errorflow.graph.model import Problem
from errorflow.vendors.ascend.definitions import MSACCUCMP as DEFINED

VENDOR = "msaccucmp"
NOT_MEASURED = "not measured"
BOTH_ZERO = "Both sides are all zero."
OVERFLOWN = "The float16 values overflow."

_RED = "RelativeEuclideanDistance"
_SQUARED = f"msaccucmp.{_RED}.2023"
_DEVIATION = "StandardDeviation"
_MEASURES = frozenset(row.name for row in DEFINED) - {_DEVIATION}
# Whatever else is known to stand in a header; what is not is a measure of the user's own.
_OTHERS = frozenset(
    {"Index", "OpSequence", "OpType", "NPUDump", "LeftOp", "DataType", "Address", "GroundTruth", "RightOp"}
    | {"TensorIndex", "Shape", "OverFlow", "CompareFailReason", _DEVIATION}
    | {"IsNpuOps", "IsOutputNode", "IsPrecisionError"}
)
_TEXTS = re.compile(r"\(([^;()]+);([^;()]+)\),\(([^;()]+);([^;()]+)\)")
_STEP = 2000


def _claims(source: Source) -> bool:
    if not is_text(source):
        return False
    first = head_text(source).lstrip().partition("\n")[0]
    names = {name.strip().strip('"') for name in re.split(r"[,\s]", first)}
    return "Index" in names and "TensorIndex" in names and bool(names & {"CompareFailReason", *_MEASURES})


def read_csv(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Reads one table; a line that does not fit the header is a problem, not the end."""
    lines = _cells(whole(source).lstrip())
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    header = [name.strip() for name in _header(lines, source)]
    layout = _Layout(header)
    try:
        for count, cells in enumerate(lines):
            if count == MAX_LINES:
                problems.append(Problem(f"Only the first {MAX_LINES:,} lines are read."))
                break
            if count % _STEP == 0:
                progress.step(count, 0, source.name)
            if len(cells) != len(header):
                if any(cells):
                    text = f"It has {len(cells)} cells, not the header's {len(header)}, and is left out."
                    problems.append(Problem(text, f"line {count + 2}"))
                continue
            rows.append(layout.row(cells))
    except csv.Error as error:
        problems.append(Problem(f"The table ends here: {error}.", f"line {len(rows) + 2}"))
    table = ResultTable(
        "msaccucmp result", VENDOR, "tensor", layout.columns, tuple(rows), layout.generation, problems=limited(problems)
    )
    return (_dated(table),)


def _header(lines: Iterator[list[str]], source: Source) -> list[str]:
    try:
        return next(lines)
    except (StopIteration, csv.Error) as error:
        raise FormatError(f"{source.name} has no header.", "Take the result_….csv that compare wrote.") from error


def _cells(text: str) -> Iterator[list[str]]:
    """The .txt of old is parted by spaces, its last column being the rest of the line."""
    first = text.partition("\n")[0]
    if "," in first:
        return csv.reader(io.StringIO(text, newline=""))
    count = len(first.split())
    return (_padded(line.split(None, count - 1), count) for line in text.splitlines() if line.strip())


def _padded(cells: list[str], count: int) -> list[str]:
    return [*cells, ""] if len(cells) == count - 1 else cells


class _Layout:
    """Layout of a line's cells. Two columns may have one name: right of GroundTruth it is about that."""

    def __init__(self, header: Sequence[str]) -> None:
        self.header = header
        self.mine = _first(header, "NPUDump", "LeftOp")
        self.reference = _first(header, "GroundTruth", "RightOp")
        self.generation = _generation(header)
        self.measured: list[tuple[int, Column]] = []
        self.others: list[tuple[int, str]] = []
        for place, name in enumerate(header):
            repeated = name in header[:place]
            if name in _OTHERS or not name or repeated:
                self.others.append((place, self._title(place, name)))
            elif name in _MEASURES:
                self.measured.append((place, Column.of(f"msaccucmp.{name}")))
            else:
                own = Column.plain(VENDOR, name, "not known: a measure of the user's own")
                self.measured.append((place, replace(own, key=f"msaccucmp.own.{name}")))
        self.columns = tuple(column for _, column in self.measured)
        self.dtype = _first(header[: max(self.reference, 0)], "DataType")
        self.names = (_first(header, "TensorIndex"), self.mine, self.reference)
        self.op_type, self.shape = _first(header, "OpType"), _first(header, "Shape")
        self.overflow, self.reason = _first(header, "OverFlow"), _first(header, "CompareFailReason")

    def _title(self, place: int, name: str) -> str:
        of_reference = name in ("DataType", "Address") and place > self.reference >= 0
        return f"{name} (GroundTruth)" if of_reference else name

    def row(self, cells: Sequence[str]) -> ResultRow:
        values: dict[str, float] = {}
        states: dict[str, str] = {}
        for place, column in self.measured:
            text = cells[place]
            value = None if text == "NaN" else number(text)  # `nan` was computed, `NaN` was not
            if value is not None:
                values[column.key] = value
            elif text:
                states[column.key] = NOT_MEASURED if text == "NaN" else text
        names = self._names(cells)
        return ResultRow(
            name=names[0],
            op_type=self._cell(cells, self.op_type),
            shape=shape(self._cell(cells, self.shape)),
            dtype=self._cell(cells, self.dtype),
            values=values,
            states=states,
            notes=tuple(self._notes(cells)),
            extra={title: cells[place] for place, title in self.others if cells[place]},
            names=names[1:],
        )

    def _names(self, cells: Sequence[str]) -> tuple[str, ...]:
        """The tensor, the operator, and the last of the operators of the original model that it stands for."""
        tensor, mine, reference = (self._cell(cells, place) for place in self.names)
        last = reference.rpartition(",")[2].strip() if reference != "*" else ""
        found = tuple(dict.fromkeys(name for name in (tensor, mine, last) if name))
        return found if found else ("",)

    def _notes(self, cells: Sequence[str]) -> Iterator[str]:
        if self._cell(cells, self.overflow) == "YES":
            yield OVERFLOWN
        if any(cells[place] == "1.0" for place, column in self.measured if column.name == "CosineSimilarity"):
            yield BOTH_ZERO
        reason = self._cell(cells, self.reason)
        if reason:
            yield reason

    def _cell(self, cells: Sequence[str], place: int) -> str:
        text = cells[place] if place >= 0 else ""
        return "" if text == "NaN" else text


def _first(header: Sequence[str], *names: str) -> int:
    return next((place for place, name in enumerate(header) if name in names), -1)


def _generation(header: Sequence[str]) -> str:
    if "LeftOp" in header:
        return "before May 2022"
    if "OpType" not in header:
        return "May to August 2022"
    return "" if "MeanAbsoluteError" in header else "August 2022 or later"


def _dated(table: ResultTable) -> ResultTable:
    """Corrects ten months in which the tool wrote the square of one measure, which its other columns give away."""
    votes = sum(_vote(row) for row in table.rows)
    if votes > 0:
        columns = tuple(_squared(column) for column in table.columns)
        return replace(table, columns=columns, generation="August 2023 to June 2024")
    if table.generation or not votes:
        return table
    return replace(table, generation="August 2022 to August 2023, or June 2024 and later")


def _squared(column: Column) -> Column:
    """The key stays: rows refer to it."""
    return Column.like(column.key, column.name, _SQUARED) if column.name == _RED else column


def _vote(row: ResultRow) -> int:
    """1: the distance is squared, -1: it is not, 0: this row does not tell."""
    written = row.values.get(f"msaccucmp.{_RED}", math.nan)
    error = row.values.get("msaccucmp.RootMeanSquareError", math.nan)
    found = _TEXTS.fullmatch(row.extra.get(_DEVIATION, ""))
    mean, deviation = (number(found[3]), number(found[4])) if found else (None, None)
    if mean is None or deviation is None or not deviation > 0.05 or not 0 < written < 0.5:
        return 0
    true = error / math.hypot(mean, deviation)
    if not 0.005 < true < 0.5:
        return 0
    near = {power: abs(written - true**power) < 0.05 * true**power + 1e-6 for power in (1, 2)}
    return int(near[2]) - int(near[1])


MSACCUCMP = Importer(
    key="msaccucmp",
    label="msaccucmp result (CSV)",
    vendor=VENDOR,
    claims=_claims,
    read=read_csv,
    obtain="`msaccucmp compare` and `errorflow compare` write it: result_….csv.",
    rank=20,
)
