"""Labels that show as much of a text as there is room for, or is wanted."""

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent, QTextLayout
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea

from errorflow.base.language import translated

# So wide that no text wraps.
_ENDLESS = 1 << 16


class Elided(QLabel):
    """Label with as much of a text as there is room for."""

    def __init__(self, mode: Qt.TextElideMode) -> None:
        super().__init__()
        self._mode = mode
        self._text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(40)

    def show_text(self, text: str) -> None:
        self._text = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self._text) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(40, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._text, self._mode, self.width()))


class Scrolled(QScrollArea):
    """Label as high as its text up to a limit, and never a reason for the window to grow."""

    def __init__(self, text: QLabel, tallest: int) -> None:
        super().__init__()
        self._text, self._tallest = text, tallest
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(text)
        for ground in (text, self.viewport()):  # that of what it lies in is seen
            ground.setAutoFillBackground(False)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return min(self._text.heightForWidth(width), self._tallest)

    def sizeHint(self) -> QSize:
        whole = self._text.sizeHint()
        return QSize(whole.width(), min(whole.height(), self._tallest))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())


class Clamped(QLabel):
    """A text without line breaks that wraps, of which so many lines are shown at most."""

    # Whether some of it is not shown.
    cut = Signal(bool)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setWordWrap(True)
        # 0: all.
        self._most = 0
        # What is shown in place of the text, and how high each is; empty: all of it is.
        self._lines: list[str] = []
        self._high = 0

    @property
    def is_cut(self) -> bool:
        return bool(self._lines)

    def limit(self, lines: int) -> None:
        """0: all are shown."""
        if lines != self._most:
            self._most = lines
            self.updateGeometry()
            self._look()

    def heightForWidth(self, width: int) -> int:
        return self._within(super().heightForWidth(width))

    def sizeHint(self) -> QSize:
        whole = super().sizeHint()
        return QSize(whole.width(), self._within(whole.height()))

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(least.width(), self._within(least.height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._look()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.LanguageChange):
            self._look()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._lines:
            super().paintEvent(event)
            return
        painter, high = QPainter(self), self._high  # as known: to ask Qt is to be painted again, without end
        left, role = Qt.AlignmentFlag.AlignLeft, self.foregroundRole()
        for number, line in enumerate(self._lines):
            place = QRect(0, number * high, self.width(), high)
            self.style().drawItemText(painter, place, left, self.palette(), self.isEnabled(), line, role)

    def _within(self, height: int) -> int:
        """Notes how high a line is: letters of another script may come from a taller font."""
        self._high = max(super().heightForWidth(_ENDLESS), self.fontMetrics().lineSpacing())
        return min(height, self._most * self._high) if self._most else height

    def _look(self) -> None:
        """Breaks it into lines where it is longer than is wanted."""
        whole, before = super().heightForWidth(self.width()), self.is_cut
        is_long = self._most > 0 and self.width() > 0 and whole > self._within(whole)
        self._lines = _broken(translated(self.text(), label=True), self.font(), self.width(), self._most, is_long)
        self.update()
        if self.is_cut != before:
            self.cut.emit(self.is_cut)


def _broken(text: str, font: QFont, width: int, most: int, is_long: bool) -> list[str]:
    """Breaks by Qt's layout and not its metrics, which take a text for one of the window's own and translate it."""
    lines: list[str] = []
    while is_long and text and len(lines) < most - 1:
        layout = QTextLayout(text, font)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(width)
        layout.endLayout()
        lines.append(text[: line.textLength()].rstrip())
        text = text[line.textLength() :]
    return [*lines, _shortened(text, font, width)] if is_long else []


def _shortened(text: str, font: QFont, width: int) -> str:
    """Shortens with an ellipsis to as much as fits into a line."""
    least, most = 0, len(text)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if _wide(f"{text[:middle]}…", font) <= width else (least, middle - 1)
    return text if least == len(text) else f"{text[:least].rstrip()}…"


def _wide(text: str, font: QFont) -> float:
    layout = QTextLayout(text, font)
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    return line.naturalTextWidth()
