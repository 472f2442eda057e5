"""The widget that shows a drawing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow_viewer.canvas.batch import Batch, Counts
from errorflow_viewer.canvas.camera import Camera, Port
from errorflow_viewer.canvas.colors import CanvasColors, colors_of
from errorflow_viewer.canvas.flight import Flight
from errorflow_viewer.canvas.frame import Frame
from errorflow_viewer.canvas.gestures import Gestures
from errorflow_viewer.canvas.overlay import paint_hover, paint_selection
from errorflow_viewer.canvas.paint import paint_scene
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Fills, Sheet, Style
from errorflow_viewer.look import LIGHT

# After the last zoom step the scaled picture is painted anew.
_SETTLED = 70


class Canvas(QWidget):
    """Shows a drawing; pans, zooms, and says what the user points at."""

    picked = Signal(object)
    opened = Signal(object)
    hovered = Signal(object)
    zoom_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(120, 80)
        self.setAccessibleName("Model graph")
        self.counts = Counts()
        self._scene: Scene | None = None
        self._style = Style(colors_of(LIGHT), self.font())
        self._bins: NDArray[np.uint8] | None = None
        self._palette: tuple[QColor, ...] = ()
        self._fills: Fills | None = None
        self._camera = Camera()
        self._fitted = True
        self._selected: int | None = None
        self._hovered: int | None = None
        self._frame = Frame()
        self._flight = Flight(self, self._move)
        self._gestures = Gestures(self)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(_SETTLED)
        self._settling.timeout.connect(self.update)

    # What is shown

    def show_drawing(self, drawing: Drawing, graph: Graph, keep_view: bool = False) -> None:
        """Shows another drawing, all of it unless the view is to stay."""
        self._flight.stop()
        self._scene = Scene(drawing, graph)
        self._bins = None
        self._fills = None
        self._selected = self._hovered = None
        self._frame.drop()
        self._fitted = not keep_view or self._fitted
        self._move(self._port().fit() if self._fitted else self._camera)
        self.update()

    def clear(self) -> None:
        """Shows nothing but the background."""
        self._flight.stop()
        self._scene = self._fills = self._bins = None
        self._selected = self._hovered = None
        self._frame.drop()
        self.update()

    def set_colors(self, colors: CanvasColors) -> None:
        self._style = Style(colors, self.font())
        self._repaint_all()

    def set_node_fill(self, bins: NDArray[np.uint8] | None, palette: Sequence[QColor]) -> None:
        """One colour of the palette per box, in order of importance; a number beyond it leaves the family's tone."""
        self._bins, self._palette = bins, tuple(palette)
        self._repaint_all()

    # Selection

    def select(self, box: int | None) -> None:
        """Marks a box as selected, without a signal."""
        self._selected = box
        self.update()

    def selected(self) -> int | None:
        return self._selected

    def pick(self, box: int | None) -> None:
        """Selects on behalf of the user."""
        self.select(box)
        self.picked.emit(box)

    def hover(self, box: int | None) -> None:
        """Marks the box under the pointer."""
        if box != self._hovered:
            self._hovered = box
            self.hovered.emit(box)
            self.update()

    def box_at(self, point: QPointF) -> int | None:
        """The box at a point of the widget; when boxes are tiny, the one next to it."""
        if self._scene is None:
            return None
        ratio = self.devicePixelRatioF()
        x, y = self._camera.to_scene(point.x() * ratio, point.y() * ratio)
        return self._scene.box_at(x, y, reach=3 * ratio / self._camera.scale)

    def place_of(self, box: int) -> QRectF:
        """Where a box is seen, in the coordinates of the widget; empty when nothing is shown."""
        if self._scene is None:
            return QRectF()
        ratio = self.devicePixelRatioF()
        left, top, width, height = self._scene.drawing.boxes[box].tolist()
        x, y = self._camera.to_device(left, top)
        scale = self._camera.scale
        return QRectF(x / ratio, y / ratio, width * scale / ratio, height * scale / ratio)

    # The view

    @property
    def zoom(self) -> float:
        """Pixels per unit of the drawing."""
        return self._camera.scale / self.devicePixelRatioF()

    def fit(self) -> None:
        """Shows everything."""
        self._fly(self._port().fit())
        self._fitted = True

    def zoom_to(self, zoom: float) -> None:
        """Sets the zoom, round the selected box if it is in sight, else round the middle."""
        port = self._port()
        x, y = self._anchor()
        self._settling.start()
        self._take_over(port.allowed(self._aim().scaled(_limited(port, zoom * port.ratio), x, y)))

    def zoom_by(self, factor: float) -> None:
        self.zoom_to(self.zoom * factor)

    def zoom_at(self, factor: float, point: QPointF) -> None:
        """Zooms with the picture staying where the pointer is."""
        port = self._port()
        scale = _limited(port, self._camera.scale * factor)
        self._settling.start()
        self._take_over(self._camera.scaled(scale, point.x() * port.ratio, point.y() * port.ratio))

    def pan(self, dx: float, dy: float) -> None:
        """Moves the picture by logical pixels."""
        ratio = self.devicePixelRatioF()
        self._take_over(self._camera.moved(dx * ratio, dy * ratio))

    def centre_on(self, box: int, zoom: float | None = None, animate: bool = True) -> None:
        """Brings a box to the middle."""
        if self._scene is None:
            return
        port = self._port()
        x, y, width, height = self._scene.drawing.boxes[box].tolist()
        scale = self._camera.scale if zoom is None else zoom * port.ratio
        self._fly(port.allowed(port.centred(x + width / 2, y + height / 2, scale)), animate)

    def set_reduced_motion(self, on: bool) -> None:
        """Whether the view jumps where it would glide."""
        self._flight.still = on
        if on:
            self._flight.land()

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
        painter.translate(-source.left() * scale, -source.top() * scale)
        area = QRectF(source.left() * scale, source.top() * scale, target.width(), target.height())
        batch = Batch(painter, Counts())
        paint_scene(batch, self._scene, self._fill(), self._style, Camera(scale), 1.0, area, vector=True)
        painter.restore()

    def picture(self, scale: float = 1.0) -> QImage:
        """What is visible."""
        size = self._device_size()
        image = QImage(size * scale, QImage.Format.Format_RGB32)
        image.fill(self._style.colors.background)
        if self._scene is not None:
            painter = QPainter(image)
            camera = Camera(
                self._camera.scale * scale, round(self._camera.left * scale), round(self._camera.top * scale)
            )
            self._paint(painter, camera, QRectF(image.rect()), self.devicePixelRatioF() * scale)
            painter.end()
        return image

    # Events

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        ratio = self.devicePixelRatioF()
        painter.scale(1 / ratio, 1 / ratio)
        self.counts = Counts()
        size = self._device_size()
        if self._scene is None:
            painter.fillRect(0, 0, size.width(), size.height(), self._style.colors.background)
        else:
            if not (self._settling.isActive() and self._frame.usable) or self._frame.can_follow(self._camera, size):
                self._frame.update(self._camera, size, self._paint)
            else:
                painter.fillRect(0, 0, size.width(), size.height(), self._style.colors.background)
            self._frame.draw(painter, self._camera)
            self._paint_overlay(painter, size)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._move(self._port().fit() if self._fitted else self._port().allowed(self._camera))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.set_colors(self._style.colors)
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
        super().keyPressEvent(event)

    # How

    def _port(self) -> Port:
        size = self._device_size()
        width, height = self._scene.drawing.size if self._scene is not None else (1.0, 1.0)
        return Port(size.width(), size.height(), self.devicePixelRatioF(), width, height)

    def _device_size(self) -> QSize:
        ratio = self.devicePixelRatioF()
        return QSize(max(round(self.width() * ratio), 1), max(round(self.height() * ratio), 1))

    def _anchor(self) -> tuple[float, float]:
        """What stays in place when there is no pointer to zoom at, in device pixels."""
        port = self._port()
        if self._scene is not None and self._selected is not None:
            left, top, width, height = self._scene.drawing.boxes[self._selected].tolist()
            x, y = self._camera.to_device(left + width / 2, top + height / 2)
            if 0 <= x <= port.width and 0 <= y <= port.height:
                return x, y
        return port.width / 2, port.height / 2

    def _aim(self) -> Camera:
        return self._flight.goal if self._flight.flying else self._camera

    def _fly(self, goal: Camera, animate: bool = True) -> None:
        self._fitted = False
        if goal.scale != self._camera.scale:
            self._settling.start()
        self._flight.start(self._port(), self._camera, goal, animate and self.isVisible())

    def _take_over(self, camera: Camera) -> None:
        """The user moves the view."""
        self._flight.stop()
        self._fitted = False
        self._move(self._port().allowed(camera))

    def _move(self, camera: Camera) -> None:
        if camera == self._camera:
            return
        changed = camera.scale != self._camera.scale
        if changed and self._flight.flying:
            self._settling.start()
        self._camera = camera
        self.update()
        if changed:
            self.zoom_changed.emit(self.zoom)

    def _repaint_all(self) -> None:
        self._fills = None
        self._frame.drop()
        self.update()

    def _fill(self) -> Fills:
        assert self._scene is not None, "only asked for when something is shown"
        if self._fills is None:
            self._fills = Fills.of(self._scene, self._style.colors, self._bins, self._palette)
        return self._fills

    def _paint(self, painter: QPainter, camera: Camera, area: QRectF, ratio: float | None = None) -> None:
        assert self._scene is not None, "only called when something is shown"
        ratio = self.devicePixelRatioF() if ratio is None else ratio
        paint_scene(Batch(painter, self.counts), self._scene, self._fill(), self._style, camera, ratio, area)

    def _paint_overlay(self, painter: QPainter, size: QSize) -> None:
        assert self._scene is not None, "only called when something is shown"
        clip = self._camera.seen(0, 0, size.width(), size.height())
        sheet = Sheet(
            Batch(painter, self.counts),
            self._scene,
            self._fill(),
            self._style,
            self._camera,
            self.devicePixelRatioF(),
            clip,
        )
        if self._hovered is not None and self._hovered != self._selected:
            paint_hover(sheet, self._hovered)
        if self._selected is not None:
            paint_selection(sheet, self._selected)


def _limited(port: Port, scale: float) -> float:
    return min(max(scale, port.fit_scale), port.max_scale)
