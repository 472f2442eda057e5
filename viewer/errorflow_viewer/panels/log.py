"""Log of what the app did, line by line, with the warnings and the errors of its jobs."""

import logging
from collections.abc import Callable, Collection
from datetime import datetime

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QHideEvent, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QListView, QMenu, QToolButton, QVBoxLayout, QWidget

from errorflow_viewer.commands.api import Desk
from errorflow_viewer.commands.copy_save.tables import Table, add_read
from errorflow_viewer.kit import icons
from errorflow_viewer.kit.following import always, follow
from errorflow_viewer.kit.layouts import pages, spaced, text_label
from errorflow_viewer.kit.logs import RECENT, LogLine
from errorflow_viewer.kit.look import PADDING, TARGET, Theme
from errorflow_viewer.kit.tables.table import Column, Listing, VerbatimModel
from errorflow_viewer.panels.empty import Empty
from errorflow_viewer.panels.sections import counted

_LOG = logging.getLogger(__name__)
# How often one looks for new lines while the panel is seen, in ms.
PACE = 250
LEVELS = (("Everything", logging.NOTSET), ("Warnings and errors", logging.WARNING), ("Errors only", logging.ERROR))


class LogPanel(QWidget):
    """Level, words, lines."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._document = desk.document
        self._seen = -1
        self._told = ""
        self.lines = LogLines(lambda: desk.appearance.theme, self)
        self.level = self._make_level()
        self.search = self._make_search()
        self.count = text_label(role="label")
        self.list = _List(self.lines)
        self.nothing = Empty("What the app does is listed here, with warnings and errors.")
        self.no_match = Empty("No line matches.", "Show everything", self._show_everything)
        self.stack = pages(self.list, self.nothing, self.no_match)
        self.title_buttons = (
            self._button("Copy the lines that are shown", "copy", self._copy),
            self._button("Show log folder", "folder", lambda: desk.support.show_log_folder()),
            self._button("Clear the list; the log file stays", "clear", self._clear),
        )
        self.list.copied.connect(self._copy)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self._lay_out()
        self._pace = QTimer(self)
        self._pace.setInterval(PACE)
        self._pace.timeout.connect(self.refresh)
        follow(
            self, self._document.changed, self._on_changed, ("model", "case"), always
        )  # for the file of the log, too
        desk.appearance.changed.connect(self.lines.redress)
        self.refresh()

    def refresh(self) -> None:
        """Shows what is new; who looks at the end stays at the end."""
        if RECENT.count == self._seen:
            return
        self._seen = RECENT.count
        bar = self.list.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        self.lines.take(RECENT.lines())
        self._tell()
        if at_end:
            self.list.scrollToBottom()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        self.list.scrollToBottom()
        self._pace.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._pace.stop()

    def _make_level(self) -> QComboBox:
        level = QComboBox()
        level.addItems([text for text, _ in LEVELS])
        level.setAccessibleName("Which lines are shown")
        level.view().setAccessibleName("Which lines are shown")
        level.setFixedHeight(TARGET)
        level.currentIndexChanged.connect(lambda _: self._narrow())
        return level

    def _make_search(self) -> QLineEdit:
        search = QLineEdit()
        search.setPlaceholderText("Search the log")
        search.setAccessibleName("Search the log")
        search.setFixedHeight(TARGET)
        search.setAcceptDrops(False)  # a dropped file is opened, not typed
        search.textChanged.connect(lambda _: self._narrow())
        return search

    def _button(self, tip: str, icon: str, pressed: Callable[[], None]) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        icons.follow(button, icon)
        button.clicked.connect(lambda: pressed())
        return button

    def _lay_out(self) -> None:
        row = spaced(QHBoxLayout(), PADDING, (PADDING, 0, PADDING, 4))
        row.addWidget(self.level)
        row.addWidget(self.search, 1)
        row.addWidget(self.count)
        box = spaced(QVBoxLayout(self))
        box.addLayout(row)
        box.addWidget(self.stack, 1)

    def _narrow(self) -> None:
        self.lines.narrow(LEVELS[self.level.currentIndex()][1], self.search.text())
        self._tell()
        self.list.scrollToBottom()

    def _show_everything(self) -> None:
        self.level.setCurrentIndex(0)
        self.search.clear()

    def _tell(self) -> None:
        shown, total = len(self.lines.items), self.lines.total
        self.count.setText(f"{shown:,} of {counted(total, 'line')}" if shown < total else counted(total, "line"))
        self.stack.setCurrentWidget(self.nothing if not total else self.list if shown else self.no_match)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.lines.as_text())

    def menu(self) -> QMenu:
        """Makes the menu of the lines that are shown."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy as text", self._copy).setEnabled(bool(self.lines.items))
        menu.addSeparator()
        add_read(menu, self._desk, lambda done: done(self.lines.as_table()), "log", bool(self.lines.items))
        return menu

    def _show_menu(self, spot: QPoint) -> None:
        self.menu().popup(self.list.viewport().mapToGlobal(spot))

    def _clear(self) -> None:
        RECENT.clear()
        self.refresh()

    # What the document tells

    def _on_changed(self, fields: Collection[str]) -> None:
        text = ""
        if "model" in fields:
            text = self._about_model()
        elif "case" in fields:
            text = self._about_runs()
        if text and text != self._told:
            self._told = text
            _LOG.info("%s", text)

    def _about_model(self) -> str:
        model = self._document.model
        if model is None:
            return "Closed the model"
        odd = f", {counted(len(model.problems), 'problem')}" if model.problems else ""
        return f"Opened {model.path} ({model.format}, {counted(len(model.graph), 'node')}{odd})"

    def _about_runs(self) -> str:
        compared = self._document.state.case
        if compared is None or not compared.complete:
            return ""
        rows = compared.comparison.rows
        measured = sum(1 for row in rows if row.values)
        return f"Compared two runs: {counted(measured, 'tensor')} measured, {len(rows) - measured:,} not"


