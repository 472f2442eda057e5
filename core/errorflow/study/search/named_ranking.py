"""A ranking as other tools write it: names, with or without numbers."""

import json
from pathlib import Path
from typing import Any

from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.files import Source

MOST_BYTES = 64 << 20
_HINT = "Give a list of [name, value] pairs, as AMCT writes it, or the ranking.json of Errorflow."


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
