"""The short glide from one camera to another."""

import math
from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QVariantAnimation

from errorflow_viewer.canvas.camera import Camera, Port

# Milliseconds of a journey within sight, and of the longest: what flies past on a long one tells nobody anything, and
# who goes to a node is to be there at once.
_NEAR, _FAR = 110, 50
# Screens up to which a journey is near, a zoom by a factor of four counting as one.
_SCREENS = 1.5


class Flight(QObject):
    """Moves a camera in a moment, or at once where motion is not wanted. `landed` hears when it has arrived."""

    def __init__(self, parent: QObject, move: Callable[[Camera], None], landed: Callable[[], None]) -> None:
        super().__init__(parent)
        self.still = False
        self._move = move
        self._from = self._to = Camera()
        self._port = Port(1, 1, 1.0, 1.0, 1.0)
        self._glide = QVariantAnimation(self)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.setStartValue(0.0)
        self._glide.setEndValue(1.0)
        self._glide.valueChanged.connect(self._step)
        self._glide.finished.connect(landed)

    def start(self, port: Port, start: Camera, goal: Camera, animate: bool = True) -> None:
        """From one camera to the other as seen through a port."""
        self._glide.stop()
        if self.still or not animate or start == goal:
            self._move(goal)
            return
        self._port, self._from, self._to = port, start, goal
        self._glide.setDuration(milliseconds(port, start, goal))
        self._glide.start()

    def land(self) -> None:
        """Ends where it was going."""
        if self.flying:
            self._glide.stop()
            self._move(self._to)

    def stop(self) -> None:
        """Ends here: the user has taken over."""
        self._glide.stop()

    @property
    def flying(self) -> bool:
        return self._glide.state() == QVariantAnimation.State.Running

    @property
    def goal(self) -> Camera:
        return self._to

    def _step(self, share: float) -> None:
        self._move(self._to if share >= 1.0 else between(self._port, self._from, self._to, share))


def milliseconds(port: Port, start: Camera, goal: Camera) -> int:
    """How long a journey takes: the further, the shorter."""
    middle = port.width / 2, port.height / 2
    (x0, y0), (x1, y1) = start.to_scene(*middle), goal.to_scene(*middle)
    across = math.hypot(x1 - x0, y1 - y0) * min(start.scale, goal.scale) / max(middle)
    screens = across / 2 + abs(math.log(goal.scale / start.scale, 4))
    return _NEAR if screens <= _SCREENS else max(round(_NEAR * _SCREENS / screens), _FAR)


def between(port: Port, start: Camera, goal: Camera, share: float) -> Camera:
    """A camera on the way: the zoom grows by factors, the middle moves so that the goal nears evenly on the screen."""
    scale = math.exp(math.log(start.scale) * (1 - share) + math.log(goal.scale) * share)
    middle = port.width / 2, port.height / 2
    x0, y0 = start.to_scene(*middle)
    x1, y1 = goal.to_scene(*middle)
    spread = 1 / start.scale - 1 / goal.scale
    along = (1 / start.scale - 1 / scale) / spread if spread else share
    x, y = x0 + (x1 - x0) * along, y0 + (y1 - y0) * along
    return Camera(scale, round(x * scale - middle[0]), round(y * scale - middle[1]))
