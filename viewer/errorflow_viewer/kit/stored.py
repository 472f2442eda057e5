"""Store below the settings: a `QSettings`, which another window, or another version of the app, may use as well."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QLockFile, QSettings, QThread

from errorflow.base.codec import Codec, Each, parsed

# Milliseconds that another window of the app may take to write what both write, and between two tries: Qt's own wait
# tries four times at most, and finds nothing where the other has much to write.
PATIENCE, TRY = 500, 5


class Stored:
    """Rubbish counts as nothing. Lists are read again before they are written."""

    def __init__(self, store: QSettings) -> None:
        self._store = store
        # Folders of which nobody knows yet whether they can be asked: a network drive may not answer.
        self.unanswered: set[str] = set()

    @property
    def place(self) -> str:
        """The file, or the key of the registry."""
        return self._store.fileName()

    @property
    def is_kept(self) -> bool:
        """Whether what is chosen will be known at the next start; asks the disk."""
        self._store.sync()
        return self._store.isWritable() and self._store.status() != QSettings.Status.AccessError

    def set_broken_aside(self) -> Path | None:
        """Keeps a copy of a file that cannot be read to its end, which the next change would write anew."""
        self._store.allKeys()
        if self._store.status() != QSettings.Status.FormatError or not is_file(Path(self.place)):
            return None
        copy = Path(f"{self.place}.broken")
        with suppress(OSError):
            shutil.copyfile(self.place, copy)
        return copy

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Begins with what others have written meanwhile, and ends when others can read what is written here."""
        turn = QLockFile(f"{self.place}.turn")
        is_mine = _is_free(turn)
        self._store.sync()
        try:
            yield
        finally:
            self._store.sync()
            if is_mine:
                turn.unlock()

    def flush(self) -> None:
        self._store.sync()

    def _rows(self, key: str, kind: Any) -> dict[str, Any]:
        """Reads values of one kind by name; those that are odd are left out."""
        rows: dict[str, Any] = self._read(key, Each[Mapping[str, kind]], {})
        return rows

    def _read(self, key: str, kind: Any, otherwise: Any) -> Any:
        try:
            return Codec().read(kind, parsed(self._text(key)), notes=[])
        except ValueError:
            return otherwise

    def _number(self, key: str, least: int, most: int) -> int:
        """0: nothing, or rubbish."""
        value = str(self._store.value(key))
        known = value.isascii() and value.isdecimal() and len(value) < 10 and least <= int(value) <= most
        return int(value) if known else 0

    def _text(self, key: str) -> str:
        value = self._store.value(key)
        return value if isinstance(value, str) else ""

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()


def _is_free(turn: QLockFile) -> bool:
    """Whether it could be taken."""
    for _ in range(PATIENCE // TRY):
        if turn.tryLock(0):
            return True
        QThread.msleep(TRY)
    return False


def is_file(path: Path) -> bool:
    """Whether it is there and can be asked for."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a dead network drive, a NUL in the name
        return False
