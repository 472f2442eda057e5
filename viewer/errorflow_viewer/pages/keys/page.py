"""A list of all commands with their keys, a search, and below the list where keys are changed."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.writing import write
from errorflow_viewer.commands.save_dialog import ask_where
from errorflow_viewer.help.where import HELP
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
from errorflow_viewer.kit.style import font
from errorflow_viewer.pages.keys.asking import Asking
from errorflow_viewer.pages.keys.lines import Lines
from errorflow_viewer.pages.keys.printed import WRITERS

WIDTH = 1180


class KeysPage(QWidget):
    """In place of the graph."""

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
        self.lines = Lines(self._table)
        self.asking = Asking(self._table)
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
        """From the search down into the list, and F2 as in other lists."""
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
