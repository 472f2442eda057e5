"""An answer of more than a line: as high as its text, so that all of it is seen."""

from PySide6.QtCore import QSignalBlocker, QSizeF, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit

from errorflow_viewer.look import GRID
from errorflow_viewer.scaling import OWN_SIZE, px

# Lines that are seen without scrolling.
MOST = 8


class LongAnswer(QPlainTextEdit):
    """Can what the form asks of a line. `height`: of an empty one."""

    textEdited = Signal(str)

    def __init__(self, height: int) -> None:
        super().__init__()
        self._least = height
        self.setProperty("role", "field")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(GRID)
        self.setViewportMargins(GRID, 1, GRID, 0)  # the text begins where that of a line does
        self.setProperty(OWN_SIZE, True)
        self.setFixedHeight(px(height))
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.textChanged.connect(lambda: self.textEdited.emit(self.text()))

    def text(self) -> str:
        return self.toPlainText()

    def setText(self, text: str) -> None:
        """Nobody typed it."""
        with QSignalBlocker(self):
            self.setPlainText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(self.document().size())

    def _fit(self, size: QSizeF) -> None:
        """Of a plain text the layout counts lines."""
        lines = min(max(int(size.height()), 1), MOST)
        around = 2 * (GRID + self.frameWidth()) + 1
        self.setFixedHeight(max(px(self._least), lines * self.fontMetrics().lineSpacing() + around))
        is_cut = size.height() > MOST
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if is_cut else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
