"""Hands out the picture of the graph, as a file or over the clipboard."""

from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage

from errorflow.files import write_atomic

# Twice the pixels of the screen: sharp in a document too.
SCALE = 2.0


def png(image: QImage) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, b"PNG")
    buffer.close()
    return bytes(data.data())


def save_png(image: QImage, path: Path) -> Path:
    """Writes the picture, under a name that ends in .png."""
    target = path if path.suffix.lower() == ".png" else path.with_name(f"{path.name}.png")
    write_atomic(target, png(image))
    return target
