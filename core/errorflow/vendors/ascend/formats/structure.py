"""Finds the brackets of a JSON text, piece by piece and at the speed of numpy, without decoding it."""

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, dataclass
from errorflow.base.arrays import Longs

# GE prints messages at most 20 deep, which are three brackets each.
MAX_DEPTH = 200
# Brackets further inside are counted, not reported.
REPORTED_DEPTH = 5

_QUOTE, _BACKSLASH, _OPEN, _CLOSE = 1, 2, 3, 4
_MARKS = {ord('"'): _QUOTE, ord("\\"): _BACKSLASH, **dict.fromkeys(b"[{", _OPEN), **dict.fromkeys(b"]}", _CLOSE)}
_KINDS = bytes(_MARKS.get(byte, 0) for byte in range(256))


@dataclass(frozen=True, slots=True)
class TextBracket:
    """One bracket outside of strings, the `number`th of the text.

    `level` is how deep the thing lies that it opens or closes: 1 is outermost.
    """

    at: int
    opens: bool
    level: int
    number: int


@dataclass(slots=True)
class Structure:
    """State between one piece of the text and the next."""

    name: str
    depth: int = 0
    count: int = 0
    in_string: bool = False
    escaped: bool = False

    def brackets(self, piece: bytes) -> list[TextBracket]:
        """The brackets down to `REPORTED_DEPTH` in the next piece of the text, by their place in it."""
        kinds = np.frombuffer(piece.translate(_KINDS), np.uint8)
        at = np.flatnonzero(kinds != 0)  # numpy is quicker with truth values than with bytes
        kinds = kinds[at]
        quotes = self._quotes(at, kinds, len(piece))
        # Only whether the count is odd matters, so that it may overflow.
        inside = (np.cumsum(quotes, dtype=np.uint8) + self.in_string) & 1
        if len(inside):
            self.in_string = bool(inside[-1])
        outside = (kinds >= _OPEN) & (inside == 0)
        return self._levels(at[outside], kinds[outside] == _OPEN)

    def _quotes(self, at: Longs, kinds: NDArray[np.uint8], length: int) -> NDArray[np.bool_]:
        quotes = kinds == _QUOTE
        slashes = at[kinds == _BACKSLASH]
        if not len(slashes) and not self.escaped:
            return np.asarray(quotes)
        escaped = np.zeros(length + 1, bool)
        escaped[_escaping(slashes, self.escaped) + 1] = True
        if self.escaped:
            escaped[0] = True
        self.escaped = bool(escaped[length])
        return np.asarray(quotes & ~escaped[at])

    def _levels(self, at: Longs, opens: NDArray[np.bool_]) -> list[TextBracket]:
        if not len(at):
            return []
        depths = self.depth + np.cumsum(np.where(opens, 1, -1))
        levels = depths + ~opens
        if int(levels.min()) < 1:
            raise FormatError(f"{self.name} closes more brackets than it opens.", "It is broken; print it again.")
        if int(levels.max()) > MAX_DEPTH:
            raise FormatError(
                f"{self.name} is nested deeper than {MAX_DEPTH} levels.", "No ATC writes that; print it again."
            )
        self.depth = int(depths[-1])
        near = np.flatnonzero(levels <= REPORTED_DEPTH)
        numbers = near + self.count
        self.count += len(at)
        rows = zip(at[near].tolist(), opens[near].tolist(), levels[near].tolist(), numbers.tolist(), strict=True)
        return [TextBracket(*row) for row in rows]


def _escaping(slashes: Longs, first_is_escaped: bool) -> Longs:
    """Finds the backslashes that escape what follows: the 1st, 3rd, … of each run."""
    if not len(slashes):
        return slashes
    starts = np.flatnonzero(np.diff(slashes, prepend=-2) != 1)
    lengths = np.diff(starts, append=len(slashes))
    places = np.arange(len(slashes)) - np.repeat(starts, lengths)
    if first_is_escaped and slashes[0] == 0:
        places[: lengths[0]] += 1
    return np.asarray(slashes[places % 2 == 0])
