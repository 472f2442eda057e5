"""The 150 ms in which one drawing becomes another: boxes move there, or if they are too many, pictures fade."""

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation
from PySide6.QtGui import QPainter

from errorflow_viewer.canvas.camera import Camera
from errorflow_viewer.canvas.frame import Frame
from errorflow_viewer.canvas.morph import Clip, Morph
from errorflow_viewer.canvas.scene import Scene

MILLISECONDS = 150
# Logical px per scene unit below which boxes are too small to be followed one by one.
_NEAR = 1 / 8


class Transition(QObject):
    """Runs by itself once started; `changed` asks for a repaint."""

    def __init__(self, parent: QObject, changed: Callable[[], None]) -> None:
        super().__init__(parent)
        self.morph: Morph | None = None
        self._fading = Frame()
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
        """How much of the way is done, 0…1."""
        return self._share

    def start(
        self, old: Scene, new: Scene, picture: Frame, offset: tuple[float, float], clip: Clip, zoom: float
    ) -> None:
        """From what `picture` shows; `offset` is what has to be added to old places so that nothing jumps."""
        self.end()
        self.morph = Morph.of(old, new, offset, clip) if zoom >= _NEAR else None
        if self.morph is None:
            self._fading.copy(picture)
            self._fading.move(*offset)
        self._run.start()

    def end(self) -> None:
        """Everything is in its new place."""
        self._run.stop()
        self._share = 1.0
        self.morph = None
        self._fading.drop()
        self._changed()

    def fade(self, painter: QPainter, camera: Camera) -> None:
        """What is left of the old picture, over the new one."""
        if self.running and self._fading.usable:
            painter.setOpacity(1.0 - self._share)
            self._fading.draw(painter, camera)
            painter.setOpacity(1.0)

    def _step(self, share: float) -> None:
        self._share = share
        self._changed()
