"""Meter of a command's progress, on the last line of the terminal; silent where there is none."""

import sys
from types import TracebackType
from typing import Self


def plain(text: str) -> str:
    """The lines without what would steer the terminal: names come from files, and files from anywhere."""
    return "".join(letter if letter.isprintable() or letter == "\n" else ascii(letter)[1:-1] for letter in text)


_CLEAR = "\r\x1b[K"


class Meter:
    """A `Progress`; as a context manager it leaves the line empty."""

    def __init__(self) -> None:
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._last = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("")

    def step(self, done: int, total: int, text: str) -> None:
        self._write(f"{text} … {100 * done // total} %" if total else f"{text} …")

    def _write(self, text: str) -> None:
        text = plain(text)
        if self._shown and text != self._last:
            self._last = text
            sys.stderr.write(f"{_CLEAR}{text}")
            sys.stderr.flush()
