"""Archive of a bundle, which may come from anywhere: nothing in it is believed before it was looked at.

What is unpacked lies below the folder that was asked for, is no link, is no larger than the archive says, and is what
the manifest says, byte by byte.
"""

import hashlib
import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import IO, Any, BinaryIO

from errorflow.base import SILENT, FileError, FormatError, Progress, WrongFileError
from errorflow.base.files import PIECE_BYTES, Source
from errorflow.report.bundle.model import MANIFEST, MARK, SESSION, VERSION, Manifest, decoded, plain, read

# Of members; so deep below the folder; letters of a name.
MOST, DEEPEST, LONGEST = 50_000, 6, 240
MOST_BYTES, MOST_MANIFEST = 64 << 30, 64 << 20
# What is larger than `LARGE` and was that much larger before it was packed is no file of ours; so it is with all.
LARGE, MOST_RATIO = 256 << 20, 300
# What is read as a whole takes many times its size: much less is too much there.
LARGE_TEXT, MOST_TEXT_RATIO = 8 << 20, 100
# Of the table of contents, which is read before anything is known.
MOST_CONTENTS = MOST << 10
# Others take as much memory as the archive asks for.
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCAL = b"PK\x03\x04"
_NAME_AT = 30
_FORBIDDEN = re.compile(r'[\x00-\x1f\\:*?"<>|]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_AGAIN = "Ask for the bundle once more, or copy it again: it was changed or cut on its way."
_BROKEN = (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, OSError, EOFError, RuntimeError)


def is_bundle(path: Path) -> bool:
    """Whether it is one by what it begins with, or by what lies in it: people pack such files anew."""
    try:
        with Source(path) as source:
            if source.head[_NAME_AT : _NAME_AT + len(MARK)] == MARK.encode():
                return True
            if not source.head.startswith(_LOCAL):
                return False
        with path.open("rb") as file, zipfile.ZipFile(_Frugal(file)) as archive:
            names = archive.namelist()[:MOST]
            return MANIFEST in names and SESSION in names
    except (FileError, *_BROKEN):
        return False


def read_manifest(path: Path) -> Manifest:
    """Reads what a bundle says of itself, without unpacking it."""
    with _opened(path) as archive:
        return _manifest(archive, _members(archive, path), path)


def unpack(path: Path, folder: Path, progress: Progress = SILENT) -> tuple[Manifest, tuple[str, ...]]:
    """Unpacks all of it into a folder, which is made; what is not as it was written is said by name."""
    with _opened(path) as archive:
        members = _members(archive, path)
        manifest = _manifest(archive, members, path)
        total, done = sum(member.file_size for member in members.values()), 0
        problems: list[str] = []
        for name, member in members.items():
            digest = _extract(archive, member, folder / name, path, progress, (done, total))
            done += member.file_size
            known = manifest.files.get(name)
            if known is not None and known.sha256 != digest:
                problems.append(f"{name} is not as it was written: its checksum differs.")
            elif known is None and name not in (MANIFEST, MARK):
                problems.append(f"{name} is not of the bundle: somebody put it in later.")
        problems += [f"{name} is missing in the bundle." for name in manifest.files if name not in members]
        return manifest, tuple(problems)


def check(path: Path, progress: Progress = SILENT) -> tuple[Manifest, tuple[str, ...]]:
    """The same without writing anything."""
    with _opened(path) as archive:
        members = _members(archive, path)
        manifest = _manifest(archive, members, path)
        problems: list[str] = []
        for at, (name, known) in enumerate(manifest.files.items()):
            progress.step(at, len(manifest.files), f"Checking {name}")
            if name not in members:
                problems.append(f"{name} is missing in the bundle.")
            elif _digest(archive, members[name], path, progress) != known.sha256:
                problems.append(f"{name} is not as it was written: its checksum differs.")
        return manifest, tuple(problems)


def pieces_of(path: Path, name: str) -> Iterator[bytes]:
    """A member, unpacked piece by piece."""
    with _opened(path) as archive:
        yield from _pieces(archive, _members(archive, path)[name], path)


class _Frugal(io.BufferedIOBase):
    """A file of which nothing is read that no bundle has at one place."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MOST_CONTENTS:
            raise zipfile.BadZipFile("its table of contents is too large")
        return self._file.read(-1 if size is None else size)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()


class _Archive:
    """A context manager around `ZipFile` whose errors are sentences."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> zipfile.ZipFile:
        if self._path.is_dir():
            raise FileError(f"{self._path.name} is a folder, not a file.", "Choose the .zip that was sent.")
        try:
            self._raw = _Frugal(self._path.open("rb"))
        except FileNotFoundError as error:
            raise FileError(
                f"There is no file {self._path}.", "Check the path; it may have been moved or deleted."
            ) from error
        except OSError as error:
            reason = str(error.strerror).lower()
            raise FileError(f"{self._path.name} cannot be read: {reason}.", "Check its permissions.") from error
        try:
            self._file = zipfile.ZipFile(self._raw)
        except _BROKEN as error:
            self._raw.close()
            raise FormatError(f"{self._path.name} is no whole archive: {error}.", _AGAIN) from error
        return self._file

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._raw.close()


def _opened(path: Path) -> _Archive:
    return _Archive(path)


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    """Files by name, unless anything about them is not as in a bundle."""
    listed = archive.infolist()
    if len(listed) > MOST:
        raise FormatError(f"{path.name} holds {len(listed):,} files, more than any bundle.", _AGAIN)
    found: dict[str, zipfile.ZipInfo] = {}
    seen: set[str] = set()
    for member in listed:
        if member.is_dir():
            continue
        _check(member, path)
        if member.filename.lower() in seen:
            raise FormatError(f"{path.name} holds {member.filename[:80]} twice.", _AGAIN)
        seen.add(member.filename.lower())
        found[member.filename] = member
    _check_sizes(list(found.values()), path)
    return found


def _check(member: zipfile.ZipInfo, path: Path) -> None:
    name, parts = member.filename, member.filename.split("/")
    odd = not name or len(name) > LONGEST or len(parts) > DEEPEST or _FORBIDDEN.search(name) is not None
    leads_out = any(part in ("", ".", "..") or part.endswith((" ", ".")) for part in parts)
    if odd or leads_out or any(_RESERVED.fullmatch(part) for part in parts):
        raise FormatError(
            f"{path.name} wants to write “{name[:80]}”, which no bundle holds.", "It was made to do harm, or is broken."
        )
    if stat.S_ISLNK(member.external_attr >> 16):
        raise FormatError(f"{path.name} holds the link “{name[:80]}”.", "It was made to do harm, or is broken.")
    if member.compress_type not in _PACKED:
        raise FormatError(f"{path.name} is packed in a way that no bundle is.", "Ask for it as Errorflow wrote it.")
    if member.flag_bits & 1:
        raise FormatError(f"{path.name} is locked with a password.", "Ask for the bundle as Errorflow wrote it.")


def _check_sizes(members: Sequence[zipfile.ZipInfo], path: Path) -> None:
    total = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    sizes = [(member.file_size, member.compress_size, LARGE, MOST_RATIO) for member in members]
    sizes += [
        (member.file_size, member.compress_size, LARGE_TEXT, MOST_TEXT_RATIO)
        for member in members
        if member.filename.endswith((".json", SESSION))
    ]
    is_bomb = any(size > large and size > ratio * max(small, 1) for size, small, large, ratio in sizes)
    spreads = total > LARGE and total > MOST_RATIO * max(packed, 1)
    if total > MOST_BYTES or is_bomb or spreads or packed > path.stat().st_size:
        raise FormatError(
            f"{path.name} says that it is {total / 1e9:,.1f} GB when it is unpacked, which it cannot be.",
            "It was made to fill the disk, or is broken.",
        )


def _manifest(archive: zipfile.ZipFile, members: Mapping[str, zipfile.ZipInfo], path: Path) -> Manifest:
    member = members.get(MANIFEST)
    if member is None or SESSION not in members:
        raise WrongFileError(
            f"{path.name} is no ticket bundle of Errorflow.", "Unpack it and open the model or the session inside."
        )
    if member.file_size > MOST_MANIFEST:
        raise FormatError(f"{path.name} has a manifest that is too large.", _AGAIN)
    return manifest_of(b"".join(_pieces(archive, member, path)))


def _extract(
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    target: Path,
    path: Path,
    progress: Progress,
    share: tuple[int, int],
) -> str:
    """Writes one member and gives its digest."""
    digest, done = hashlib.sha256(), share[0]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            for piece in _pieces(archive, member, path):
                progress.step(done, share[1], f"Unpacking {path.name}")
                digest.update(piece)
                file.write(piece)
                done += len(piece)
    except OSError as error:
        raise FileError(
            f"{path.name} could not be unpacked: {str(error.strerror).lower()}.", "Free some space, and open it again."
        ) from error
    return digest.hexdigest()


def _digest(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, progress: Progress) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(archive, member, path):
        progress.step(0, 0, f"Checking {member.filename}")
        digest.update(piece)
    return digest.hexdigest()


def _pieces(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> Iterator[bytes]:
    """Never more than the archive said, whatever is in it."""
    left = member.file_size
    try:
        with archive.open(member) as file:
            while piece := _next(file, left):
                left -= len(piece)
                yield piece
    except (*_BROKEN, zlib.error) as error:
        raise FormatError(f"{member.filename} in {path.name} is broken: {error}.", _AGAIN) from error
    if left:
        raise FormatError(f"{member.filename} in {path.name} is cut off.", _AGAIN)


def _next(file: IO[bytes], left: int) -> bytes:
    return file.read(min(PIECE_BYTES, left)) if left else b""


# `manifest.json`: what is in a bundle, what is not, and a checksum of each file.

KEY = "errorflow-bundle"
_NAME = "manifest.json"
_MADE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?")
# Of texts of the manifest that are shown as they are.
_LONGEST = 2000


def manifest_rows(manifest: Manifest) -> dict[str, Any]:
    rows = {each.name: plain(getattr(manifest, each.name)) for each in fields(Manifest) if each.name != "version"}
    return {KEY: manifest.version, **rows}


def manifest_of(data: bytes) -> Manifest:
    """A `FormatError` for what is none, or is of a newer form."""
    rows = decoded(data, _NAME)
    version = rows.pop(KEY, None)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise WrongFileError("This is no ticket bundle of Errorflow.", "Unpack it and open what is inside.")
    if version > VERSION:
        raise FormatError(
            f"The bundle was written by a newer Errorflow (its form is {version}, this one knows {VERSION}).",
            "Install a newer Errorflow. report.html in it can be read by any browser.",
        )
    known = {each.name for each in fields(Manifest)}
    found: Manifest = read(Manifest, {"version": version, **{k: v for k, v in rows.items() if k in known}}, _NAME)
    if _MADE.fullmatch(found.made) is None or max(map(len, (found.title, found.written_by))) > _LONGEST:
        raise FormatError("manifest.json of the bundle is broken.", "Ask for the bundle once more.")
    return found
