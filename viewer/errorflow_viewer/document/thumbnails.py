"""Small pictures of what was opened last: kept in the cache, few of them, and never in the way of anything."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageReader

from errorflow.base import ErrorflowError, dataclass
from errorflow.base.files import recency, write_atomic
from errorflow.case.session.model import SUFFIX
from errorflow.case.session.stamp import stamp_of
from errorflow_viewer.kit.caches import cache_root
from errorflow_viewer.kit.recent import Recent, files_of, text_of

LOG = logging.getLogger(__name__)
# Pixels: twice what a card shows, for fine screens.
WIDTH, HEIGHT = 512, 240
# Files that are kept, the newest; bytes of all of them, and of one that is read.
MOST, MOST_BYTES, LARGEST = 60, 16 * 1024 * 1024, 2 * 1024 * 1024
# What is written into a picture beside its pixels.
_STAMP, _SIGN = "errorflow-of", "errorflow-sign"


@dataclass(frozen=True, slots=True, eq=False)
class SeenPicture:
    """Look of something when it was on view, and the sign of its verdict; "": there was none."""

    image: QImage
    sign: str = ""


def default_folder() -> Path:
    """Finds where they lie; all of them can be deleted at any time."""
    return cache_root() / "thumbnails"


class Thumbnails:
    """May be asked by any thread; whatever fails, there is no picture."""

    def __init__(self, folder: Callable[[], Path] = default_folder) -> None:
        self._folder = folder

    def write(self, recent: Recent, images: Mapping[str, QImage], sign: str, stamp: str) -> None:
        """Writes one picture for each theme; `stamp`: of its files when they were read."""
        try:
            folder = self._folder()
            folder.mkdir(parents=True, exist_ok=True)
            for theme, image in images.items():
                image.setText(_STAMP, stamp)
                image.setText(_SIGN, sign)
                write_atomic(folder / _name(recent, theme), _png(image), follow=False)
            self._bound(folder)
        except (OSError, ErrorflowError) as error:
            LOG.info("no thumbnail: %s", error)

    def read(self, recent: Recent, theme: str) -> SeenPicture | None:
        """Reads a picture; None: there is none, or its files are others by now."""
        try:
            path = self._folder() / _name(recent, theme)
            if path.stat().st_size > LARGEST:
                return None
            data = QByteArray(path.read_bytes())
            stamp = stamp_now(recent)
        except OSError:
            return None
        image = _read(data)
        if image is None or not stamp or image.text(_STAMP) != stamp:
            return None
        return SeenPicture(image, image.text(_SIGN))

    def forget(self, recent: Recent) -> None:
        """Forgets what it looked like."""
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
        kept = [(path.stat(), path) for path in folder.glob("*-*.png")]
        kept.sort(key=lambda each: recency(each[0].st_mtime), reverse=True)
        size = 0
        for place, (found, path) in enumerate(kept):
            size += found.st_size
            if place >= MOST or size > MOST_BYTES:
                path.unlink(missing_ok=True)


def _digest(recent: Recent) -> str:
    return hashlib.sha256(text_of(recent).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _name(recent: Recent, theme: str) -> str:
    return f"{_digest(recent)}-{theme}.png"


def stamp_now(recent: Recent) -> str:
    """Makes the stamp of its files now; looks at them, which may take long."""
    if isinstance(recent, Path) and recent.suffix == SUFFIX:
        return stamp_of(recent)  # who saves and opens sessions knows them by what is in them
    return stamp_from(recent, written_at(files_of(recent)))


def stamp_from(recent: Recent, written: Mapping[Path, int]) -> str:
    """`written`: when each of its files was written; "": of one that is not known."""
    times = [written.get(path) for path in files_of(recent)]
    return "" if None in times else " ".join(map(str, times))


def written_at(paths: Iterable[Path]) -> dict[Path, int]:
    """Finds times, of what cannot be read nothing; looks at the disk, which may take long."""
    found: dict[Path, int] = {}
    for path in paths:
        with suppress(OSError, ValueError):
            found[path] = path.stat().st_mtime_ns
    return found


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
