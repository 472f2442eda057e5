"""Text files of results: in bounded pieces, without terminal colours, whatever else stands around the tables."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

from errorflow.base import FormatError, Progress
from errorflow.base.files import Source
from errorflow.graph.model import Problem

MAX_BYTES = 64 * 1024 * 1024
# Beyond this no mark is searched: a table comes before so much else is said.
SEARCHED_BYTES = 32 * 1024 * 1024
MAX_LINES = 2_000_000
MAX_LINE = 100_000
# Problems of one kind are counted, not listed, from here on.
MAX_PROBLEMS = 20

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_STEP = 20_000
# Lines that are parted into cells take longer.
_CSV_STEP = 2000


def is_text(source: Source) -> bool:
    return b"\0" not in source.head or source.head.startswith(_UTF16)


def head_text(source: Source) -> str:
    """The first 64 kB."""
    return decoded(source.head)


def decoded(data: bytes) -> str:
    """Consoles write UTF-8 and, on Windows, UTF-16; what is neither keeps its place as a question mark."""
    if data.startswith(_UTF16):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def mentions(source: Source, *marks: str) -> bool:
    """Whether all of them stand in a text; logs are long, so that the head is not all that is searched."""
    if not is_text(source):
        return False
    if source.head.startswith(_UTF16):
        text = head_text(source)
        return all(mark in text for mark in marks)
    left = {mark.encode() for mark in marks if mark.encode() not in source.head}
    if not left or source.size <= len(source.head):
        return not left
    overlap = max(map(len, left))
    tail = b""
    for number, piece in enumerate(source.pieces()):
        if number * len(piece) >= SEARCHED_BYTES:
            break
        window = tail + piece
        left = {mark for mark in left if mark not in window}
        if not left:
            return True
        tail = piece[-overlap:]
    return False


def whole(source: Source) -> str:
    """Reads all of it; a `FormatError` beyond the limit."""
    if source.size > MAX_BYTES:
        raise FormatError(
            f"{source.name} has {source.size:,} bytes; a table of results may have {MAX_BYTES:,}.",
            "Cut the part with the table out of it.",
        )
    return decoded(source.read(0, source.size))


def lines(source: Source, progress: Progress) -> list[str]:
    """Reads its lines without colours and without the space at their ends."""
    found: list[str] = []
    for number, line in enumerate(whole(source).splitlines()):
        if number == MAX_LINES:
            raise FormatError(
                f"{source.name} has more than {MAX_LINES:,} lines.", "Cut the part with the table out of it."
            )
        if number % _STEP == 0:
            progress.step(number, 0, source.name)
        found.append(_ANSI.sub("", line[:MAX_LINE]).rstrip() if "\x1b" in line else line[:MAX_LINE].rstrip())
    return found


def csv_rows(source: Source, progress: Progress) -> tuple[tuple[str, ...], list[dict[str, str]], tuple[Problem, ...]]:
    """The titles, the cells of each line by their titles, and which lines do not fit and are left out."""
    reader = csv.reader(io.StringIO(whole(source).lstrip(), newline=""))
    rows: list[dict[str, str]] = []
    problems: list[Problem] = []
    header: list[str] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        for count, cells in enumerate(reader):
            if count == MAX_LINES:
                problems.append(Problem(f"Only the first {MAX_LINES:,} lines are read."))
                break
            if count % _CSV_STEP == 0:
                progress.step(count, 0, source.name)
            if len(cells) == len(header):
                rows.append(dict(zip(header, cells, strict=True)))
            elif any(cells):
                problems.append(Problem("It does not fit the header and is left out.", f"line {count + 2}"))
    except csv.Error as error:
        problems.append(Problem(f"The table ends here: {error}.", f"line {len(rows) + 2}"))
    return tuple(header), rows, limited(problems)


def number(text: str) -> float | None:
    """The number that a cell holds, NaN and infinity included; None: it holds none."""
    if "_" in text:
        return None  # Python's own digit separator, which no tool writes
    try:
        return float(text)
    except ValueError:
        return None


def share(text: str) -> float | None:
    """The same, where 12.5% may stand for 0.125."""
    stripped = text.strip()
    if not stripped.endswith("%"):
        return number(stripped)
    try:
        return float(Decimal(stripped[:-1].strip()).scaleb(-2))
    except (ArithmeticError, ValueError):
        return None


def shape(text: str) -> tuple[int, ...] | None:
    """`(1, 32)`, `[1,32]`, `()`; None: it is none."""
    inner = text.strip()
    if inner[:1] + inner[-1:] not in ("()", "[]", "<>"):
        return None
    parts = [part.strip() for part in inner[1:-1].replace("x", ",").split(",")]
    sizes = [part for part in parts if part]
    if not all(part.isdecimal() and len(part) < 19 for part in sizes):
        return None
    return tuple(int(part) for part in sizes)


def limited(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The first of them, and how many more there are."""
    rest = iter(problems)
    found = tuple(islice(rest, MAX_PROBLEMS))
    more = sum(1 for _ in rest)
    return (*found, Problem(f"{more:,} more of this kind.")) if more else found


# JSON of unknown depth and size, as plain values.

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
