"""Files of AMCT's accuracy_based_auto_calibration: ranking, history, final setting."""

import re
from typing import Any

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.compare.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.compare.results.text import document, documents, limited, numeric, starts_like_json
from errorflow.graph.model import Problem

VENDOR = "AMCT"
PASSES, FAILS = "It passes.", "It fails."
LAST = "The last one that passes: this is what the final setting is made of."
_RANKING = re.compile(rb'\s*\[\s*\[\s*"(?:[^"\\]|\\.)*"\s*,\s*-?[\d.NI]')
_HISTORY = "roll_back_config"
_ENABLE = "quant_enable"
# Names of layers that one cell lists.
_MOST_NAMED = 20


def _claims_ranking(source: Source) -> bool:
    return _RANKING.match(source.head.removeprefix(b"\xef\xbb\xbf")) is not None


def _read_ranking(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Layers from the most sensitive on."""
    progress.step(0, 1, source.name)
    found = document(source)
    if not isinstance(found, list):
        raise FormatError(f"{source.name} is no list of layers.", "Take the ranking_information.json of AMCT.")
    column = Column.like("amct.sensitivity", "similarity", "amct.sensitivity")
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    for count, pair in enumerate(found, 1):
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str):
            value = numeric(pair[1])
            values = {} if value is None else {column.key: value}
            rows.append(ResultRow(pair[0], values=values, extra={"rank": str(count)}))
        else:
            problems.append(Problem("It is no layer with a number, and is left out.", f"entry {count}"))
    return (ResultTable("AMCT sensitivity", VENDOR, "layer", (column,), tuple(rows), problems=limited(problems)),)


def _claims_history(source: Source) -> bool:
    return source.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and starts_like_json(source, _HISTORY)


def _read_history(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """A row per setting that was tried; a history that breaks off shows what is there."""
    progress.step(0, 1, source.name)
    column = Column.of("amct.metric_eval")
    rows: list[ResultRow] = []
    problems: list[Problem] = []
    try:
        for count, entry in enumerate(documents(source), 1):
            row = _trial(count, entry, column)
            if row is None:
                problems.append(Problem("It is no trial and is left out.", f"entry {count}"))
            else:
                rows.append(row)
    except FormatError as error:
        if not rows:
            raise
        problems.append(Problem(f"The history breaks off: {error.message}"))
    table = ResultTable("AMCT trials", VENDOR, "trial", (column,), tuple(_marked(rows)), problems=limited(problems))
    return (table,)


def _trial(count: int, entry: Any, column: Column) -> ResultRow | None:
    layers = entry.get(_HISTORY) if isinstance(entry, dict) else None
    if not isinstance(layers, dict):
        return None
    back = [name for name, quantized in layers.items() if quantized is False]
    verdict = entry.get("metric_eval")
    passed, loss = verdict if isinstance(verdict, list) and len(verdict) == 2 else (None, None)
    value = numeric(loss)
    named = ", ".join(back[:_MOST_NAMED]) + (f", … ({len(back):,})" if len(back) > _MOST_NAMED else "")
    return ResultRow(
        f"trial {count}",
        values={} if value is None else {column.key: value},
        notes=() if not isinstance(passed, bool) else (PASSES,) if passed else (FAILS,),
        extra={"quantized": f"{len(layers) - len(back):,} of {len(layers):,}", "left in float": named},
    )


def _marked(rows: list[ResultRow]) -> list[ResultRow]:
    last = max((place for place, row in enumerate(rows) if PASSES in row.notes), default=-1)
    return [_with_note(row, LAST) if place == last else row for place, row in enumerate(rows)]


def _with_note(row: ResultRow, note: str) -> ResultRow:
    return ResultRow(row.name, values=row.values, notes=(*row.notes, note), extra=row.extra)


def _claims_setting(source: Source) -> bool:
    return starts_like_json(source, _ENABLE)


def _read_setting(source: Source, progress: Progress) -> tuple[ResultTable, ...]:
    """Reads which layers are quantized; no numbers."""
    progress.step(0, 1, source.name)
    found = document(source)
    if not isinstance(found, dict):
        raise FormatError(f"{source.name} is no setting of AMCT.", "Take the final_config.json of AMCT.")
    layers = {name: value for name, value in found.items() if isinstance(value, dict) and _ENABLE in value}
    rows = [
        ResultRow(name, extra={"quantized": "yes" if value[_ENABLE] else "no", **_bits(value)})
        for name, value in layers.items()
    ]
    return (ResultTable("AMCT setting", VENDOR, "layer", (), tuple(rows)),)


def _bits(layer: dict[str, Any]) -> dict[str, str]:
    found = {}
    for title, key in (("activation bits", "activation_quant_params"), ("weight bits", "weight_quant_params")):
        parameters = layer.get(key)
        bits = parameters.get("num_bits") if isinstance(parameters, dict) else None
        if isinstance(bits, int):
            found[title] = str(bits)
    return found


AMCT_RANKING = Importer(
    key="amct-ranking",
    label="AMCT sensitivity ranking (JSON)",
    vendor=VENDOR,
    claims=_claims_ranking,
    read=_read_ranking,
    obtain="accuracy_based_auto_calibration writes it: ….ranking_information.json.",
    rank=40,
)
AMCT_HISTORY = Importer(
    key="amct-history",
    label="AMCT calibration history (JSON)",
    vendor=VENDOR,
    claims=_claims_history,
    read=_read_history,
    obtain="accuracy_based_auto_calibration writes it: amct_log/accuracy_based_auto_calibration_record.json.",
    rank=40,
)
AMCT_SETTING = Importer(
    key="amct-setting",
    label="AMCT quantization setting (JSON)",
    vendor=VENDOR,
    claims=_claims_setting,
    read=_read_setting,
    obtain="create_quant_config writes it, and accuracy_based_auto_calibration as ….final_config.json.",
    rank=40,
)
