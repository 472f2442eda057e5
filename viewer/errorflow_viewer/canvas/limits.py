"""The two limits of a legend under the hand: handles that are dragged or moved by keys, numbers that are typed."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QWidget

from errorflow.report.limits import STEP, LimitAxis, typed
from errorflow_viewer.canvas.legend import CanvasLegend, Places

Which = Literal["good", "bad"]
_WORDS: dict[Which, str] = {"good": "Good limit", "bad": "Bad limit"}
# Logical px: how wide a handle takes the pointer, and its frame while it has the keyboard.
_WIDE, _FRAME = 14, 1.5
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_Up: 1}
_FAR = 5


class Handle(QWidget):
    """Handle of a limit. What is seen of it belongs to the legend, so that pictures have it, too."""

    def __init__(self, parent: QWidget, which: Which, limits: "Limits") -> None:
        super().__init__(parent)
        self._which: Which = which
        self._limits = limits
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setAccessibleName(_WORDS[which])
        self.setToolTip(f"{_WORDS[which]}: drag it, or move it by the arrow keys. Enter: type it. Double click: reset")
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._limits.hold()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._limits.drag(self._which, self.mapToParent(event.position()).x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._limits.release()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._limits.reset.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None:
            far = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self._limits.push(self._which, step * STEP * (_FAR if far else 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            self._limits.ask(self._which)
        elif event.key() == Qt.Key.Key_Backspace:
            self._limits.reset.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._limits.release()
        self.update()
        super().focusOutEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(self.palette().accent().color(), _FRAME))
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 3, 3)
            painter.end()


class _Number(QWidget):
    """Number of a limit, read there, and typed after a double click."""

    def __init__(self, parent: QWidget, asked: Callable[[], None], which: Which) -> None:
        super().__init__(parent)
        self._asked = asked
        self.setToolTip(f"{_WORDS[which]}: double click to type it")
        self.setAccessibleName(f"{_WORDS[which]}, as a number")
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._asked()


class Limits(QObject):
    """Limits of what a legend shows."""

    moved = Signal(float, float)  # good and bad, by the user; many of them make one move
    settled = Signal()  # the hand is off
    reset = Signal()  # the user wants the metric's own

    def __init__(self, parent: QWidget, legend: CanvasLegend) -> None:
        super().__init__(parent)
        self._legend = legend
        self._scale = QRect()
        self.handles: dict[Which, Handle] = {
            "good": Handle(parent, "good", self),
            "bad": Handle(parent, "bad", self),
        }
        self.numbers: dict[Which, _Number] = {
            "good": _Number(parent, lambda: self.ask("good"), "good"),
            "bad": _Number(parent, lambda: self.ask("bad"), "bad"),
        }
        self.editor = QLineEdit(parent)
        self.editor.hide()
        self.editor.installEventFilter(self)
        self.editor.returnPressed.connect(self._take)
        self._asked: Which = "good"

    @property
    def have_keyboard(self) -> bool:
        return any(handle.hasFocus() for handle in self.handles.values())

    def follow(self, places: Places | None, top: float, ratio: float) -> None:
        """Lies where the legend is; None: there is none."""
        axis = self._legend.axis
        shown = places is not None and axis is not None
        for widget in (*self.handles.values(), *self.numbers.values()):
            widget.setVisible(shown)
        if places is None or axis is None:
            self.editor.hide()
            return
        self._scale = _logical(places.scale, top, ratio)
        ends: tuple[tuple[Which, float], ...] = (("good", axis.good), ("bad", axis.bad))
        for which, place in ends:
            middle = round(self._scale.left() + place * places.scale.width() / ratio)
            self.handles[which].setGeometry(middle - _WIDE // 2, self._scale.top(), _WIDE, self._scale.height())
            value = axis.scale.limit(axis.scale.good if which == "good" else axis.scale.bad)
            self.handles[which].setAccessibleDescription(f"{axis.scale.label}: {value}")
            number = _logical(places.good if which == "good" else places.bad, top, ratio)
            self.numbers[which].setGeometry(number)

    # By hand

    def hold(self) -> None:
        """The line stays as it is until the hand is off."""
        self._legend.held = self._legend.axis

    def drag(self, which: Which, x: float) -> None:
        """Drags to a place in the parent."""
        self._put(which, (x - self._scale.left()) / max(self._scale.width(), 1))

    def push(self, which: Which, share: float) -> None:
        """Pushes by so much of the line. Presses of a key in a row are one move."""
        axis = self._legend.axis
        if axis is not None:
            self._legend.held = axis if self._legend.held is None else self._legend.held
            self._put(which, (axis.good if which == "good" else axis.bad) + share)

    def release(self) -> None:
        if self._legend.held is not None:
            self._legend.held = None
            self.settled.emit()

    def _put(self, which: Which, place: float) -> None:
        axis = self._legend.axis
        if axis is not None:
            self.moved.emit(*axis.moved(which, place))

    # By number

    def ask(self, which: Which) -> None:
        """Lets the user type a limit where it is written."""
        axis: LimitAxis | None = self._legend.axis
        if axis is None:
            return
        self._asked = which
        place = self.numbers[which].geometry()
        place.setWidth(max(place.width(), 72))
        self.editor.setGeometry(place.adjusted(0, 2, 0, -2))
        self.editor.setAccessibleName(f"{_WORDS[which]} of {axis.scale.label}")
        self.editor.setText(f"{axis.scale.good if which == 'good' else axis.scale.bad:g}")
        self.editor.selectAll()
        self.editor.show()
        self.editor.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.editor.hide()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            self._leave()
            return True
        return super().eventFilter(watched, event)

    def _take(self) -> None:
        axis = self._legend.axis
        limits = None if axis is None else typed(axis.scale, self._asked, self.editor.text())
        if limits is None:
            self.editor.selectAll()
            self.editor.setToolTip("A number on the right side of the other limit")
            return
        self._leave()
        self.moved.emit(*limits)
        self.settled.emit()

    def _leave(self) -> None:
        """The keyboard goes on where it was."""
        self.editor.hide()
        self.handles[self._asked].setFocus()


def _logical(place: QRectF, top: float, ratio: float) -> QRect:
    """Converts device pixels of the strip to the parent's own."""
    left, upper = round(place.left() / ratio), round((top + place.top()) / ratio)
    return QRect(left, upper, round(place.width() / ratio), round(place.height() / ratio))
