"""How long work tells how far it is, and where a cancel strikes. Core knows no threads."""

from typing import Protocol


class Cancelled(Exception):  # noqa: N818 - not an error: the user asked for it
    """The user cancelled; nothing was changed."""


class Progress(Protocol):
    """Whoever wants to know. `step` may raise `Cancelled`; call it at least every 50 ms."""

    def step(self, done: int, total: int, text: str) -> None: ...


class _Silent:
    def step(self, done: int, total: int, text: str) -> None:
        pass


SILENT: Progress = _Silent()
