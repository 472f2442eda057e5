"""JSON of unknown depth and size, as plain values."""

import json
from collections.abc import Iterator
from typing import Any

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.compare.results.text import share, whole

# Objects that are written one behind the other in one file.
MAX_DOCUMENTS = 100_000


def starts_like_json(source: Source, *keys: str) -> bool:
    """Whether it begins as JSON does and its head holds these keys."""
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return head[:1] in (b"{", b"[") and all(f'"{key}"'.encode() in head for key in keys)


def document(source: Source) -> Any:
    """The one value in the file."""
    try:
        return json.loads(whole(source))
    except (ValueError, RecursionError) as error:
        raise _broken(source, error) from error


def documents(source: Source) -> Iterator[Any]:
    """Values that stand one behind the other, as many as can be read; a `FormatError` if that is none."""
    text, decoder, place, count = whole(source), json.JSONDecoder(), 0, 0
    while True:
        place = _skipped(text, place)
        if place == len(text) or count == MAX_DOCUMENTS:
            return
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise _broken(source, error) from error
        count += 1
        yield value


def _skipped(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n,":
        place += 1
    return place


def _broken(source: Source, error: Exception) -> FormatError:
    reason = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
    return FormatError(f"{source.name} is no JSON: {reason}.", "Copy it again; it may have been cut off.")


def numeric(value: object) -> float | None:
    """A number of JSON, or a text that holds one; `5%` is 0.05."""
    if isinstance(value, str):
        return share(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None
