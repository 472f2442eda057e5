"""Camera: which part of the drawing is seen, and how large."""

import math

from errorflow.base.values import dataclass

# Zooming in ends where a box fills a good part of the window.
MAX_ZOOM = 4.0
# Room round the drawing at "fit", in px.
MARGIN = 16


@dataclass(frozen=True, slots=True)
class Camera:
    """Scene to device pixels: `device = scene * scale - (left, top)`.

    The offset is whole pixels, so that panning moves a painted picture without painting it anew.
    """

    scale: float = 1.0
    left: int = 0
    top: int = 0

    def to_scene(self, x: float, y: float) -> tuple[float, float]:
        return (x + self.left) / self.scale, (y + self.top) / self.scale

    def to_device(self, x: float, y: float) -> tuple[float, float]:
        return x * self.scale - self.left, y * self.scale - self.top

    def seen(self, x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
        """The part of the scene behind a rectangle of device pixels: left, top, right, bottom."""
        return (*self.to_scene(x, y), *self.to_scene(x + width, y + height))

    def moved(self, dx: float, dy: float) -> "Camera":
        """The picture shifted by so many device pixels."""
        return Camera(self.scale, self.left - round(dx), self.top - round(dy))

    def magnified(self, factor: float) -> "Camera":
        """The same view on a screen with that many times the pixels."""
        return Camera(self.scale * factor, round(self.left * factor), round(self.top * factor))

    def scaled(self, scale: float, x: float, y: float) -> "Camera":
        """Scales the camera, with the scene under the device point (x, y) staying where it is."""
        sx, sy = self.to_scene(x, y)
        return Camera(scale, round(sx * scale - x), round(sy * scale - y))


@dataclass(frozen=True, slots=True)
class Port:
    """The window onto the scene: its size in device pixels, device pixels per logical pixel, the scene's size."""

    width: int
    height: int
    ratio: float
    scene_width: float
    scene_height: float

    @property
    def fit_scale(self) -> float:
        """The scale at which everything is seen; small drawings are not blown up."""
        margin = 2 * MARGIN * self.ratio
        across = max(self.width - margin, 1.0) / max(self.scene_width, 1.0)
        down = max(self.height - margin, 1.0) / max(self.scene_height, 1.0)
        return min(across, down, self.ratio)

    @property
    def max_scale(self) -> float:
        return MAX_ZOOM * self.ratio

    def magnified(self, factor: float) -> "Port":
        """The same window with that many times the pixels."""
        across, down = round(self.width * factor), round(self.height * factor)
        return Port(across, down, self.ratio * factor, self.scene_width, self.scene_height)

    def fit(self) -> Camera:
        return self.centred(self.scene_width / 2, self.scene_height / 2, self.fit_scale)

    def centred(self, x: float, y: float, scale: float) -> Camera:
        """The scene point (x, y) in the middle of the window."""
        scale = min(max(scale, self.fit_scale), self.max_scale)
        return Camera(scale, round(x * scale - self.width / 2), round(y * scale - self.height / 2))

    def allowed(self, camera: Camera) -> Camera:
        """The nearest camera that keeps the limits of zoom and does not lose the drawing out of sight."""
        scale = min(max(camera.scale, self.fit_scale), self.max_scale)
        if scale == self.fit_scale < self.ratio:
            return self.fit()
        if scale != camera.scale:
            camera = camera.scaled(scale, self.width / 2, self.height / 2)
        left = _held(camera.left, self.scene_width * scale, self.width)
        top = _held(camera.top, self.scene_height * scale, self.height)
        return Camera(scale, left, top)

    def framed(self, camera: Camera) -> Camera:
        """The same, with what fits altogether in the middle."""
        camera = self.allowed(camera)
        across, down = self.scene_width * camera.scale, self.scene_height * camera.scale
        left = -round((self.width - across) / 2) if across <= self.width else camera.left
        top = -round((self.height - down) / 2) if down <= self.height else camera.top
        return Camera(camera.scale, left, top)


def _held(offset: int, length: float, window: int) -> int:
    """Keeps an edge of the drawing from passing the middle of the window; what fits altogether stays in sight."""
    if length <= window:
        return int(min(max(offset, math.ceil(length) - window), 0))
    half = window // 2
    return int(min(max(offset, -half), math.ceil(length) - half))
