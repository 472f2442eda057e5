"""The widget that shows a drawing, without what the user does to it."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from errorflow.graph.model import Graph
from errorflow.layout.drawing import Drawing
from errorflow.report.paint import Paint
from errorflow_viewer.canvas.batch import Counts
from errorflow_viewer.canvas.camera import Camera, Port
from errorflow_viewer.canvas.colors import CanvasColors, colors_of
from errorflow_viewer.canvas.frame import Transition
from errorflow_viewer.canvas.highlights import Highlights
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.screen import Screen
from errorflow_viewer.canvas.sheet import Style
from errorflow_viewer.canvas.viewpoint import Viewpoint
from errorflow_viewer.canvas.whereabouts import groups_round
from errorflow_viewer.kit.look import LIGHT
from errorflow_viewer.kit.scaling import OWN_SIZE

# Logical px: how near a click must come to a box.
_REACH = 4.0
# Logical px round a group that is shown as a whole.
_AROUND = 24


class CanvasStage(QWidget):
    """Shows a drawing from where one stands; knows neither mouse nor keys."""

    zoom_changed = Signal(float)
    moved = Signal()  # one looks elsewhere, or through a window of another size
    legend_changed = Signal()  # it may need another height

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setProperty(OWN_SIZE, True)  # in little room a graph is as good in large text
        self.setMinimumSize(120, 80)
        self._scene: Scene | None = None
        self._paint: Paint | None = None
        self._switched: Callable[[int], str] | None = None
        self._still = False
        self._transition = Transition(self, self.update)
        self._screen = Screen(Style(colors_of(LIGHT), self.font()), self._transition)
        self._viewpoint = Viewpoint(self, self._port, self._on_moved)
        self._highlights = Highlights(self, self.update)

    # What is shown

    def show_drawing(self, drawing: Drawing, graph: Graph, keep_view: bool = False) -> None:
        """Shows another drawing, all of it unless the view is to stay."""
        self._show(Scene(drawing, graph))
        self._viewpoint.fitted = self._viewpoint.fitted or not keep_view
        self._viewpoint.stay()

    def change_drawing(
        self, drawing: Drawing, graph: Graph, old: QPointF | None = None, new: QPointF | None = None
    ) -> None:
        """Shows the same in another way: what was at `old` in the drawing before is at `new`, and stays put.

        Without them all of it is shown. If the graph is the same, boxes move to their new places, else pictures fade.
        """
        before, scene = self._scene, Scene(drawing, graph)
        offset = None if old is None or new is None else new - old
        self._show(scene)
        if offset is None:
            self._viewpoint.fitted = True
            self._viewpoint.stay()
        else:
            self._viewpoint.carry(offset.x(), offset.y())
        if before is not None and self.isVisible() and not self._still:
            same = before.graph is graph  # otherwise nobody knows which box has become which
            self._screen.change(before, offset if same else None, self._port(), self._camera)

    def clear(self) -> None:
        """Shows nothing but the background."""
        self._show(None)
        self.set_error(None)

    def set_colors(self, colors: CanvasColors) -> None:
        self._screen.dress(Style(colors, self.font()))
        self.follow_legend()
        self.update()

    def set_error(self, paint: "Paint | None") -> None:
        """Fills boxes by error, with all that is told beside it, and a legend. None: by their families."""
        before = self._port()
        self._paint = paint
        self._screen.fill(paint)
        if self._port() != before:  # the legend takes room, or leaves it
            self._viewpoint.stay()
        self.follow_legend()
        self.update()

    def set_switched(self, kept: NDArray[np.uint8] | None, note: Callable[[int], str] | None = None) -> None:
        """Sets what was switched away from the plan, by box, and what is said of it; where there is a paint, that has
        it.
        """
        self._switched = note
        self._screen.mark(kept)
        self.update()

    def follow_legend(self) -> None:
        """The legend is elsewhere, or shows something else."""
        self.legend_changed.emit()

    @property
    def legend_height(self) -> float:
        """Height that the legend needs, in logical px."""
        across, down, ratio = self._size()
        return self._screen.legend.own_height(across, down, ratio, self._screen.style) / ratio

    def set_legend_least(self, height: float) -> None:
        """Gives the legend more room than it needs, or as much."""
        legend = self._screen.legend
        if round(height) != legend.least:
            legend.least = round(height)
            self._viewpoint.stay()
            self.follow_legend()
            self.update()

    def note_on(self, box: int | None) -> str:
        """Writes what is said about the error of a box; when boxes are not filled by it, only what was switched."""
        note = self._switched if self._paint is None else self._paint.note
        return "" if box is None or note is None else note(box)

    def set_matches(self, counts: NDArray[np.int64] | None) -> None:
        """Sets how many nodes that a search has found each box stands for: the others step back. None: no search."""
        self._screen.find(counts)
        self.update()

    # Places

    def box_at(self, point: QPointF) -> int | None:
        """The box at a point of the widget; when boxes are tiny, the one next to it."""
        if self._scene is None or self.legend_at(point):
            return None
        ratio = self.devicePixelRatioF()
        x, y = self._camera.to_scene(point.x() * ratio, point.y() * ratio)
        return self._scene.box_at(x, y, reach=_REACH * ratio / self._camera.scale)

    def group_at(self, point: QPointF, title_only: bool = False) -> int | None:
        """The open group at a point of the widget, or whose title is there."""
        if self._scene is None or self.legend_at(point):
            return None
        ratio = self.devicePixelRatioF()
        x, y = self._camera.to_scene(point.x() * ratio, point.y() * ratio)
        return self._scene.title_at(x, y) if title_only else self._scene.drawing.group_at(x, y)

    def legend_at(self, point: QPointF) -> str:
        """Writes what is told at a point of the legend; empty elsewhere."""
        paint = self._screen.legend.shown
        if paint is None or point.y() < self.sight().height():
            return ""
        return "\n".join([paint.measure, paint.formula, *(entry.text for entry in self._screen.legend.entries)])

    def place_of(self, box: int) -> QRectF:
        """Finds where a box is seen, in the coordinates of the widget; empty when nothing is shown."""
        if self._scene is None:
            return QRectF()
        ratio = self.devicePixelRatioF()
        left, top, width, height = self._scene.drawing.boxes[box].tolist()
        x, y = self._camera.to_device(left, top)
        scale = self._camera.scale / ratio
        return QRectF(x / ratio, y / ratio, width * scale, height * scale)

    def tensors_out_of(self, box: int) -> list[int]:
        """The tensors that what a box stands for makes."""
        return [] if self._scene is None else self._scene.links.tensors_out_of(box).tolist()

    def in_sight(self, box: int) -> bool:
        """Whether some of a box is seen."""
        return self.sight().intersects(self.place_of(box))

    # The view

    @property
    def zoom(self) -> float:
        """Pixels per unit of the drawing."""
        return self._camera.scale / self.devicePixelRatioF()

    @property
    def fitted(self) -> bool:
        """Whether everything is in sight, and is to stay so."""
        return self._viewpoint.fitted

    def middle(self) -> QPointF:
        """The spot of the drawing in the middle of the view."""
        port = self._port()
        return QPointF(*self._camera.to_scene(port.width / 2, port.height / 2))

    @property
    def held(self) -> bool:
        """Whether a spot stays in the middle until the user moves."""
        return self._viewpoint.held is not None

    def gaze(self) -> tuple[QPointF, float]:
        """The spot that is to be in the middle and its zoom, also where there is not the room for them."""
        held = self._viewpoint.held
        return (self.middle(), self.zoom) if held is None else (QPointF(held[0], held[1]), held[2])

    def hold(self, spot: QPointF, zoom: float) -> None:
        """Brings a spot of the drawing to the middle at once, where it stays in any room until the user moves."""
        self._transition.end()
        self._viewpoint.hold(spot.x(), spot.y(), zoom)

    def look_at(self, spot: QPointF, zoom: float, animate: bool = True) -> None:
        """Brings a spot of the drawing to the middle."""
        self._transition.end()  # it only knows what was in sight when it began
        self._viewpoint.centre(spot.x(), spot.y(), zoom * self.devicePixelRatioF(), animate and self.isVisible())

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
        self.look_at(QPointF(x + width / 2, y + height / 2), self.zoom if zoom is None else zoom, animate)

    def show_group(self, group: int, animate: bool = True) -> None:
        """Brings an open group into view, as large as there is room but not above actual size."""
        if self._scene is None:
            return
        drawing, ratio = self._scene.drawing, self.devicePixelRatioF()
        places = drawing.group_boxes[drawing.group_ids == group]
        if not len(places):
            return
        left, top = places[:, :2].min(axis=0).tolist()
        right, bottom = (places[:, :2] + places[:, 2:]).max(axis=0).tolist()
        margin, room = 2 * _AROUND, self.sight()
        zoom = min((room.width() - margin) / (right - left), (room.height() - margin) / (bottom - top), 1.0)
        self.look_at(
            QPointF((left + right) / 2, (top + bottom) / 2), max(zoom, self._port().fit_scale / ratio), animate
        )

    def set_reduced_motion(self, on: bool) -> None:
        """Whether the view jumps where it would glide."""
        self._still = on
        self._viewpoint.be_still(on)
        if on:
            self._transition.end()

    @property
    def moving(self) -> bool:
        """Whether boxes are on their way to where the drawing has them."""
        return self._transition.running

    def settle(self) -> None:
        """Ends what is under way: lands a glide, and paints sharply what a zoom has blurred."""
        self._viewpoint.settle()
        self._transition.end()

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

    def picture(self, scale: float = 1.0, legend: bool = True) -> QImage:
        """Paints what is visible, without highlights."""
        return self._screen.picture(self._port(), self._camera, scale, legend)

    @property
    def has_graph(self) -> bool:
        return self._scene is not None

    @property
    def counts(self) -> Counts:
        """Counts of the last act of painting."""
        return self._screen.counts

    # Events

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - the signature of Qt
        painter = QPainter(self)
        try:
            port = self._port()
            painter.scale(1 / port.ratio, 1 / port.ratio)
            self._screen.paint(painter, port, self._camera, self._highlights, hurry=self._viewpoint.zooming)
        finally:  # the traceback of an error would keep the painter, and Qt crash on it
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: ARG002 - the signature of Qt
        self._viewpoint.stay()
        self.follow_legend()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._viewpoint.follow_screen()
            self.follow_legend()
            self.update()
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.set_colors(self._screen.style.colors)
        super().changeEvent(event)

    # How

    def _show(self, scene: Scene | None) -> None:
        self._viewpoint.stop()
        self._scene = scene
        self._paint = self._switched = None
        self._screen.show(scene)
        self._highlights.reset(scene)
        self.update()

    def _port(self) -> Port:
        width, height = self._scene.drawing.size if self._scene is not None else (1.0, 1.0)
        across, down, ratio = self._size()
        down -= self._screen.legend_height(across, down, ratio)
        return Port(across, down, ratio, max(width, 1.0), max(height, 1.0))

    def _size(self) -> tuple[int, int, float]:
        """Finds the size in device pixels, and how many of them are a logical one."""
        ratio = self.devicePixelRatioF()
        # A pixel of which only a part belongs to the widget is painted, too: nobody else does.
        return max(math.ceil(self.width() * ratio), 1), max(math.ceil(self.height() * ratio), 1), ratio

    def sight(self) -> QRectF:
        """Finds what of the widget shows the graph, in its coordinates."""
        port = self._port()
        return QRectF(0, 0, port.width / port.ratio, port.height / port.ratio)

    def _map_place(self) -> QRectF:
        return self._screen.minimap.place(self._port(), self._camera) if self._scene is not None else QRectF()

    def _anchor(self) -> QPointF:
        """Finds what stays in place when there is no pointer to zoom at, in device pixels."""
        ratio = self.devicePixelRatioF()
        box = self._highlights.selected
        middle = self.place_of(box).center() if box is not None else QPointF(-1, -1)
        if not self.sight().contains(middle):
            middle = self.sight().center()
        return middle * ratio

    @property
    def _camera(self) -> Camera:
        return self._viewpoint.camera

    def _on_moved(self, zoomed: bool) -> None:
        self.update()
        self.moved.emit()
        if zoomed:
            self.zoom_changed.emit(self.zoom)
