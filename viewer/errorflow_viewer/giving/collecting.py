"""Reads a table in pieces, so that the window goes on meanwhile."""

import time
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QAbstractItemModel, QObject, QTimer

from errorflow_viewer.giving.cells import Row, Table, head_of, rows_of

# Of a frame, so much is taken, in seconds.
_SLICE = 0.02


class Collecting(QObject):
    """A table that changes meanwhile is read anew, chosen rows of it are given up. It ends with its model."""

    def __init__(self, model: QAbstractItemModel, done: Callable[[Table], None], rows: Sequence[int] | None) -> None:
        super().__init__(model)
        self._model, self._done, self._chosen = model, done, rows
        self._rows: list[Row] = []
        self._left: Iterator[Row] = iter(())
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        for signal in (model.modelReset, model.layoutChanged, model.rowsInserted, model.rowsRemoved):
            signal.connect(self._begin if rows is None else self._give_up)
        self._begin()

    def start(self) -> None:
        """Small tables are done when this returns."""
        self._go_on()

    def _begin(self) -> None:
        self._rows, self._left = [], rows_of(self._model, self._chosen)

    def _give_up(self) -> None:
        self._timer.stop()
        self.deleteLater()

    def _go_on(self) -> None:
        end = time.monotonic() + _SLICE
        for row in self._left:
            self._rows.append(row)
            if time.monotonic() > end:
                self._timer.start()
                return
        self._timer.stop()
        found = Table(head_of(self._model), self._rows)
        self.deleteLater()
        self._done(found)


def collect(model: QAbstractItemModel, done: Callable[[Table], None], rows: Sequence[int] | None = None) -> None:
    """Hands over all rows, or some."""
    Collecting(model, done, rows).start()
