"""Makes what lies behind the icons of the disk image anew: `python packaging/macos/make_background.py`."""

import os
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

HERE = Path(__file__).parent
SOURCE = HERE / "background.svg"
# In points, as make_dmg.sh tells the Finder.
SIZE = (640, 400)
# By file: pixels to a point, and pixels to a metre, from which a Mac knows the same.
PICTURES = {"background.png": (1, 2835), "background@2x.png": (2, 5669)}


def picture(name: str) -> QImage:
    scale, density = PICTURES[name]
    image = QImage(SIZE[0] * scale, SIZE[1] * scale, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(SOURCE)).render(painter)
    painter.end()
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    image.setDotsPerMeterX(density)
    image.setDotsPerMeterY(density)
    return image


def main() -> None:
    """Writes both."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _app = QGuiApplication([])
    for name in PICTURES:
        image = picture(name)
        image.save(str(HERE / name), "PNG")  # type: ignore[call-overload]  # a format by name
        print(f"{name}: {image.width()} × {image.height()}")


if __name__ == "__main__":
    main()
