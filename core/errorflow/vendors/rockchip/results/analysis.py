"""RKNN Toolkit 2's error_analysis.txt in its three forms, and the same from a terminal, colours and all."""

import math
import re
from itertools import pairwise

from errorflow.base import FormatError, Progress, dataclass
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import limited, lines, mentions, number
from errorflow.graph.model import Problem

VENDOR = "RKNN"
FUSED = "Not measured: it was fused into the next operator."
ON_SIMULATOR_ONLY = "Not measured on the board."
# What stands in place of a number, and what it means.
STATES = {
    "q_zero": "the quantized tensor is all zero",
    "q_nan": "the quantized tensor holds NaN",
    "q_inf": "the quantized tensor holds infinity",
    "s_zero": "the simulator's tensor is all zero",
    "s_nan": "the simulator's tensor holds NaN",
    "s_inf": "the simulator's tensor holds infinity",
    "rt_zero": "the board's tensor is all zero",
    "rt_nan": "the board's tensor holds NaN",
    "rt_inf": "the board's tensor holds infinity",
}
_HEAD = "layer_name"
_TYPE = re.compile(r"\s*\[([^\]]*)\]\s+")
# What the terminal goes on with: `I The error analysis results save to: …`.
_LOG = re.compile(r"[DIWE] (?![\d.]+ )\S+ \S+")
# The second line of a head by the columns of the numbers below it.
_PAIRS = {
    ("simulator_error", "entire"): "rknn.entire",
    ("simulator_error", "single"): "rknn.single",
    ("runtime_error", "entire"): "rknn.runtime.entire",
    ("runtime_error", "single_sim"): "rknn.runtime.single_sim",
}
_SINGLES = {
    "entire": "rknn.entire.cos",
    "per_layer": "rknn.single.cos",
    "single": "rknn.single.cos",
    "simu_err": "rknn.simu_err",
    "golden_err": "rknn.golden_err",
}


@dataclass(frozen=True, slots=True)
class _Head:
    """The columns, where each group of them begins, and how many lines the head takes."""

    columns: tuple[Column, ...]
    # Columns of the simulator; the board's follow.
    simulated: int
    size: int
    generation: str


def _claims(source: Source) -> bool:
    return any(mentions(source, _HEAD, mark) for mark in ("simulator_error", "quant_error"))


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """A table per analysis in the file."""
    texts = lines(source, progress)
    heads = [index for index, line in enumerate(texts) if line.lstrip().startswith(_HEAD)]
    found = [table for start, end in pairwise([*heads, len(texts)]) if (table := _table(texts[start:end], start))]
    if not found:
        raise FormatError(
            f"{source.name} has no table below {_HEAD!r}.", "Take the error_analysis.txt that RKNN Toolkit wrote."
        )
    return tuple(found)


def _table(texts: list[str], offset: int) -> ResultTable | None:
    head = _head(texts)
    if head is None:
        return None
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    for place, line in enumerate(texts[head.size :], offset + head.size + 1):
        if _is_rule(line):
            continue
        if not line.strip() or line.lstrip().startswith("#") or _LOG.match(line):
            if rows:
                break
            continue
        row = _row(line, head)
        if row is None:
            problems.append(Problem("It does not fit the table and is left out.", f"line {place}"))
        else:
            rows.append(row)
    label = "RKNN error analysis"
    return ResultTable(label, VENDOR, "tensor", head.columns, tuple(rows), head.generation, problems=limited(problems))


def _is_rule(line: str) -> bool:
    return len(line.strip()) > 4 and not line.strip(" -")


def _head(texts: list[str]) -> _Head | None:
    sections = texts[0].split()[1:]
    groups = texts[1].split() if len(texts) > 1 else []
    if not sections or not groups:
        return None
    if len(texts) > 2 and texts[2].split()[:2] == ["cos", "euc"]:
        return _pairs(sections, groups)
    if not all(group in _SINGLES for group in groups) or len({_SINGLES[group] for group in groups}) < len(groups):
        return None
    columns = tuple(Column.like(_SINGLES[group], group, _SINGLES[group]) for group in groups)
    simulated = sum(group in ("entire", "per_layer", "single") for group in groups)
    return _Head(columns, simulated, 2, "early Toolkit 2, cosine only")


def _pairs(sections: list[str], groups: list[str]) -> _Head | None:
    """Each section has two groups, each group two numbers."""
    owners = [section for section in sections for _ in range(2)]
    keys = [_PAIRS.get(pair) for pair in zip(owners, groups, strict=False)]
    if len(groups) > len(owners) or not all(keys) or len(set(keys)) < len(keys):
        return None
    titles = [f"{owner.removesuffix('_error')} {group}" for owner, group in zip(owners, groups, strict=False)]
    columns = tuple(
        Column.like(f"{key}.{name}", f"{title} {name}", f"{key}.{name}")
        for key, title in zip(keys, titles, strict=True)
        for name in ("cos", "euc")
    )
    simulated = 2 * sum(owner == "simulator_error" for owner in owners[: len(keys)])
    return _Head(columns, simulated, 3, "Toolkit 2")


def _row(line: str, head: _Head) -> ResultRow | None:
    """Numbers stand at the end of the line; a name may hold spaces, and blank groups stand at the end."""
    op_type, name, texts = _parted(line)
    if not name:
        return None
    if len(texts) > len(head.columns) or len(texts) not in (0, head.simulated, len(head.columns)):
        return None
    values: dict[str, float] = {}
    states: dict[str, str] = {}
    for column, text in zip(head.columns, texts, strict=False):
        value = math.nan if text in STATES else number(text)
        if value is not None:
            values[column.key] = value
        if value is None or text in STATES:
            states[column.key] = f"{text}: {STATES[text]}" if text in STATES else text
    notes = (FUSED,) if not texts else (ON_SIMULATOR_ONLY,) if len(texts) < len(head.columns) else ()
    return ResultRow(name, op_type, values=values, states=states, notes=notes, names=_without_marks(name))


def _without_marks(name: str) -> tuple[str, ...]:
    """Casts that the toolkit added carry the name of the tensor that they change."""
    return (name.removesuffix("_int8"),) if name.endswith("_int8") else ()


def _parted(line: str) -> tuple[str, str, list[str]]:
    """Type, name and numbers; two spaces end the name, except where a long one leaves no room for them."""
    found = _TYPE.match(line)
    op_type, rest = (found[1], line[found.end() :]) if found else ("", line.strip())
    name, gap, numbers = rest.partition("  ")
    if gap:
        return op_type, name.strip(), numbers.replace("|", " ").split()
    words = rest.replace("|", " ").split()
    count = next((count for count, word in enumerate(reversed(words)) if not _is_value(word)), len(words) - 1)
    return op_type, " ".join(words[: len(words) - count]), words[len(words) - count :]


def _is_value(word: str) -> bool:
    return word in STATES or word in ("nan", "inf", "-inf", "NaN") or ("." in word and number(word) is not None)


RKNN = Importer(
    key="rknn-error-analysis",
    label="RKNN error analysis (text)",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="rknn.accuracy_analysis(…) writes it: snapshot/error_analysis.txt.",
    rank=50,
)
