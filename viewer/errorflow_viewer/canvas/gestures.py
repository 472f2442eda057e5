"""Mouse, wheel and trackpad, turned into what the canvas does."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from errorflow_viewer.canvas.view import Canvas

# One notch of a wheel, in the units of Qt, and how much it zooms.
_NOTCH, _PER_NOTCH = 120.0, 1.2


class Gestures:
    """Remembers where a press began; a press that moves is a drag, one that does not is a click."""

    def __init__(self, canvas: "Canvas") -> None:
        self._canvas = canvas
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._dragging = False
        self._mapping = False

    def press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._canvas.on_minimap(event.position()):
            self._mapping = True
            self._canvas.jumping.emit()
            self._canvas.go_on_minimap(event.position())
        elif event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = self._last = event.position()
            self._dragging = event.button() == Qt.MouseButton.MiddleButton

    def move(self, event: QMouseEvent) -> None:
        point = event.position()
        if self._mapping:
            self._canvas.go_on_minimap(point)
            return
        if self._pressed is None:
            self._canvas.hover(None if self._canvas.on_minimap(point) else self._canvas.box_at(point))
            return
        if not self._dragging:
            self._dragging = (point - self._pressed).manhattanLength() >= QApplication.startDragDistance()
        if self._dragging:
            self._canvas.setCursor(Qt.CursorShape.ClosedHandCursor)
            delta = point - self._last
            self._canvas.pan(delta.x(), delta.y())
            self._last = point

    def release(self, event: QMouseEvent) -> None:
        clicked = self._pressed is not None and not self._dragging
        self._pressed = None
        self._dragging = self._mapping = False
        self._canvas.unsetCursor()
        if clicked and event.button() == Qt.MouseButton.LeftButton:
            self.point_at(event.position())

    def point_at(self, point: QPointF) -> None:
        """Selects what a click or a menu is meant for: a box, or the open group whose title or ground is there."""
        box = self._canvas.box_at(point)
        group = self._canvas.group_at(point) if box is None else None
        self._canvas.pick(box) if group is None else self._canvas.pick_group(group)

    def double_click(self, event: QMouseEvent) -> None:
        point = event.position()
        if event.button() != Qt.MouseButton.LeftButton or self._canvas.on_minimap(point):
            return
        box = self._canvas.box_at(point)
        # Not the ground of a group: who misses a box by a little must not see the whole group close.
        title = self._canvas.group_at(point, title_only=True) if box is None else None
        if box is not None:
            self._canvas.opened.emit(box)
        elif title is not None:
            self._canvas.group_activated.emit(title)

    def wheel(self, event: QWheelEvent) -> None:
        """A wheel zooms at the pointer; two fingers on a trackpad pan; with Ctrl both zoom."""
        zooms = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if not zooms and event.device().type() == QPointingDevice.DeviceType.TouchPad:
            delta = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta() / 2
            self._canvas.pan(delta.x(), delta.y())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._canvas.pan((event.angleDelta().x() + event.angleDelta().y()) / 2, 0)
        else:
            notches = event.angleDelta().y() / _NOTCH
            self._canvas.zoom_at(_PER_NOTCH**notches, event.position())
        event.accept()

    def pinch(self, event: QNativeGestureEvent) -> bool:
        """Two fingers that move apart zoom in."""
        if event.gestureType() != Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self._canvas.zoom_at(1 + event.value(), event.position())
        return True
