"""Labels, links and tables that the chapters are made of."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from errorflow.base.language import Verbatim, say
from errorflow.report.account.model import AccountFact, AccountTable
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import flowing, spaced, text_label
from errorflow_viewer.kit.look import BODY, GAP, GRID, PADDING
from errorflow_viewer.kit.style import font

# Of a table's columns in px, and how much wider those of texts may become.
_LEAST, _MORE = 72, 3


def words(text: str, role: str = "", muted: bool = False) -> QLabel:
    """A text that wraps and can be copied."""
    label = text_label(text, wraps=True, plain=True, selectable=True)
    # It gives way: a long name without a space would make the page wider than the window.
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    if role:
        label.setProperty("role", role)
    if muted:
        label.setProperty("muted", True)
    return label


def rule() -> QFrame:
    line = QFrame()
    line.setProperty("role", "rule")
    return line


def chapter(title: str, *widgets: QWidget) -> QWidget:
    """A title above what it has to tell."""
    page = QWidget()
    head = words(title, "title")
    head.setAccessibleName(title)
    box = spaced(QVBoxLayout(page), PADDING)
    for widget in (head, *widgets):
        box.addWidget(widget)
    return page


def stacked(*widgets: QWidget, gap: int = GRID) -> QWidget:
    page = QWidget()
    box = spaced(QVBoxLayout(page), gap)
    for widget in widgets:
        box.addWidget(widget)
    return page


def facts(rows: Sequence[AccountFact], strong: bool = False) -> QWidget:
    """Values below their names, side by side as far as there is room."""
    page = QWidget()
    layout = flowing(GAP, *(_fact(row, strong) for row in rows))
    layout.setContentsMargins(0, 0, 0, 0)
    page.setLayout(layout)
    policy = page.sizePolicy()
    policy.setHeightForWidth(True)
    page.setSizePolicy(policy)
    return page


def _fact(row: AccountFact, strong: bool) -> QWidget:
    name, value = QLabel(row.label), Elided(Qt.TextElideMode.ElideMiddle)
    name.setProperty("role", "label")
    if strong:
        value.setFont(font(BODY, strong=True))
    value.show_text(row.text)
    for label in (name, value):
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setToolTip(row.tip if row.tip else row.text)
    value.setAccessibleName(f"{row.label}: {row.text}")
    return stacked(*([name] if row.label else []), value, gap=0)


class Name(QPushButton):
    """A name that leads to what is called so; its middle gives way."""

    def __init__(self, text: str, pressed: Callable[[], None], strong: bool = False) -> None:
        super().__init__()
        self._text = text
        self.setProperty("link", True)
        if strong:
            self.setFont(font(BODY, strong=True))
        self.setToolTip(say("{}\nShow it in the graph", text))
        self.setAccessibleName(say("Show {} in the graph", text))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda: pressed())

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(Verbatim(self._text)) + GAP, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.width() - GRID
        shown = self.fontMetrics().elidedText(Verbatim(self._text), Qt.TextElideMode.ElideMiddle, room)
        self.setText(Verbatim(shown.replace("&", "&&")))


def table(rows: AccountTable) -> QWidget:
    """Makes a table of all rows, in columns that wrap."""
    page = QWidget()
    grid = QGridLayout(page)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(GAP)
    grid.setVerticalSpacing(GRID)
    for column, head in enumerate(rows.heads):
        _put(grid, words(head, "label"), 0, column, rows)
        is_text = column not in rows.right
        grid.setColumnStretch(column, _MORE if is_text else 1)
        grid.setColumnMinimumWidth(column, _LEAST)
    for number, cells in enumerate(rows.rows):
        grid.addWidget(rule(), 2 * number + 1, 0, 1, len(rows.heads))
        for column, cell in enumerate(cells):
            _put(grid, words(cell), 2 * number + 2, column, rows)
    return page


def _put(grid: QGridLayout, label: QLabel, row: int, column: int, rows: AccountTable) -> None:
    flags = Qt.AlignmentFlag
    label.setAlignment(flags.AlignTop | (flags.AlignRight if column in rows.right else flags.AlignLeft))
    grid.addWidget(label, row, column)
