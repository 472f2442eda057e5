"""State of long work, kept in a file now and then, so that a later call goes on with it."""

import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Generic, Protocol, TypeVar

# Seconds between two files.
_PAUSE = 5.0


class GrowingResult(Protocol):
    """State that grows while work goes on."""

    @property
    def share_done(self) -> float: ...


K = TypeVar("K", bound=GrowingResult)


class Keeping(Generic[K]):
    """Keeper of one file, which `save` writes; `finish` writes it, and what belongs to it, where the work ends
    early.
    """

    def __init__(self, path: Path, save: Callable[[K], object], finish: Callable[[K], object] | None = None) -> None:
        self._path, self._save, self._last = path, save, monotonic()
        self._finish = save if finish is None else finish
        self._known: K | None = None

    def take(self, known: K) -> None:
        self._known = known
        if monotonic() - self._last > _PAUSE:
            self._save(known)
            self._last = monotonic()

    def end(self) -> None:
        """Ends before all is known: says how to go on, if there is anything to go on with."""
        known = self._known
        if known is None or not known.share_done:
            return
        self._finish(known)
        print(
            f"errorflow: {100 * known.share_done:.0f} % is known and kept in {self._path}. "
            "Give the same call with --resume to go on.",
            file=sys.stderr,
        )
