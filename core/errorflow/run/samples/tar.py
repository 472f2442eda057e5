"""Pictures in a tar archive. Nothing is unpacked onto the disk, so no name in it can lead anywhere."""

import tarfile
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from errorflow.base.errors import FormatError, UsageError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.run.samples.naming import natural
from errorflow.run.samples.pictures import MAX_BYTES, SUFFIXES

# How each is opened.
ENDS = {".tar": "", ".tar.gz": "gz", ".tgz": "gz", ".tar.bz2": "bz2"}
# All pictures together are held in memory as they are packed, since a compressed archive has no way back.
MAX_TOTAL = 1 << 30
MAX_MEMBERS = 100_000
# What is skipped must be unpacked as well.
MAX_UNPACKED = 1 << 33
_BROKEN = (tarfile.TarError, EOFError, OSError, zlib.error, ValueError, OverflowError, IndexError)
_AGAIN = "Copy it again, or unpack it and give the folder."


@dataclass(frozen=True, slots=True)
class Tar:
    """An album."""

    pictures: tuple[tuple[str, bytes], ...]

    @property
    def names(self) -> Sequence[str]:
        return [name for name, _ in self.pictures]

    def data(self, number: int) -> bytes:
        return self.pictures[number][1]


def is_tar(path: Path) -> bool:
    return path.name.lower().endswith(tuple(ENDS))


def read_tar(path: Path, progress: Progress = SILENT) -> Tar:
    """The pictures, in the order of their names."""
    with Source(path, head=0):  # says in a sentence why a file cannot be read
        pass
    try:
        found = _pictures(path, progress)
    except _BROKEN as error:
        raise FormatError(f"{path.name} is no tar archive, or a broken one.", _AGAIN) from error
    if not found:
        raise UsageError(f"{path.name} holds no pictures.", f"Pictures end with {', '.join(SUFFIXES)}.")
    return Tar(tuple(sorted(found, key=lambda picture: natural(picture[0]))))


def _pictures(path: Path, progress: Progress) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    total = unpacked = 0
    packed = next(kind for end, kind in ENDS.items() if path.name.lower().endswith(end))
    with path.open("rb") as file, _opened(file, packed) as archive:
        for count, member in enumerate(archive):
            progress.step(0, 0, f"Reading {path.name}")
            unpacked += member.size
            if count >= MAX_MEMBERS or unpacked > MAX_UNPACKED:
                raise _too_much(path)
            # Links lead to other files and are left out, as folders and devices are.
            if not member.isreg() or PurePosixPath(member.name).suffix.lower() not in SUFFIXES:
                continue
            total += member.size
            if member.size > MAX_BYTES or total > MAX_TOTAL:
                raise _too_much(path)
            inside = archive.extractfile(member)
            found.append((member.name, b"" if inside is None else inside.read(member.size)))
    return found


def _too_much(path: Path) -> FormatError:
    return FormatError(f"{path.name} holds more than is read of an archive.", "Unpack it and give the folder.")


def _opened(file: BinaryIO, packed: str) -> tarfile.TarFile:
    if packed == "gz":
        return tarfile.open(fileobj=file, mode="r:gz")
    return tarfile.open(fileobj=file, mode="r:bz2" if packed else "r:")
