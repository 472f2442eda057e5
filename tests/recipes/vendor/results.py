"""Reads Acme's report: a first line `acme report 1`, then a tensor on each and how alike it is."""

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.base.progress import Progress
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import lines, number

VENDOR = "Acme"
_MARK = "acme report 1"


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    column = Column.of("acme.likeness")
    rows: list[ResultRow] = []
    for line in lines(source, progress)[1:]:
        name, _, text = line.strip().rpartition(" ")
        value = number(text)
        if name and value is not None:
            rows.append(ResultRow(name, values={column.key: value}))
    if not rows:
        raise FormatError(f"{source.name} holds no tensor of Acme's report.", "Let the chip write it again.")
    return (ResultTable("Acme report", VENDOR, "tensor", (column,), tuple(rows)),)


ACME_REPORT = Importer(
    key="acme-report",
    label="Acme report (text)",
    vendor=VENDOR,
    claims=lambda source: source.head[: len(_MARK)] == _MARK.encode(),
    read=_read,
    obtain="The chip writes it after each run.",
    rank=20,
)
ROWS = (ACME_REPORT,)