# The lines of the log as the model of lists has them, as far as level and words let them through.

_WORDS = {logging.WARNING: "warning", logging.ERROR: "error", logging.CRITICAL: "error"}


class LogLines(VerbatimModel[LogLine]):
    """Lines, at most as many as are kept; filtering goes through all of them."""

    def __init__(self, theme: Callable[[], Theme], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._all: tuple[LogLine, ...] = ()
        self._level = logging.NOTSET
        self._words: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return len(self._all)

    def take(self, lines: tuple[LogLine, ...]) -> None:
        self._all = lines
        self.show(self._list())

    def narrow(self, level: int, text: str) -> None:
        """Narrows to lines of at least that level that hold every word."""
        self._level, self._words = level, tuple(text.lower().split())
        self.show(self._list())

    def redress(self) -> None:
        """Takes the colours of another theme."""
        self.say(self._list())

    def as_text(self) -> str:
        return "".join(f"{text_of(line)}\n" for line in self.items)

    def as_table(self) -> Table:
        """Makes a table with the day, which the list leaves out."""
        rows = [
            [datetime.fromtimestamp(line.seconds).isoformat(" ", "milliseconds"), _WORDS.get(line.level, ""), line.text]
            for line in self.items
        ]
        return Table(("Time", "Level", "Text"), rows)

    def _list(self) -> Listing[LogLine]:
        column = Column("Log", _first_line, color=self._color)
        return Listing(tuple(filter(self._passes, self._all)), [column], lambda line: line.text)

    def _color(self, line: LogLine) -> QColor | None:
        if line.level < logging.WARNING:
            return None
        theme = self._theme()
        return QColor((theme.error if line.level >= logging.ERROR else theme.warning).mark)

    def _passes(self, line: LogLine) -> bool:
        text = line.text.lower()
        return line.level >= self._level and all(word in text for word in self._words)


def _first_line(line: LogLine) -> str:
    return text_of(line).partition("\n")[0]


def text_of(line: LogLine) -> str:
    """Writes when, how serious, what."""
    word = _WORDS.get(line.level, "")
    return f"{datetime.fromtimestamp(line.seconds):%H:%M:%S}  {f'{word}: ' if word else ''}{line.text}"


class _List(QListView):
    """Copies all that it shows when it is asked to."""

    copied = Signal()

    def __init__(self, lines: LogLines) -> None:
        super().__init__()
        self.setModel(lines)
        self.setAccessibleName("Log")
        self.setUniformItemSizes(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        else:
            super().keyPressEvent(event)
