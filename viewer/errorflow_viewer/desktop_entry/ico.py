"""A document's icon as Windows wants it: all sizes in one file, each a PNG."""

import struct
from importlib.resources import files

# 256 is the largest that the format knows, and written as 0.
_SIZES = (16, 24, 32, 48, 64, 128, 256)
_HEAD, _ROW = struct.Struct("<HHH"), struct.Struct("<BBBBHHII")


def ico_of(stem: str) -> bytes:
    folder = files("errorflow_resources") / "icons" / "document"
    pictures = [(folder / f"{stem}-{size}.png").read_bytes() for size in _SIZES]
    place = _HEAD.size + _ROW.size * len(pictures)
    rows: list[bytes] = []
    for size, picture in zip(_SIZES, pictures, strict=True):
        rows.append(_ROW.pack(size % 256, size % 256, 0, 0, 1, 32, len(picture), place))
        place += len(picture)
    return b"".join((_HEAD.pack(0, 1, len(pictures)), *rows, *pictures))
