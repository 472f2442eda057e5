"""The rows of a ranking as the model of lists has them."""

from PySide6.QtCore import QObject, Qt

from errorflow_viewer.kit.tables.table import Listing, TableModel
from errorflow_viewer.panels.ranking.rows import RankRows


class RankTable(TableModel[int]):
    """The parts that the filter leaves, in the order of a column; what is selected moves along."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent, moves=True)
        self.rows: RankRows | None = None

    @property
    def sorted_by(self) -> tuple[int, Qt.SortOrder]:
        """The column, -1: as they are ranked; and which way."""
        return self._by, Qt.SortOrder.DescendingOrder if self._descending else Qt.SortOrder.AscendingOrder

    @property
    def is_ranked(self) -> bool:
        """Whether rows stand as they are ranked, and all of them do."""
        return self._by < 0 and not self._text.strip()

    def show_rows(self, rows: RankRows | None, holds: bool = False) -> None:
        """`holds`: rows stay where they are, if they are the same parts; what is selected stays selected anyway.

        The same parts stay sorted as they are, by that column wherever it stands now; others stand as they are ranked.
        """
        before, self.rows = self.rows, rows
        listing = Listing((), ()) if rows is None else rows.listing
        same = before is not None and rows is not None and before.ranking.parts == rows.ranking.parts
        titles, now = [column.title for column in self.columns], [column.title for column in listing.columns]
        if not same or titles != now:
            sorts = same and self._by >= 0 and titles[self._by] in now
            self._by = now.index(titles[self._by]) if sorts else -1
            self.show(listing)
        else:
            (self.say if holds else self.move)(listing)
