"""Draws welcome.bmp and header.bmp, which the installer shows, anew: `python packaging/windows/make_images.py`.

Twice as large as at 100 %, so that they stay sharp at 200 %; NSIS reads bitmaps without transparency only.
"""

import os
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QLinearGradient, QPainter, QPainterPath, QPen
from PySide6.QtSvg import QSvgRenderer

HERE = Path(__file__).parent
ICON = HERE.parents[1] / "resources/errorflow_resources/icons/app/errorflow.svg"
WELCOME, HEADER = (328, 628), (300, 114)
GROUND, DEEP, LINE, CALM, ORIGIN = "#283543", "#1C2631", "#6F8294", "#8FA1B2", "#E4572E"


def canvas(size: tuple[int, int], ground: QColor | QLinearGradient) -> tuple[QImage, QPainter]:
    """An image, and what draws on it."""
    image = QImage(*size, QImage.Format.Format_RGB888)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(image.rect(), ground)
    return image, painter


def strand(painter: QPainter, start: QPointF, end: QPointF, pen: QPen) -> None:
    """An edge of a graph that runs downwards."""
    middle = (start.y() + end.y()) / 2
    path = QPainterPath(start)
    path.cubicTo(QPointF(start.x(), middle), QPointF(end.x(), middle), end)
    painter.strokePath(path, pen)


def welcome() -> QImage:
    """The mark, and below it a graph through which an error runs from where it is born."""
    shade = QLinearGradient(0, 0, 0, WELCOME[1])
    shade.setColorAt(0, QColor(GROUND))
    shade.setColorAt(1, QColor(DEEP))
    image, painter = canvas(WELCOME, shade)
    rows = [[164], [92, 236], [92, 236], [164], [92, 236]]
    top, step = 300, 70
    points = [[QPointF(x, top + step * depth) for x in row] for depth, row in enumerate(rows)]
    edges = [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 1, 1), (2, 0, 0), (2, 1, 0), (3, 0, 0), (3, 0, 1)]
    wrong = {(2, 1, 0), (3, 0, 0), (3, 0, 1)}
    for depth, start, end in edges:
        bad = (depth, start, end) in wrong
        pen = QPen(QColor(ORIGIN if bad else LINE), 9 if bad else 6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
        strand(painter, points[depth][start], points[depth + 1][end], pen)
    painter.setPen(Qt.PenStyle.NoPen)
    carried = {(3, 0): "#D98A6F", (4, 0): "#C99A88", (4, 1): "#C99A88"}
    for depth, row in enumerate(points):
        for at, point in enumerate(row):
            born = (depth, at) == (2, 1)
            painter.setBrush(QColor(ORIGIN if born else carried.get((depth, at), CALM)))
            radius = 22 if born else 15
            painter.drawEllipse(point, radius, radius)
    QSvgRenderer(str(ICON)).render(painter, QRectF(84, 64, 160, 160))
    painter.end()
    return image


def header() -> QImage:
    """The mark at the right, on the white of the page."""
    image, painter = canvas(HEADER, QColor("white"))
    QSvgRenderer(str(ICON)).render(painter, QRectF(HEADER[0] - 100, 17, 80, 80))
    painter.end()
    return image


def main() -> None:
    """Writes both."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _app = QGuiApplication([])
    for name, image in (("welcome", welcome()), ("header", header())):
        image.save(str(HERE / f"{name}.bmp"), "BMP")
        print(f"{name}.bmp: {image.width()} × {image.height()}")


if __name__ == "__main__":
    main()
