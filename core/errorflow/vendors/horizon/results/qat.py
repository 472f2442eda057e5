"""The reports of Horizon's quantization-aware training: similarity, ordered errors, statistics."""

import re
from collections.abc import Iterator, Mapping

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.boxed import Boxed, tables
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import limited, lines, mentions, number
from errorflow.graph.model import Problem
from errorflow.vendors.horizon.results.build import VENDOR

_SIMILARITY = {
    "Similarity": "horizon.qat.similarity",
    "Acc Error (float atol)": "horizon.qat.atol",
    "Acc Error (N out_qscale)": "horizon.qat.steps",
    "Op Error with Same Input (N out_qscale)": "horizon.qat.op-steps",
}
_STATISTICS = {
    "Min": "the least value",
    "Max": "the greatest value",
    "Mean": "the mean of its values",
    "Var": "their variance",
    "Scale": "its scale",
}
_PLACE = "Input/Output/Attr"
_CLASS = re.compile(r"<class '(?:.*\.)?(\w+)'>")
# What the tool appends to the name of a module, and what it says by that.
_MARKS = {"(I)": "It does nothing in one of the two models.", "(I vs I)": "It does nothing in either model."}
_USE = re.compile(r"\((\d+)\)$")
_METHOD = re.compile(r"\[\w+\]")


def _claims(source: Source) -> bool:
    if not mentions(source, "Module Name", "Module Type"):
        return False
    return mentions(source, "Similarity", "qscale") or mentions(source, _PLACE)


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    found = [made for table in tables(lines(source, progress)) if (made := _made(table)) is not None]
    if not found:
        raise FormatError(f"{source.name} holds no table of modules.", "Take similarity.txt or statistic.txt whole.")
    return tuple(found)


def _made(table: Boxed) -> ResultTable | None:
    if "Module Name" not in table.header:
        return None
    is_statistic = _PLACE in table.header
    if is_statistic:
        columns = [Column.plain(VENDOR, name, text) for name, text in _STATISTICS.items() if name in table.header]
    else:
        columns = [Column.of(key) for name, key in _SIMILARITY.items() if name in table.header]
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    for count, cells in enumerate(table.rows, 1):
        if len(cells) == len(table.header):
            rows.append(_row(dict(zip(table.header, cells, strict=True)), columns))
        else:
            where = f"row {count} of the table in line {table.line}"
            problems.append(Problem("It does not fit the table and is left out.", where))
    label = "Horizon QAT statistics" if is_statistic else "Horizon QAT similarity"
    return ResultTable(label, VENDOR, "layer", tuple(columns), tuple(rows), problems=limited(problems))


def _row(cells: Mapping[str, str], columns: list[Column]) -> ResultRow:
    pairs = [(column.key, cells[column.name], number(cells[column.name])) for column in columns]
    module, notes = _parted(cells["Module Name"])
    found = _CLASS.fullmatch(cells.get("Module Type", ""))
    place = cells.get(_PLACE, "")
    extra = {title: cells[title] for title in ("Index", "Module Index", "qscale", _PLACE) if cells.get(title)}
    return ResultRow(
        name=f"{cells['Module Name']} {place}".rstrip(),
        op_type=found[1] if found else cells.get("Module Type", ""),
        dtype=cells.get("Dtype", ""),
        values={key: value for key, _, value in pairs if value is not None},
        states={key: text for key, text, value in pairs if value is None and text},
        notes=notes,
        extra=extra,
        names=(module,),
    )


def _parted(name: str) -> tuple[str, tuple[str, ...]]:
    """The module itself, and what the marks at the end of its name say."""
    notes: list[str] = list(_notes(name))
    for mark in _MARKS:
        name = name.replace(mark, "")
    return _METHOD.sub("", _USE.sub("", name.strip())).strip(), tuple(notes)


def _notes(name: str) -> Iterator[str]:
    for mark, text in _MARKS.items():
        if mark in name:
            yield text
    use = _USE.search(name)
    if use:
        yield f"It is used several times; this is use {use[1]} after the first."


HORIZON_QAT = Importer(
    key="horizon-qat",
    label="Horizon QAT report",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="The tools of horizon_plugin_pytorch write it: similarity.txt, statistic.txt and the like.",
)
