"""The widget that shows a drawing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow_viewer.canvas import keys
from errorflow_viewer.canvas.batch import Counts
from errorflow_viewer.canvas.camera import Camera, Port
from errorflow_viewer.canvas.colors import CanvasColors, colors_of
from errorflow_viewer.canvas.gestures import Gestures
from errorflow_viewer.canvas.highlights import Highlights
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.screen import Screen
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.canvas.texts import spoken, tooltip
from errorflow_viewer.canvas.viewpoint import Viewpoint
from errorflow_viewer.canvas.walk import Way
from errorflow_viewer.canvas.whereabouts import groups_round
from errorflow_viewer.look import LIGHT

# Logical px: how near a click must come to a box.
_REACH = 3.0


class Canvas(QWidget):
    """Shows a drawing; pans, zooms, and says what the user points at."""

    picked = Signal(object)  # box or None: the user selected it
    opened = Signal(object)  # box: double click or Enter
    hovered = Signal(object)  # box or None
    zoom_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(120, 80)
        self.setAccessibleName("Model graph")
        self._scene: Scene | None = None
        self._screen = Screen(Style(colors_of(LIGHT), self.font()))
        self._viewpoint = Viewpoint(self, self._port, self._on_moved)
        self._highlights = Highlights(self, self.update)
        self._gestures = Gestures(self)

    # What is shown

    def show_drawing(self, drawing: Drawing, graph: Graph, keep_view: bool = False) -> None:
        """Shows another drawing, all of it unless the view is to stay."""
        self._show(Scene(drawing, graph))
        self._viewpoint.fitted = self._viewpoint.fitted or not keep_view
        self._viewpoint.stay()

    def clear(self) -> None:
        """Shows nothing but the background."""
        self._show(None)

    def set_colors(self, colors: CanvasColors) -> None:
        self._screen.dress(Style(colors, self.font()))
        self.update()

    def set_node_fill(self, bins: NDArray[np.uint8] | None, palette: Sequence[QColor]) -> None:
        """One colour of the palette per box, in order of importance; a number beyond it leaves the family's tone."""
        self._screen.fill(bins, palette)
        self.update()

    # Selection

    def select(self, box: int | None) -> None:
        """Marks a box as selected, without a signal."""
        self._highlights.select(box)
        self._tell_screen_readers()

    def selected(self) -> int | None:
        return self._highlights.selected

    def pick(self, box: int | None) -> None:
        """Selects on behalf of the user."""
        self.select(box)
        self.picked.emit(box)

    def pick_end(self, first: bool) -> None:
        """Goes to where the flow begins or ends."""
        if self._scene is not None:
            self._go(self._scene.walk.first() if first else self._scene.walk.last())

    def walk(self, way: Way) -> None:
        """Goes from the selected box along an edge, or to a sibling."""
        box = self.selected()
        if self._scene is not None and box is not None:
            self._go(self._scene.walk.step(box, way))

    def hover(self, box: int | None) -> None:
        """Marks the box under the pointer."""
        if box != self._highlights.hovered:
            self._highlights.hover(box)
            self.hovered.emit(box)

    @property
    def path(self) -> bool:
        """Whether all that leads to the selected box and depends on it is lit."""
        return self._highlights.with_path

    def set_path(self, on: bool) -> None:
        self._highlights.with_path = on

    # Places

    def box_at(self, point: QPointF) -> int | None:
        """The box at a point of the widget; when boxes are tiny, the one next to it."""
        if self._scene is None:
            return None
        ratio = self.devicePixelRatioF()
        x, y = self._camera.to_scene(point.x() * ratio, point.y() * ratio)
        return self._scene.box_at(x, y, reach=_REACH * ratio / self._camera.scale)

    def place_of(self, box: int) -> QRectF:
        """Where a box is seen, in the coordinates of the widget; empty when nothing is shown."""
        if self._scene is None:
            return QRectF()
        ratio = self.devicePixelRatioF()
        left, top, width, height = self._scene.drawing.boxes[box].tolist()
        x, y = self._camera.to_device(left, top)
        scale = self._camera.scale / ratio
        return QRectF(x / ratio, y / ratio, width * scale, height * scale)

    # The view

    @property
    def zoom(self) -> float:
        """Pixels per unit of the drawing."""
        return self._camera.scale / self.devicePixelRatioF()

    def fit(self) -> None:
        """Shows everything."""
        self._viewpoint.fit(animate=self.isVisible())

    def zoom_to(self, zoom: float) -> None:
        """Sets the zoom, round the selected box if it is in sight, else round the middle."""
        self._viewpoint.zoom(zoom * self.devicePixelRatioF(), self._anchor())

    def zoom_by(self, factor: float) -> None:
        self.zoom_to(self.zoom * factor)

    def zoom_at(self, factor: float, point: QPointF) -> None:
        """Zooms with the picture staying where the pointer is."""
        self._viewpoint.zoom(self._camera.scale * factor, point * self.devicePixelRatioF())

    def pan(self, dx: float, dy: float) -> None:
        """Moves the picture by logical pixels."""
        ratio = self.devicePixelRatioF()
        self._viewpoint.pan(dx * ratio, dy * ratio)

    def centre_on(self, box: int, zoom: float | None = None, animate: bool = True) -> None:
        """Brings a box to the middle."""
        if self._scene is None:
            return
        x, y, width, height = self._scene.drawing.boxes[box].tolist()
        scale = self._camera.scale if zoom is None else zoom * self.devicePixelRatioF()
        self._viewpoint.centre(x + width / 2, y + height / 2, scale, animate and self.isVisible())

    def set_reduced_motion(self, on: bool) -> None:
        """Whether the view jumps where it would glide."""
        self._viewpoint.be_still(on)

    def settle(self) -> None:
        """Ends what is under way: lands a glide, and paints sharply what a zoom has blurred."""
        self._viewpoint.settle()
        self.update()

    # The minimap

    @property
    def minimap(self) -> bool:
        """Whether the minimap is shown when not everything is in sight."""
        return self._screen.minimap.wanted

    def set_minimap(self, on: bool) -> None:
        self._screen.minimap.wanted = on
        self.update()

    def on_minimap(self, point: QPointF) -> bool:
        return self._map_place().contains(point * self.devicePixelRatioF())

    def go_on_minimap(self, point: QPointF) -> None:
        """Brings the spot under a point of the minimap to the middle."""
        port = self._port()
        spot = self._screen.minimap.to_scene(port, self._map_place(), point * port.ratio)
        self._viewpoint.jump(*spot)

    def whereabouts(self) -> list[str]:
        """Groups round the middle of the view, from the outermost, when not all of their names are in sight."""
        port = self._port()
        return groups_round(self._scene, self._camera, port) if self._scene is not None else []

    # Pictures

    def paint_to(self, painter: QPainter, target: QRectF, source: QRectF | None = None) -> None:
        """Paints a part of the drawing (all of it by default) into a rectangle, fit for files that can be enlarged."""
        if self._scene is None:
            return
        if source is None:
            source = QRectF(0, 0, *self._scene.drawing.size)
        scale = min(target.width() / source.width(), target.height() / source.height())
        painter.save()
        painter.setClipRect(target)
        painter.translate(target.topLeft())
        painter.scale(scale, scale)
        painter.translate(-source.topLeft())
        self._screen.paint_part(painter, QRectF(source.topLeft(), target.size() / scale))
        painter.restore()

    def picture(self, scale: float = 1.0) -> QImage:
        """What is visible, without highlights."""
        return self._screen.picture(self._port(), self._camera, scale)

    @property
    def counts(self) -> Counts:
        """What the last act of painting took."""
        return self._screen.counts

    # Events

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        port = self._port()
        painter.scale(1 / port.ratio, 1 / port.ratio)
        self._screen.paint(painter, port, self._camera, self._highlights, hurry=self._viewpoint.zooming)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._viewpoint.stay()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tooltip(event)
            return True
        if isinstance(event, QNativeGestureEvent):
            return self._gestures.pinch(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._viewpoint.follow_screen()
            self.update()
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.set_colors(self._screen.style.colors)
        super().changeEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._gestures.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._gestures.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._gestures.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._gestures.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._gestures.wheel(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self.hover(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not keys.press(self, event):
            super().keyPressEvent(event)

    # How

    def _show(self, scene: Scene | None) -> None:
        self._viewpoint.stop()
        self._scene = scene
        self._screen.show(scene)
        self._highlights.reset(scene)
        self._tell_screen_readers()
        self.update()

    def _port(self) -> Port:
        ratio = self.devicePixelRatioF()
        width, height = self._scene.drawing.size if self._scene is not None else (1.0, 1.0)
        across, down = max(round(self.width() * ratio), 1), max(round(self.height() * ratio), 1)
        return Port(across, down, ratio, max(width, 1.0), max(height, 1.0))

    def _map_place(self) -> QRectF:
        return self._screen.minimap.place(self._port(), self._camera) if self._scene is not None else QRectF()

    def _anchor(self) -> QPointF:
        """What stays in place when there is no pointer to zoom at, in device pixels."""
        ratio = self.devicePixelRatioF()
        box = self.selected()
        middle = self.place_of(box).center() if box is not None else QPointF(-1, -1)
        if not QRectF(self.rect()).contains(middle):
            middle = QRectF(self.rect()).center()
        return middle * ratio

    def _go(self, box: int | None) -> None:
        """Selects a box on behalf of the user and brings it into sight."""
        if box is None:
            return
        self.pick(box)
        if not QRectF(self.rect()).adjusted(24, 24, -24, -24).contains(self.place_of(box)):
            self.centre_on(box)

    @property
    def _camera(self) -> Camera:
        return self._viewpoint.camera

    def _on_moved(self, zoomed: bool) -> None:
        self.update()
        if zoomed:
            self.zoom_changed.emit(self.zoom)

    def _show_tooltip(self, event: QHelpEvent) -> None:
        box = None if self.on_minimap(QPointF(event.pos())) else self.box_at(QPointF(event.pos()))
        if self._scene is None or box is None:
            QToolTip.hideText()
            return
        text = tooltip(self._scene.drawing, self._scene.graph, box)
        QToolTip.showText(event.globalPos(), text, self, self.place_of(box).toAlignedRect())

    def _tell_screen_readers(self) -> None:
        if self._scene is None:
            text = "Nothing is open."
        else:
            text = spoken(self._scene.drawing, self._scene.graph, self.selected())
        self.setAccessibleDescription(text)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))
