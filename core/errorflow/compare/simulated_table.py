"""Reads the tensors of a simulation back from the table that `errorflow simulate` writes."""

import csv
import io
from collections.abc import Iterator

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.model import Comparison, Row
from errorflow.compare.table_file import untamed
from errorflow.graph.dump import TensorInfo

MAX_BYTES, MAX_ROWS = 1 << 28, 1_000_000
_MARK = "tensor,node,type,shape,precision,"
# The worst channel has the name of its unit there.
_KEYS = {measure.key: measure.key for measure in MEASURES} | {
    "min_channel_sqnr_db": "min_channel_sqnr",
    "median_channel_sqnr_db": "median_channel_sqnr",
}
_HINT = "Simulate again to get a new one."


def is_simulated_table(source: Source) -> bool:
    """Whether it begins as such a table does."""
    return source.head[:200].decode("utf-8", "replace").removeprefix("\ufeff").startswith(_MARK)


def read_simulated_table(source: Source) -> Comparison:
    """Reads rows in their order, with the measures of all samples together."""
    if source.size > MAX_BYTES:
        raise FormatError(f"{source.name} is too large for a table of tensors.", _HINT)
    text = source.read(0, source.size).decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        return Comparison(tuple(_rows(text, source.name)))
    except csv.Error as error:
        raise FormatError(f"{source.name} is no sound table: {error}.", _HINT) from error


def _rows(text: str, name: str) -> Iterator[Row]:
    lines = csv.DictReader(io.StringIO(text), strict=True)
    known = {title: _KEYS[title] for title in lines.fieldnames or () if title in _KEYS}
    for number, line in enumerate(lines):
        if number == MAX_ROWS or None in line or any(value is None for value in line.values()):
            raise FormatError(f"Row {number + 2:,} of {name} is not as wide as the first one.", _HINT)
        values = {key: value for title, key in known.items() if (value := _number(line[title])) is not None}
        name, node, kind, note = (untamed(line.get(title, "")) for title in ("tensor", "node", "type", "note"))
        info = TensorInfo(name, "float32", (), 0)
        yield Row(name, info, info, values, note, node=node, op_type=kind)


def _number(text: str) -> float | None:
    """Reads a number; None: it was not measured."""
    try:
        return float(text)
    except ValueError:
        return None
