"""Frozen values as JSON and back, in a bundle: what is as at first is not written, and what is read is checked."""

import json
from collections.abc import Callable
from typing import Any

from errorflow.base.codec import Codec, OddError, parsed
from errorflow.base.errors import FormatError

_CODEC = Codec(is_brief=True)
_HINT = "Ask for the bundle once more; this one was changed or cut."


def plain(value: Any) -> Any:
    """Makes values that JSON knows."""
    return _CODEC.plain(value)


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
        found = parsed(data)
    except ValueError as error:
        raise FormatError(f"{name} of the bundle is broken: it is no whole JSON.", _HINT) from error
    if not isinstance(found, dict):
        raise FormatError(f"{name} of the bundle is broken: it should be an object.", _HINT)
    return found


def read(kind: Any, value: Any, name: str) -> Any:
    """Reads what `plain` made of a value of that type; a `FormatError` for anything else."""
    try:
        return _CODEC.read(kind, value)
    except OddError as error:
        raise FormatError(f"{name} of the bundle is broken: {error}", _HINT) from error
