"""The list of runs with the form beside it while that is wanted."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QWidget

from errorflow_viewer.panels.runs.evaluate_pane import EvaluatePane

# Logical px, of the form; with less than twice as much room it stands above the list.
WIDTH = 292
# What Qt calls any size.
_ANY = (1 << 24) - 1
_DIRECTIONS = {True: QBoxLayout.Direction.TopToBottom, False: QBoxLayout.Direction.LeftToRight}


class EvaluatePage(QWidget):
    """Esc closes the form, wherever on the page the keyboard is."""

    def __init__(self, pane: EvaluatePane, content: QWidget) -> None:
        super().__init__()
        self._pane = pane
        self._line = QFrame()
        self._line.setProperty("role", "rule")
        self._line.hide()
        self._row = QBoxLayout(_DIRECTIONS[False], self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addWidget(pane)
        self._row.addWidget(self._line)
        self._row.addWidget(content, 1)
        pane.opened.connect(self._line.show)
        pane.closed.connect(self._line.hide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < 2 * WIDTH
        self._row.setDirection(_DIRECTIONS[is_narrow])
        self._row.setStretch(0, 1 if is_narrow else 0)
        self._pane.setMinimumWidth(0 if is_narrow else WIDTH)
        self._pane.setMaximumWidth(_ANY if is_narrow else WIDTH)
        self._line.setFixedSize(_ANY if is_narrow else 1, 1 if is_narrow else _ANY)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self._pane.isHidden():
            self._pane.leave()
        else:
            super().keyPressEvent(event)
