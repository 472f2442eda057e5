"""The head of an .npy file: the type, shape and order of the values behind it.

It is text of a fixed form and is matched as such: nothing in it is ever evaluated, and no pickle is ever loaded.
"""

import math
import re
from collections.abc import Callable

import numpy as np

from errorflow.base import FormatError, dataclass
from errorflow.base.arrays import is_possible, type_name
from errorflow.graph.dump import TensorInfo

MAGIC = b"\x93NUMPY"
# NumPy itself trusts no header beyond 10,000 characters.
MAX_HEADER = 10_000
AGAIN = "Write it again with numpy.save or numpy.savez, or copy it again."

_ITEMS = {
    "descr": r"'descr'\s*:\s*(?:'(?P<type>[^'\\]*)'|(?P<fields>\[.*?\]))",
    "order": r"'fortran_order'\s*:\s*(?P<fortran>True|False)",
    "shape": r"'shape'\s*:\s*\((?P<shape>[\d\sL,]*)\)",
}
_ANY = "|".join(f"(?:{item})" for item in _ITEMS.values())
_ITEM = re.compile(rf"\s*(?:{_ANY})\s*(?:,|(?=\}}))", re.DOTALL)
_TYPE = re.compile(r"[<>|=]?[bBhHiIlLqQefdgFDGSUV?cu]\d{0,9}")
_DIMENSION = re.compile(r"(\d{1,20})L?")


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """Facts of what lies behind the head, and from which byte on."""

    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    fortran: bool
    start: int

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    def info(self, name: str) -> TensorInfo:
        return TensorInfo(name, type_name(self.dtype), self.shape, self.nbytes)


def parse(first: Callable[[int], bytes], what: str) -> ArrayHeader:
    """The header of the array that begins with `first(count)` bytes; `what` names it in errors."""
    text, start = _text(first, what)
    found = _fields(text, what)
    if found["fields"] is not None:
        raise FormatError(f"{what} holds records with named fields, not a tensor.", "Save each field as an array.")
    dtype = _dtype(str(found["type"]), what)
    return ArrayHeader(dtype, _shape(str(found["shape"]), dtype.itemsize, what), found["fortran"] == "True", start)


def _text(first: Callable[[int], bytes], what: str) -> tuple[str, int]:
    head = first(12)
    if head[:6] != MAGIC or len(head) < 12:
        raise FormatError(f"{what} does not begin as a NumPy array does.", AGAIN)
    if head[6] not in (1, 2, 3):
        raise FormatError(
            f"{what} is of version {head[6]}.{head[7]} of NumPy's file format, and 3.0 is the last one known here.",
            "Save it with an older NumPy.",
        )
    begin = 10 if head[6] == 1 else 12
    size = int.from_bytes(head[8:begin], "little")
    if size > MAX_HEADER:
        raise FormatError(f"{what} has a header of {size:,} bytes; {MAX_HEADER:,} is the limit.", AGAIN)
    raw = first(begin + size)
    if len(raw) < begin + size:
        raise FormatError(f"{what} ends within its header.", AGAIN)
    return raw[begin:].decode("utf-8" if head[6] == 3 else "latin-1", "replace"), begin + size


def _fields(text: str, what: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {"type": None, "fields": None, "fortran": None, "shape": None}
    body = text.strip()
    at = 1
    while item := _ITEM.match(body, at):
        found |= {key: value for key, value in item.groupdict().items() if value is not None}
        at = item.end()
    complete = found["fortran"] and found["shape"] is not None and (found["type"] or found["fields"])
    if not complete or body[:1] != "{" or body[at:].strip() != "}":
        raise FormatError(f"The header of {what} is not one that NumPy writes.", AGAIN)
    return found


def _dtype(text: str, what: str) -> np.dtype[np.generic]:
    if "O" in text:
        raise FormatError(
            f"{what} holds Python objects, which could run code when they are loaded.",
            "Save plain numbers instead: numpy.asarray(values, dtype=numpy.float32).",
        )
    try:
        if not _TYPE.fullmatch(text):
            raise TypeError(text)
        dtype = np.dtype(text)
        if not dtype.itemsize:
            raise TypeError(text)
        return dtype
    except (TypeError, ValueError) as error:
        raise FormatError(f"{what} holds values of type “{text}”, which are no numbers.", "Save numbers.") from error


def _shape(text: str, itemsize: int, what: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if parts[-1] == "":
        parts.pop()
    matches = [_DIMENSION.fullmatch(part) for part in parts]
    shape = tuple(int(match[1]) for match in matches if match)
    if len(shape) != len(parts) or (len(shape) == 1 and "," not in text):
        raise FormatError(f"The header of {what} holds “({text})” as a shape.", AGAIN)
    if not is_possible(shape, itemsize):
        raise FormatError(f"{what} claims a shape that no memory can hold.", AGAIN)
    return shape
