"""RKNN Toolkit 1: a line per layer with `eculidean_norm=… cosine_norm=…`."""

import re

from errorflow.base.files import Source
from errorflow.base.progress import Progress
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import limited, lines, mentions, number
from errorflow.graph.model import Problem

# As the tool spells it.
_NAMES = ("cosine_norm", "eculidean_norm", "eculidean")
# `Conv__body.0_Conv_14_out0_nhwc_1_120_90_64.npy`: the layer, its output, its layout and shape.
_FILE = re.compile(r"(?P<layer>.+)_out\d+_[a-z]{2,5}(?P<shape>(?:_\d+)+)")

_LONGEST_NAME = 1000


def _claims(source: Source) -> bool:
    return mentions(source, "cosine_norm=")


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Whether the errors add up tells the name of the file only, which says `individual` where they do not."""
    alone = "individual" in source.name
    columns = {name: Column.of(f"rknn.v1.{'single' if alone else 'entire'}.{name}") for name in _NAMES}
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    if not alone and "entire" not in source.name:
        text = "The file does not say whether errors add up in it; it is taken for the analysis of the entire network."
        problems.append(Problem(text))
    for count, line in enumerate(lines(source, progress), 1):
        if "cosine_norm=" not in line:
            continue
        row = _row(line, columns)
        if row is None:
            problems.append(Problem("It does not fit the table and is left out.", f"line {count}"))
        else:
            rows.append(row)
    used = tuple(column for column in columns.values() if any(column.key in {*row.values, *row.states} for row in rows))
    return (
        ResultTable(
            "RKNN error analysis", "RKNN", "tensor", used, tuple(rows), "Toolkit 1", problems=limited(problems)
        ),
    )


def _row(line: str, columns: dict[str, Column]) -> ResultRow | None:
    all_words = line.split()
    words = [word for word in all_words if "=" not in word]
    if not words or "=" in all_words[0]:
        return None
    values: dict[str, float] = {}
    states: dict[str, str] = {}
    for title, _, text in (word.partition("=") for word in all_words):
        column = columns.get(title)
        if column is None:
            continue
        value = number(text)
        if value is None:
            states[column.key] = text
        else:
            values[column.key] = value
    name = words[0].removesuffix(".npy")
    found = _FILE.fullmatch(name) if len(name) < _LONGEST_NAME else None
    dtype = words[1] if len(words) > 1 and words[1] != "None" else ""
    sizes = tuple(int(size) for size in found["shape"].split("_") if size and len(size) < 19) if found else None
    return ResultRow(name, "", sizes, dtype, values, states, names=(found["layer"],) if found else ())


RKNN_V1 = Importer(
    key="rknn-toolkit1",
    label="RKNN Toolkit 1 error analysis (text)",
    vendor="RKNN",
    claims=_claims,
    read=_read,
    obtain="rknn.accuracy_analysis(…) of Toolkit 1 writes it: entire_qnt_error_analysis.txt and its siblings.",
    rank=50,
)
