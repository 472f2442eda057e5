"""A PNG of an SVG that our own writers made, in the font that the window has."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from errorflow.base.errors import FormatError, UsageError
from errorflow.base.files import Source, replacing
from errorflow_viewer.export.png import save
from errorflow_viewer.plots.figures import in_our_font

ENDING = ".svg"
MOST_BYTES = 256 << 20
# On a side of an image, as of those of graphs that are not cut into tiles.
_MOST_SIDE = 32_000
_SHARP = 2.0


def is_svg(name: str) -> bool:
    return Path(name).suffix.lower() == ENDING


def write_svg_image(source: Path, path: Path, ground: str, scale: float | None = None) -> str:
    """Writes the file, all of it or not at all; answers what is in it."""
    with Source(source, head=0) as opened:
        if opened.size > MOST_BYTES:
            raise FormatError(f"{source.name} is too large for a picture.", "Ask for fewer curves.")
        renderer = QSvgRenderer(QByteArray(in_our_font(opened.read(0, opened.size))))
    if not renderer.isValid():
        raise FormatError(f"{source.name} is no SVG.", "Give one that Errorflow wrote.")
    size = renderer.defaultSize() * (_SHARP if scale is None else scale)
    if max(size.width(), size.height()) > _MOST_SIDE or min(size.width(), size.height()) < 1:
        raise UsageError("The picture would be too large or too small.", "Choose another --scale.")
    image = _painted(renderer, size, ground)
    with replacing(path) as beside:
        save(image, beside)
    return f"{size.width():,} × {size.height():,} px"


def _painted(renderer: QSvgRenderer, size: QSize, ground: str) -> QImage:
    image = QImage(size, QImage.Format.Format_RGB32)
    if image.isNull():
        raise MemoryError
    image.fill(QColor(ground))
    painter = QPainter(image)
    try:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        renderer.render(painter, QRectF(image.rect()))
    finally:
        painter.end()
    return image
