"""The painted picture, kept: panning shifts it and paints only what comes into sight."""

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRect, QRectF, QSize, QVariantAnimation
from PySide6.QtGui import QPainter, QPixmap

from errorflow_viewer.canvas.camera import Camera
from errorflow_viewer.canvas.morph import Morph

Paint = Callable[[QPainter, Camera, QRectF], None]
# Device pixels up to which a picture is scaled smoothly: more would take longer than an event of the wheel may.
_SMOOTH_UP_TO = 2_000_000


class CameraFrame:
    """Picture that a camera saw at the time it was painted."""

    def __init__(self) -> None:
        self._picture = QPixmap()
        self._camera: Camera | None = None
        # Something is painted into it that does not belong to the drawing.
        self._stained = False

    def drop(self) -> None:
        """Drops the picture: something that it shows has changed."""
        self._camera = None

    def copy(self, other: "CameraFrame") -> None:
        """Becomes what the other one shows."""
        if self._camera != other._camera:
            self._picture, self._camera = QPixmap(other._picture), other._camera
            self._stained = other._stained

    def shows(self, camera: Camera, size: QSize) -> bool:
        return self._camera == camera and self._picture.size() == size and not self._stained

    def can_follow(self, camera: Camera, size: QSize) -> bool:
        """Whether shifting is enough."""
        if self._camera is None or self._stained:
            return False
        return self._camera.scale == camera.scale and self._picture.size() == size

    @property
    def usable(self) -> bool:
        """Whether there is a picture at all, if only of another zoom."""
        return self._camera is not None

    def update(self, camera: Camera, size: QSize, paint: Paint) -> None:
        """Makes the picture what the camera sees, by shifting if that will do."""
        if self.shows(camera, size):
            return
        whole = QRect(0, 0, size.width(), size.height())
        areas = [whole]
        if self._camera is not None and self.can_follow(camera, size):
            dx, dy = self._camera.left - camera.left, self._camera.top - camera.top
            areas = uncovered(whole, dx, dy)
            if areas != [whole]:
                self._picture.scroll(dx, dy, whole)
        elif self._picture.size() != size:
            self._picture = QPixmap(size)
        painter = QPainter(self._picture)
        try:
            for area in areas:
                painter.setClipRect(area)
                paint(painter, camera, QRectF(area))
        finally:
            painter.end()
        self._camera, self._stained = camera, False

    def stain(self, paint: Callable[[QPainter, Camera], None]) -> None:
        """Paints something over the picture, once: it is scaled with it then, until all is painted anew."""
        if self._camera is None or self._stained:
            return
        self._stained = True
        painter = QPainter(self._picture)
        try:
            paint(painter, self._camera)
        finally:
            painter.end()

    def place(self, camera: Camera) -> QRectF:
        """Finds where the picture belongs for a camera; empty when there is none."""
        if self._camera is None:
            return QRectF()
        left, top, right, bottom = self._camera.seen(0, 0, self._picture.width(), self._picture.height())
        return QRectF(QPointF(*camera.to_device(left, top)), QPointF(*camera.to_device(right, bottom)))

    def draw_in_place(self, painter: QPainter) -> None:
        """Draws the picture where it was painted, whatever the camera has done since."""
        painter.drawPixmap(0, 0, self._picture)

    def draw(self, painter: QPainter, camera: Camera) -> None:
        """Draws the picture where it belongs for a camera, enlarged or shrunk if the zoom differs."""
        old = self._camera
        if old is None:
            return
        if old.scale == camera.scale:
            painter.drawPixmap(old.left - camera.left, old.top - camera.top, self._picture)
            return
        small = self._picture.width() * self._picture.height() <= _SMOOTH_UP_TO
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, small)
        painter.drawPixmap(self.place(camera), self._picture, QRectF(self._picture.rect()))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)


def uncovered(whole: QRect, dx: int, dy: int) -> list[QRect]:
    """Finds what of `whole` is left bare when its content moves by (dx, dy)."""
    width, height = whole.width(), whole.height()
    if abs(dx) >= width or abs(dy) >= height:
        return [whole]
    areas = []
    if dy:
        areas.append(QRect(0, 0 if dy > 0 else height + dy, width, abs(dy)))
    if dx:
        top, rest = max(dy, 0), height - abs(dy)
        areas.append(QRect(0 if dx > 0 else width + dx, top, abs(dx), rest))
    return areas


# The 150 ms in which one drawing becomes another: boxes move there, or if they are too many, pictures fade.

MILLISECONDS = 150
# Logical px per scene unit below which boxes are too small to be followed one by one.
NEAR = 1 / 8


class Transition(QObject):
    """Runs by itself once started; `changed` asks for a repaint."""

    def __init__(self, parent: QObject, changed: Callable[[], None]) -> None:
        super().__init__(parent)
        self.morph: Morph | None = None
        self._fading = CameraFrame()
        self._share = 1.0
        self._changed = changed
        self._run = QVariantAnimation(self)
        self._run.setDuration(MILLISECONDS)
        self._run.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._run.setStartValue(0.0)
        self._run.setEndValue(1.0)
        self._run.valueChanged.connect(self._step)
        self._run.finished.connect(self.end)

    @property
    def running(self) -> bool:
        return self._run.state() == QVariantAnimation.State.Running

    @property
    def share(self) -> float:
        """Share of the way that is done, 0…1."""
        return self._share

    def keep(self, picture: CameraFrame) -> None:
        """Ends what is under way and remembers what is seen, in case it is to fade."""
        self.end()
        self._fading.copy(picture)

    def start(self, morph: Morph | None) -> None:
        """Lets boxes move, or without knowing how what was kept fade."""
        self.morph = morph
        self._share = 0.0
        self._run.start()

    def end(self) -> None:
        """Ends with everything in its new place."""
        self._run.stop()
        self._share = 1.0
        self.morph = None
        self._fading = CameraFrame()
        self._changed()

    def fade(self, painter: QPainter) -> None:
        """Fades what is left of the old picture, over the new one."""
        if self.running and self._fading.usable:
            painter.setOpacity(1.0 - self._share)
            self._fading.draw_in_place(painter)
            painter.setOpacity(1.0)

    def _step(self, share: float) -> None:
        self._share = share
        self._changed()
