"""The two tables in the log of Horizon's model builder, in their headers of 2021 to 2025."""

import re
from collections.abc import Iterator

from errorflow.base import FormatError, Progress, dataclass
from errorflow.base.files import Source
from errorflow.compare.results.columnar import TitleLine
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable, Subject
from errorflow.compare.results.text import limited, lines, mentions, number
from errorflow.graph.model import Problem

VENDOR = "Horizon"
ON_CPU = "Not measured: it runs on the CPU."
CUT = "The log cut the beginning of the name off."
_NODES = ("node information:", "Node information:")
_OUTPUT = "quantify model output:"
_COSINE = "Cosine Similarity"
_OUTPUT_COLUMNS = {
    _COSINE: "horizon.output.cosine",
    "L1 Distance": "horizon.output.l1",
    "L2 Distance": "horizon.output.l2",
    "Chebyshev Distance": "horizon.output.chebyshev",
}
_TYPES = ("In/Out DataType", "DataType")
# What a log puts before a text: when, where, how important.
_PREFIX = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S* "
    r"(?:file: .{0,200}? line No: \d+|.{0,80}?\b(?:INFO|WARNING|ERROR|DEBUG)\b:?)(?: |$)"
)
# Lines between the words that announce a table and its header.
_MOST_BETWEEN = 5


@dataclass(frozen=True, slots=True)
class _Line:
    """Line without what the log put before it; an entry is a line that has such a thing."""

    text: str
    is_entry: bool


def _claims(source: Source) -> bool:
    return any(mentions(source, mark, _COSINE) for mark in (*_NODES, _OUTPUT))


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Each table that the log announces, in its order."""
    log = [_line(text) for text in lines(source, progress)]
    found = []
    for index, line in enumerate(log):
        if line.text.endswith((*_NODES, _OUTPUT)):
            head = _header(log, index + 1)
            if head is not None:
                found.append(_table(log, head, is_output=line.text.endswith(_OUTPUT)))
    if not found:
        raise FormatError(
            f"{source.name} announces a table and holds none.", "Take the whole log of hb_mapper makertbin."
        )
    return tuple(found)


def _line(text: str) -> _Line:
    found = _PREFIX.match(text)
    return _Line(text[found.end() :], is_entry=True) if found else _Line(text, is_entry=False)


def _header(log: list[_Line], start: int) -> int | None:
    """The line with the titles, a few below the announcement."""
    wanted = range(start, min(start + _MOST_BETWEEN, len(log)))
    return next((index for index in wanted if _is_header(log[index].text)), None)


def _is_header(line: str) -> bool:
    titles = TitleLine.of(line).titles
    return titles[:1] == ("Node",) and _COSINE in titles and len(set(titles)) == len(titles)


def _table(log: list[_Line], head: int, *, is_output: bool) -> ResultTable:
    header = TitleLine.of(log[head].text)
    if is_output:
        columns = tuple(Column.of(_OUTPUT_COLUMNS[name]) for name in header.titles if name in _OUTPUT_COLUMNS)
    else:
        threshold = Column.plain(VENDOR, "Threshold", "the largest value of the input that int8 can hold")
        columns = tuple(
            Column.of("horizon.node.cosine") if name == _COSINE else threshold
            for name in header.titles
            if name in (_COSINE, "Threshold")
        )
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    for place, line in _body(log, head):
        cells = header.cells(line)
        if cells is None or not _is_similarity(cells[_COSINE]):
            if log[head].is_entry:
                break  # whatever the log went on with
            problems.append(Problem("It does not fit the table and is left out.", f"line {place + 1}"))
        else:
            rows.append(_row(cells, columns))
    label = "Horizon build: model outputs" if is_output else "Horizon build: nodes"
    subject: Subject = "tensor" if is_output else "node"
    generation = "" if is_output else _generation(header)
    return ResultTable(label, VENDOR, subject, columns, tuple(rows), generation, problems=limited(problems))


def _is_similarity(text: str) -> bool:
    return text in ("", "--") or number(text) is not None


def _generation(header: TitleLine) -> str:
    if "DataType" in header.titles:
        return "newer log (DataType)"
    return "log with In/Out DataType" if _TYPES[0] in header.titles else "oldest log"


def _body(log: list[_Line], head: int) -> Iterator[tuple[int, str]]:
    """Lines down to a blank one or to the next entry of the log; empty entries between the lines are passed over."""
    for place in range(head + 1, len(log)):
        line = log[place]
        is_other = line.is_entry != log[head].is_entry
        if (line.text and not line.text.strip("=- ")) or (is_other and line.is_entry and not line.text):
            continue
        if is_other or not line.text or line.text.startswith("```"):
            return
        yield place, line.text


def _row(cells: dict[str, str], columns: tuple[Column, ...]) -> ResultRow:
    values: dict[str, float] = {}
    states: dict[str, str] = {}
    for column in columns:
        text = cells[column.name]
        value = number(text)
        if value is not None:
            values[column.key] = value
        elif text and text != "--":
            states[column.key] = text
    name = cells["Node"]
    notes = [CUT] if name.startswith("...") else []
    if cells.get("ON") == "CPU" and not cells.get(_COSINE):
        notes.append(ON_CPU)
    return ResultRow(
        name=name,
        op_type=cells.get("Type", ""),
        dtype=next((cells[title] for title in _TYPES if cells.get(title)), ""),
        values=values,
        states=states,
        notes=tuple(notes),
        extra={title: cells[title] for title in ("ON", "Subgraph") if cells.get(title, "--") not in ("", "--")},
    )


HORIZON_BUILD = Importer(
    key="horizon-build",
    label="Horizon model builder log",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="`hb_mapper makertbin` prints it and writes hb_mapper_makertbin.log.",
)
