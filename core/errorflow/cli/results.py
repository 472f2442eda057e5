"""`errorflow results FILE`: the table that another tool left behind, in one form for all tools."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter

if TYPE_CHECKING:
    from errorflow.compare.results.table import ResultRow, ResultTable


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a table, log or report of another tool")
    parser.add_argument("--table", type=int, metavar="N", help="the Nth table of the file only")
    parser.add_argument("--worst", type=int, metavar="N", help="the N worst rows only, the worst first")
    parser.add_argument("--by", metavar="COLUMN", help="worst by that column, a key or a name (default: the first)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON for programs, formulas and all rows included")
    form.add_argument("--csv", action="store_true", help="print comma-separated values, whole")


def _run(options: Namespace) -> int:
    from errorflow.compare.results import read_results
    from errorflow.report.imported import result_csv, result_summary

    with Meter() as meter:
        tables = _asked(read_results(options.file, meter), options.table)
    tables = [replace(table, rows=tuple(_rows(table, options))) for table in tables]
    if options.json:
        # In ASCII: the other side of a pipe may have another encoding than this one.
        print(json.dumps(result_summary(Path(options.file), tables, with_rows=True), indent=2))
    elif options.csv:
        print("\n".join(result_csv(table) for table in tables), end="")
    else:
        _print(tables)
    return 0


def _asked(tables: "Sequence[ResultTable]", number: int | None) -> "Sequence[ResultTable]":
    if number is None:
        return tables
    if not 1 <= number <= len(tables):
        raise UsageError(f"There is no table {number}.", f"The file has {len(tables)}, counted from 1.")
    return tables[number - 1 : number]


def _rows(table: "ResultTable", options: Namespace) -> "Sequence[ResultRow]":
    if options.worst is None and options.by is None:
        return table.rows
    columns = [each for each in table.judging if options.by in (None, each.key, each.name)]
    if not columns:
        can = ", ".join(each.key for each in table.judging)
        what = "ranked" if options.by is None else f"ranked by {options.by}"
        raise UsageError(f"{table.label} cannot be {what}.", f"It can by: {can}." if can else "It has no such column.")
    return table.worst(columns[0], len(table.rows) if options.worst is None else max(0, options.worst))


def _print(tables: "Sequence[ResultTable]") -> None:
    from errorflow.report.imported import definition_text, result_lines

    for count, table in enumerate(tables):
        print("\n" if count else "", end="")
        print(f"{table.label} ({table.generation})" if table.generation else table.label)
        for text in table.facts:
            print(text)
        for column in table.columns:
            print(f"  {column.name} [{column.key}]: {definition_text(column)}")
        print()
        for line in result_lines(table, table.rows):
            print(line)
        for problem in table.problems:
            print(f"! {f'{problem.where}: ' if problem.where else ''}{problem.text}")


RESULTS = Command("results", "Print the result table of another tool, each number with its formula.", _arguments, _run)
