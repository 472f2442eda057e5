"""Caches of what the app can make again: where, how much that is, and taking it away.

To add a part: a row in PARTS. Only files of the names that its row knows are ever counted or taken away: a folder that
the user chose may hold other things.
"""

import os
import re
import shutil
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from PySide6.QtCore import QStandardPaths

from errorflow.base import SILENT, Progress, allowance, dataclass

# Seconds: what was written so lately is of work under way.
LATELY = 5.0
STEP = "Looking at what is kept"


@dataclass(frozen=True, slots=True)
class Part:
    """`folder`: where it is below the root, "" for the root itself; `owns`: the names of its files and folders."""

    key: str
    name: str
    tip: str
    root: Callable[[], Path]
    folder: str
    owns: str

    @property
    def place(self) -> Path:
        return self.root() / self.folder


@dataclass(frozen=True, slots=True)
class Amount:
    """Amount of files that are kept, or were taken away."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.files + other.files, self.bytes + other.bytes)


def cache_root() -> Path:
    """The folder that was chosen, or that of the system."""
    found = allowance.cache_folder()
    return _standard(QStandardPaths.StandardLocation.CacheLocation) if found is None else found


def state_root() -> Path:
    """Finds the folder beside the logs: what takes long to make again."""
    return _standard(QStandardPaths.StandardLocation.StateLocation)


def _standard(location: QStandardPaths.StandardLocation) -> Path:
    return Path(QStandardPaths.writableLocation(location))


PARTS: tuple[Part, ...] = (
    Part(
        "thumbnails",
        "Pictures of recent files",
        "Small pictures on the start page; each is made again when its model is open",
        cache_root,
        "thumbnails",
        r"[\w.-]+\.(png|json)",
    ),
    Part(
        "digests",
        "Digests of large models",
        "By which a model is known again; it is read once more when it is needed",
        cache_root,
        "",
        r"digests\.json",
    ),
    Part(
        "results",
        "What was measured",
        "Comparisons that were opened before are coloured at once; without this they are measured again",
        state_root,
        "results",
        r"\.errorflow-(compare|known)-[\w-]+\.(journal|json)",
    ),
    Part(
        "bundles",
        "Unpacked ticket bundles",
        "A bundle is unpacked again when it is opened",
        state_root,
        "bundles",
        r"[0-9a-f]{24}",
    ),
)


def amount_of(part: Part, progress: Progress = SILENT) -> Amount:
    """Measures what is there; reads the disk."""
    found = Amount()
    for entry in _entries(part):
        progress.step(0, 0, STEP)
        found += _size(entry)
    return found


def clear(part: Part, used: Collection[Path] = (), progress: Progress = SILENT) -> Amount:
    """Takes away what is not in use, and says how much that was; what does not want to go stays."""
    found = Amount()
    for entry in _entries(part):
        progress.step(0, 0, "Clearing what is kept")
        if any(entry == path or entry in path.parents for path in used) or _is_fresh(entry):
            continue
        size = _size(entry)
        if _remove(entry):
            found += size
    return found


def writable(folder: Path) -> bool:
    """Whether files can be made there; the folder is made for it."""
    probe = folder / f".errorflow-{os.getpid()}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"")
        probe.unlink()
    except (OSError, ValueError):
        return False
    return True


def _entries(part: Part) -> Iterator[Path]:
    owns = re.compile(part.owns)
    try:
        found = sorted(part.place.iterdir())
    except OSError:
        return
    for entry in found:
        if owns.fullmatch(entry.name) and not entry.is_symlink():
            yield entry


def _size(entry: Path) -> Amount:
    try:
        if not entry.is_dir():
            return Amount(1, entry.stat().st_size)
        return sum((_size(inner) for inner in entry.iterdir() if not inner.is_symlink()), Amount())
    except OSError:
        return Amount()


def _is_fresh(entry: Path) -> bool:
    try:
        return abs(time.time() - entry.stat().st_mtime) < LATELY  # of the future: the clock was set back
    except OSError:
        return True


def _remove(entry: Path) -> bool:
    try:
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    except OSError:  # somebody has it open, or was faster
        return False
    return True
