"""Files: read in bounded pieces, written whole or not at all."""

import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from errorflow.base.errors import FileError
from errorflow.base.values import dataclass

HEAD_BYTES = 64 * 1024
PIECE_BYTES = 1024 * 1024
# How our temporary folders are called.
OUR_FOLDER = "errorflow-"
# A part of a path that says nothing by itself, and how many are named at most.
# Where a bundle was unpacked.
_DIGEST = re.compile(r"(?=.*[a-f])[0-9a-f]{16,}")
_NUMBERED = re.compile(r"(?:(?:step|rank|sample|iter|epoch|device|batch|run|dump)?[_\-.]?\d+)", re.IGNORECASE)
_DEEPEST_NAME = 5
# Seconds by which the clock of a network drive may be ahead, and more than there were between any two times.
_AHEAD, _EVER = 60.0, 1e11


class Source:
    """A file opened for reading at any place.

    It is read, never mapped: a mapped file that someone truncates kills the process, a short read is a sentence.
    Use it as a context manager, or `close` it. `head` has the first bytes, as many as are asked for.
    """

    def __init__(self, path: str | os.PathLike[str], head: int = HEAD_BYTES) -> None:
        self.path = path if isinstance(path, Path) else Path(path)
        self._fd = _open(self.path)
        try:
            status = os.fstat(self._fd)
            self.size = status.st_size
            # Nanoseconds; tells, with the size, whether it is still the same file when it is opened again.
            self.modified = status.st_mtime_ns
            self.head = self._pread(0, min(head, self.size))
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower()

    def read(self, offset: int, count: int) -> bytes:
        """Exactly `count` bytes from `offset`, or a `FileError`: the file is cut off, or was while it was read."""
        # Else a length made up by a broken file would take that much memory.
        fits = offset >= 0 and 0 <= count <= self.size - offset
        data = self._pread(offset, count) if fits else b""
        if not fits or len(data) != count:
            raise FileError(
                f"{self.name} ends before its byte {offset + count:,}.",
                "It was cut off or changed while it was read; copy or download it again.",
            )
        return data

    def pieces(self, size: int = PIECE_BYTES) -> Iterator[bytes]:
        """The whole file, piece by piece."""
        for offset in range(0, self.size, size):
            yield self.read(offset, min(size, self.size - offset))

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _pread(self, offset: int, count: int) -> bytes:
        parts: list[bytes] = []
        while count > 0:
            try:
                part = _read_at(self._fd, count, offset)
            except OSError as error:
                raise FileError(f"{self.name} could not be read: {_reason(error)}.", _RETRY) from error
            if not part:
                break
            parts.append(part)
            offset += len(part)
            count -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file as it was when it was read: a later look finds the same bytes, or an error says that they changed.

    It holds nothing open, so any number of threads may come back at a time.
    """

    path: Path
    size: int
    modified: int

    @classmethod
    def of(cls, source: Source) -> "Snapshot":
        return cls(source.path, source.size, source.modified)

    def open(self) -> Source:
        """The file again, for a `with` statement; a `FileError` if it is not the same any more."""
        source = Source(self.path, head=0)
        if (source.size, source.modified) != (self.size, self.modified):
            source.close()
            raise FileError(f"{self.path.name} has changed since it was opened.", "Open it again.")
        return source

    def read(self, start: int, end: int) -> bytes:
        with self.open() as source:
            return source.read(start, end - start)


_RETRY = "Check the disk or network drive it lies on and try again."


def _read_at(fd: int, count: int, offset: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(fd, count, offset)
    os.lseek(fd, offset, os.SEEK_SET)  # Windows has no pread; a Source is used by one thread at a time
    return os.read(fd, count)


def _open(path: Path) -> int:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise FileError(f"{path.name or path} is a folder, not a file.", "Choose a file inside it.")
        if not stat.S_ISREG(mode):
            raise FileError(f"{path.name} is not a regular file.", "Choose a file on disk, not a pipe or a device.")
        return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError as error:
        made = " `errorflow compare … --session FILE` makes a session." if path.suffix == ".errorflow" else ""
        hint = f"Check the path; it may have been moved or deleted.{made}"
        raise FileError(f"There is no file {path}.", hint) from error
    except PermissionError as error:
        raise FileError(
            f"{path.name} may not be read.", "Ask its owner for permission, or copy it to a folder of yours."
        ) from error
    except (OSError, ValueError) as error:
        raise FileError(f"{path.name} could not be opened: {_reason(error)}.", _RETRY) from error


def _reason(error: Exception) -> str:
    text = getattr(error, "strerror", None)
    return str(text if text else error).lower()


def telling_name(path: Path) -> str:
    """Names a file or a folder as a user knows it: with the folders around a name that is only a number or a step.

    Runs lie in folders such as `digits/1/0`, of which the last part says nothing. Our own temporary folders say less.
    """
    parts = [part for part in path.parts if part != path.anchor]
    start = len(parts) - 1
    while start > 0 and len(parts) - start < _DEEPEST_NAME and _NUMBERED.fullmatch(parts[start]):
        if parts[start - 1].startswith(OUR_FOLDER) or _DIGEST.fullmatch(parts[start - 1]):
            break
        start -= 1
    return "/".join(parts[max(start, 0) :])


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether the path is a file; False also where looking is not allowed or no such name can be."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where a folder may not be looked into


def recency(written: float) -> float:
    """A time of writing, in seconds since 1970, by which the oldest give way: what says that it comes from the future
    was written before the clock was set back, and is older than what is written now."""
    return written if written <= time.time() + _AHEAD else written - _EVER


def is_folder(path: str | os.PathLike[str]) -> bool:
    """The same for folders."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def write_atomic(path: str | os.PathLike[str], data: bytes | str, *, follow: bool = True) -> None:
    """Replaces `path` by `data` in one step: a reader sees the old file or the new one, never half of it.

    A file that is replaced keeps its permissions; of a link, the file it points to is replaced. Do not `follow` where
    the name is ours and others may write to the folder: then the link itself is replaced. What no file can hold as
    UTF-8, as the names of some files, is written as escapes.
    """
    write_pieces(path, (data,), follow=follow)


