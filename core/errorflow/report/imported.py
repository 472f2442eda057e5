"""Result tables of other tools as text, JSON and CSV: every number under the name and the formula of its tool."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from errorflow.base.codec import spelled
from errorflow.compare.results.table import Column, ResultRow, ResultTable
from errorflow.graph.describe import Fact, shape_text
from errorflow.report.tables import csv_text

WORST = 5
_BLANK = "–"
# Cells of a printed table are cut here; --csv has all.
_WIDEST = 60


def result_facts(path: Path, tables: Sequence[ResultTable]) -> tuple[Fact, ...]:
    """Lists what the tables are, what their numbers mean, and the worst of each."""
    several = len(tables) > 1
    rows = [Fact("File", "Name", path.name)]
    for count, table in enumerate(tables, 1):
        rows.extend(_facts(table, f"Table {count}" if several else "Table", f" of table {count}" if several else ""))
    return tuple(rows)


def _facts(table: ResultTable, head: str, of: str) -> Iterator[Fact]:
    yield Fact(head, "Kind", table.label)
    yield Fact(head, "Tool", table.vendor)
    if table.generation:
        yield Fact(head, "Written by", table.generation)
    if table.measures:
        yield Fact(head, "Measures", ", ".join(table.measures))
    measured = sum(1 for row in table.rows if row.values)
    yield Fact(head, "Rows", f"{len(table.rows):,}, {measured:,} with numbers")
    for text in table.facts:
        yield Fact(head, "Says", text)
    for column in table.columns:
        yield Fact(f"Columns{of}", column.name, definition_text(column))
    for column in table.judging[:1]:
        for row in table.worst(column, WORST):
            yield Fact(f"Worst{of} by {column.name}", row.name, _worst_text(row, table.columns))
    for problem in table.problems:
        yield Fact(f"Problems{of}", problem.where if problem.where else table.label, problem.text)


def definition_text(column: Column) -> str:
    """`accumulated, higher is better: Σ r·c / …; ours as cosine. When it misleads.`"""
    row = column.definition
    better = {True: "higher is better", False: "lower is better", None: ""}[row.higher_is_better]
    start = ", ".join(part for part in (row.measure, better) if part)
    ours = f"; turns into our {row.equals}" if row.equals else ""
    text = f"{start}: {row.formula}{ours}" if start else row.formula
    return f"{text}. {row.misleads}" if row.misleads else text


def _worst_text(row: ResultRow, columns: Sequence[Column]) -> str:
    cells = [f"{column.name} {_cell(row, column)}" for column in columns if column.key in row.values]
    return ", ".join([*cells, *([row.op_type] if row.op_type else [])])


def result_summary(path: Path, tables: Sequence[ResultTable], *, with_rows: bool) -> dict[str, object]:
    """The same for programs: plain values that `json` takes."""
    return {
        "file": str(path),
        "holds": "results",
        "tables": [_table_summary(table, with_rows=with_rows) for table in tables],
    }


def _table_summary(table: ResultTable, *, with_rows: bool) -> dict[str, object]:
    data: dict[str, object] = {
        "label": table.label,
        "tool": table.vendor,
        "generation": table.generation,
        "subject": table.subject,
        "measures": list(table.measures),
        "facts": list(table.facts),
        "columns": [_column_summary(column) for column in table.columns],
        "count": len(table.rows),
        "worst": {column.key: [row.name for row in table.worst(column, WORST)] for column in table.judging},
        "problems": [{"text": problem.text, "where": problem.where} for problem in table.problems],
    }
    return data | ({"rows": [_row_summary(row, table.columns) for row in table.rows]} if with_rows else {})


def _column_summary(column: Column) -> dict[str, object]:
    row = column.definition
    return {
        "key": column.key,
        "name": column.name,
        "formula": row.formula,
        "higher_is_better": row.higher_is_better,
        "measure": row.measure,
        "equals": row.equals,
        "misleads": row.misleads,
    }


def _row_summary(row: ResultRow, columns: Sequence[Column]) -> dict[str, object]:
    """NaN and infinity as texts, which JSON has no numbers for; `ours` are those that ours can be made of."""
    ours = {
        column.definition.equals: spelled(value, "nan")
        for column in columns
        if column.key in row.values and (value := column.definition.ours(row.values[column.key])) is not None
    }
    return {
        "name": row.name,
        "type": row.op_type,
        "shape": None if row.shape is None else list(row.shape),
        "dtype": row.dtype,
        "values": {key: spelled(value, "nan") for key, value in row.values.items()},
        "ours": ours,
        "states": dict(row.states),
        "notes": list(row.notes),
        "extra": dict(row.extra),
    }


def result_csv(table: ResultTable) -> str:
    """A line per row; the other cells of the file stand last, under its own names."""
    others = list(dict.fromkeys(title for row in table.rows for title in row.extra))
    head = ["name", "type", "dtype", "shape", *(column.name for column in table.columns), "notes", *others]
    lines = (
        [
            row.name,
            row.op_type,
            row.dtype,
            "" if row.shape is None else shape_text(row.shape),
            *(_full(row, column) for column in table.columns),
            "; ".join(row.notes),
            *(row.extra.get(title, "") for title in others),
        ]
        for row in table.rows
    )
    return csv_text(head, lines)


def _full(row: ResultRow, column: Column) -> str:
    if column.key in row.states:
        return row.states[column.key]
    return repr(row.values[column.key]) if column.key in row.values else ""


def result_lines(table: ResultTable, rows: Sequence[ResultRow]) -> Iterator[str]:
    """Yields these rows as a table for a terminal, notes at the end of the line."""
    shows_all = not table.columns or table.subject == "trial"
    others = list(dict.fromkeys(title for row in rows for title in row.extra)) if shows_all else []
    types = any(row.op_type for row in rows)
    head = ["name", *(["type"] if types else []), *(column.name for column in table.columns), *others]
    cells = [
        [
            _short(row.name),
            *([_short(row.op_type)] if types else []),
            *(_cell(row, column) for column in table.columns),
            *(_short(row.extra.get(title, "")) for title in others),
        ]
        for row in rows
    ]
    widths = [max(map(len, texts)) for texts in zip(head, *cells, strict=True)]
    yield _line(head, widths)
    for row, texts in zip(rows, cells, strict=True):
        yield f"{_line(texts, widths)}  {' '.join(row.notes)}".rstrip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _cell(row: ResultRow, column: Column) -> str:
    if column.key in row.states:
        return _short(row.states[column.key].partition(":")[0])
    return f"{row.values[column.key]:.7g}" if column.key in row.values else _BLANK


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
