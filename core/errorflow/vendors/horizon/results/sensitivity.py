"""Output of Horizon's get_sensitivity_of_nodes: each node, weight or activation quantized alone."""

from collections.abc import Iterator

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.columnar import TitleLine
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable, Subject
from errorflow.compare.results.text import head_text, is_text, limited, lines, mentions, number
from errorflow.graph.model import Problem
from errorflow.vendors.horizon.results.build import VENDOR

_RULE = "==="
_METRICS = ("cosine-similarity", "mse", "mre", "mae", "sqnr", "chebyshev")
_COLUMNS = {name: f"horizon.sensitivity.{name}" for name in _METRICS}
_SUFFIX = "_HzCalibration"
_GROUP = "+"
# Lines from the title to the header.
_MOST_BETWEEN = 3


def _claims(source: Source) -> bool:
    if not is_text(source):
        return False
    return any(mentions(source, "====", name) for name in _METRICS) and _has_title(source)


def _has_title(source: Source) -> bool:
    texts = head_text(source).splitlines()
    return any(_title(line) and _header(texts, index + 1) is not None for index, line in enumerate(texts))


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    texts = lines(source, progress)
    found = []
    for index, line in enumerate(texts):
        title = _title(line)
        head = _header(texts, index + 1) if title else None
        if head is not None:
            found.append(_table(texts, head, title))
    if not found:
        raise FormatError(
            f"{source.name} holds no table of sensitivities.", "Call get_sensitivity_of_nodes with verbose=True."
        )
    return tuple(found)


def _title(line: str) -> str:
    """`node` of `=====node=====`; "" if it is no title."""
    text = line.strip()
    inner = text.strip("=").strip()
    framed = text.startswith(_RULE) and text.endswith(_RULE) and inner.replace(" ", "").isalpha()
    return inner if framed else ""


def _header(texts: list[str], start: int) -> int | None:
    wanted = range(start, min(start + _MOST_BETWEEN, len(texts)))
    return next((index for index in wanted if _is_header(texts[index])), None)


def _is_header(line: str) -> bool:
    titles = TitleLine.of(line).titles
    return any(title in _METRICS for title in titles[1:]) and len(set(titles)) == len(titles)


def _table(texts: list[str], head: int, of: str) -> ResultTable:
    header = TitleLine.of(texts[head])
    columns = tuple(Column.of(_COLUMNS[name]) for name in header.titles if name in _COLUMNS)
    columns += tuple(
        Column.plain(VENDOR, name, "the largest value that its scale can hold")
        for name in header.titles
        if name == "threshold"
    )
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    for place, line in _body(texts, head + 1):
        cells = header.cells(line)
        if cells is None:
            problems.append(Problem("It does not fit the table and is left out.", f"line {place + 1}"))
        else:
            rows.append(_row(header.titles[0], cells, columns))
    what = of.lower().removesuffix("sensitivity").strip()
    subject: Subject = "node" if what == "node" else "tensor"
    label = f"Horizon sensitivity of each {what}"
    return ResultTable(label, VENDOR, subject, columns, tuple(rows), problems=limited(problems))


def _body(texts: list[str], start: int) -> Iterator[tuple[int, str]]:
    for place in range(start, len(texts)):
        line = texts[place].strip()
        if line and not line.strip("=-"):
            continue
        if not line or line.startswith(("```", "=")):
            return
        yield place, texts[place]


def _row(first: str, cells: dict[str, str], columns: tuple[Column, ...]) -> ResultRow:
    values: dict[str, float] = {}
    states: dict[str, str] = {}
    for column in columns:
        text = cells[column.name]
        value = number(text)
        if value is not None:
            values[column.key] = value
        elif text:
            states[column.key] = text
    name = cells[first]
    taken = {first, *(column.name for column in columns)}
    rest = {title: text for title, text in cells.items() if title not in taken and text}
    dtype = rest.pop("qtype", "")
    notes = ("A group of nodes, quantized together.",) if _GROUP in name else ()
    return ResultRow(name, "", None, dtype, values, states, notes, rest, _other_names(name, rest.get("node", "")))


def _other_names(name: str, readers: str) -> tuple[str, ...]:
    """A calibration node bears the name of what it quantizes; a weight is read by the nodes named beside it."""
    tensor = (name.removesuffix(_SUFFIX),) if name.endswith(_SUFFIX) else ()
    return (*tensor, *(reader.strip() for reader in readers.split(";") if reader.strip()))


HORIZON_SENSITIVITY = Importer(
    key="horizon-sensitivity",
    label="Horizon sensitivity log",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="get_sensitivity_of_nodes(…, verbose=True) prints it; `hmct-debugger runall` writes sensitivity_of_….log.",
)
