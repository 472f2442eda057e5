"""How the columns of the matches share the room."""

from collections.abc import Mapping

from PySide6.QtGui import QFontMetrics

from errorflow_viewer.kit.look import LABEL
from errorflow_viewer.kit.style import font
from errorflow_viewer.panels.lines.rows import Errors
from errorflow_viewer.panels.lines.view import LineView
from errorflow_viewer.panels.matches.rows import (
    COLUMNS,
    ERROR,
    NOTE,
    OTHER_SHAPE,
    RULE_COLUMN,
    SHAPE,
    MatchRows,
    rule_text,
)

# Logical px: what a name needs to be read, an error with its swatch, what lies round a text, and at most a column.
_NAME, _ERROR, _ROUND, _MOST = 160, 104, 18, 150
# So many rows tell how wide a column of shapes needs to be.
_LOOKED_AT = 500


def needs(view: LineView, rows: MatchRows | None, errors: Errors | None = None) -> dict[int, int]:
    """How wide the columns beside the names are to be; 0: it has nothing to say."""
    cells, head = view.fontMetrics(), QFontMetrics(font(LABEL))
    found = {ERROR: _ERROR}
    for column in (SHAPE, OTHER_SHAPE, RULE_COLUMN, NOTE):
        texts = set() if rows is None else _texts(rows, errors, column)
        widest = max(map(cells.horizontalAdvance, texts), default=0)
        title = head.horizontalAdvance(COLUMNS.titles[column])
        found[column] = min(max(widest, title) + _ROUND, _MOST) if widest else 0
    return found


def _texts(rows: MatchRows, errors: Errors | None, column: int) -> set[str]:
    """Rules and notes are few; of shapes the first ones tell."""
    if column == RULE_COLUMN:
        return {rule_text(rule) for rule in {line.rule for line in rows.lines}}
    if column == NOTE:
        return {line.note for line in rows.lines} | ({*errors.notes.values()} if errors is not None else set())
    return {rows.shown(row, column) for row in range(min(len(rows), _LOOKED_AT))}


def share_width(view: LineView, widths: Mapping[int, int], room: int) -> None:
    """Names come first, then errors, shapes, rules and notes; what there is no room for the tooltip says."""
    left = room - 2 * _NAME
    for columns in ((ERROR,), (SHAPE, OTHER_SHAPE), (RULE_COLUMN,), (NOTE,)):
        wish = sum(widths[column] for column in columns)
        for column in columns:
            view.setColumnHidden(column, not widths[column] or wish > left)
            view.horizontalHeader().resizeSection(column, widths[column])
        left -= wish if wish <= left else 0
