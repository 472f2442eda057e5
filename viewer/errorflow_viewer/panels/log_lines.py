"""The lines of the log as the model of lists has them, as far as level and words let them through."""

import logging
from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor

from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.kit.logs import Line
from errorflow_viewer.kit.look import Theme
from errorflow_viewer.kit.tables.column import Column, Listing
from errorflow_viewer.kit.tables.table import VerbatimModel

_WORDS = {logging.WARNING: "warning", logging.ERROR: "error", logging.CRITICAL: "error"}


class LogLines(VerbatimModel[Line]):
    """At most as many as are kept; filtering goes through all of them."""

    def __init__(self, theme: Callable[[], Theme], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._all: tuple[Line, ...] = ()
        self._level = logging.NOTSET
        self._words: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return len(self._all)

    def take(self, lines: tuple[Line, ...]) -> None:
        self._all = lines
        self.show(self._list())

    def narrow(self, level: int, text: str) -> None:
        """To lines of at least that level that hold every word."""
        self._level, self._words = level, tuple(text.lower().split())
        self.show(self._list())

    def redress(self) -> None:
        """In the colours of another theme."""
        self.say(self._list())

    def as_text(self) -> str:
        return "".join(f"{text_of(line)}\n" for line in self.items)

    def as_table(self) -> Table:
        """With the day, which the list leaves out."""
        rows = [
            [datetime.fromtimestamp(line.seconds).isoformat(" ", "milliseconds"), _WORDS.get(line.level, ""), line.text]
            for line in self.items
        ]
        return Table(("Time", "Level", "Text"), rows)

    def _list(self) -> Listing[Line]:
        column = Column("Log", _first_line, color=self._color)
        return Listing(tuple(filter(self._passes, self._all)), [column], lambda line: line.text)

    def _color(self, line: Line) -> QColor | None:
        if line.level < logging.WARNING:
            return None
        theme = self._theme()
        return QColor((theme.error if line.level >= logging.ERROR else theme.warning).mark)

    def _passes(self, line: Line) -> bool:
        text = line.text.lower()
        return line.level >= self._level and all(word in text for word in self._words)


def _first_line(line: Line) -> str:
    return text_of(line).partition("\n")[0]


def text_of(line: Line) -> str:
    """When, how serious, what."""
    word = _WORDS.get(line.level, "")
    return f"{datetime.fromtimestamp(line.seconds):%H:%M:%S}  {f'{word}: ' if word else ''}{line.text}"
