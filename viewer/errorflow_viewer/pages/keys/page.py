"""A list of all commands with their keys, a search, and below the list where keys are changed."""

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from errorflow.base.language import Verbatim, translated
from errorflow.base.values import dataclass
from errorflow_viewer.commands.api import MENUS, Action, CommandTable, Desk
from errorflow_viewer.commands.copy_save.writing import write
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.help.where import HELP
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.keymap import native
from errorflow_viewer.kit.layouts import (
    in_the_middle,
    page_foot,
    page_head,
    search_field,
    spaced,
    text_button,
    text_label,
)
from errorflow_viewer.kit.look import DISPLAY, GAP, PADDING
from errorflow_viewer.kit.scaling import px
from errorflow_viewer.kit.style import font
from errorflow_viewer.kit.tables.furnish import furnish_tree
from errorflow_viewer.kit.tables.table import Column
from errorflow_viewer.kit.tables.tree import TreeGroup, TreeModel
from errorflow_viewer.pages.keys.asking import KeyQuestion
from errorflow_viewer.pages.keys.shortcuts import BY_HAND, by_hand, is_given_away

WIDTH = 1180


class KeysPage(QWidget):
    """Page of keys in place of the graph."""

    left = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty(HELP, "shortcuts.md")
        self.setAccessibleName("Keyboard shortcuts")
        self.setAutoFillBackground(True)
        self._desk = desk
        self._table = desk.commands.table
        # What was given before all was reset; None: nothing is to be taken back.
        self._before: dict[str, tuple[str, ...]] = {}
        self.lines = KeyLines(self._table)
        self.asking = KeyQuestion(self._table)
        self.said = text_label(muted=True)
        column = QWidget()
        column.setMaximumWidth(WIDTH)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        inside = spaced(QVBoxLayout(column), PADDING, (GAP, GAP, GAP, GAP))
        for widget in (self._make_head(), self.lines, self.asking):
            inside.addWidget(widget, 1 if widget is self.lines else 0)
        box = spaced(QVBoxLayout(self))
        box.addLayout(in_the_middle(column), 1)
        box.addWidget(self._make_foot())
        # A click makes a line the current one before it selects it.
        self.lines.selectionModel().selectionChanged.connect(lambda *_: self.asking.show_row(self.lines.chosen))
        self.lines.activated.connect(lambda *_: self.asking.ask(instead=True))
        self.lines.installEventFilter(self)
        self.search.installEventFilter(self)
        self.asking.done.connect(lambda: self.lines.setFocus(Qt.FocusReason.OtherFocusReason))
        self._table.keymap.changed.connect(self._on_keys)
        desk.appearance.changed.connect(self._on_theme)
        self._search("")
        self._on_keys()

    # How it is laid out

    def _make_head(self) -> QFrame:
        title = QLabel("Keyboard shortcuts")
        title.setFont(font(DISPLAY, strong=True))
        self.search = search_field("Search commands and keys, such as Ctrl+S", "Search commands and keys")
        self.search.textChanged.connect(self._search)
        self.setFocusProxy(self.search)  # whoever shows the page gives it the keyboard
        self.all = text_button("Reset all", self._reset_all, "Give every command its own keys again")
        self.save = QPushButton("Save to print")
        self.save.setToolTip("Write the keys as they are now, for the wall or the desk")
        menu = QMenu(self)
        menu.addAction("As a page (HTML)…", lambda: self._ask_where(".html"))
        menu.addAction("As text…", lambda: self._ask_where(".txt"))
        self.save.setMenu(menu)
        return page_head(title, self.search, self.save, self.all)

    def _make_foot(self) -> QWidget:
        self.settings = text_button("Settings…", lambda: self._desk.commands.run("settings"))
        self.back = text_button("Back", lambda: self.left.emit(), "Show what was on view before (Esc)")
        return page_foot(WIDTH, self.said, self.settings, self.back)

    # What it does

    def _search(self, text: str) -> None:
        count = self.lines.narrow(text)
        found = f"{count} of them matches" if count == 1 else f"{count} of them match"
        self.said.setText(found if text.strip() else "Double-click a command to change its keys.")

    def _on_theme(self, _theme: object) -> None:
        self.lines.refresh_icons()

    def _on_keys(self) -> None:
        changed = any(map(self._table.is_changed, self._table.rows))
        if changed:
            self._before = {}
        self.all.setEnabled(changed or bool(self._before))
        self.all.setText("Undo reset" if self._before and not changed else "Reset all")

    def _reset_all(self) -> None:
        """Or takes that back, as long as nothing else was changed since."""
        table, before = self._table, self._before
        changed = list(filter(table.is_changed, table.rows))
        if before and not changed:
            for row in table.rows:
                if row.key in before:
                    table.give(row, before[row.key])
        else:
            self._before = {row.key: table.keys(row) for row in changed}
            table.keymap.reset(*self._before)
        self._on_keys()

    def _ask_where(self, ending: str) -> None:
        kinds = ("Pages (*.html)", "Texts (*.txt)")
        ask_where(self, self._desk, "Save the keys", f"errorflow-keys{ending}", kinds, self._write)

    def _write(self, path: Path) -> None:
        made = WRITERS.get(path.suffix.lower(), WRITERS[".txt"])(self._table)
        write(self._desk, path, lambda: made)

    # Events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leads from the search down into the list, and F2 as in other lists."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if watched is self.search and event.key() == Qt.Key.Key_Down:
                self._enter_list()
                return True
            if watched is self.lines and event.key() == Qt.Key.Key_F2:
                self.asking.ask(instead=True)
                return True
        return super().eventFilter(watched, event)

    def _enter_list(self) -> None:
        self.lines.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if self.lines.chosen is None:
            first = next((row.key for row in self._table.rows if self.lines.shows(row.key)), None)
            if first is not None:
                self.lines.choose(first)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.text():
            self.search.clear()
        else:
            self.left.emit()


