"""The lines of the log for Qt, as far as level and words let them through."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from errorflow_viewer.commands.copy_save.cells import Table
from errorflow_viewer.kit.logs import Line
from errorflow_viewer.kit.look import Theme

Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
_WORDS = {logging.WARNING: "warning", logging.ERROR: "error", logging.CRITICAL: "error"}


class LogLines(QAbstractListModel):
    """At most as many as are kept; filtering goes through all of them."""

    # A log is searched for the words that stand in the code, whatever the language of the window.
    is_verbatim = True

    def __init__(self, theme: Callable[[], Theme], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._all: tuple[Line, ...] = ()
        self._level = logging.NOTSET
        self._words: tuple[str, ...] = ()
        self.shown: tuple[Line, ...] = ()

    @property
    def total(self) -> int:
        return len(self._all)

    def take(self, lines: tuple[Line, ...]) -> None:
        self._all = lines
        self._arrange()

    def narrow(self, level: int, text: str) -> None:
        """To lines of at least that level that hold every word."""
        self._level, self._words = level, tuple(text.lower().split())
        self._arrange()

    def redress(self) -> None:
        """In the colours of another theme."""
        if self.shown:
            self.dataChanged.emit(self.index(0), self.index(len(self.shown) - 1), [Qt.ItemDataRole.ForegroundRole])

    def as_text(self) -> str:
        return "".join(f"{text_of(line)}\n" for line in self.shown)

    def as_table(self) -> Table:
        """With the day, which the list leaves out."""
        rows = [
            [datetime.fromtimestamp(line.seconds).isoformat(" ", "milliseconds"), _WORDS.get(line.level, ""), line.text]
            for line in self.shown
        ]
        return Table(("Time", "Level", "Text"), rows)

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not 0 <= index.row() < len(self.shown):
            return None
        line = self.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text_of(line).partition("\n")[0]
        if role == Qt.ItemDataRole.ToolTipRole:
            return line.text
        if role == Qt.ItemDataRole.ForegroundRole and line.level >= logging.WARNING:
            theme = self._theme()
            return QColor((theme.error if line.level >= logging.ERROR else theme.warning).mark)
        return None

    def _arrange(self) -> None:
        self.beginResetModel()
        self.shown = tuple(line for line in self._all if self._passes(line))
        self.endResetModel()

    def _passes(self, line: Line) -> bool:
        text = line.text.lower()
        return line.level >= self._level and all(word in text for word in self._words)


def text_of(line: Line) -> str:
    """When, how serious, what."""
    word = _WORDS.get(line.level, "")
    return f"{datetime.fromtimestamp(line.seconds):%H:%M:%S}  {f'{word}: ' if word else ''}{line.text}"
