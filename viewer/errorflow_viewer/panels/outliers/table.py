"""How the columns of the outliers share the room."""

from errorflow_viewer.panels.lines.view import LineView
from errorflow_viewer.panels.outliers.rows import CHANNELS, COLUMNS, FIRST, MEDIAN, MOST, SPARSE, TYPE

# Logical px: of each column of numbers, and of types at most.
WIDTHS = {CHANNELS: 76, SPARSE: 64, MEDIAN: 72, MOST: 72}
SHARE, NARROW, WIDEST = 52, 48, 140
# In less room than this, these columns give way to the names.
GIVING_WAY = ((760, (FIRST + 1, FIRST + 2)), (520, (TYPE, SPARSE)))


class OutlierView(LineView):
    """Names take what numbers leave, and numbers are whole."""

    def fit(self, room: int) -> None:
        """In so many logical px."""
        header = self.horizontalHeader()
        header.resizeSection(TYPE, min(max(self.sizeHintForColumn(TYPE), NARROW), WIDEST))
        for column in range(CHANNELS, len(COLUMNS.titles)):
            header.resizeSection(column, WIDTHS.get(column, SHARE))
        for least, columns in GIVING_WAY:
            for column in columns:
                self.setColumnHidden(column, room < least)
