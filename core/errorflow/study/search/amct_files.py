"""The files that AMCT's accuracy_based_auto_calibration leaves behind, byte by byte as it lays them out."""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.files import Source
from errorflow.study.rank.model import Part
from errorflow.study.search.model import Search, Tried

RANKING = "accuracy_based_auto_calibration_ranking_information.json"
HISTORY = "accuracy_based_auto_calibration_record.json"
FINAL = "accuracy_based_auto_calibration_final_config.json"
RECORD = "scale_offset_record.txt"
MOST_BYTES = 64 << 20
_HINT = "Give a list of [name, value] pairs, as AMCT writes it, or the ranking.json of Errorflow."


def amct_json(value: object) -> str:
    """Four spaces, and none behind a colon; no line ends it."""
    return json.dumps(value, sort_keys=False, indent=4, separators=(",", ":"), ensure_ascii=False)


def ranking_text(rows: Iterable[tuple[str, float]]) -> str:
    return amct_json([list(row) for row in rows])


def history_text(records: Iterable[tuple[Mapping[str, bool], bool, float]]) -> str:
    """Writes one object after the other: no JSON document, but what AMCT writes."""
    return "".join(
        amct_json({"roll_back_config": dict(quantized), "metric_eval": [good, _written(loss)]})
        for quantized, good, loss in records
    )


def _written(loss: float) -> float | None:
    """JSON has no number for what is none, and none without end."""
    return None if math.isnan(loss) else max(-sys.float_info.max, min(loss, sys.float_info.max))


def records_of(search: Search, layers: Sequence[Part]) -> list[tuple[dict[str, bool], bool, float]]:
    """Step by step what was tried: whether each layer stayed quantized."""
    by_number: Sequence[Tried] = search.tried
    return [
        (quantized(layers, search.parts, by_number[number]), by_number[number].good, by_number[number].loss)
        for number in search.asked
    ]


def quantized(layers: Sequence[Part], parts: Sequence[Part], tried: Tried) -> dict[str, bool]:
    """Marks quantized layers: in more bits one is quantized too; in float it is with whatever part of the search it was
    raised.
    """
    floats = {node for part, switch in tried.choice.raised if switch == "float" for node in parts[part].nodes}
    return {layer.name: floats.isdisjoint(layer.nodes) for layer in layers}


def read_ranking(path: Path) -> list[tuple[str, float]]:
    """Names and numbers, in the order of the file."""
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path.name} is too large for a ranking.", _HINT)
        text = source.read(0, source.size)
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path.name} is no JSON.", _HINT) from error
    rows = _rows(found)
    if not rows:
        raise WrongFileError(f"{path.name} is no ranking.", _HINT)
    return rows


def _rows(found: Any) -> list[tuple[str, float]]:
    if isinstance(found, dict):
        for key in ("ranking", "parts", "rows"):
            if isinstance(found.get(key), list):
                return _rows(found[key])
        return [(name, float(value)) for name, value in found.items() if _is_number(value)]
    if not isinstance(found, list):
        return []
    rows = []
    for each in found:
        match each:
            case [str(name), value] if _is_number(value):
                rows.append((name, float(value)))
            case {"name": str(name), **others}:
                numbers: list[Any] = [
                    others[key] for key in ("score", "value", "impact") if _is_number(others.get(key))
                ]
                rows.append((name, float(next(iter(numbers), 0.0))))
            case str(name):
                rows.append((name, 0.0))
    return rows if len(rows) == len(found) else []


def _is_number(value: Any) -> bool:
    """Whether a value is a number that a float has: JSON knows larger ones."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


# As AMCT says it in its log.
def log_lines(search: Search, place: Path, record: Path) -> list[str]:
    whole, best = search.whole, search.best
    lines = [f"Accuracy of original model is {search.original}"]
    if whole is not None:
        lines.append(f"Accuracy of global quantized model is {whole.value}")
    if best is None or not best.good or best.is_original or len(best.choice) == len(search.parts) > 0:
        lines.append(
            "No quantized model are generated due to all quant layers are roll backed, "
            "the accuracy target may be too difficult to achieve."
        )
        return lines
    return [
        *lines,
        f"Accuracy of saved model is {best.value}",
        f"The generated model is stored in dir: {place}",
        f"The records file is stored in dir: {record.parent}",
    ]
