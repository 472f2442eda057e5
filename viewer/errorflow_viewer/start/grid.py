"""Equal cards in rows, as many columns as there is room for."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from errorflow_viewer.layouts import empty, spaced
from errorflow_viewer.look import PADDING
from errorflow_viewer.start.card import Tile


class CardGrid(QWidget):
    """Nothing of it is seen while it holds no cards."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.cards: tuple[Tile, ...] = ()
        self.columns = 1
        self._grid = spaced(QGridLayout(self), PADDING)

    def show_cards(self, cards: Sequence[Tile]) -> None:
        """In place of those before."""
        for old in self.cards:
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.cards = tuple(cards)
        for place, card in enumerate(self.cards):
            card.stepped.connect(partial(self._step, place))
        self._place()
        self.setVisible(bool(self.cards))
        for card in self.cards:  # at once, so that one can be given the keyboard
            card.show()

    def set_columns(self, columns: int) -> None:
        if columns != self.columns:
            self.columns = columns
            self._place()

    def _place(self) -> None:
        list(empty(self._grid))
        for column in range(max(self._grid.columnCount(), self.columns)):
            self._grid.setColumnStretch(column, 1 if column < self.columns else 0)
            self._grid.setColumnMinimumWidth(column, 0)
        rows = -(-len(self.cards) // self.columns)
        for row in range(max(self._grid.rowCount(), rows)):
            self._grid.setRowStretch(row, 1 if row < rows else 0)
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, place // self.columns, place % self.columns)

    def _step(self, place: int, across: int, down: int) -> None:
        target = place + across + down * self.columns
        if 0 <= target < len(self.cards):
            self.cards[target].setFocus(Qt.FocusReason.TabFocusReason)
