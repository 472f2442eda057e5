"""Finds a piece of text in very many short ones at once, whatever the case."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LINE = 0x0A


class TextIndex:
    """Texts as one array of bytes; a search looks at all of them in a few passes of numpy."""

    def __init__(self, texts: Sequence[str]) -> None:
        joined = "\n".join(texts)
        if joined.count("\n") != max(0, len(texts) - 1):  # a name with a line break in it
            joined = "\n".join(text.replace("\n", " ") for text in texts)
        self._bytes = np.frombuffer(_folded(joined), np.uint8)
        self._ends = np.append(np.flatnonzero(self._bytes == _LINE), len(self._bytes)).astype(np.int64)
        self._count = len(texts)

    def containing(self, text: str) -> NDArray[np.bool_]:
        """Marks the texts that hold `text`; all do when that is empty."""
        found = np.zeros(self._count, bool)
        needle = np.frombuffer(_folded(text.replace("\n", " ")), np.uint8)
        if not len(needle):
            found[:] = True
            return found
        room = len(self._bytes) - len(needle) + 1
        if room <= 0 or not self._count:
            return found
        places = np.flatnonzero(self._bytes[:room] == needle[0])
        for offset, byte in enumerate(needle[1:].tolist(), 1):
            places = places[self._bytes[places + offset] == byte]
        found[np.searchsorted(self._ends, places)] = True
        return found


def _folded(text: str) -> bytes:
    # Lone surrogates come from broken files; they must neither crash the search nor match anything else.
    return text.lower().encode("utf-8", "surrogatepass")
