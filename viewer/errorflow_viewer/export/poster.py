"""A picture of a whole graph with its title, ready to be painted anywhere, in any size."""

from functools import cached_property

from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QFont, QPainter

from errorflow.base.values import dataclass
from errorflow.report.frame import Frame
from errorflow.report.svg import Picture
from errorflow_viewer.canvas.batch import Batch, Counts
from errorflow_viewer.canvas.camera import Camera
from errorflow_viewer.canvas.colors import colors_of
from errorflow_viewer.canvas.legend import paint_round
from errorflow_viewer.canvas.paint import paint_scene
from errorflow_viewer.canvas.scene import Scene
from errorflow_viewer.canvas.sheet import Fills, Style
from errorflow_viewer.canvas.signs import NO_SIGNS, Signs
from errorflow_viewer.kit.look import Theme


@dataclass(frozen=True)
class Poster:
    """Sizes are px at scale 1."""

    picture: Picture
    theme: Theme
    font: QFont

    @cached_property
    def _scene(self) -> Scene:
        return Scene(self.picture.drawing, self.picture.graph)

    @cached_property
    def _style(self) -> Style:
        paint = self.picture.paint
        colors = colors_of(self.theme) if paint is None else colors_of(self.theme, paint.palette, paint.diverging)
        return Style(colors, self.font)

    @cached_property
    def _fills(self) -> Fills:
        return Fills.of(self._scene, self._style, self._signs.errors, self._signs.crossed)

    @cached_property
    def _signs(self) -> Signs:
        return NO_SIGNS.painted(self.picture.paint)

    @property
    def width(self) -> float:
        return self.picture.frame.width

    @property
    def height(self) -> float:
        return self.picture.frame.height

    def paint_pixels(self, painter: QPainter, area: QRectF, scale: float, origin: QPoint) -> None:
        """Paints an area of an image, as crisp as the window does. Its corner is the px `origin` of the picture."""
        frame = self.picture.frame
        painter.fillRect(area, self._style.colors.background)
        left, top = round(frame.left * scale) - origin.x(), round(frame.top * scale) - origin.y()
        # Below its natural size the graph loses detail, as in the window; above, it is what a finer screen shows.
        self._paint(painter, Camera(scale, -left, -top), max(scale, 1.0), area, vector=False)
        painter.save()
        painter.translate(-origin)
        painter.scale(scale, scale)
        self.write_round(painter, self.picture.frame)
        painter.restore()

    def paint_shapes(self, painter: QPainter) -> None:
        """Paints all of it as lines and text, for files that can be enlarged."""
        frame = self.picture.frame
        painter.fillRect(QRectF(0, 0, frame.width, frame.height), self._style.colors.background)
        painter.save()
        painter.translate(frame.left, frame.top)
        self.paint_graph(painter)
        painter.restore()
        self.write_round(painter, self.picture.frame)

    def paint_graph(self, painter: QPainter) -> None:
        """The drawing alone, as lines and text."""
        self._paint(painter, Camera(), 1.0, QRectF(0, 0, *self.picture.drawing.size), vector=True)

    def write_round(self, painter: QPainter, frame: Frame) -> None:
        """The texts and the legend, round something of another size."""
        paint_round(painter, frame, self._style, self.picture.paint)

    def _paint(self, painter: QPainter, camera: Camera, ratio: float, area: QRectF, *, vector: bool) -> None:
        batch = Batch(painter, Counts())
        paint_scene(batch, self._scene, self._fills, self._style, camera, ratio, area, self._signs, vector)
