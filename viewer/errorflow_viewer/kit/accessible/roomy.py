"""A panel that asks for more height than a small screen, or large text, has: it is scrolled instead."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

# Logical px of height that a panel may ask for below the graph, and beside it, and of width.
BELOW, BESIDE, WIDE = 108, 260, 340


def roomy(content: QWidget, is_below: bool) -> QWidget:
    """What holds it; most panels never scroll in it."""
    return _Roomy(content, BELOW if is_below else BESIDE)


class _Roomy(QScrollArea):
    """Asks for as much as its content does, up to a limit."""

    def __init__(self, content: QWidget, most: int) -> None:
        super().__init__()
        self._content, self._most = content, most
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)

    def minimumSizeHint(self) -> QSize:
        content = self._content
        asked, least = content.minimumSizeHint(), content.minimumSize()
        wide, high = least.width() if least.width() else asked.width(), max(asked.height(), least.height())
        bar = self.verticalScrollBar().sizeHint().width() if high > self._most else 0  # else it scrolled both ways
        return QSize(min(wide, WIDE) + bar, min(high, self._most))

    def sizeHint(self) -> QSize:
        return self._content.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
