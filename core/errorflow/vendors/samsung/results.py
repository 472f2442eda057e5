"""The JSON of Samsung's visq: an error per tensor, and the colours that it is shown in."""

from typing import Any

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import MAX_LINES, document, limited, numeric, starts_like_json
from errorflow.graph.model import Problem

VENDOR = "visq"
_HINT = "Take the .visq.json that visq wrote."
_KNOWN = {"MSE": "visq.mse", "MPEIR": "visq.mpeir"}


def _claims(source: Source) -> bool:
    return starts_like_json(source, "meta", "metric", "colorscheme")


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    progress.step(0, 1, source.name)
    found = document(source)
    meta = found.get("meta") if isinstance(found, dict) else None
    errors = found.get("error") if isinstance(found, dict) else None
    if not isinstance(meta, dict) or not isinstance(errors, list):
        raise FormatError(f"{source.name} has no `meta` and `error` of visq.", _HINT)
    column = _column(meta.get("metric"))
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    for group in errors:
        if not isinstance(group, dict):
            problems.append(Problem("One entry of `error` is no object and is left out."))
            continue
        rows.extend(_row(name, value, column) for name, value in group.items())
        if len(rows) > MAX_LINES:
            raise FormatError(f"{source.name} has more than {MAX_LINES:,} tensors.", _HINT)
    label = "visq error" + (f" of {meta['model']}" if isinstance(meta.get("model"), str) else "")
    return (ResultTable(label, VENDOR, "tensor", (column,), tuple(rows), problems=limited(problems)),)


def _column(metric: object) -> Column:
    name = metric if isinstance(metric, str) and metric else "error"
    known = _KNOWN.get(name.upper())
    return Column.of(known) if known else Column.plain(VENDOR, name, "not known: a measure of visq's user")


def _row(name: str, value: Any, column: Column) -> ResultRow:
    found = numeric(value)
    values = {} if found is None else {column.key: found}
    return ResultRow(name, values=values, states={column.key: str(value)[:100]} if found is None else {})


VISQ = Importer(
    key="visq",
    label="Samsung visq (JSON)",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="`visq --mse_output FILE.visq.json` or `--mpeir_output` writes it.",
    rank=40,
)
ROWS = (VISQ,)
