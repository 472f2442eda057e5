"""Names of members: they say what they are, are legal on every system, and each is there once."""

import re
from collections.abc import Callable
from pathlib import PurePath

_ODD = re.compile(r"[^\w.\-]+")
_FORBIDDEN = re.compile(r'[\x00-\x1f\\/:*?"<>|]')
_LONGEST = 80
# Folders around a file that are kept.
_DEEPEST = 3
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class Names:
    """Hands out each name once, whatever the case of its letters."""

    def __init__(self, redacted: Callable[[str], str]) -> None:
        self._redacted = redacted
        self._taken: set[str] = set()

    def of(self, folder: str, way: PurePath) -> str:
        """Of a file that is copied: its own name, which whoever looks for it knows."""
        return self._free(folder, "/".join(_possible(self._redacted(part)) for part in way.parts[-_DEEPEST:]))

    def of_tensor(self, side: str, number: int, tensor: str) -> str:
        return self._free(f"tensors/{side}", f"{number:05}-{legal(self._redacted(tensor))}.npy")

    def beside(self, name: str) -> str:
        """Of a file that is not copied: where it would lie if somebody put it there."""
        return self._free("", _possible(self._redacted(name)))

    def _free(self, folder: str, name: str) -> str:
        place = f"{folder}/" if folder else ""
        found, number = f"{place}{name}", 1
        while found.lower() in self._taken:
            number += 1
            found = f"{place}{number}/{name}"
        self._taken.add(found.lower())
        return found


def _possible(name: str) -> str:
    """With as little changed as may be: a model finds its weights by their name."""
    found = _FORBIDDEN.sub("_", name)[-_LONGEST:].strip(" .") or "file"
    return f"_{found}" if _RESERVED.fullmatch(found) else found


def legal(name: str) -> str:
    """A name that any system takes."""
    found = _ODD.sub("_", name)[-_LONGEST:].strip(" .") or "file"
    return f"_{found}" if _RESERVED.fullmatch(found) else found
