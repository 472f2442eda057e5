"""What the window shows while no model is open: how to open one, recent files, samples."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from errorflow_viewer import icons
from errorflow_viewer.desk import Desk, Entry
from errorflow_viewer.file_actions import sample_entries
from errorflow_viewer.help.where import HELP
from errorflow_viewer.layouts import clear_layout
from errorflow_viewer.look import DISPLAY, GAP, PADDING
from errorflow_viewer.recent import Recent, folder_of, name_of, tip_of
from errorflow_viewer.style import font

WIDTH = 1040
RECENTS = 5
# In how many columns cards can stand, the most first: seven fill both rows of four.
COLUMNS, CARD = (4, 2, 1), 256


class StartPage(QScrollArea):
    """One column in the middle of the window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setProperty(HELP, "how-to/start-a-comparison.md")
        self._desk = desk
        self._columns = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAccessibleName("Start page")
        self.column = QWidget()
        self.column.setMaximumWidth(WIDTH)
        self._box = QVBoxLayout(self.column)
        self._box.setSpacing(PADDING)
        self._add_head()
        self.recents = QVBoxLayout()
        self.recents.setSpacing(0)
        self._box.addLayout(self.recents)
        self._add_samples()
        self._box.addWidget(_label("Ctrl+Shift+P finds every command. F1 opens the manual.", "label"))
        self.setWidget(self._centred(self.column))
        desk.recents.checked.connect(self._mark_missing)
        self.refresh()

    def refresh(self) -> None:
        """Shows the recent files, and steps those back that are not found."""
        self._show_recents()
        self._desk.recents.check()

    def _show_recents(self) -> None:
        clear_layout(self.recents)
        entries = self._desk.recents.entries[:RECENTS]
        if entries:
            self.recents.addWidget(_heading("Recent files"))
        self._recent_buttons: list[tuple[Recent, QPushButton]] = []
        self.recent_rows = [self._recent_row(recent) for recent in entries]
        self._mark_missing()
        for row in self.recent_rows:
            self.recents.addWidget(row)
        if entries:
            self.recents.addSpacing(GAP)

    def _centred(self, column: QWidget) -> QWidget:
        page = QWidget()
        row = QHBoxLayout(page)
        row.addStretch(1)
        middle = QVBoxLayout()
        middle.addStretch(2)
        middle.addWidget(column)
        middle.addStretch(3)
        row.addLayout(middle, 20)
        row.addStretch(1)
        return page

    def _add_head(self) -> None:
        mark = QLabel()
        mark.setPixmap(icons.app_icon().pixmap(32, 32))
        mark.setAccessibleName("Errorflow")
        title = QLabel("See where a converted model goes wrong")
        title.setFont(font(DISPLAY, strong=True))
        head = QHBoxLayout()
        head.setSpacing(GAP)
        head.addWidget(mark)
        head.addWidget(title, 1)
        open_button = QPushButton("Open a model…")
        open_button.setProperty("primary", True)
        open_button.setMinimumHeight(32)
        open_button.setDefault(True)
        open_button.clicked.connect(lambda: self._desk.ask_for_file())
        self.open_button = open_button
        row = QHBoxLayout()
        row.setSpacing(GAP)
        compare_button = QPushButton("Compare two runs…")
        compare_button.setMinimumHeight(32)
        compare_button.clicked.connect(lambda: self._desk.compare())
        self.compare_button = compare_button
        guide_button = QPushButton("Guide me…")
        guide_button.setMinimumHeight(32)
        guide_button.setToolTip("Find a loss of accuracy step by step, after the vendor's own method")
        guide_button.clicked.connect(lambda: self._desk.guide())
        self.guide_button = guide_button
        row.addWidget(open_button)
        row.addWidget(compare_button)
        row.addWidget(guide_button)
        row.addWidget(_label("or drop a model, or a folder that holds a whole case", "muted"))
        row.addStretch(1)
        self._box.addLayout(head)
        self._box.addSpacing(4)
        self._box.addLayout(row)
        self._box.addSpacing(GAP)

    def _add_samples(self) -> None:
        self._box.addWidget(_heading("Built-in samples"))
        self.cards = [self._make_card(entry) for entry in sample_entries(self._desk)]
        self._grid = QGridLayout()
        self._grid.setSpacing(PADDING)
        self._box.addLayout(self._grid)
        self._box.addSpacing(GAP)

    def _make_card(self, entry: Entry) -> "Card":
        card = Card(entry)
        card.chosen.connect(partial(self._open_sample, entry))
        return card

    def _place_cards(self, columns: int) -> None:
        """In rows of equal cards, as many as there is room for."""
        while self._grid.takeAt(0) is not None:
            pass
        for column in range(COLUMNS[0]):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        for row in range(len(self.cards)):
            self._grid.setRowStretch(row, 1 if row * columns < len(self.cards) else 0)
        for i, card in enumerate(self.cards):
            self._grid.addWidget(card, i // columns, i % columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = self.viewport().width()
        columns = next((count for count in COLUMNS if count * CARD <= width), 1)
        if columns != self._columns:
            self._columns = columns
            self._place_cards(columns)

    def _open_sample(self, entry: Entry) -> None:
        entry.run(self._desk)

    def _recent_row(self, recent: Recent) -> QWidget:
        row = QWidget()
        box = QHBoxLayout(row)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(PADDING)
        button = QPushButton()
        button.setProperty("link", True)
        button.clicked.connect(lambda: self._desk.open_again(recent))
        self._recent_buttons.append((recent, button))
        remove = QToolButton()
        remove.setToolTip("Remove from this list")
        remove.setAccessibleName(f"Remove {name_of(recent)} from the recent files")
        remove.clicked.connect(lambda: self._forget(recent))
        icons.follow(remove, "close")
        box.addWidget(button)
        box.addWidget(_Elided(folder_of(recent)), 1)
        box.addWidget(remove)
        return row

    def _mark_missing(self) -> None:
        """What is not found steps back, but can be tried: its drive may be there again."""
        for recent, button in self._recent_buttons:
            missing = self._desk.recents.is_missing(recent)
            name, tip = name_of(recent).replace("&", "&&"), tip_of(recent)
            what = tip if isinstance(recent, Path) else name_of(recent)
            button.setText(f"{name} (not found)" if missing else name)
            button.setProperty("missing", missing)
            button.setToolTip(_unfound(recent) if missing else tip)
            button.setAccessibleName(f"Open {what}, not found" if missing else f"Open {what}")
            button.style().polish(button)

    def _forget(self, recent: Recent) -> None:
        self._desk.recents.forget(recent)
        self._show_recents()


def _unfound(recent: Recent) -> str:
    return f"{recent}: not found" if isinstance(recent, Path) else f"{tip_of(recent)}\nNot all of it was found"


class Card(QFrame):
    """A sample: its title and its story. Click, Enter or Space opens it."""

    chosen = Signal()

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"Open sample: {entry.text}. {entry.tip}")
        title = QLabel(entry.text)
        title.setProperty("role", "strong")
        story = _label(entry.tip, "muted")
        story.setWordWrap(True)
        box = QVBoxLayout(self)
        box.setContentsMargins(GAP, PADDING, GAP, PADDING)
        box.setSpacing(4)
        box.addWidget(title)
        box.addWidget(story, 1, Qt.AlignmentFlag.AlignTop)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit()
        else:
            super().keyPressEvent(event)


class _Elided(QLabel):
    """A path that gives way in its middle."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._full = text
        self.setProperty("muted", True)
        self.setToolTip(text)
        self.setMinimumWidth(40)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self.setText(self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideMiddle, self.width()))


def _label(text: str, role: str) -> QLabel:
    label = QLabel(text)
    if role == "muted":
        label.setProperty("muted", True)
    else:
        label.setProperty("role", role)
    return label


def _heading(text: str) -> QLabel:
    return _label(text, "title")
