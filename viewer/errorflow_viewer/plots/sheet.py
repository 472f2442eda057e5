"""Sheet of a large plot: a scene in the theme's colours, a pointer, keys, and its picture as a file."""

import re
from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QEvent, QIODevice, QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsScene, QWidget

from errorflow_viewer.kit.look import FONT_FAMILY, PADDING, Theme
from errorflow_viewer.plots.box import PaintedBox, PlotBox

# A scene as SVG. What Qt writes is not clipped, so what lies in a box goes into an SVG of its own, which is.
_IDS = re.compile(r'\bid="([^"]+)"')


def drawn(scene: QGraphicsScene, room: QRectF, ground: str, title: str = "") -> str:
    """Draws that part of a scene; `ground` "": nothing below it."""
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
    """Nests a part without its head, and with names that no other part has."""
    body = text[text.index(">", text.index("<svg")) + 1 : text.rindex("</svg>")]
    for name in set(_IDS.findall(body)):
        body = body.replace(f'id="{name}"', f'id="p{number}-{name}"').replace(f"#{name})", f"#p{number}-{name})")
        body = body.replace(f'"#{name}"', f'"#p{number}-{name}"')
    place = f'x="{room.x():g}" y="{room.y():g}" width="{room.width():g}" height="{room.height():g}"'
    return f'<svg {place} viewBox="0 0 {room.width():g} {room.height():g}" overflow="hidden">{body}</svg>'


ZOOM = 1.5


class PlotSheet(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """`said`: what is under the pointer; "": nothing. `asked`: where a menu is wanted."""

    said = Signal(str)
    asked = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(background=None)
        self.theme = theme
        # While a file is made: all in vectors, and without what belongs to the pointer.
        self.exporting = False
        self.layout_ = pg.GraphicsLayout()
        self.layout_.setContentsMargins(PADDING, 0, PADDING * 2, PADDING)
        self.layout_.setSpacing(0)
        self.setCentralItem(self.layout_)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self.boxes: list[PlotBox] = []

    # What each kind says for itself

    @property
    def title(self) -> str:
        return ""

    @property
    def notes(self) -> str:
        return ""

    @property
    def labels(self) -> Sequence[tuple[str, bool]]:
        """Labels of what can be hidden, and whether it is seen."""
        return ()

    def toggle(self, label: str) -> None:
        """Hides it, or shows it again."""

    def controls(self) -> Sequence[QWidget]:
        """Lists controls for the row of tools."""
        return ()

    def turn(self, step: int) -> None:
        """Turns to the next page, where there are pages."""

    def switch_log(self) -> None:
        """Counts in powers of ten or not, where there is a count."""

    def fit(self) -> None:
        """Fits all of it."""

    def numbers(self) -> Callable[[], str]:
        """Makes what writes a CSV of what is drawn now, in the background too."""
        return str

    def point(self, _spot: QPointF | None) -> None:
        """The pointer is there in the scene; None: nowhere."""

    def step(self, _across: int, _down: int) -> None:
        """An arrow key."""

    # What is the same for all

    def dress(self, theme: Theme) -> None:
        self.theme = theme
        self.setBackground(QColor(theme.surface))
        for box in self.boxes:
            box.dress(theme)

    def zoom(self, factor: float) -> None:
        for box in self.boxes[:1]:
            box.zoom(factor)

    def set_pans(self, on: bool) -> None:
        """Whether a drag moves what is seen instead of zooming into it."""
        for box in self.boxes:
            box.pans = on

    def image(self, scale: float = 2.0) -> QImage:
        """Paints as it is seen, `scale` times as fine."""
        image = QImage(self.viewport().size() * scale, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        image.fill(QColor(self.theme.surface))
        painter = QPainter(image)
        self._render(painter, QSizeF(self.viewport().size()))
        painter.end()
        return image

    def svg(self) -> bytes:
        """Draws as it is seen, in vectors."""
        self.exporting = True
        shown = [box for box in self.boxes if box.isVisible()]
        try:
            parts = [(room, drawn(self.scene(), room, "")) for room in (box.sceneBoundingRect() for box in shown)]
            for box in shown:
                box.hide()
            frame = drawn(self.scene(), QRectF(self.viewport().rect()), self.theme.surface, self.title)
        finally:
            for box in shown:
                box.show()
            self.exporting = False
        return put_together(frame, parts)

    def _render(self, painter: QPainter, size: QSizeF) -> None:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.exporting = True
        try:
            self.render(painter, QRectF(QPointF(), size), self.viewport().rect())
        finally:
            self.exporting = False

    # Events

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        if not event.buttons():
            self.point(self.mapToScene(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        self.point(None)
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.asked.emit(event.globalPos())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        steps = {keys.Key_Left: (-1, 0), keys.Key_Right: (1, 0), keys.Key_Up: (0, -1), keys.Key_Down: (0, 1)}
        step = steps.get(keys(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.step(*step)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            painter.setPen(QPen(QColor(self.theme.focus), 1))
            painter.drawRect(QRectF(self.viewport().rect()).adjusted(0.5, 0.5, -0.5, -0.5))
            painter.end()


class Crosshair(PaintedBox):
    """Lines through a place, and a ring on what is meant there."""

    def __init__(self, sheet: PlotSheet, box: PlotBox) -> None:
        self._sheet = sheet
        self._at: tuple[float, float | None] | None = None
        self._ring = False
        super().__init__(box, depth=30)

    def put(self, x: float | None, y: float | None = None, ring: bool = False) -> None:
        """Puts the crosshair in the numbers of the axes; without `y` there is no line across."""
        self._at = None if x is None else (x, y)
        self._ring = ring
        self.update()

    def draw(self, painter: QPainter) -> None:
        if self._at is None or self._sheet.exporting:
            return
        x, y = self._at
        spot, area = self.box.mapFromView(QPointF(x, 0.0 if y is None else y)), self.box.area()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(QColor(self._sheet.theme.focus), 1))
        painter.drawLine(QLineF(spot.x(), area.top(), spot.x(), area.bottom()))
        if y is not None:
            painter.drawLine(QLineF(area.left(), spot.y(), area.right(), spot.y()))
        if self._ring and y is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._sheet.theme.selection), 2))
            painter.drawEllipse(spot, 5.0, 5.0)
