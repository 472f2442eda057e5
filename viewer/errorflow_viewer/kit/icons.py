"""Icons by name, in the colour of the text around them. To add one: an SVG of 24×24 units in resources/icons/line."""

from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Protocol

from PySide6.QtCore import SIGNAL, QByteArray, QObject, Qt
from PySide6.QtGui import QAction, QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolButton

from errorflow_viewer.kit.scaling import factor

SIZES = (16, 20, 24)
SCALES = (1, 2)
UNITS = 24
STROKE = 1.5
APP_SIZES = (16, 24, 32, 48, 64, 128, 256)
_PROPERTY = "iconName"
_FOLLOWED: set[str] = set()
_CHANGED = SIGNAL("changed()")


class Bearer(Protocol):
    """An action or a button."""

    def setIcon(self, icon: QIcon, /) -> None: ...

    def setProperty(self, name: str, value: object, /) -> bool: ...


def icon(name: str, color: str, disabled: str) -> QIcon:
    """The icon with a stroke of 1.5 px at every size, for normal and for greyed out; all of it grows with the text."""
    return _icon(name, QColor(color).name(), QColor(disabled).name(), factor())


def pixmap(name: str, color: str, size: int, scale: float = 1.0) -> QPixmap:
    """Paints one picture of `size` px; `scale` is the screen's pixel ratio."""
    return QPixmap.fromImage(_drawn(_renderer(name, color, size), size, scale))


def _renderer(name: str, color: str, size: int) -> QSvgRenderer:
    source = _svg(name).replace("currentColor", color)
    source = source.replace(f'stroke-width="{STROKE}"', f'stroke-width="{STROKE * UNITS / size}"')
    return QSvgRenderer(QByteArray(source.encode()))


def _drawn(renderer: QSvgRenderer, size: int, scale: float) -> QImage:
    image = QImage(round(size * scale), round(size * scale), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter)
    painter.end()
    image.setDevicePixelRatio(scale)
    # What was painted on keeps its painter's buffers, three times as large as an icon; a copy has none.
    return image.copy()


def _in_color(image: QImage, color: str) -> QImage:
    """The same shape: an icon has one colour, and to draw it once more takes longer."""
    result = image.copy()
    painter = QPainter(result)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(result.rect(), QColor(color))
    painter.end()
    return result.copy()


def follow(bearer: Bearer, name: str) -> None:
    """Gives an action or button an icon that keeps the colour of the theme; `recolour` fills it in."""
    bearer.setProperty(_PROPERTY, name)
    bearer.setIcon(themed(name))
    _FOLLOWED.add(name)


def followed() -> frozenset[str]:
    """Lists all icons that keep the colour of the theme."""
    return frozenset(_FOLLOWED)


def recolour(roots: list[QObject]) -> None:
    """Draws all icons under `roots` anew in the colours of the palette."""
    for root in roots:
        # By kind: of all objects, Python would make ones of its own, which stay.
        found = (bearer for kind in (QAction, QAbstractButton) for bearer in root.findChildren(kind))
        for bearer in (root, *found):
            name = bearer.property(_PROPERTY)
            if isinstance(name, str) and hasattr(bearer, "setIcon"):
                bearer.setIcon(themed(name))
                if isinstance(bearer, QAction):
                    listen_no_more(bearer)


def listen_no_more(action: QAction) -> None:
    """Stops listening: an event tells a button what it shows of its action.

    In Qt 6.11 it begins to listen to the signal as well, anew at each change, in case it is given a menu later, and
    never stops: after a day a change is heard by ten thousand listeners. Ours have their menus from the beginning.
    """
    for bearer in action.associatedObjects():
        if isinstance(bearer, QToolButton):
            QObject.disconnect(action, _CHANGED, bearer, None)  # type: ignore[call-overload]  # None: whatever it does


@lru_cache(maxsize=1)
def app_icon() -> QIcon:
    """The icon of the application."""
    result = QIcon()
    folder = _folder() / "app"
    for size in APP_SIZES:
        drawn = QPixmap()
        drawn.loadFromData((folder / f"errorflow-{size}.png").read_bytes())
        result.addPixmap(drawn)
    return result


def themed(name: str) -> QIcon:
    palette = QApplication.palette()
    normal = palette.color(palette.ColorGroup.Active, palette.ColorRole.ButtonText)
    disabled = palette.color(palette.ColorGroup.Disabled, palette.ColorRole.ButtonText)
    return icon(name, normal.name(), disabled.name())


@lru_cache(maxsize=256)
def _icon(name: str, color: str, disabled: str, grown: float) -> QIcon:
    result = QIcon()
    for size in SIZES:
        renderer = _renderer(name, color, size)
        for scale in SCALES:
            image = _drawn(renderer, round(size * grown), scale)
            result.addPixmap(QPixmap.fromImage(image), QIcon.Mode.Normal)
            result.addPixmap(QPixmap.fromImage(_in_color(image, disabled)), QIcon.Mode.Disabled)
    return result


@lru_cache(maxsize=256)
def _svg(name: str) -> str:
    return (_folder() / "line" / f"{name}.svg").read_text("utf-8")


@lru_cache(maxsize=1)
def _folder() -> Traversable:
    return files("errorflow_resources") / "icons"
