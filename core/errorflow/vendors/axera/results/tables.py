"""The tables that Axera's Pulsar2 prints while it builds: precision, outliers, and which layers got which type."""

import re
from collections.abc import Mapping, Sequence

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.boxed import Boxed, tables
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable, Subject
from errorflow.compare.results.text import limited, lines, mentions, number, shape
from errorflow.graph.model import Problem

VENDOR = "Pulsar2"
CUT = "The console cut the name off; the file precision_analysis_table.txt has it in full."
ELLIPSIS = "…"
METHODS = ("PerLayer", "EndToEnd")

_TITLE = re.compile(r"【\s*(?P<method>\w+)\s*(?P<mode>\w*)")
_LEVEL = re.compile(r"level>=(\d+) ratio")
# What the columns of a table are called, now and before.
_COSINE, _MSE = ("Cosin", "Cosin Distance", "Cosine"), ("MSE",)
_CONFIG_HEAD = "Op Type / Layer name"
_TYPES = ("DType", "Data Type")

# The columns that name a row, the best first.
Naming = tuple[str, ...]


def _claims(source: Source) -> bool:
    marks = ("Quant Precision Table", "Ratio of outliers in tensor", "Op Type / Layer name", "Quant Config Table")
    if any(mentions(source, mark) for mark in marks):
        return True
    return mentions(source, "┃ Operator", "Output Tensor") or mentions(source, "┃ Op outputs", "level>=")


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Every table of the three kinds among whatever else the console showed."""
    found = [made for table in tables(lines(source, progress)) if (made := _made(table)) is not None]
    if not found:
        raise FormatError(
            f"{source.name} names a table of Pulsar2 and holds none.",
            "Take quant/debug/precision_analysis_table.txt, or the whole output of the console.",
        )
    return tuple(found)


def _made(table: Boxed) -> ResultTable | None:
    heads = set(table.header)
    if len(heads) < len(table.header):
        return None
    if {"Operator", "Output Tensor"} <= heads:
        return _precision(table)
    if "Op outputs" in heads:
        return _outliers(table)
    if _CONFIG_HEAD in heads:
        return _config(table)
    return None


def _precision(table: Boxed) -> ResultTable:
    title = _TITLE.search(table.title)
    method = title["method"] if title else ""
    problems: list[Problem] = []
    if method not in METHODS:
        problems.append(
            Problem("The title that says how it was measured is missing; PerLayer, the default, is assumed.")
        )
        method = METHODS[0]
    mode = title["mode"] if title else ""
    names = dict.fromkeys(_COSINE, f"pulsar2.{method}.Cosin") | dict.fromkeys(_MSE, f"pulsar2.{method}.MSE")
    known = {names[name]: name for name in reversed(table.header) if name in names}
    columns = tuple(Column.like(key, name, key) for key, name in reversed(known.items()))
    return _filled(
        table,
        f"Pulsar2 precision, {method} {mode}".rstrip(),
        "tensor",
        columns,
        ("Output Tensor", "Operator"),
        problems,
    )


def _outliers(table: Boxed) -> ResultTable:
    columns: list[Column] = []
    for name in table.header:
        level = _LEVEL.fullmatch(name)
        if level:
            columns.append(Column.like(f"pulsar2.outliers.level.{level[1]}", name, "pulsar2.outliers.level"))
        elif name == "Sparse channel ratio":
            columns.append(Column.of("pulsar2.outliers.sparse"))
    return _filled(table, "Pulsar2 outliers", "tensor", columns, ("Op outputs",), [])


def _config(table: Boxed) -> ResultTable:
    """Reads what was wished, or what was granted; no numbers."""
    return _filled(table, "Pulsar2 layer types", "layer", (), (_CONFIG_HEAD,), [])


def _filled(
    table: Boxed, label: str, subject: Subject, columns: Sequence[Column], naming: Naming, problems: list[Problem]
) -> ResultTable:
    rows = []
    for count, cells in enumerate(table.rows, 1):
        if len(cells) != len(table.header):
            where = f"row {count} of the table in line {table.line}"
            problems.append(Problem("It does not fit the table and is left out.", where))
            continue
        rows.append(_row(dict(zip(table.header, cells, strict=True)), columns, naming))
    return ResultTable(label, VENDOR, subject, tuple(columns), tuple(rows), problems=limited(problems))


def _row(cells: Mapping[str, str], columns: Sequence[Column], naming: Naming) -> ResultRow:
    names = [cells[title] for title in naming if cells.get(title)]
    values: dict[str, float] = {}
    states: dict[str, str] = {}
    for column in columns:
        value = number(cells[column.name])
        if value is not None:
            values[column.key] = value
        elif cells[column.name]:
            states[column.key] = cells[column.name]
    taken = {*naming, *_TYPES, "Type", "Shape", *(column.name for column in columns)}
    return ResultRow(
        name=names[0] if names else "",
        op_type=cells.get("Type", ""),
        shape=shape(cells.get("Shape", "")),
        dtype=next((cells[title] for title in _TYPES if cells.get(title)), ""),
        values=values,
        states=states,
        notes=(CUT,) if any(ELLIPSIS in name for name in names) else (),
        extra={title: text for title, text in cells.items() if text and (title not in taken or title == naming[-1])},
        names=tuple(names[1:]),
    )


PULSAR2 = Importer(
    key="pulsar2",
    label="Pulsar2 tables (text or console)",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="`pulsar2 build` prints them with quant.precision_analysis on; quant/debug/precision_analysis_table.txt.",
)
