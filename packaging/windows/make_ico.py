"""Makes the icons of the app and its documents anew from the pictures: `python packaging/windows/make_ico.py`.

Sizes up to 128 are bitmaps, which every part of Windows reads; 256 is a PNG, as Windows itself does it.
"""

import struct
from pathlib import Path

from PySide6.QtGui import QImage

HERE = Path(__file__).parent
ICONS = HERE.parents[1] / "resources/errorflow_resources/icons"
# Of the app beside this file: only the installer and PyInstaller want it. Of documents with the pictures: the app
# writes them where nobody installed it.
MADE_OF = {
    HERE / "errorflow.ico": "app/errorflow",
    ICONS / "document/session.ico": "document/session",
    ICONS / "document/model.ico": "document/model",
}
# What Windows asks for at 100, 125, 150, 200 % and more, as far as there are pictures of that size.
SIZES = (16, 20, 24, 32, 40, 48, 64, 96, 128, 256)
PNG_FROM = 256
_HEADER, _ENTRY, _BITMAP = "<HHH", "<BBBBHHII", "<IiiHHIIiiII"


def pictures(stem: Path) -> list[Path]:
    """The pictures `stem-16.png`, … that there are."""
    return [path for size in SIZES if (path := stem.with_name(f"{stem.name}-{size}.png")).is_file()]


def bitmap(image: QImage) -> bytes:
    """Rows from below, four bytes a pixel; then a mask of one bit a pixel, which must be there, and is not read."""
    image = image.convertToFormat(QImage.Format.Format_ARGB32).flipped()
    size = image.width()
    mask = bytes((size + 31) // 32 * 4 * size)
    header = struct.pack(_BITMAP, 40, size, 2 * size, 1, 32, 0, size * size * 4 + len(mask), 0, 0, 0, 0)
    return header + bytes(image.constBits()) + mask


def ico(paths: list[Path]) -> bytes:
    """One file that holds all of them."""
    images = [QImage(str(path)) for path in paths]
    bodies = [
        path.read_bytes() if image.width() >= PNG_FROM else bitmap(image)
        for path, image in zip(paths, images, strict=True)
    ]
    table, offset = b"", struct.calcsize(_HEADER) + len(bodies) * struct.calcsize(_ENTRY)
    for image, body in zip(images, bodies, strict=True):
        edge = image.width() % 256  # 0 says 256
        table += struct.pack(_ENTRY, edge, edge, 0, 0, 1, 32, len(body), offset)
        offset += len(body)
    return struct.pack(_HEADER, 0, 1, len(bodies)) + table + b"".join(bodies)


def main() -> None:
    """Writes all of them."""
    for path, stem in MADE_OF.items():
        found = pictures(ICONS / stem)
        path.write_bytes(ico(found))
        print(f"{path.name}: {', '.join(path.stem.rpartition('-')[2] for path in found)}")


if __name__ == "__main__":
    main()
