"""Parts of the window that follow what changes: each is told of what it reads, while it can be seen."""

from collections.abc import Callable, Collection
from typing import Any

from PySide6.QtCore import QObject, SignalInstance


def _never() -> bool:
    return False


def always() -> bool:
    return True


class Follower(QObject):
    """Tells one part of the window what changed, of what it reads.

    A part that cannot be seen is told nothing, and all that it missed at once when it comes to be seen; `Docks` says
    when that is. A change of the model is told to all, as nothing of the one before is kept.
    """

    def __init__(
        self,
        part: QObject,
        told: Callable[..., object],
        reads: Collection[str] = (),
        wakes: Callable[[], bool] = _never,
    ) -> None:
        """`reads`: the names of which it is told, fields of the state or rows of what is derived; nothing: whatever
        comes. `wakes`: whether it is told though it cannot be seen, as it holds something, or is seen elsewhere."""
        super().__init__(part)
        self._told, self._reads, self._wakes = told, frozenset(reads), wakes
        self.is_seen = True
        self._missed: tuple[Any, ...] | None = None

    def hear(self, *given: Any) -> None:
        """Takes what a signal gives."""
        names: frozenset[str] = frozenset()
        if self._reads:
            names = self._reads.intersection((given[0],) if isinstance(given[0], str) else given[0])
            if not names:
                return
            given = (names if self._missed is None else names | self._missed[0],)
        self._missed = given
        if self.is_seen or "model" in names or self._wakes():
            self.catch_up()

    def note_seen(self, seen: bool) -> None:
        self.is_seen = seen
        if seen:
            self.catch_up()

    def catch_up(self) -> None:
        """Tells what was missed."""
        missed, self._missed = self._missed, None
        if missed is not None:
            self._told(*missed)


def follow(
    part: QObject,
    signal: SignalInstance,
    told: Callable[..., object],
    reads: Collection[str] = (),
    wakes: Callable[[], bool] = _never,
) -> Follower:
    """Has a part told of what a signal says."""
    follower = Follower(part, told, reads, wakes)
    signal.connect(follower.hear)
    return follower
