"""Tables of results that other tools left behind, each number under its own definition.

To add a table: one module with an `Importer` in the vendor's room, its name in the vendor's row, a sample in
tests/data/results, a row in docs/formats/result-tables.md.
"""

from pathlib import Path

from errorflow.base.errors import UnknownFormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.base.vendor import Rows
from errorflow.compare.results.own import OWN_NODES, OWN_TENSORS
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable

__all__ = ["RESULTS", "Column", "Importer", "ResultRow", "ResultTable", "importer_of", "read_results"]

# The most certain marks first: a log may mention another tool.
RESULTS = Rows(Importer, "results", (OWN_TENSORS, OWN_NODES))


def importer_of(source: Source) -> Importer | None:
    """Finds the reader of this file, by its content; None: it holds no results that are known here."""
    return next((row for row in RESULTS if row.claims(source)), None)


def read_results(path: str | Path, progress: Progress = SILENT) -> tuple[ResultTable, ...]:
    """The tables in a file, at least one."""
    with Source(path) as source:
        importer = importer_of(source)
        if importer is not None:
            return importer.read(source, progress)
    known = ", ".join(row.label for row in RESULTS)
    raise UnknownFormatError(
        f"{Path(path).name} holds no results of a tool that is known here.", f"Known are: {known}."
    )
