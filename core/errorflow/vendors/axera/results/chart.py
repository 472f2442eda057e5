"""Pulsar2's precision_analysis.mmd: a flow chart whose boxes are tensors with their numbers."""

import re
from collections.abc import Iterator

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import MAX_LINES, head_text, is_text, lines, number, shape
from errorflow.graph.model import Problem
from errorflow.vendors.axera.results.tables import METHODS, VENDOR

_START = re.compile(r"\s*(?:---[\s\S]*?---\s*)?(?:%%[^\n]*\n\s*)*(?:flowchart|graph)\b")
_OPENERS, _CLOSERS = "[({", "])}"
_METHOD = re.compile("|".join(METHODS))


def _claims(source: Source) -> bool:
    if not is_text(source):
        return False
    text = head_text(source)
    return _START.match(text) is not None and "->" in text and any(True for _ in _tensors(text.splitlines()))


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """A row per box, in the order of the file; a tensor that is named twice stands once."""
    texts = lines(source, progress)
    found = _METHOD.search("\n".join(texts))
    method = found[0] if found else METHODS[0]
    problems = () if found else (Problem("It does not say how it was measured; PerLayer, the default, is assumed."),)
    cosine, mse = (Column.of(f"pulsar2.{method}.{name}") for name in ("Cosin", "MSE"))
    rows: dict[str, ResultRow] = {}
    for name, sizes, types, numbers in _tensors(texts):
        pairs = [(column.key, number(text)) for column, text in zip((cosine, mse), numbers, strict=True)]
        values = {key: value for key, value in pairs if value is not None}
        before, _, after = types.partition("->")
        extra = {} if after in ("", "None") else {"QDType": after}
        rows.setdefault(name, ResultRow(name, "", shape(sizes), before.replace("None", ""), values, extra=extra))
        if len(rows) > MAX_LINES:
            raise FormatError(f"{source.name} has more than {MAX_LINES:,} boxes.", "Open the table beside it.")
    label = f"Pulsar2 precision, {method} (chart)"
    return (ResultTable(label, VENDOR, "tensor", (cosine, mse), tuple(rows.values()), problems=problems),)


def _tensors(texts: list[str]) -> Iterator[tuple[str, str, str, tuple[str, str]]]:
    """Name, shape, types and both numbers of every box that holds a tensor."""
    for line in texts:
        for label in _labels(line):
            cells = [cell.strip() for cell in label.rsplit(",", 3)]
            if len(cells) < 4 or "->" not in cells[1] or not all(cells):
                continue
            front, types, cosine, error = cells
            yield *_name_and_shape(front), types, (cosine, error)


def _name_and_shape(text: str) -> tuple[str, str]:
    """`name,(1, 32, 112, 112)`; a name may hold commas and brackets of its own."""
    start = max(text.rfind("("), text.rfind("["))
    name, sizes = text[:start].rstrip(), text[start:]
    if start < 0 or not name.endswith(",") or shape(sizes) is None:
        return text, ""
    return name[:-1].strip(), sizes


def _labels(line: str) -> Iterator[str]:
    """Yields what stands in the boxes of a line: `id["text"]`, `id[text]`, `id("text")`."""
    quoted = line.split('"')[1::2]
    if quoted:
        yield from (text.strip() for text in quoted)
        return
    depth, start = 0, 0
    for place, sign in enumerate(line):
        if sign in _OPENERS:
            depth += 1
            start = place + 1 if depth == 1 else start
        elif sign in _CLOSERS and depth:
            depth -= 1
            if not depth:
                yield line[start:place].strip()


PULSAR2_CHART = Importer(
    key="pulsar2-chart",
    label="Pulsar2 precision chart (Mermaid)",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="`pulsar2 build` writes it with quant.precision_analysis on: quant/debug/precision_analysis.mmd.",
)
