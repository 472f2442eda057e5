"""`python -m make_icons`: draws all sizes anew, from `resources` with PySide6.

Small sizes have drawings of their own, on their own grid of pixels: a large one that is made smaller has grey edges.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SOURCES = Path(__file__).parent
ICONS = SOURCES.parent / "errorflow_resources" / "icons"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


@dataclass(frozen=True, slots=True)
class Icon:
    """A drawing, and where its pictures go: `folder` below `icons`, and how their names begin."""

    source: str
    folder: str
    stem: str


ROWS = (Icon("app", "app", "errorflow"), Icon("session", "document", "session"), Icon("model", "document", "model"))


def drawn() -> Iterator[tuple[Path, bytes]]:
    """Every file that is to be there, and what is in it."""
    for icon in ROWS:
        folder = ICONS / icon.folder
        yield folder / f"{icon.stem}.svg", source_of(icon, 0).read_bytes()
        for size in SIZES:
            yield folder / f"{icon.stem}-{size}.png", png(source_of(icon, size), size)
    yield ICONS / "app" / "errorflow-symbolic.svg", (SOURCES / "symbolic.svg").read_bytes()


def source_of(icon: Icon, size: int) -> Path:
    """The drawing for that size, if there is one, or that for all."""
    own = SOURCES / f"{icon.source}-{size}.svg"
    return own if own.is_file() else SOURCES / f"{icon.source}.svg"


def png(source: Path, size: int) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(source)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.convertToFormat(QImage.Format.Format_ARGB32).save(buffer, "PNG", 0)  # type: ignore[call-overload]  # a format by name
    return bytes(buffer.data().data())


def main() -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QGuiApplication(sys.argv[:1])
    for path, data in drawn():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    del app
    return 0


if __name__ == "__main__":
    sys.exit(main())
