"""Labels, links and tables that the chapters are made of."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from errorflow.base.language import Verbatim, say
from errorflow.base.language.drawn import drawn
from errorflow.report.account.model import AccountFact, AccountTable, Card
from errorflow.report.figure_shapes import colors_in_the_dark
from errorflow.report.html.themed import recolored
from errorflow_viewer.kit.elided import Elided
from errorflow_viewer.kit.layouts import flowing, rule, spaced, text_label
from errorflow_viewer.kit.look import BODY, GAP, GRID, PADDING, Theme
from errorflow_viewer.kit.style import font
from errorflow_viewer.plots.figures import in_our_font

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


# A node that matters, as a card.

DRAWING = "Its values are being looked at…"


class NodeCard(QFrame):
    """Name, verdict, numbers and why; its picture when that is there."""

    def __init__(self, card: Card, number: int, theme: Theme, go: Callable[[int], None], waits: bool) -> None:
        super().__init__()
        self.card = card
        self.setProperty("role", "sheet")
        self.setAccessibleName(say("{}: {}, {}, {}", number, card.title, card.op_type, say(card.word)))
        self.name = Name(card.title, lambda: go(card.node), strong=True)
        badge = QLabel(f"{number}")
        badge.setProperty("role", "strong")
        head = QHBoxLayout()
        head.setSpacing(PADDING)
        head.addWidget(badge)
        head.addWidget(self.name, 1)
        box = spaced(QVBoxLayout(self), GRID, (GAP, PADDING, GAP, GAP))
        box.addLayout(head)
        box.addWidget(words(" · ".join(filter(None, (card.op_type, card.word, card.how))), muted=True))
        if card.share_text:
            box.addWidget(_Share(card, theme))
        box.addWidget(words(card.why))
        if card.told:
            box.addWidget(words(card.told, muted=True))
        if card.numbers:
            box.addSpacing(GRID)
            box.addWidget(facts(card.numbers, strong=True))
        if card.picture:
            box.addSpacing(GRID)
            box.addWidget(VerdictPicture(card.picture, theme, say("Values of {} in both runs", card.title)))
        elif waits:
            box.addWidget(words(DRAWING, muted=True))
        box.addStretch(1)


class _Share(QWidget):
    """Share of the error at the output that it brings, as a line on its track and in words."""

    def __init__(self, card: Card, theme: Theme) -> None:
        super().__init__()
        self._share = card.share
        self._colors = theme.hairline, theme.error.mark
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text = QLabel(card.share_text, self)
        self.text.setProperty("role", "strong")
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, GRID + 4)
        box.addWidget(self.text, 0, Qt.AlignmentFlag.AlignLeft)

    def sizeHint(self) -> QSize:
        return super().sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        track, mark = self._colors
        whole = QRectF(0, self.height() - 4, self.width(), 4)
        painter.fillRect(whole, QColor(track))
        whole.setWidth(whole.width() * min(max(self._share, 0.0), 1.0))
        painter.fillRect(whole, QColor(mark))


# A plot of the report in the theme of the window, as sharp as the screen is.

# In logical px: never smaller, or nobody reads its numbers.
LEAST = 240
# Of the size that it was made in.
LARGEST = 1.1


class VerdictPicture(QWidget):
    """Picture as wide as there is room, and as high as that makes it."""

    def __init__(self, svg: str, theme: Theme, said: str) -> None:
        super().__init__()
        text = recolored(svg, colors_in_the_dark()) if theme.dark else svg
        # As it is shown, for other programs.
        self.svg = drawn(text).encode("utf-8", "replace")
        self._renderer = QSvgRenderer(QByteArray(in_our_font(self.svg)), self)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(said)

    def sizeHint(self) -> QSize:
        return self._renderer.defaultSize()

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST, self.heightForWidth(LEAST))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        size = self._renderer.defaultSize()
        return round(self._across(width) * size.height() / max(size.width(), 1))

    def _across(self, width: int) -> float:
        """Computes a width at which its letters do not become larger than those around it."""
        return min(float(width), LARGEST * self._renderer.defaultSize().width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self._renderer.render(painter, QRectF(0, 0, self._across(self.width()), self.heightForWidth(self.width())))