def write_pieces(path: str | os.PathLike[str], pieces: Iterable[bytes | str], *, follow: bool = True) -> None:
    """The same for a file that is made piece by piece and may be larger than the memory."""
    with replacing(path, follow=follow) as beside, beside.open("xb") as file:
        for piece in pieces:
            file.write(piece.encode(errors="backslashreplace") if isinstance(piece, str) else piece)


def have_folder(path: str | os.PathLike[str]) -> None:
    """Makes a folder and those it lies in; a `FileError` says why it cannot."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"The folder {path} could not be made: {_reason(error)}.", "Choose another folder or free some space."
        ) from error


@contextmanager
def replacing(path: str | os.PathLike[str], *, lasting: bool = True, follow: bool = True) -> Iterator[Path]:
    """The name of a new file for others to write, which takes the place of `path` at the end unless that fails.

    Not `lasting`: one of thousands that can be made again, which a power failure in the next seconds may cost.
    """
    place, name = os.path.split(path)
    target = Path(os.path.realpath(path) if follow else os.path.realpath(place), "" if follow else name)
    beside = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        try:
            yield beside
            _take_place(beside, target, lasting=lasting)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(
            f"{path} could not be written: {_reason(error)}.", "Choose another folder or free some space."
        ) from error


@contextmanager
def arriving(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder for new files, which move to `folder` at the end; unless something fails, then none of them does."""
    beside = Path(folder) / f".{secrets.token_hex(8)}.part"
    try:
        try:
            beside.mkdir()
            yield beside
            for file in sorted(beside.iterdir()):
                _take_place(file, Path(os.path.realpath(Path(folder) / file.name)))
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise FileError(
            f"Nothing could be written to {folder}: {_reason(error)}.", "Choose another folder or free some space."
        ) from error


def _take_place(new: Path, target: Path, *, lasting: bool = True) -> None:
    """The new file is on the disk, all of it, before it gets the name and the permissions of the old one."""
    if lasting:
        with new.open("rb+") as file:
            os.fsync(file.fileno())
    if target.exists() and not target.is_symlink():
        new.chmod(stat.S_IMODE(target.stat().st_mode))
    new.replace(target)
