"""A model as a digest: of its file, and of those beside it that hold its weights.

Bytes count, no times and no places: a copy on another machine is the same model. To read gigabytes takes seconds, so
what large files hold is remembered in the user's cache, for as long as the system says the same of them.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from time import time_ns

from errorflow.base.allowance import cache_folder
from errorflow.base.codec import Codec, Each, as_json, parsed
from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Source, is_file, write_atomic
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.formats import read_model
from errorflow.formats.onnx.external import beside

MARK, VERSION = "errorflow digests", 1
# Bytes from which on a file is remembered: less is read in no time.
LARGE = 64 << 20
# Files that are remembered, the newest ones, and the bytes that they may take.
MOST, MOST_BYTES = 500, 1 << 20
# Nanoseconds: what was written so lately may be written again without a later time, as clocks of disks are coarse.
_LATELY = 2_000_000_000
# What the system says of a file, and its digest.
_Row = tuple[int, int, int, int, int, str]


@dataclass(frozen=True, slots=True)
class _Kept:
    """Digests that are remembered, by the paths of their files."""

    kind: str
    version: int
    files: Each[Mapping[str, _Row]]


def digest_of_model(path: Path, progress: Progress = SILENT) -> str:
    """Computes the digest of all its bytes, wherever in its folder they lie; that of the file where all is in there."""
    store = cache_folder()
    return Digests(None if store is None else store / "digests.json").of_model(path, progress)


class Digests:
    """`store`: where those of files of at least `large` bytes are remembered; None: nowhere."""

    def __init__(self, store: Path | None, large: int = LARGE, clock: Callable[[], int] = time_ns) -> None:
        self._store, self._large, self._clock = store, large, clock

    def of_model(self, path: Path, progress: Progress = SILENT) -> str:
        own = self.of_file(path, progress)
        places = _places(path, progress)
        if not places:
            return own
        rows = [f"{place}\0{self.of_file(beside(path, place), progress)}\n" for place in places]
        return sha256("".join((own, "\n", *rows)).encode(errors="surrogatepass")).hexdigest()

    def of_file(self, path: Path, progress: Progress = SILENT) -> str:
        stamp = _stamp(path)
        if self._store is None or stamp is None or stamp[0] < self._large:
            return _read(path, progress)
        key = os.path.realpath(path)
        known = self._known().get(key)
        if known is not None and known[:-1] == stamp:
            return known[-1]
        digest = _read(path, progress)
        if stamp == _stamp(path) and max(stamp[1:3]) < self._clock() - _LATELY:
            self._remember(key, (*stamp, digest))
        return digest

    def _known(self) -> Mapping[str, _Row]:
        """Reads what is known; nothing where there is nothing, or nothing of use."""
        assert self._store is not None
        with suppress(ErrorflowError, OSError, ValueError):
            if is_file(self._store):
                with Source(self._store, head=0) as source:
                    rows = parsed(source.read(0, source.size)) if source.size <= MOST_BYTES else None
                found: _Kept = Codec().read(_Kept, rows, notes=[])
                return found.files if (found.kind, found.version) == (MARK, VERSION) else {}
        return {}

    def _remember(self, key: str, row: _Row) -> None:
        """Remembers a row; where the disk does not take it, it is read again the next time."""
        assert self._store is not None
        rows = {name: each for name, each in self._known().items() if name != key}
        kept = dict([*rows.items(), (key, row)][-MOST:])
        with suppress(ErrorflowError, OSError):
            self._store.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._store, as_json(_Kept(MARK, VERSION, kept)))


def _places(path: Path, progress: Progress) -> list[str]:
    """Names of the files beside the model that hold some of its values, whichever graph has them."""
    graphs = read_model(path, progress).graphs()
    return sorted({graph.weights.info(name).location for graph in graphs for name in graph.weights.names()} - {""})


def _stamp(path: Path) -> tuple[int, int, int, int, int] | None:
    """Reads what the system says of a file: its size, when it was written and changed, and which one it is."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # whoever opens it says what is wrong with it
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def _read(path: Path, progress: Progress) -> str:
    found = sha256()
    with Source(path, head=0) as source:
        done = 0
        for piece in source.pieces():
            progress.step(done, source.size, f"Looking at {path.name}")
            found.update(piece)
            done += len(piece)
    return found.hexdigest()
