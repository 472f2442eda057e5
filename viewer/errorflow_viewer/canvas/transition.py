"""The 150 ms in which one drawing becomes another: boxes move there, or if they are too many, pictures fade."""

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation
from PySide6.QtGui import QPainter

from errorflow_viewer.canvas.frame import CameraFrame
from errorflow_viewer.canvas.morph import Morph

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
