"""A scene as SVG. What Qt writes is not clipped, so what lies in a box goes into an SVG of its own, which is."""

import re
from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsScene

from errorflow_viewer.look import FONT_FAMILY

_IDS = re.compile(r'\bid="([^"]+)"')


def drawn(scene: QGraphicsScene, room: QRectF, ground: str, title: str = "") -> str:
    """That part of a scene; `ground` "": nothing below it."""
    made = QBuffer()
    made.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(made)
    generator.setResolution(96)
    whole = QRectF(0, 0, room.width(), room.height())
    generator.setSize(whole.size().toSize())
    generator.setViewBox(whole)
    generator.setTitle(title)
    painter = QPainter(generator)
    if ground:
        painter.fillRect(whole, QColor(ground))
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    scene.render(painter, whole, room)
    painter.end()
    return bytes(made.data().data()).decode()


def put_together(frame: str, parts: Sequence[tuple[QRectF, str]]) -> bytes:
    """The parts in their rooms within the frame; other programs have not our font, and are not to blur cells."""
    inner = "".join(_nested(number, room, text) for number, (room, text) in enumerate(parts))
    whole = frame.replace("</svg>", f"{inner}</svg>")
    whole = whole.replace(f'font-family="{FONT_FAMILY}"', f'font-family="{FONT_FAMILY}, sans-serif"')
    return whole.replace("<image ", '<image style="image-rendering:pixelated" ').encode()


def _nested(number: int, room: QRectF, text: str) -> str:
    """Without its head, and with names that no other part has."""
    body = text[text.index(">", text.index("<svg")) + 1 : text.rindex("</svg>")]
    for name in set(_IDS.findall(body)):
        body = body.replace(f'id="{name}"', f'id="p{number}-{name}"').replace(f"#{name})", f"#p{number}-{name})")
        body = body.replace(f'"#{name}"', f'"#p{number}-{name}"')
    place = f'x="{room.x():g}" y="{room.y():g}" width="{room.width():g}" height="{room.height():g}"'
    return f'<svg {place} viewBox="0 0 {room.width():g} {room.height():g}" overflow="hidden">{body}</svg>'
