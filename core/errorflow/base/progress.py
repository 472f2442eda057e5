"""Progress of work, and the place where a cancel strikes. Core knows no threads."""

from collections.abc import Collection, Iterator
from typing import Protocol, TypeVar

T = TypeVar("T")


class Cancelled(Exception):  # noqa: N818 - not an error: the user asked for it
    """The user cancelled; nothing was changed."""


class Progress(Protocol):
    """Receiver of progress. `step` may raise `Cancelled`; call it at least every 50 ms."""

    def step(self, done: int, total: int, text: str) -> None: ...


class _Silent:
    def step(self, done: int, total: int, text: str) -> None:
        pass


SILENT: Progress = _Silent()


def stepwise(items: Collection[T], progress: Progress, text: str, every: int = 1) -> Iterator[T]:
    """The items, with a step before each that may take a while, or before `every` so many that are done in no time."""
    for at, item in enumerate(items):
        if at % every == 0:
            progress.step(at, len(items), text)
        yield item
