"""Frozen values as JSON and back: numbers that JSON has no form for have one, and what is read is checked."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from errorflow.base.errors import FormatError

T = TypeVar("T")
# The only key of an object that stands for a number that JSON has no form for.
NUMBER = "number"
_NUMBERS = frozenset(("nan", "inf", "-inf"))
_DEEPEST = 200
_HINT = "Ask for the bundle once more; this one was changed or cut."


def plain(value: Any) -> Any:
    """As values that JSON knows."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {NUMBER: str(float(value))}
    if value is None or isinstance(value, str | bool | int):
        return value
    if is_dataclass(value):
        found = ((each, getattr(value, each.name)) for each in fields(value))
        return {each.name: plain(given) for each, given in found if not _is_usual(each, given)}
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, frozenset | set):
        return [plain(entry) for entry in sorted(value)]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    return [plain(entry) for entry in value]


def _is_usual(each: "Field[Any]", given: object) -> bool:
    """Whether it is what it would be anyway, and need not be written."""
    if each.default_factory is not MISSING:
        return isinstance(given, Mapping) and not given
    return given is each.default or (isinstance(given, str | tuple) and given == each.default)


def texts(value: Any, change: Callable[[str], str]) -> Any:
    """The same plain values with every text in them changed, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): texts(entry, change) for key, entry in value.items()}
    if isinstance(value, list):
        return [texts(entry, change) for entry in value]
    return value


def encoded(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def decoded(data: bytes, name: str) -> dict[str, Any]:
    """The object that a file holds."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name} of the bundle is broken: it is no whole JSON.", _HINT) from error
    if not isinstance(found, dict):
        raise FormatError(f"{name} of the bundle is broken: it should be an object.", _HINT)
    return found


def read(kind: Any, value: Any, name: str) -> Any:
    """What `plain` made of a value of that type; a `FormatError` for anything else."""
    import msgspec

    try:
        return msgspec.convert(_numbers(value), kind, str_keys=True)
    except (msgspec.ValidationError, OverflowError, ValueError, TypeError, RecursionError) as error:
        raise FormatError(f"{name} of the bundle is broken: {error}.", _HINT) from error


def _numbers(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise ValueError("it is nested too deeply")
    if isinstance(value, dict):
        if len(value) == 1 and value.get(NUMBER) in _NUMBERS:
            return float(value[NUMBER])
        return {key: _numbers(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, list):
        return [_numbers(entry, depth + 1) for entry in value]
    return value
