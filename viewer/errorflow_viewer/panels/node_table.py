"""The nodes as the model of lists has them: what is known of every node, and what a comparison found."""

from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Qt

from errorflow.base.arrays import Ints
from errorflow.base.language import joined, say
from errorflow.explain.findings.columns import COLUMNS as FOUND
from errorflow.explain.findings.columns import NodeColumn, Sheet
from errorflow_viewer.document.node_rows import COLUMNS, NAME, NodeRows
from errorflow_viewer.kit.tables.table import Column, Listing, TableModel, by_keys, by_order

# The first column of those that a comparison fills, which has the metric on view.
ACCUMULATED = len(COLUMNS)
COUNT = len(COLUMNS) + len(FOUND)
KEYS = ("name", "type", "output", *(column.key for column in FOUND))
SHARE = KEYS.index("share")
_PRECISION = KEYS.index("precision")
_Order = Qt.SortOrder


class NodeTable(TableModel[int]):
    """The nodes that match the search, in the order that was asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: NodeRows | None = None
        self.sheet: Sheet | None = None
        self.show(self._list())

    @property
    def total(self) -> int:
        return 0 if self._rows is None else len(self._rows)

    @property
    def constants(self) -> int:
        """Number of nodes that only make constants and are not drawn."""
        return 0 if self._rows is None else int(np.count_nonzero(~self._rows.drawn))

    def show_rows(self, rows: NodeRows | None, query: str = "", sheet: Sheet | None = None) -> None:
        self._rows, self._text, self.sheet = rows, query, sheet
        self.show(self._list())

    def show_sheet(self, sheet: Sheet | None) -> None:
        """Shows what is known of the nodes by now, or by another metric or other limits."""
        old, self.sheet = self.sheet, sheet
        # Limits change colours only.
        same = (
            old is not None
            and sheet is not None
            and old.findings is sheet.findings
            and (old.computed is sheet.computed or self._by != _PRECISION)
        )
        (self.say if same and _key(old) == _key(sheet) else self.show)(self._list())

    def worst_order(self, column: int) -> Qt.SortOrder:
        """The way round in which the worst nodes come first."""
        large = 0 <= column < COUNT and self.columns[column].largest_first
        return _Order.DescendingOrder if large else _Order.AscendingOrder

    @property
    def worst_column(self) -> int:
        """Column that sorts the list until the user does: who is to blame, else how bad nodes are; -1: not known."""
        if self.sheet is None:
            return -1
        return SHARE if self.sheet.blames else ACCUMULATED

    def text(self, node: int, column: int) -> str:
        """Writes what a cell says."""
        return self.columns[column].text(node)

    def _list(self) -> Listing[int]:
        rows, sheet = self._rows, self.sheet
        columns = [
            *(_column(rows, at) for at in range(ACCUMULATED)),
            *(_found_column(rows, sheet, each) for each in FOUND),
        ]
        if rows is None:
            return Listing((), columns)
        return Listing(range(len(rows)), columns, self._tip, partial(_matching, rows))

    def _tip(self, node: int) -> str:
        """Writes all of the node, and below it what was found, each number by its name."""
        if self._rows is None or self.sheet is None:
            return "" if self._rows is None else self._rows.tip(node)
        found = ((column.title_on(self.sheet), column.tip_text(self.sheet, node)) for column in FOUND)
        return joined("\n", [self._rows.tip(node), *(say("{}: {}", say(title), text) for title, text in found if text)])


def _matching(rows: NodeRows, query: str) -> Ints:
    """Lists matching nodes in the order in which they run."""
    keep = np.zeros(len(rows), bool)
    keep[rows.search(query)] = True
    return rows.natural[keep[rows.natural]]


def _column(rows: NodeRows | None, at: int) -> Column[int]:
    if rows is None:
        return Column(COLUMNS[at], lambda _: "")
    return Column(
        COLUMNS[at],
        lambda node: rows.cell(node, at),
        is_name=at == NAME,
        sort=by_order(lambda: rows.order(at)),
        forms=rows.name_forms if at == NAME else None,
        muted=lambda node: at != NAME or not rows.drawn[node],
        marked=(lambda node: bool(rows.note(node))) if at == NAME else None,
    )


def _found_column(rows: NodeRows | None, sheet: Sheet | None, column: NodeColumn) -> Column[int]:
    """Makes one of those that a comparison fills."""
    title, tip, is_metric = column.title_on(sheet), column.tip_on(sheet), column is FOUND[0]
    large = column.worst_is_large(sheet)
    if rows is None or sheet is None:
        return Column(title, lambda _: "", tip, largest_first=large, exact=lambda _: "")
    return Column(
        title,
        lambda node: column.text(sheet, node),
        tip,
        _full_title(sheet) if is_metric else "",
        is_number=column.is_number,
        has_title_left=True,
        sort=by_keys(lambda: column.keys(sheet)),
        largest_first=large,
        exact=lambda node: column.exact(sheet, node),
        muted=lambda node: not is_metric or not rows.drawn[node],
        badness=(lambda node: _badness(sheet, node)) if is_metric else None,
    )


def _badness(sheet: Sheet, node: int) -> float | None:
    if not sheet.measured[node]:
        return None
    return float("nan") if np.isnan(sheet.values[node]) else float(sheet.badness[node])


def _full_title(sheet: Sheet) -> str:
    """The name of the metric with its measure and unit."""
    if sheet.scale is None:
        return ""
    unit = say(" ({})", sheet.scale.unit) if sheet.scale.unit else ""
    return say("{} · {}{}", sheet.findings.measured(sheet.scale).measure, sheet.scale.label, unit)


def _key(sheet: Sheet | None) -> str:
    return "" if sheet is None or sheet.scale is None else sheet.scale.key
