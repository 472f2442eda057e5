"""Tables of `errorflow compare` itself: a line per tensor, and a line per node."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from errorflow.base.files import Source
from errorflow.base.progress import Progress
from errorflow.compare.metrics.definitions.definition import Definition
from errorflow.compare.metrics.definitions.errorflow import NODES, OWN_SHARE, TENSORS, VENDOR
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable, Subject
from errorflow.compare.results.text import csv_rows, head_text, is_text, number, shape
from errorflow.graph.model import Shape

_TENSORS_HEAD = ("tensor", "operator", "type", "dtype", "shape")
_NODES_HEAD = ("name", "type", "verdict", "method")
# What a spreadsheet would take for a formula has this before it.
_TAMED = "'"
_TAMED_MARKS = frozenset("=+-@\t\r")

Cells = Mapping[str, str]


def _claims(head: Sequence[str]) -> Callable[[Source], bool]:
    def claims(source: Source) -> bool:
        first = head_text(source).partition("\n")[0].strip() if is_text(source) else ""
        return tuple(first.split(",")[: len(head)]) == tuple(head)

    return claims


def _read_tensors(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    return _read(source, progress, "tensor", TENSORS, _tensor)


def _read_nodes(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    return _read(source, progress, "node", NODES, _node)


def _read(
    source: Source,
    progress: Progress,
    subject: Subject,
    definitions: Sequence[Definition],
    made: Callable[[Cells, Sequence[Column]], ResultRow],
) -> tuple[ResultTable, ...]:
    header, lines, problems = csv_rows(source, progress)
    columns = tuple(Column(row.key, row.name, row) for row in definitions if row.name in header)
    # Earlier versions wrote the introduced share under the name of the share of blame.
    if OWN_SHARE not in (column.key for column in columns):
        columns = tuple(column for column in columns if column.name != "share")
    rows = tuple(made(cells, columns) for cells in lines)
    return (ResultTable(f"comparison by {subject}", VENDOR, subject, columns, rows, problems=problems),)


def _tensor(cells: Cells, columns: Sequence[Column]) -> ResultRow:
    name, *others = (
        _untamed(cells.get(key, "")) for key in ("tensor", "candidate tensor", "reference tensor", "operator")
    )
    return ResultRow(
        name,
        _untamed(cells.get("type", "")),
        _shape(cells.get("shape", "")),
        cells.get("dtype", ""),
        _values(cells, columns),
        notes=_notes(cells),
        names=tuple(other for other in dict.fromkeys(others) if other and other != name),
    )


def _node(cells: Cells, columns: Sequence[Column]) -> ResultRow:
    extra = {key: cells[key] for key in ("verdict", "method") if cells.get(key)}
    name, op_type = (_untamed(cells.get(key, "")) for key in ("name", "type"))
    return ResultRow(name, op_type, values=_values(cells, columns), notes=_notes(cells), extra=extra)


def _values(cells: Cells, columns: Sequence[Column]) -> dict[str, float]:
    found = ((column.key, number(cells.get(column.name, ""))) for column in columns)
    return {key: value for key, value in found if value is not None}


def _notes(cells: Cells) -> tuple[str, ...]:
    def told() -> Iterator[str]:
        yield from cells.get("states", "").split("; ")
        yield _untamed(cells.get("note", ""))

    return tuple(text for text in told() if text)


def _shape(text: str) -> Shape:
    """`1×3×8×8`, or `scalar`."""
    return () if text == "scalar" else shape(f"({text.replace('×', ',')})") if text else None


def _untamed(text: str) -> str:
    return text[1:] if text[:1] == _TAMED and text[1:2] in _TAMED_MARKS else text


OWN_TENSORS = Importer(
    key="errorflow-tensors",
    label="Errorflow comparison, by tensor (CSV)",
    vendor=VENDOR,
    claims=_claims(_TENSORS_HEAD),
    read=_read_tensors,
    obtain="`errorflow compare` writes it: tensors.csv.",
    rank=15,
)
OWN_NODES = Importer(
    key="errorflow-nodes",
    label="Errorflow comparison, by node (CSV)",
    vendor=VENDOR,
    claims=_claims(_NODES_HEAD),
    read=_read_nodes,
    obtain="`errorflow compare` writes it where it knows the model: nodes.csv.",
    rank=15,
)
