"""Small pictures of what was opened last: kept in the cache, few of them, and never in the way of anything."""

import hashlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageReader

from errorflow.errors import ErrorflowError
from errorflow.files import write_atomic
from errorflow_viewer.caches import cache_root
from errorflow_viewer.recent import Recent, files_of, text_of

LOG = logging.getLogger(__name__)
# Pixels: twice what a card shows, for fine screens.
WIDTH, HEIGHT = 512, 240
# Files that are kept, the newest; bytes of all of them, and of one that is read.
MOST, MOST_BYTES, LARGEST = 60, 16 * 1024 * 1024, 2 * 1024 * 1024
# What is written into a picture beside its pixels.
_STAMP, _SIGN = "errorflow-of", "errorflow-sign"


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """How something looked when it was on view, and the sign of its verdict; "": there was none."""

    image: QImage
    sign: str = ""


def default_folder() -> Path:
    """Where they lie; all of them can be deleted at any time."""
    return cache_root() / "thumbnails"


class Thumbnails:
    """May be asked by any thread; whatever fails, there is no picture."""

    def __init__(self, folder: Callable[[], Path] = default_folder) -> None:
        self._folder = folder

    def write(self, recent: Recent, images: Mapping[str, QImage], sign: str) -> None:
        """One picture for each theme."""
        try:
            folder = self._folder()
            folder.mkdir(parents=True, exist_ok=True)
            stamp = _stamp(recent)
            for theme, image in images.items():
                image.setText(_STAMP, stamp)
                image.setText(_SIGN, sign)
                write_atomic(folder / _name(recent, theme), _png(image), follow=False)
            self._bound(folder)
        except (OSError, ErrorflowError) as error:
            LOG.info("no thumbnail: %s", error)

    def read(self, recent: Recent, theme: str) -> Seen | None:
        """None: there is none, or its files are others by now."""
        try:
            path = self._folder() / _name(recent, theme)
            if path.stat().st_size > LARGEST:
                return None
            data = QByteArray(path.read_bytes())
            stamp = _stamp(recent)
        except OSError:
            return None
        image = _read(data)
        if image is None or image.text(_STAMP) != stamp:
            return None
        return Seen(image, image.text(_SIGN))

    def forget(self, recent: Recent) -> None:
        """Nobody is to see what it looked like."""
        self._remove(f"{_digest(recent)}-*.png")

    def clear(self) -> None:
        self._remove("*-*.png")

    def _remove(self, pattern: str) -> None:
        try:
            for path in list(self._folder().glob(pattern)):
                path.unlink(missing_ok=True)
        except OSError as error:
            LOG.info("a thumbnail stays: %s", error)

    def _bound(self, folder: Path) -> None:
        """The oldest give way."""
        kept = sorted(((path.stat(), path) for path in folder.glob("*-*.png")), key=lambda each: -each[0].st_mtime_ns)
        size = 0
        for place, (found, path) in enumerate(kept):
            size += found.st_size
            if place >= MOST or size > MOST_BYTES:
                path.unlink(missing_ok=True)


def _digest(recent: Recent) -> str:
    return hashlib.sha256(text_of(recent).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _name(recent: Recent, theme: str) -> str:
    return f"{_digest(recent)}-{theme}.png"


def _stamp(recent: Recent) -> str:
    """When each of its files was written."""
    return " ".join(str(path.stat().st_mtime_ns) for path in files_of(recent))


def _png(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # PySide takes no bytes for the format
    return bytes(buffer.data().data())


def _read(data: QByteArray) -> QImage | None:
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(b"png"))
    size = reader.size()
    if not (0 < size.width() <= 2 * WIDTH and 0 < size.height() <= 2 * HEIGHT):
        return None
    image = reader.read()
    return None if image.isNull() else image
