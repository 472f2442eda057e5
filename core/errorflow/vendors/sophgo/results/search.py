"""tpu-mlir's search for layers that must stay in float: its log, its ranking, and the table that comes out."""

import re

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import head_text, is_text, lines, mentions, number
from errorflow.graph.model import Problem
from errorflow.vendors.sophgo.results.table import VENDOR

_RANKED = re.compile(r"the layer (?P<name>\S+) is (?P<rank>\d+) sensitive layer, loss is (?P<loss>[^,\s]+)(?P<rest>.*)")
_TRIED = re.compile(
    r"layer (?P<name>\S+), layer type is (?P<type>\S+), best_th = (?P<threshold>[^,\s]+), "
    r"best_method = (?P<method>[^,\s]+), best_cos_loss = (?P<loss>[^,\s]+)"
)
_TYPE = re.compile(r"type is (\S+)")
_MODEL = re.compile(r"(?:all_int8_cos=|int8 outputs_cos:|mix model outputs_cos:)\S+")
_QTABLE = re.compile(r"#\s*op_name\s+quantize_mode", re.MULTILINE)
_MODES = frozenset(
    {"F32", "F16", "BF16", "INT8", "W8F16", "W8BF16", "W4F16", "W4BF16", "W4INT8", "F8", "F8E4M3", "F8E5M2"}
)


def _claims(source: Source) -> bool:
    return mentions(source, "sensitive layer, loss is") or mentions(source, "best_cos_loss = ")


def _read(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """The ranking; where the log breaks off before it, what was tried until then."""
    texts = lines(source, progress)
    loss = Column.of("tpu-mlir.loss")
    ranked = [row for line in texts if (row := _ranked(line, loss))]
    tried = [row for line in texts if (row := _tried(line, loss))]
    if not ranked and not tried:
        raise FormatError(f"{source.name} ranks no layer.", "Take the whole output of run_calibration --search.")
    told = tuple(found[0] for line in texts if (found := _MODEL.search(line)))
    tables = [
        ResultTable(label, VENDOR, "layer", (loss,), tuple(rows), facts=told)
        for label, rows in (("tpu-mlir sensitive layers", ranked), ("tpu-mlir search, layer by layer", tried))
        if rows
    ]
    return tuple(tables)


def _ranked(line: str, loss: Column) -> ResultRow | None:
    found = _RANKED.search(line)
    if found is None:
        return None
    kind = _TYPE.search(found["rest"])
    op_type = kind[1] if kind else ""
    return _row(found["name"], op_type, found["loss"], loss, {"rank": found["rank"]})


def _tried(line: str, loss: Column) -> ResultRow | None:
    found = _TRIED.search(line)
    if found is None:
        return None
    extra = {"best_th": found["threshold"], "best_method": found["method"]}
    return _row(found["name"], found["type"], found["loss"], loss, extra)


def _row(name: str, op_type: str, text: str, loss: Column, extra: dict[str, str]) -> ResultRow:
    value = number(text)
    values = {} if value is None else {loss.key: value}
    states = {loss.key: text} if value is None else {}
    return ResultRow(name, op_type, None, "", values, states, (), extra)


def _claims_qtable(source: Source) -> bool:
    if not is_text(source):
        return False
    return _QTABLE.search(head_text(source)) is not None


def _read_qtable(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Layers and the type that each is to run in; no numbers."""
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    for count, line in enumerate(lines(source, progress), 1):
        words = line.partition("#")[0].split()
        if len(words) == 2:
            rows.append(ResultRow(words[0], dtype=words[1]))
            if words[1].upper() not in _MODES:
                problems.append(Problem(f"{words[1]} is no type that is known here.", f"line {count}"))
        elif words:
            problems.append(Problem("It is not a name and a type, and is left out.", f"line {count}"))
    return (ResultTable("tpu-mlir qtable", VENDOR, "layer", (), tuple(rows), problems=tuple(problems[:20])),)


TPU_SEARCH = Importer(
    key="tpu-mlir-search",
    label="tpu-mlir search log",
    vendor=VENDOR,
    claims=_claims,
    read=_read,
    obtain="`run_calibration … --search search_qtable` prints it and writes Search_Qtable.log.",
)
TPU_QTABLE = Importer(
    key="tpu-mlir-qtable",
    label="tpu-mlir qtable",
    vendor=VENDOR,
    claims=_claims_qtable,
    read=_read_qtable,
    obtain="`run_calibration … --search search_qtable` writes it: ….qtable.",
)
