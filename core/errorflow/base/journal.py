"""Journal of a long run, line by line in a file, so that a run that was killed can go on where it was.

The first line says of what the file speaks; entries of anything else are not believed. A last line that was cut off by
the end of the process is ignored.
"""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from io import RawIOBase
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from errorflow.base.codec import as_json, parsed
from errorflow.base.errors import FileError
from errorflow.base.files import is_file

Key = TypeVar("Key")
Value = TypeVar("Value")
# Letters of a line; an entry takes some hundred.
MAX_LINE = 1 << 20


class JournalFile(ABC, Generic[Key, Value]):
    """Use it as a context manager. `known` are the entries of an earlier run that said the same in its head.

    `is_synced`: each entry is worth waiting for the disk.
    """

    def __init__(self, path: Path, head: Mapping[str, object], *, resume: bool, is_synced: bool = False) -> None:
        self._path, self._head, self._is_synced = path, head, is_synced
        self._file: RawIOBase | None = None
        self.known: dict[Key, Value] = self._earlier() if resume else {}

    @abstractmethod
    def entry_of(self, line: Any) -> tuple[Key, Value] | None:
        """Reads what a line holds; None: no entry."""

    @abstractmethod
    def unreadable(self) -> FileError:
        """Makes the error of an entry that cannot be read."""

    def __enter__(self) -> Self:
        fresh = not self.known
        try:
            if fresh:
                # Whatever is there goes, also a link: what that leads to is not ours.
                self._path.unlink(missing_ok=True)
            self._file = self._path.open("xb" if fresh else "ab", buffering=0)
        except OSError as error:
            raise self._unwritten(error) from error
        # What an end in the middle of a line left behind must not swallow the next one.
        self._write(json.dumps(self._head) if fresh else "")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def path(self) -> Path:
        return self._path

    def forget(self) -> None:
        """The results are safe: the file has served."""
        self._path.unlink(missing_ok=True)

    def write(self, line: object) -> None:
        """Writes it at once: it survives the end of this process."""
        self._write(as_json(line))

    def _write(self, line: str) -> None:
        assert self._file is not None
        try:
            self._file.write(f"{line}\n".encode())
            if self._is_synced:
                os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritten(error) from error

    def _unwritten(self, error: OSError) -> FileError:
        reason = str(error.strerror).lower()
        return FileError(
            f"Nothing could be written to {self._path.parent}: {reason}.", "Choose another folder, or free some space."
        )

    def _earlier(self) -> dict[Key, Value]:
        if self._path.is_symlink() or not is_file(self._path):
            return {}
        found: dict[Key, Value] = {}
        try:
            with self._path.open(encoding="utf-8") as file:
                if not self._is_ours(_line(file.readline(MAX_LINE))):
                    return {}
                while line := file.readline(MAX_LINE):
                    entry = self.entry_of(_line(line))
                    if entry is not None:
                        found[entry[0]] = entry[1]
        except (OSError, TypeError, ValueError, OverflowError) as error:
            raise self.unreadable() from error
        return found

    def _is_ours(self, head: Any) -> bool:
        return isinstance(head, dict) and all(head.get(name) == value for name, value in self._head.items())


def _line(text: str) -> Any:
    try:
        return parsed(text)
    except ValueError:
        return None
