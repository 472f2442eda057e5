"""The two tables in the log of Horizon's model builder, in their headers of 2021 to 2025."""

from collections.abc import Iterator

from errorflow.errors import FormatError
from errorflow.files import Source
from errorflow.graph.model import Problem
from errorflow.progress import Progress
from errorflow.results.columnar import Header
from errorflow.results.table import Column, Importer, ResultRow, ResultTable, Subject
from errorflow.results.text import limited, lines, mentions, number

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
# Lines between the words that announce a table and its header.
_MOST_BETWEEN = 5


def _claims(source: Source) -> bool:
    return any(mentions(source, mark, _COSINE) for mark in (*_NODES, _OUTPUT))


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Each table that the log announces, in its order."""
    texts = lines(source, progress)
    found = []
    for index, line in enumerate(texts):
        if line.endswith((*_NODES, _OUTPUT)):
            head = _header(texts, index + 1)
            if head is not None:
                is_output = line.endswith(_OUTPUT)
                found.append(_table(texts, head, is_output=is_output))
    if not found:
        raise FormatError(
            f"{source.name} announces a table and holds none.", "Take the whole log of hb_mapper makertbin."
        )
    return tuple(found)


def _header(texts: list[str], start: int) -> int | None:
    """The line with the titles, a few below the announcement."""
    wanted = range(start, min(start + _MOST_BETWEEN, len(texts)))
    return next((index for index in wanted if _is_header(texts[index])), None)


def _is_header(line: str) -> bool:
    titles = Header.of(line).titles
    return titles[:1] == ("Node",) and _COSINE in titles and len(set(titles)) == len(titles)


def _table(texts: list[str], head: int, *, is_output: bool) -> ResultTable:
    header = Header.of(texts[head])
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
    for place, line in _body(texts, head + 1):
        cells = header.cells(line)
        if cells is None:
            problems.append(Problem("It does not fit the table and is left out.", f"line {place + 1}"))
        else:
            rows.append(_row(cells, columns))
    label = "Horizon build: model outputs" if is_output else "Horizon build: nodes"
    subject: Subject = "tensor" if is_output else "node"
    generation = "" if is_output else _generation(header)
    return ResultTable(label, VENDOR, subject, columns, tuple(rows), generation, problems=limited(problems))


def _generation(header: Header) -> str:
    if "DataType" in header.titles:
        return "newer log (DataType)"
    return "log with In/Out DataType" if _TYPES[0] in header.titles else "oldest log"


def _body(texts: list[str], start: int) -> Iterator[tuple[int, str]]:
    """Lines down to a blank one or to the next entry of the log, which begins with a date."""
    for place in range(start, len(texts)):
        line = texts[place]
        if line and not line.strip("=- "):
            continue
        if not line.strip() or _is_entry(line) or line.startswith("```"):
            return
        yield place, line


def _is_entry(line: str) -> bool:
    return line[:4].isdigit() and line[4:5] == "-" and line[7:8] == "-" and ":" in line[10:20]


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
