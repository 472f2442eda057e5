"""The list: menus with their commands and keys, and below them what mouse and keys do where they are no commands."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QHeaderView, QTreeView

from errorflow.base.language import Verbatim, translated
from errorflow_viewer.commands.api import MENUS, Action, CommandTable
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.keymap import native
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.tables.column import Column
from errorflow_viewer.kit.tables.furnish import furnish_tree
from errorflow_viewer.kit.tables.tree import TreeGroup, TreeModel
from errorflow_viewer.pages.keys.shortcuts import BY_HAND, is_given_away

COMMAND, KEYS, ABOUT = range(3)
# In px.
_WIDE, _KEYS = 300, 220
CHANGED = "Changed"


@dataclass(frozen=True, slots=True, eq=False)
class KeyLine:
    """A command; what is done by hand, and how; or the heading of both, which has neither."""

    part: str
    name: str
    row: Action[Any] | None = None
    how: str = ""


class Lines(QTreeView):
    """Knows the command of each line; lines without one are there to be read."""

    def __init__(self, table: CommandTable) -> None:
        super().__init__()
        self._table = table
        self._blank = _blank()
        self._words: list[str] = []
        self.lines: TreeModel[KeyLine] = TreeModel(self)
        self.lines.show([TreeGroup(KeyLine(part, part), inside) for part, inside in _parts(table)], self._columns())
        furnish_tree(self, self.lines, "Commands and keys", "Columns of commands and keys")
        self.setRootIsDecorated(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(14)
        self._fit_icons()
        for row in range(self.lines.rowCount()):
            self.setFirstColumnSpanned(row, QModelIndex(), True)
        self.expandAll()
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)
        self.setColumnWidth(COMMAND, px(_WIDE))
        self.setColumnWidth(KEYS, px(_KEYS))
        table.keymap.changed.connect(self.refresh)
        self.refresh()

    def _columns(self) -> tuple[Column[KeyLine], ...]:
        return (
            Column(
                "Command",
                lambda line: _as_label(line.name),
                strong=lambda line: line.row is None and not line.how,
                icon=self._icon,
            ),
            Column(
                "Keys",
                self._keys,
                strong=self._is_changed,
                muted=lambda line: bool(line.how),
                cell_tip=lambda line: CHANGED if self._is_changed(line) else line.how.replace("`", ""),
            ),
            Column("What it does", _about, cell_tip=_about),
        )

    def refresh(self) -> None:
        """The keys as they are now; those of the user's own stand out."""
        self.lines.say()
        self._hide()

    def _fit_icons(self) -> None:
        self.setIconSize(QSize(px(16), px(16)))

    def refresh_icons(self) -> None:
        self._fit_icons()
        self.lines.say()

    @property
    def chosen(self) -> Action[Any] | None:
        """The command of the line that is selected."""
        line = self.lines.item(next(iter(self.selectionModel().selectedRows()), QModelIndex()))
        return None if line is None else line.row

    def choose(self, key: str) -> None:
        self.setCurrentIndex(self.place(key))

    def shows(self, key: str) -> bool:
        place = self.place(key)
        return not self.isRowHidden(place.row(), place.parent())

    def place(self, key: str) -> QModelIndex:
        """Where a command stands."""
        return self.lines.find(lambda line: line.row is not None and line.row.key == key)

    def narrow(self, text: str) -> int:
        """Shows lines with all the words in the command, its keys or what it does; says how many."""
        self._words = text.lower().split()
        return self._hide()

    def _hide(self) -> int:
        """A heading without a line below it says nothing."""
        nowhere, count = QModelIndex(), 0
        for number, part in enumerate(self.lines.groups):
            hits = [self._is_hit(line) for line in part.inside]
            for row, hit in enumerate(hits):
                self.setRowHidden(row, self.lines.index(number, COMMAND), not hit)
            self.setRowHidden(number, nowhere, not any(hits))
            count += sum(hits)
        return count

    def _is_hit(self, line: KeyLine) -> bool:
        """Whether all the words are found in it; what its key does no more is not shown at all."""
        if line.how and is_given_away(line.part, line.how, self._table):
            return False
        said = self._said(line) if self._words else ""
        return all(word in said for word in self._words)

    def _said(self, line: KeyLine) -> str:
        row, keys, mark = line.row, self._keys(line), CHANGED if self._is_changed(line) else ""
        other = "" if row is None else f"{row.name} {row.tip} {row.also_called}"
        shown = " ".join(map(translated, (line.name, keys, _about(line))))
        return f"{line.part} {line.name} {shown} {other} {mark}".lower()

    def _keys(self, line: KeyLine) -> str:
        if line.row is None:
            return translated(line.how, label=True).replace("`", "")
        return "   ".join(map(native, self._table.keys(line.row)))

    def _is_changed(self, line: KeyLine) -> bool:
        return line.row is not None and self._table.is_changed(line.row)

    def _icon(self, line: KeyLine) -> QIcon | None:
        if line.row is None:
            return None
        return icons.themed(line.row.icon) if line.row.icon else self._blank


def _parts(table: CommandTable) -> Iterator[tuple[str, list[KeyLine]]]:
    for menu in MENUS:
        yield menu, [KeyLine(menu, row.name, row) for row in table.rows if row.menu == menu]
    for title, lines in BY_HAND:
        yield title, [KeyLine(title, what, how=how) for what, how in lines]


def _about(line: KeyLine) -> str:
    return "" if line.row is None else line.row.tip


def _as_label(name: str) -> str:
    """Also where it is called like an operator, which keeps its name in other lists."""
    return Verbatim(translated(name, label=True))


def _blank() -> QIcon:
    """Without an icon there is as much room, so that all texts begin at one line."""
    nothing = QPixmap(16, 16)
    nothing.fill(Qt.GlobalColor.transparent)
    return QIcon(nothing)
