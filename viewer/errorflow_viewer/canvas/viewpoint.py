"""Viewpoint of the user: holds the camera, keeps it within bounds, glides, and knows when all is still."""

import math
from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QTimer, QVariantAnimation

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
        """Starts from one camera to the other as seen through a port."""
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

    def _step(self, share: float) -> None:
        self._move(self._to if share >= 1.0 else between(self._port, self._from, self._to, share))


def milliseconds(port: Port, start: Camera, goal: Camera) -> int:
    """Computes how long a journey takes: the further, the shorter."""
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


# Milliseconds after the last zoom step until the scaled picture is painted anew.
_SETTLED = 70


class Viewpoint(QObject):
    """Moves the camera. `port` says what it looks through; `moved` hears of each move and whether the scale changed."""

    def __init__(self, parent: QObject, port: Callable[[], Port], moved: Callable[[bool], None]) -> None:
        super().__init__(parent)
        self.camera = Camera()
        # Whether everything is to stay in sight.
        self.fitted = True
        # A spot of the scene and its zoom that stay in the middle until somebody moves.
        self._held: tuple[float, float, float] | None = None
        self._port = port
        self._moved = moved
        self._ratio = port().ratio
        self._flight = Flight(self, self._move, self._land)
        self._settling = QTimer(self, singleShot=True, interval=_SETTLED)
        self._settling.timeout.connect(self._come_to_rest)

    @property
    def zooming(self) -> bool:
        """Whether the scale has just changed and may do so again."""
        return self._settling.isActive()

    @property
    def flying(self) -> bool:
        """Whether it is on its way somewhere by itself."""
        return self._flight.flying

    @property
    def held(self) -> tuple[float, float, float] | None:
        """Spot of the scene that stays in the middle until the user moves, and its zoom; None: none does."""
        return None if self.fitted else self._held

    def hold(self, x: float, y: float, zoom: float) -> None:
        """Brings a spot of the scene to the middle at once, where it stays until the user moves."""
        self._flight.stop()
        self.fitted = False
        self._held = x, y, zoom
        self.stay()

    def fit(self, animate: bool) -> None:
        self._fly(self._port().fit(), animate)
        self.fitted = True

    def centre(self, x: float, y: float, scale: float, animate: bool) -> None:
        """Brings a spot of the scene to the middle."""
        port = self._port()
        self._fly(port.framed(port.centred(x, y, scale)), animate)

    def zoom(self, scale: float, anchor: QPointF) -> None:
        """Changes the scale, with a spot of the picture (device pixels) staying where it is."""
        port = self._port()
        scale = min(max(scale, port.fit_scale), port.max_scale)
        if scale != self.camera.scale:
            self._settling.start()
            self._take_over(self.camera.scaled(scale, anchor.x(), anchor.y()))

    def pan(self, dx: float, dy: float) -> None:
        """Shifts the picture by device pixels."""
        self._take_over(self.camera.moved(dx, dy))

    def jump(self, x: float, y: float) -> None:
        """Brings a spot of the scene to the middle at once."""
        self._take_over(self._port().centred(x, y, self.camera.scale))

    def carry(self, dx: float, dy: float) -> None:
        """Follows what has moved in the scene: it is seen where it was."""
        self._flight.stop()
        self._let_go()
        scale = self.camera.scale
        self._move(self._port().allowed(self.camera.moved(-dx * scale, -dy * scale)))

    def stay(self) -> None:
        """Keeps showing everything, or what is shown, in a window or scene of another size."""
        port, held = self._port(), self.held
        if held is not None:
            x, y, zoom = held
            self._move(port.allowed(port.centred(x, y, zoom * port.ratio)))
        else:
            self._move(port.fit() if self.fitted else port.framed(self.camera))

    def follow_screen(self) -> None:
        """Follows a change of screen, which may have other pixels; to the user nothing changes."""
        ratio = self._port().ratio
        factor, self._ratio = ratio / self._ratio, ratio
        self.camera = self.camera.magnified(factor)
        self.stay()

    def be_still(self, on: bool) -> None:
        """Whether to jump where it would glide."""
        self._flight.still = on
        if on:
            self._flight.land()

    def stop(self) -> None:
        """Ends a glide where it is."""
        self._flight.stop()

    def settle(self) -> None:
        """Lands a glide and ends waiting for more zoom."""
        self._flight.land()
        self._settling.stop()

    def _let_go(self) -> None:
        """Neither everything nor a spot is to stay in sight."""
        self.fitted, self._held = False, None

    def _fly(self, goal: Camera, animate: bool) -> None:
        self._let_go()
        self._flight.start(self._port(), self.camera, goal, animate)

    def _take_over(self, camera: Camera) -> None:
        """The user moves the view."""
        self._flight.stop()
        self._let_go()
        self._move(self._port().allowed(camera))

    def _move(self, camera: Camera) -> None:
        if camera == self.camera:
            return
        changed = camera.scale != self.camera.scale
        if changed and self._flight.flying:
            self._settling.start()
        self.camera = camera
        self._moved(changed)

    def _land(self) -> None:
        """Lands: what a journey has blurred can be read at once, as no other follows."""
        self._settling.stop()
        self._come_to_rest()

    def _come_to_rest(self) -> None:
        self._moved(False)
