"""The members of a zip archive, each read on its own and never beyond what it says it holds.

The table of contents is read with `zipfile`; the members are not, because that keeps the file open and reads the
table again for each of them.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Generator, Iterator

from errorflow.base import FormatError, dataclass
from errorflow.base.files import PIECE_BYTES, Source

AGAIN = "Copy or download it again, or write it again with numpy.savez."
# Room for 160,000 tensors with names of 50 characters.
MAX_TABLE = 16 << 20
# What zipfile raises for archives that it cannot read, depending on where they are broken.
BROKEN = (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, OSError, struct.error, EOFError)
ENCRYPTED = 1
LOCAL = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class ZipMember:
    """Place of a file in the archive, and how it is packed."""

    name: str
    offset: int
    packed: int
    size: int
    method: int
    crc: int


def members(source: Source) -> list[ZipMember]:
    """The archive's table of contents, in its order."""
    try:
        with zipfile.ZipFile(_Table(source)) as archive:
            return [_member(info, source.name) for info in archive.infolist()]
    except BROKEN as error:
        raise FormatError(f"{source.name} is a broken or cut off archive.", AGAIN) from error


def unpacked(source: Source, member: ZipMember, size: int = PIECE_BYTES) -> Generator[bytes]:
    """The member's bytes, in pieces of up to `size`; a `FormatError` when they are damaged or miscounted."""
    total = crc = 0
    for piece in _pieces(source, member, size):
        total += len(piece)
        crc = zlib.crc32(piece, crc)
        if total > member.size:
            raise FormatError(f"{member.name} in {source.name} holds more than it says.", AGAIN)
        yield piece
    if total < member.size or crc != member.crc:
        raise FormatError(f"{member.name} in {source.name} is damaged.", AGAIN)


def _member(info: zipfile.ZipInfo, archive: str) -> ZipMember:
    if info.flag_bits & ENCRYPTED:
        raise FormatError(f"{archive} is encrypted.", "Unpack it with its password and open what is inside.")
    return ZipMember(
        info.filename, info.header_offset, info.compress_size, info.file_size, info.compress_type, info.CRC
    )


def _pieces(source: Source, member: ZipMember, size: int) -> Iterator[bytes]:
    start = _data_start(source, member)
    packed = (source.read(start + at, min(size, member.packed - at)) for at in range(0, member.packed, size))
    if member.method == zipfile.ZIP_STORED:
        yield from packed
    elif member.method == zipfile.ZIP_DEFLATED:
        yield from _inflated(packed, size, f"{member.name} in {source.name}")
    else:
        raise FormatError(
            f"{member.name} in {source.name} is packed in a way that NumPy does not use.",
            "Write it with numpy.savez_compressed.",
        )


def _inflated(packed: Iterator[bytes], size: int, what: str) -> Iterator[bytes]:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for data in packed:
            while data and not inflate.eof:
                if piece := inflate.decompress(data, size):
                    yield piece
                data = inflate.unconsumed_tail
        while not inflate.eof and (piece := inflate.decompress(b"", size)):
            yield piece
    except zlib.error as error:
        raise FormatError(f"{what} is damaged.", AGAIN) from error


def _data_start(source: Source, member: ZipMember) -> int:
    if not 0 <= member.offset <= source.size - 30:
        raise FormatError(f"{source.name} says that {member.name} lies behind its end.", AGAIN)
    head = source.read(member.offset, 30)
    if head[:4] != LOCAL:
        raise FormatError(f"{member.name} in {source.name} is not where the table of contents says.", AGAIN)
    name, extra = struct.unpack("<HH", head[26:30])
    start = int(member.offset + 30 + name + extra)
    if start + member.packed > source.size:
        raise FormatError(f"{member.name} in {source.name} reaches beyond the end of the archive.", AGAIN)
    return start


class _Table(io.RawIOBase):
    """The archive as a file for `zipfile`, which reads its table of contents in one go, however long."""

    def __init__(self, source: Source) -> None:
        self._source, self._at = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._source.size}[whence]
        if self._at < 0:
            raise OSError("before the beginning")
        return self._at

    def read(self, size: int = -1, /) -> bytes:
        left = max(0, self._source.size - self._at)
        count = left if size < 0 else min(size, left)
        if count > MAX_TABLE:
            raise FormatError(f"{self._source.name} has a table of contents of {count:,} bytes.", AGAIN)
        data = self._source.read(self._at, count)
        self._at += count
        return data
