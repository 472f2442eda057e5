"""The list: menus with their commands and keys, and below them what mouse and keys do where they are no commands."""

from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QIcon, QPixmap
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem

from errorflow.base.language import translated
from errorflow_viewer.commands.api import MENUS, Action, CommandTable
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.keymap import native
from errorflow_viewer.kit.look import ROW
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.keys.shortcuts import BY_HAND, is_given_away

COMMAND, KEYS, ABOUT = range(3)
_ROLE = Qt.ItemDataRole.UserRole
# In px.
_WIDE, _KEYS = 300, 220
CHANGED = "Changed"


class Lines(QTreeWidget):
    """Knows the command of each line; lines without one are there to be read."""

    def __init__(self, table: CommandTable) -> None:
        super().__init__()
        self._table = table
        self.setAccessibleName("Commands and keys")
        self.setHeaderLabels(["Command", "Keys", "What it does"])
        self.setRootIsDecorated(True)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setIndentation(14)
        self._fit_icons()
        self._items: dict[str, QTreeWidgetItem] = {}
        self._parts: dict[str, tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = {}
        # Of what is done by hand: its part, and how.
        self._hands: list[tuple[QTreeWidgetItem, str, str]] = []
        self._words: list[str] = []
        self._fill()
        head = self.header()
        head.setAccessibleName("Columns of commands and keys")
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setStretchLastSection(True)
        self.resizeColumnToContents(COMMAND)
        self.setColumnWidth(COMMAND, px(_WIDE))
        self.setColumnWidth(KEYS, px(_KEYS))
        table.keymap.changed.connect(self.refresh)
        self.refresh()

    def _fill(self) -> None:
        blank = _blank()
        for menu in MENUS:
            part = self._part(menu)
            for row in self._table.rows:
                if row.menu == menu:
                    item = QTreeWidgetItem(part, [row.name, "", row.tip])
                    item.setData(COMMAND, _ROLE, row.key)
                    item.setToolTip(ABOUT, row.tip)
                    item.setIcon(COMMAND, icons.themed(row.icon) if row.icon else blank)
                    self._take(menu, item)
                    self._items[row.key] = item
        for title, lines in BY_HAND:
            part = self._part(title)
            for what, how in lines:
                item = QTreeWidgetItem(part, [what, translated(how, label=True).replace("`", ""), ""])
                item.setToolTip(KEYS, how.replace("`", ""))
                item.setForeground(KEYS, self.palette().placeholderText())
                self._take(title, item)
                self._hands.append((item, title, how))

    def _part(self, title: str) -> QTreeWidgetItem:
        part = QTreeWidgetItem(self, [title])
        part.setFont(COMMAND, _strong())
        part.setFirstColumnSpanned(True)
        part.setExpanded(True)
        self._dress(part)
        self._parts[title] = part, []
        return part

    def _take(self, title: str, item: QTreeWidgetItem) -> None:
        self._parts[title][1].append(item)
        self._dress(item)

    def _dress(self, item: QTreeWidgetItem) -> None:
        item.setSizeHint(COMMAND, QSize(0, px(ROW)))

    def refresh(self) -> None:
        """The keys as they are now; those of the user's own stand out."""
        plain, strong = font(), _strong()
        for row in self._table.rows:
            item = self._items[row.key]
            keys = self._table.keys(row)
            changed = self._table.is_changed(row)
            item.setText(KEYS, "   ".join(map(native, keys)))
            item.setFont(KEYS, strong if changed else plain)
            item.setToolTip(KEYS, CHANGED if changed else "")
        for item, title, _ in self._hands:
            item.setHidden(not self._is_hit(self._parts[title][0], item))
        self._show_parts()

    def _fit_icons(self) -> None:
        self.setIconSize(QSize(px(16), px(16)))

    def refresh_icons(self) -> None:
        self._fit_icons()
        for row in self._table.rows:
            if row.icon:
                self._items[row.key].setIcon(COMMAND, icons.themed(row.icon))

    @property
    def chosen(self) -> Action[Any] | None:
        """The command of the line that is selected."""
        item = next(iter(self.selectedItems()), None)
        key = None if item is None else item.data(COMMAND, _ROLE)
        return next((row for row in self._table.rows if row.key == key), None)

    def choose(self, key: str) -> None:
        self.setCurrentItem(self._items[key])

    def shows(self, key: str) -> bool:
        return not self._items[key].isHidden()

    def narrow(self, text: str) -> int:
        """Shows lines with all the words in the command, its keys or what it does; says how many."""
        self._words, count = text.lower().split(), 0
        for part, items in self._parts.values():
            for item in items:
                hit = self._is_hit(part, item)
                item.setHidden(not hit)
                count += hit
        self._show_parts()
        return count

    def _show_parts(self) -> None:
        """A heading without a line below it says nothing."""
        for part, items in self._parts.values():
            part.setHidden(all(item.isHidden() for item in items))

    def _is_hit(self, part: QTreeWidgetItem, item: QTreeWidgetItem) -> bool:
        """Whether all the words are found in it; what its key does no more is not shown at all."""
        hand = next((each[1:] for each in self._hands if each[0] is item), None)
        if hand is not None and is_given_away(*hand, self._table):
            return False
        return all(word in self._said(part, item) for word in self._words)

    def _said(self, part: QTreeWidgetItem, item: QTreeWidgetItem) -> str:
        key = item.data(COMMAND, _ROLE)
        row = next((row for row in self._table.rows if row.key == key), None)
        other = "" if row is None else f"{row.name} {row.tip} {row.also_called}"
        mark = CHANGED if item.toolTip(KEYS) == CHANGED else ""
        shown = " ".join(translated(item.text(column)) for column in (COMMAND, KEYS, ABOUT))
        return f"{part.text(COMMAND)} {item.text(COMMAND)} {shown} {other} {mark}".lower()


def _blank() -> QIcon:
    """Without an icon there is as much room, so that all texts begin at one line."""
    nothing = QPixmap(16, 16)
    nothing.fill(Qt.GlobalColor.transparent)
    return QIcon(nothing)


def _strong() -> QFont:
    return font(strong=True)
