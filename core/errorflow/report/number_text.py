"""Many numbers as text at a time: what Python's `'%.6f' % value` gives, in columns of bytes.

A column is a matrix of bytes with a row per number; zero bytes in it stand for nothing and are dropped when rows are
put together. Ten million lines are written in seconds in this way, and each is the one that Python would have written.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.generic]

_DECIMALS = 6
_MILLION = 10**_DECIMALS
_GROUP = 1000
# Numbers beyond this have no place in 64 bits once they count millionths.
_LARGE = 9.0e12
# By how much a product of float64 can be wrong, relatively.
_DOUBT = 2.0**-52
_MINUS = ord("-")
# The three digits of each number below 1000.
_DIGITS: Bytes = np.frombuffer("".join(f"{number:03d}" for number in range(_GROUP)).encode(), np.uint8).reshape(-1, 3)


def constant(text: str, rows: int) -> Bytes:
    """The same text in every row."""
    return np.broadcast_to(np.frombuffer(text.encode(), np.uint8), (rows, len(text)))


def whole(values: NDArray[np.integer]) -> Bytes:
    """Numbers that are not negative, without leading zeros."""
    largest = int(values.max(initial=0))
    digits = len(str(largest))
    groups = -(-digits // 3)
    made = np.empty((len(values), groups * 3), np.uint8)
    rest = values
    for at in range(groups - 1, 0, -1):
        above = rest // _GROUP
        made[:, at * 3 : at * 3 + 3] = _DIGITS[rest - above * _GROUP]
        rest = above
    made[:, :3] = _DIGITS[rest]
    made = made[:, groups * 3 - digits :]
    for at in range(digits - 1):
        made[values < 10 ** (digits - 1 - at), at] = 0
    return made


def fixed(values: Numbers) -> list[Bytes]:
    """Real numbers with six decimals, rounded as exactly as Python does it; in several columns."""
    numbers = values.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        product = np.abs(numbers) * _MILLION
        plain = product < _LARGE * _MILLION
    # A product of a float32 is exact; one of a float64 may be on the wrong side of a half.
    exact = values.dtype.itemsize <= 4 and values.dtype.kind == "f"
    strange = np.flatnonzero(~plain if exact else ~plain | _doubtful(product, plain))
    product[strange] = 0
    counted = np.rint(product).astype(np.int64)
    before = counted // _MILLION
    after = (counted - before * _MILLION).astype(np.int32)
    high = after // _GROUP
    columns = [
        np.where(np.signbit(numbers), np.uint8(_MINUS), np.uint8(0))[:, None],
        whole(before),
        constant(".", len(values)),
        _DIGITS[high],
        _DIGITS[after - high * _GROUP],
    ]
    return [_with_texts(np.hstack(columns), numbers, strange)] if len(strange) else columns


def _doubtful(product: NDArray[np.float64], plain: NDArray[np.bool_]) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return plain & (np.abs(product - np.floor(product) - 0.5) <= product * _DOUBT)


def _with_texts(made: Bytes, numbers: NDArray[np.float64], rows: NDArray[np.intp]) -> Bytes:
    """The same with Python's own text in those rows."""
    strange = np.isnan(numbers[rows])
    texts = [f"{number:.6f}" for number in numbers[rows[~strange]].tolist()]
    width = max(made.shape[1], max(map(len, texts), default=0), 3)
    wide = np.zeros((len(made), width), np.uint8)
    wide[:, : made.shape[1]] = made
    wide[rows] = 0
    wide[rows[strange], :3] = np.frombuffer(b"nan", np.uint8)
    for row, text in zip(rows[~strange].tolist(), texts, strict=True):
        wide[row, : len(text)] = np.frombuffer(text.encode(), np.uint8)
    return wide


def lines(columns: Sequence[Bytes]) -> bytes:
    """Puts rows together; the maker of the columns ends them with a line feed."""
    table = np.hstack(columns)
    text: bytes = table[table != 0].tobytes()
    return text
