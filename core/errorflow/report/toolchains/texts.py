"""Reads settings that people edit: JSON with comments in it."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from errorflow.base.errors import FormatError
from errorflow.base.files import Source

MOST_BYTES = 16 << 20


def text_of(path: Path) -> str:
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path.name} is too large for a setting.", "Take the toolchain's own file.")
        return source.read(0, source.size).decode("utf-8-sig", "backslashreplace")


def json_of(path: Path, hint: str) -> dict[str, object]:
    """An object; what follows # or // to the end of a line is a comment."""
    text = text_of(path)
    try:
        found = json.loads("".join(_without_comments(text)))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path.name} is no JSON.", hint) from error
    if not isinstance(found, dict):
        raise FormatError(f"{path.name} holds no object.", hint)
    return found


def _without_comments(text: str) -> Iterator[str]:
    at, inside = 0, False
    while at < len(text):
        letter = text[at]
        if inside and letter == "\\":
            yield text[at : at + 2]
            at += 2
            continue
        if not inside and (letter == "#" or text.startswith("//", at)):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        inside ^= letter == '"'
        yield letter
        at += 1


def mapping(value: object) -> Mapping[str, object]:
    """Itself, or nothing where it is none."""
    return value if isinstance(value, Mapping) else {}


def listed(value: object) -> tuple[str, ...]:
    """Strings of a list, or the one that stands alone."""
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(each for each in values if isinstance(each, str))
