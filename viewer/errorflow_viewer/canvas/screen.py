"""Screen, layer by layer: the kept picture, the highlights, the minimap."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QImage, QPainter, QRegion

from errorflow.report.paint import Paint
from errorflow_viewer.canvas.batch import Batch, Counts
from errorflow_viewer.canvas.camera import Camera, Port
from errorflow_viewer.canvas.frame import NEAR, CameraFrame, Transition
from errorflow_viewer.canvas.highlights import Highlights
from errorflow_viewer.canvas.legend import CanvasLegend
from errorflow_viewer.canvas.morph import Morph
from errorflow_viewer.canvas.paint import paint_scene
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import READABLE, Fills, Sheet, Style
from errorflow_viewer.canvas.signs import NO_SIGNS
from errorflow_viewer.canvas.whereabouts import Minimap, paint_whereabouts
from errorflow_viewer.kit.look import LABEL

# What takes about as long to paint as the last picture takes to be scaled: so many lines when far. Near, where there
# are labels and smooth curves, a line counts as several, and a box, for which text of a new size must be made, as many.
_DEAR = 1200
_FAR, _NEAR = (1, 4), (3, 60)
# Where there would be about that much, were everything spread evenly, nobody need count.
_FAR_TOO_DEAR = 16 * _DEAR


class Screen:
    """Paints a scene as a camera sees it, anew only as far as it must."""

    def __init__(self, style: Style, transition: Transition) -> None:
        self.scene: Scene | None = None
        self.style = style
        self.transition = transition
        self.minimap = Minimap()
        # What the last act of painting took.
        self.counts = Counts()
        self.legend = CanvasLegend()
        self._fills: Fills | None = None
        self._signs = NO_SIGNS
        self._frame = CameraFrame()
        # The whole drawing, for what the frame does not reach while one zooms out.
        self._whole = CameraFrame()
        self._port: Port | None = None
        self._ratio = 1.0

    def show(self, scene: Scene | None) -> None:
        self.scene = scene
        self._signs = NO_SIGNS
        self.transition.keep(self._frame)
        self._forget()

    def change(self, old: Scene, offset: QPointF | None, port: Port, camera: Camera) -> None:
        """Lets the old drawing, shown until now, become this one; `offset` is how far they are apart, if it matters."""
        assert self.scene is not None, "asked for when another drawing has come"
        near = offset is not None and camera.scale / port.ratio >= NEAR
        clip = camera.seen(0, 0, port.width, port.height)
        apart = (0.0, 0.0) if offset is None else (offset.x(), offset.y())
        self.transition.start(Morph.of(old, self.scene, apart, clip) if near else None)

    def dress(self, style: Style) -> None:
        self.style = style
        self._forget()

    def fill(self, paint: "Paint | None") -> None:
        self.legend.show(paint)
        self._signs = self._signs.painted(paint)
        self._forget()

    def mark(self, kept: NDArray[np.uint8] | None) -> None:
        if kept is not None or self._signs.unpainted is not None:
            self._signs = replace(self._signs, unpainted=kept)
            self._forget()

    def find(self, matches: NDArray[np.int64] | None) -> None:
        self._signs = replace(self._signs, matches=matches)
        self._forget()

    def paint(self, painter: QPainter, port: Port, camera: Camera, highlights: Highlights, hurry: bool) -> None:
        """Paints the widget, in device pixels. In a hurry a picture of another zoom will do."""
        self.counts = Counts()
        self._ratio = port.ratio
        if self.scene is None:
            painter.fillRect(0, 0, port.width, port.height, self.style.colors.background)
            return
        if self._paint_moving(painter, port, camera):
            return
        size = QSize(port.width, port.height)
        follows = not self._frame.usable or self._frame.can_follow(camera, size)
        glance = hurry and not follows and self._dear(port, camera)
        sheet = self._sheet(painter, port, camera)
        if glance:
            self._frame.stain(lambda over, old: highlights.paint(self._sheet(over, port, old)))
            self._paint_behind(painter, port, camera)
        else:
            self._frame.update(camera, size, self._paint)
            if camera == port.fit():
                self._whole.copy(self._frame)
        self._frame.draw(painter, camera)
        self.transition.fade(painter)
        if not glance:
            highlights.paint(sheet)
        paint_whereabouts(sheet, port)
        self.minimap.paint(painter, port, camera, self.style.colors, None if glance else self._paint)
        self.legend.paint(painter, port, self.style)

    def clear_below_minimap(self, port: Port, camera: Camera) -> bool:
        """Lets the minimap go where it covers no box; whether it went."""
        scene = self.scene
        if scene is None:
            return False

        def covers(place: QRectF) -> bool:
            return len(scene.cells.within(*camera.seen(place.left(), place.top(), place.right(), place.bottom()))) > 0

        return self.minimap.give_way(port, camera, covers)

    def legend_height(self, width: int, height: int, ratio: float) -> int:
        """Computes how much of the lower end of a window the legend takes, in device pixels."""
        return self.legend.height(width, height, ratio, self.style)

    def picture(self, port: Port, camera: Camera, scale: float, legend: bool = True) -> QImage:
        """Paints what the camera sees, larger or smaller, with the legend."""
        is_below = legend and self.scene is not None
        below = self.legend_height(port.width, port.height, port.ratio) if is_below else 0
        port, near = port.magnified(scale), camera.magnified(scale)
        image = QImage(port.width, port.height + round(below * scale), QImage.Format.Format_RGB32)
        image.fill(self.style.colors.background)
        if self.scene is not None:
            painter = QPainter(image)
            try:
                batch, area = Batch(painter, Counts()), QRectF(0, 0, port.width, port.height)
                painter.setClipRect(area)
                paint_scene(batch, self.scene, self._fill(), self.style, near, port.ratio, area, self._signs)
                painter.setClipping(False)
                if legend:
                    self.legend.paint(painter, port, self.style)
            finally:
                painter.end()
        return image

    def _paint_moving(self, painter: QPainter, port: Port, camera: Camera) -> bool:
        """Paints boxes on their way, if they are."""
        morph = self.transition.morph
        if morph is None:
            return False
        fills = self._fill().of_boxes(morph.boxes)
        scene, area = morph.at(self.transition.share), QRectF(0, 0, port.width, port.height)
        signs = self._signs.errors_of(morph.boxes)
        paint_scene(Batch(painter, self.counts), scene, fills, self.style, camera, port.ratio, area, signs)
        self.minimap.paint(painter, port, camera, self.style.colors, self._paint)
        self.legend.paint(painter, port, self.style)
        return True

    def _paint_behind(self, painter: QPainter, port: Port, camera: Camera) -> None:
        """Fills what the last picture does not reach from the picture of the whole."""
        bare = QRegion(0, 0, port.width, port.height)
        bare -= self._frame.place(camera).toRect().adjusted(1, 1, -1, -1)
        if not bare.isEmpty():
            painter.setClipRegion(bare)
            painter.fillRect(0, 0, port.width, port.height, self.style.colors.background)
            self._whole.draw(painter, camera)
            painter.setClipping(False)

    def _dear(self, port: Port, camera: Camera) -> bool:
        """Whether so much is in sight that painting it takes longer than scaling the last picture."""
        assert self.scene is not None, "only asked for when something is shown"
        seen, zoom = camera.seen(0, 0, port.width, port.height), camera.scale / port.ratio
        per_line, per_box = _NEAR if LABEL * zoom >= READABLE else _FAR
        level = self.scene.lines.known(zoom)
        if level is None:
            return True
        share = min(seen[2] - seen[0], port.scene_width) * min(seen[3] - seen[1], port.scene_height)
        share /= port.scene_width * port.scene_height
        if share * (per_line * len(level.lines) + per_box * len(self.scene.drawing)) > _FAR_TOO_DEAR:
            return True
        lines, boxes = level.cells.within(*seen), self.scene.cells.within(*seen)
        return per_line * len(lines) + per_box * len(boxes) > _DEAR

    def _forget(self) -> None:
        """Forgets the picture: something that is painted has changed."""
        self._fills = None
        self._frame.drop()
        self._whole.drop()
        self.minimap.drop()

    def _fill(self) -> Fills:
        assert self.scene is not None, "only asked for when something is shown"
        if self._fills is None:
            fills = Fills.of(self.scene, self.style, self._signs.errors, self._signs.crossed)
            unmatched = self._signs.unmatched
            self._fills = fills if unmatched is None else fills.dimmed(unmatched, self.style.colors.groups[0])
        return self._fills

    def _paint(self, painter: QPainter, camera: Camera, area: QRectF) -> None:
        assert self.scene is not None, "only called when something is shown"
        batch = Batch(painter, self.counts)
        paint_scene(batch, self.scene, self._fill(), self.style, camera, self._ratio, area, self._signs)

    def _sheet(self, painter: QPainter, port: Port, camera: Camera) -> Sheet:
        assert self.scene is not None, "only called when something is shown"
        clip = camera.seen(0, 0, port.width, port.height)
        batch = Batch(painter, self.counts)
        return Sheet(batch, self.scene, self._fill(), self.style, camera, port.ratio, clip, self._signs)
