"""The widget that shows a drawing and listens to the user."""

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import (
    QEvent,
    QKeyCombination,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QHelpEvent,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPointingDevice,
    QRegion,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QToolTip, QWidget

from errorflow.report.legend import HIGH, SWATCH, Entry
from errorflow.report.paint import Paint
from errorflow_viewer.canvas.legend import Limits, Places, paint_swatch
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import READABLE, Style
from errorflow_viewer.canvas.stage import CanvasStage
from errorflow_viewer.canvas.texts import group_tooltip, readable, spoken, spoken_group, tooltip
from errorflow_viewer.canvas.walk import Way
from errorflow_viewer.canvas.whereabouts import STRIP, all_seen, group_round, group_within
from errorflow_viewer.kit.accessible.regions import PART
from errorflow_viewer.kit.look import LABEL

# Logical px round the pointer in which what is told of a group stays.
_STAYS = 12
# Milliseconds after the last move until the minimap gives way.
_AT_REST = 200
_BY_KEY = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
# Those at the side of a mouse, and where they lead through the history.
_SIDE_BUTTONS = {Qt.MouseButton.BackButton: -1, Qt.MouseButton.ForwardButton: 1}


class Canvas(CanvasStage):
    """Shows a drawing; says what the user points at, selects and opens."""

    picked = Signal(object)  # box or None: the user selected it
    walked = Signal(object)  # box: the user came there by an arrow key
    went = Signal(object)  # box: the user went to an end of the flow
    stepped = Signal(int)  # back (-1) or forward (1), by a button at the side of the mouse
    jumping = Signal()  # the user is about to leave what is in view, by the minimap
    opened = Signal(object)  # box: double click or Enter
    hovered = Signal(object)  # box or None
    group_picked = Signal(int)  # an open group: the user selected it
    group_activated = Signal(int)  # an open group: double click on its title
    legend_picked = Signal(str)  # the query that finds what an entry of the legend explains
    legend_menu_wanted = Signal(object)  # QPoint on the screen: the right button on the legend
    menu_wanted = Signal(object)  # QPoint on the screen: the right button, or the menu key; the target is selected

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Model graph")
        # The selection in a sentence.
        self.told = ""
        # Who has the commands whose keys are not its own, of a second graph the first; None: itself.
        self.commands: QWidget | None = None
        self.setProperty(PART, True)
        # Whether it is seen to have the keyboard: who came by mouse knows.
        self._ringed = False
        self._gestures = Gestures(self)
        self._resting = QTimer(self, singleShot=True, interval=_AT_REST)
        self._resting.timeout.connect(self._rest)
        self.moved.connect(self._resting.start)
        # Of what boxes are filled by.
        self.limits = Limits(self, self._screen.legend)

    # Selection

    def select(self, box: int | None) -> None:
        """Marks a box as selected, without a signal."""
        self._highlights.select(box)
        self._tell_screen_readers()

    def selected(self) -> int | None:
        return self._highlights.selected

    def select_group(self, group: int) -> None:
        """Marks an open group as selected, without a signal."""
        self._highlights.select_group(group)
        self._tell_screen_readers()

    def selected_group(self) -> int | None:
        return self._highlights.group

    def pick_group(self, group: int) -> None:
        """Selects an open group on behalf of the user."""
        self.select_group(group)
        self.group_picked.emit(group)

    def go_out(self) -> bool:
        """Goes from a box or a group to the group that it is in, from the outermost to nothing; whether there was a
        way.
        """
        box, group = self.selected(), self.selected_group()
        if self._scene is None or (box is None and group is None):
            return False
        drawing = self._scene.drawing
        around = int(drawing.groups[box]) if box is not None else group_round(drawing, group)
        self.pick(None) if around < 0 else self.pick_group(around)
        return True

    def go_in(self) -> bool:
        """Opens the selected box, or selects what comes first in the selected group; whether anything is selected."""
        box, group = self.selected(), self.selected_group()
        if box is not None:
            self.opened.emit(box)
        elif group is not None and self._scene is not None:
            first, inner = self._scene.first_in(group), group_within(self._scene.drawing, group)
            if first is None and inner is not None:
                self.pick_group(inner)
            self._go(first, self.picked)
        return box is not None or group is not None

    def pick(self, box: int | None) -> None:
        """Selects on behalf of the user."""
        self.select(box)
        self.picked.emit(box)

    def pick_end(self, first: bool) -> None:
        """Goes to where the flow begins or ends."""
        if self._scene is not None:
            self._go(self._scene.walk.first() if first else self._scene.walk.last(), self.went)

    def walk(self, way: Way) -> None:
        """Goes from the selected box along an edge, or to a sibling."""
        box = self.selected()
        if self._scene is not None and box is not None:
            self._go(self._scene.walk.step(box, way), self.walked)

    def hover(self, box: int | None) -> None:
        """Marks the box under the pointer."""
        if box != self._highlights.hovered:
            self._highlights.hover(box)
            self.hovered.emit(box)

    @property
    def readable(self) -> bool:
        """Whether labels are large enough to be read."""
        return LABEL * self.zoom >= READABLE

    @property
    def all_seen(self) -> bool:
        """Whether all of the drawing is in sight, so that no minimap is needed."""
        return all_seen(self._port(), self._camera)

    @property
    def path(self) -> bool:
        """Whether all that leads to the selected box and depends on it is lit."""
        return self._highlights.with_path

    def set_path(self, on: bool) -> None:
        self._highlights.with_path = on

    def set_error(self, paint: "Paint | None") -> None:
        super().set_error(paint)
        self._tell_screen_readers()

    def follow_legend(self) -> None:
        port, legend = self._port(), self._screen.legend
        told = (
            legend.shown is not None
            and legend.height(port.width, port.height, port.ratio, self._screen.style)
            and self._scene is not None
        )
        places = legend.places(port.width, port.ratio, self._screen.style) if told else None
        self.limits.follow(places, port.height, port.ratio)
        super().follow_legend()

    def legend_entry_at(self, point: QPointF) -> "Entry | None":
        """Finds what is explained at a point of the legend."""
        places, spot = self._legend_places(point)
        entries = () if places is None else places.entries
        return next((entry for entry, place in entries if place.contains(spot)), None)

    def legend_rest_at(self, point: QPointF) -> "tuple[Entry, ...]":
        """Finds what the legend has no room for, where it tells how much that is."""
        places, spot = self._legend_places(point)
        return places.hidden if places is not None and places.more.contains(spot) else ()

    @property
    def has_legend(self) -> bool:
        return any(entry.query for entry in self._screen.legend.entries)

    def find_by_legend(self) -> None:
        """Lists all that a click on the legend would find."""
        entries = tuple(entry for entry in self._screen.legend.entries if entry.query)
        if entries:
            menu = rest_menu(self, entries, self._screen.style, self.legend_picked.emit)
            menu.popup(self.mapToGlobal(QPoint(0, self.height() - menu.sizeHint().height())))

    def _legend_places(self, point: QPointF) -> tuple[Places | None, QPointF]:
        """Finds where its parts are, and a point of the widget that is among them; None: it is elsewhere."""
        if not self.legend_at(point):
            return None, point
        port = self._port()
        places = self._screen.legend.places(port.width, port.ratio, self._screen.style)
        return places, point * port.ratio - QPointF(0, port.height)

    # Events

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tooltip(event)
            return True
        if isinstance(event, QNativeGestureEvent):
            return self._gestures.pinch(event)
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._ringed = False
        if event.button() in _SIDE_BUTTONS:
            self.stepped.emit(_SIDE_BUTTONS[event.button()])
        elif self.legend_at(event.position()):
            if event.button() == Qt.MouseButton.LeftButton:
                self._press_legend(event.position())
        else:
            self._gestures.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._gestures.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._gestures.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._gestures.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._gestures.wheel(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        spot = event.globalPos()
        if self.limits.have_keyboard:
            self.legend_menu_wanted.emit(spot)
            return
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            if self.legend_at(QPointF(event.pos())):
                self.legend_menu_wanted.emit(spot)
                return
            self._gestures.point_at(QPointF(event.pos()))
        else:
            spot = self.mapToGlobal(self._anchor().toPoint() / self.devicePixelRatioF())
        self.menu_wanted.emit(spot)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self.hover(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._ringed = event.reason() in _BY_KEY
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus() and self._ringed:
            painter = QPainter(self)
            painter.setPen(QPen(self._screen.style.colors.selection, 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
            painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press(self, event):
            super().keyPressEvent(event)

    # How

    def _show(self, scene: Scene | None) -> None:
        self.hover(None)  # what is under the pointer has another number now, if it is there at all
        super()._show(scene)
        self._tell_screen_readers()

    def _rest(self) -> None:
        """The minimap gives way to boxes, but not while the pointer is on it."""
        pointer = QPointF(self.mapFromGlobal(QCursor.pos()))
        if not self.on_minimap(pointer) and self._screen.clear_below_minimap(self._port(), self._camera):
            self.update()

    def free_sight(self) -> QRegion:
        """Finds what of the widget shows the graph with no other widget over it."""
        free = QRegion(self.sight().toAlignedRect())
        if self.readable and self.whereabouts():
            free -= QRegion(0, 0, self.width(), STRIP)
        ratio, place = self.devicePixelRatioF(), self._map_place()
        return free - QRegion(QRectF(place.topLeft() / ratio, place.size() / ratio).toAlignedRect())

    def _go(self, box: int | None, said: SignalInstance) -> None:
        """Selects a box on behalf of the user and brings it into sight."""
        if box is None:
            return
        self.select(box)
        said.emit(box)
        if not QRectF(self.rect()).adjusted(24, 24 + STRIP, -24, -24).contains(self.place_of(box)):
            self.centre_on(box)

    def _press_legend(self, spot: QPointF) -> None:
        entry, rest = self.legend_entry_at(spot), self.legend_rest_at(spot)
        if entry is not None and entry.query:
            self.legend_picked.emit(entry.query)
        elif rest:
            menu = rest_menu(self, rest, self._screen.style, self.legend_picked.emit)
            menu.popup(self.mapToGlobal(spot.toPoint()) - QPoint(0, menu.sizeHint().height()))

    def _show_tooltip(self, event: QHelpEvent) -> None:
        spot, scene = QPointF(event.pos()), self._scene
        box = None if self.on_minimap(spot) else self.box_at(spot)
        if scene is not None and box is not None:
            text = readable("\n".join(filter(None, (tooltip(scene.drawing, scene.graph, box), self.note_on(box)))))
            QToolTip.showText(event.globalPos(), text, self, self.place_of(box).toAlignedRect())
            return
        entry, rest = self.legend_entry_at(spot), self.legend_rest_at(spot)
        finds = entry is not None and entry.query
        text = f"{entry.text}: click to find them all" if entry is not None and finds else self.legend_at(spot)
        text = "\n".join([*(each.text for each in rest), "Click to find one of them"]) if rest else text
        # From near the ground is where one rests the pointer; from afar a group is read as a whole.
        group = None if text or self.on_minimap(spot) else self.group_at(spot, title_only=self.readable)
        if scene is not None and group is not None:
            text = readable(group_tooltip(scene.drawing, scene.graph, group))
        around = QRect(event.pos(), event.pos()).adjusted(-_STAYS, -_STAYS, _STAYS, _STAYS)
        QToolTip.showText(event.globalPos(), text, self, around)

    def _tell_screen_readers(self) -> None:
        if self._scene is None:
            text = "Nothing is open."
        elif (group := self.selected_group()) is not None:
            text = spoken_group(self._scene.drawing, group)
        else:
            text = spoken(self._scene.drawing, self._scene.graph, self.selected())
            text = ", ".join(filter(None, (text, *readable(self.note_on(self.selected())).split("\n"))))
        if text == self.told:
            return
        self.told = text
        # What is selected has the keyboard, as far as readers go. The graph's own description changes after that: of
        # what has the keyboard they say it.
        if QAccessible.isActive() and self.hasFocus() and self._scene is not None:
            now = QAccessibleEvent(self, QAccessible.Event.Focus)
            now.setChild(0)
            QAccessible.updateAccessibility(now)
        self.setAccessibleDescription(text)


# Logical px of a sign in the menu.
_SIDE = 16


def rest_menu(parent: QWidget, rest: Iterable[Entry], style: Style, find: Callable[[str], None]) -> QMenu:
    """Chosen, an entry finds what it explains; what nothing finds is explained only."""
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for entry in rest:
        action = menu.addAction(_icon(entry, style, parent.devicePixelRatioF()), entry.text.replace("&", "&&"))
        action.setEnabled(bool(entry.query))
        action.triggered.connect(partial(_find, find, entry.query))
    return menu


def _find(find: Callable[[str], None], query: str, _checked: bool = False) -> None:
    find(query)


def _icon(entry: Entry, style: Style, ratio: float) -> QIcon:
    picture = QPixmap(QSize(_SIDE, _SIDE) * ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    try:
        corner = QPointF((_SIDE - SWATCH) / 2, (_SIDE - HIGH) / 2) * ratio
        paint_swatch(painter, entry, corner, style, ratio)
    finally:
        painter.end()
    picture.setDevicePixelRatio(ratio)
    return QIcon(picture)


_ZOOM = 1.25
# Of the width or height, for each press of an arrow, and of a key for a page.
_PAN, _PAGE = 0.15, 0.85

_ARROWS = {
    Qt.Key.Key_Down: (Way.DOWN, 0, -1),
    Qt.Key.Key_Up: (Way.UP, 0, 1),
    Qt.Key.Key_Left: (Way.LEFT, 1, 0),
    Qt.Key.Key_Right: (Way.RIGHT, -1, 0),
}

_KEYS: dict[int, Callable[["Canvas"], None]] = {
    Qt.Key.Key_Plus: lambda canvas: canvas.zoom_by(_ZOOM),
    Qt.Key.Key_Equal: lambda canvas: canvas.zoom_by(_ZOOM),
    Qt.Key.Key_Minus: lambda canvas: canvas.zoom_by(1 / _ZOOM),
    Qt.Key.Key_0: lambda canvas: canvas.zoom_to(1.0),
    Qt.Key.Key_F: lambda canvas: canvas.fit(),
    Qt.Key.Key_PageUp: lambda canvas: canvas.pan(0, canvas.height() * _PAGE),
    Qt.Key.Key_PageDown: lambda canvas: canvas.pan(0, -canvas.height() * _PAGE),
    Qt.Key.Key_Home: lambda canvas: canvas.pick_end(first=True),
    Qt.Key.Key_End: lambda canvas: canvas.pick_end(first=False),
}
_SHIFT, _PAD = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.KeypadModifier
_IGNORED = ~(_SHIFT | _PAD)


def press(canvas: "Canvas", event: QKeyEvent) -> bool:
    """Does what the key asks for; whether it is one of ours."""
    key = event.key()
    if event.modifiers() & _IGNORED or _is_of_command(canvas, event):
        return False
    if key in _ARROWS:
        _arrow(canvas, key, bool(event.modifiers() & _SHIFT))
        return True
    if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return canvas.go_in()
    if key == Qt.Key.Key_Escape:
        return canvas.go_out()
    if key not in _KEYS:
        return False
    _KEYS[key](canvas)
    return True


def _is_of_command(canvas: "Canvas", event: QKeyEvent) -> bool:
    """Whether the user gave it to a command, which has it also while it cannot be done."""
    held = event.modifiers() & ~_PAD
    # Shift may be needed to write a sign.
    ways = (held,) if event.key() == Qt.Key.Key_F else (held, held & ~_SHIFT)
    pressed = [QKeySequence(QKeyCombination(way, Qt.Key(event.key()))) for way in ways]
    around = canvas if canvas.commands is None else canvas.commands
    return any(keys in pressed for action in around.actions() for keys in action.shortcuts())


def _arrow(canvas: "Canvas", key: int, shift: bool) -> None:
    """Walks the graph; without a selection, or with Shift, moves the view."""
    way, right, down = _ARROWS[Qt.Key(key)]
    if canvas.selected() is None or shift:
        canvas.pan(right * canvas.width() * _PAN, down * canvas.height() * _PAN)
    else:
        canvas.walk(way)


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
