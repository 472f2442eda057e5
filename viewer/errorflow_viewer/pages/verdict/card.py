"""A node that matters, as a card."""

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from errorflow.base.language import say
from errorflow.report.account.model import Card
from errorflow_viewer.kit.layouts import spaced
from errorflow_viewer.kit.look import GAP, GRID, PADDING, Theme
from errorflow_viewer.pages.verdict.parts import Name, facts, words
from errorflow_viewer.pages.verdict.picture import VerdictPicture

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
