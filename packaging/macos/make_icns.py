"""Makes the icons of the app and its documents anew from the drawings: `python packaging/macos/make_icns.py`.

Small sizes are the pictures that were drawn for them; from 64 on the drawing is put on Apple's grid, where the plate of
an app covers 824 of 1024, so that it is as large as its neighbours in the Dock, and a sheet is a little taller.
"""

import os
import struct
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

HERE = Path(__file__).parent
ICONS = HERE.parents[1] / "resources/errorflow_resources/icons"
# By file: what it is made of, and how much of the edge it covers.
MADE_OF = {
    "errorflow": ("app/errorflow", 824 / 1024),
    "errorflow-session": ("document/session", 928 / 1024),
    "errorflow-model": ("document/model", 928 / 1024),
}
# Kinds of entries: colours and mask apart for the two smallest, which is what all readers know; PNG for the others.
SMALL = (("is32", "s8mk", 16), ("il32", "l8mk", 32))
LARGE = (
    ("ic11", 32),
    ("ic12", 64),
    ("ic07", 128),
    ("ic13", 256),
    ("ic08", 256),
    ("ic14", 512),
    ("ic09", 512),
    ("ic10", 1024),
)
_SHORTEST_RUN, _LONGEST_RUN, _LONGEST_COPY = 3, 130, 128


def packed(data: bytes) -> bytes:
    """Apple's run lengths: 0–127 says how many bytes follow as they are, 128–255 how often the next one is repeated."""
    out, copied, at = bytearray(), bytearray(), 0

    def flush() -> None:
        for start in range(0, len(copied), _LONGEST_COPY):
            part = copied[start : start + _LONGEST_COPY]
            out.append(len(part) - 1)
            out.extend(part)
        copied.clear()

    while at < len(data):
        end = at
        while end < len(data) and data[end] == data[at] and end - at < _LONGEST_RUN:
            end += 1
        if end - at >= _SHORTEST_RUN:
            flush()
            out.extend((end - at - _SHORTEST_RUN + 128, data[at]))
        else:
            copied.extend(data[at:end])
        at = end
    flush()
    return bytes(out)


def entry(kind: str, body: bytes) -> bytes:
    """Name, length with these eight bytes, content."""
    return kind.encode("ascii") + struct.pack(">I", len(body) + 8) + body


def small(kind: str, mask: str, image: QImage) -> bytes:
    """Red, green and blue one after the other, each packed; then the mask as it is."""
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)  # which must live as long as its bits are read
    pixels = bytes(image.constBits())
    return entry(kind, b"".join(packed(pixels[channel::4]) for channel in range(3))) + entry(mask, pixels[3::4])


def png(image: QImage) -> bytes:
    """As it would be in a file."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(data.data())


def drawn(svg: Path, size: int, box: QRectF) -> QImage:
    """The drawing at `size` pixels; `box`: where it goes, in shares of the edge."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(svg)).render(
        painter, QRectF(box.x() * size, box.y() * size, box.width() * size, box.height() * size)
    )
    painter.end()
    return image


def on_grid(svg: Path, share: float) -> QRectF:
    """Where the whole drawing goes so that what is visible of it covers that share of the edge, in the middle."""
    size = 256
    image = drawn(svg, size, QRectF(0, 0, 1, 1))
    seen = [(x, y) for y in range(size) for x in range(size) if image.pixelColor(x, y).alpha() > 127]
    left, top = min(x for x, _ in seen) / size, min(y for _, y in seen) / size
    right, bottom = (max(x for x, _ in seen) + 1) / size, (max(y for _, y in seen) + 1) / size
    scale = share / max(right - left, bottom - top)
    return QRectF(0.5 - scale * (left + right) / 2, 0.5 - scale * (top + bottom) / 2, scale, scale)


def icns(stem: Path, share: float) -> bytes:
    """`stem.svg` with `stem-16.png` and `stem-32.png` as one file."""
    svg, box = stem.with_suffix(".svg"), on_grid(stem.with_suffix(".svg"), share)
    entries = b"".join(
        small(kind, mask, QImage(str(stem.with_name(f"{stem.name}-{size}.png")))) for kind, mask, size in SMALL
    )
    for kind, size in LARGE:
        ready = stem.with_name(f"{stem.name}-{size}.png")
        image = QImage(str(ready)) if size < 64 else drawn(svg, size, box)
        entries += entry(kind, png(image))
    return entry("icns", entries)


def main() -> None:
    """Writes all of them."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _app = QGuiApplication([])
    for name, (stem, share) in MADE_OF.items():
        (HERE / f"{name}.icns").write_bytes(icns(ICONS / stem, share))
        print(f"{name}.icns")


if __name__ == "__main__":
    main()