# The map of the keyboard on paper: a page to print, or plain text.

PrintedLines = tuple[tuple[str, str], ...]
_STYLE = """\
body { font: 13px/1.45 "Inter", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif; color: #1b232c; margin: 24px; }
h1 { font-size: 20px; margin: 0 0 12px; } h2 { font-size: 14px; margin: 0 0 4px; }
main { columns: 2; column-gap: 32px; } section { break-inside: avoid; margin: 0 0 16px; }
table { border-collapse: collapse; width: 100%; } td { padding: 2px 0; border-bottom: 1px solid #dce1e7; }
td:last-child { text-align: right; padding-left: 12px; }
kbd { font: inherit; border: 1px solid #b9c2cc; border-radius: 3px; padding: 0 4px; white-space: nowrap; }
@media print { body { margin: 0; font-size: 10px; } }
"""


def parts(table: CommandTable) -> Iterator[tuple[str, PrintedLines]]:
    """Yields by menu the commands that have keys, then what is done by hand; in the language of the window."""
    for menu in MENUS:
        rows = [(row, table.keys(row)) for row in table.rows if row.menu == menu]
        found = tuple((translated(row.name), joined(keys)) for row, keys in rows if keys)
        if found:
            yield translated(menu), found
    for title, lines in by_hand(table):
        yield translated(title), tuple((translated(what), translated(how, label=True)) for what, how in lines)


def joined(keys: tuple[str, ...]) -> str:
    """Joins keys with marks around each, as in Markdown."""
    return translated(" or ").join(f"`{native(each)}`" for each in keys)


def as_text(table: CommandTable) -> str:
    """Writes two columns."""
    found, title = list(parts(table)), translated("Keyboard shortcuts")
    wide = max(_width(what) for _, lines in found for what, _ in lines) + 2
    rows = [title, "=" * _width(title), ""]
    for name, lines in found:
        rows += [name, "-" * _width(name)]
        rows += [f"{what}{' ' * (wide - _width(what))}{how.replace('`', '')}" for what, how in lines]
        rows.append("")
    return "\n".join(rows)


def as_html(table: CommandTable) -> str:
    """Writes one page that needs nothing else."""
    title = escape(translated("Keyboard shortcuts"))
    sections = "\n".join(_section(name, lines) for name, lines in parts(table))
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{title}</title><style>\n{_STYLE}</style></head>\n'
        f"<body><h1>{title}</h1>\n<main>\n{sections}\n</main></body></html>\n"
    )


def _section(name: str, lines: PrintedLines) -> str:
    cells = "".join(f"<tr><td>{escape(what)}</td><td>{_keys(how)}</td></tr>\n" for what, how in lines)
    return f"<section><h2>{escape(name)}</h2><table>\n{cells}</table></section>"


def _keys(how: str) -> str:
    pieces = escape(how).split("`")
    return "".join(f"<kbd>{piece}</kbd>" if number % 2 else piece for number, piece in enumerate(pieces))


def _width(text: str) -> int:
    """Measures in letters of plain text, of which Chinese ones take two."""
    return sum(2 if ord(letter) > 0x2E7F else 1 for letter in text)


WRITERS: dict[str, Callable[[CommandTable], str]] = {".html": as_html, ".txt": as_text}


# The list: menus with their commands and keys, and below them what mouse and keys do where they are no commands.

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


class KeyLines(QTreeView):
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
        """Finds where a command stands."""
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
    """Makes a blank icon: there is as much room, so that all texts begin at one line."""
    nothing = QPixmap(16, 16)
    nothing.fill(Qt.GlobalColor.transparent)
    return QIcon(nothing)
