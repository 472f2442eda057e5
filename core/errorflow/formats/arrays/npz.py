"""Reads .npz archives: a member `NAME.npy` is the tensor NAME with all its slashes, also one in front."""

from collections.abc import Mapping, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from errorflow.base import FormatError, Progress, dataclass, field
from errorflow.base.files import Snapshot, Source
from errorflow.formats.arrays.header import ArrayHeader, parse
from errorflow.formats.arrays.npy import StoredArray
from errorflow.formats.arrays.values import check_size, to_array
from errorflow.formats.arrays.zipped import AGAIN, LOCAL, ZipMember, members, unpacked
from errorflow.formats.format import Format
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Problem

EXTENSION = ".npy"
# Most headers are within these many bytes.
HEAD = 256
EMPTY_ZIP = b"PK\x05\x06"


@dataclass(frozen=True, slots=True)
class NpzDump:
    """The tensors of an archive, in its order. Between reads the file is closed."""

    file: Snapshot
    tensors: Mapping[str, tuple[ZipMember, ArrayHeader]] = field(repr=False)
    problems: tuple[Problem, ...] = ()
    label: str = "NumPy archive"

    def names(self) -> Sequence[str]:
        return tuple(self.tensors)

    def info(self, name: str) -> TensorInfo:
        return self.tensors[name][1].info(name)

    def read(self, name: str) -> NDArray[np.generic]:
        member, header = self.tensors[name]
        check_size(header, f"{name} in {self.file.path.name}")
        with self.file.open() as source:
            data = np.empty(member.size, np.uint8)
            at = 0
            for piece in unpacked(source, member):
                data[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
                at += len(piece)
        return to_array(data[header.start :], header)

    def stored(self, name: str) -> StoredArray:
        # Without the table of all others: it travels to other processes once per tensor.
        alone = NpzDump(self.file, {name: self.tensors[name]})
        return StoredArray(str(self.file.path), self.info(name), alone)


def read_npz(source: Source, progress: Progress) -> NpzDump:
    """The names and headers of all tensors; a broken one is a problem and does not hide the others."""
    tensors: dict[str, tuple[ZipMember, ArrayHeader]] = {}
    problems: list[Problem] = []
    table = members(source)
    for at, member in enumerate(table):
        progress.step(at, len(table), source.name)
        name = member.name.removesuffix(EXTENSION)
        try:
            header = _header(source, member)
        except FormatError as error:
            problems.append(Problem(error.message, member.name))
            continue
        if name in tensors:
            problems.append(Problem("It is there more than once; the last one is used, as NumPy does.", member.name))
        tensors[name] = (member, header)
    if not tensors:
        raise FormatError(
            problems[0].text if problems else f"{source.name} is an archive without an array.",
            "Write tensors with numpy.savez(path, **{name: array}).",
        )
    return NpzDump(Snapshot.of(source), tensors, tuple(problems))


def _header(source: Source, member: ZipMember) -> ArrayHeader:
    what = f"{member.name} in {source.name}"
    if not member.name.endswith(EXTENSION) or member.name == EXTENSION:
        raise FormatError(f"{what} is no array.", AGAIN)
    head = _first(source, member, HEAD)
    header = parse(lambda count: head[:count] if count <= HEAD else _first(source, member, count), what)
    if header.start + header.nbytes != member.size:
        raise FormatError(
            f"{what} should hold {header.nbytes:,} bytes of values and holds {member.size - header.start:,}.", AGAIN
        )
    return header


def _first(source: Source, member: ZipMember, count: int) -> bytes:
    """The first bytes of a member, fewer when it is shorter; the rest is not unpacked."""
    taken = b""
    with closing(unpacked(source, member, HEAD)) as pieces:
        for piece in pieces:
            taken += piece
            if len(taken) >= count:
                break
    return taken[:count]


def is_npz(source: Source) -> bool:
    """An archive whose first member is an array; other tools put other things into zip files."""
    head = source.head
    if head[:4] == EMPTY_ZIP:
        return source.suffix == ".npz"
    name = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return head[:4] == LOCAL and name.endswith(EXTENSION.encode())


NPZ = Format(
    key="npz",
    label="NumPy archive",
    holds="tensors",
    extensions=(".npz",),
    claims=is_npz,
    read=read_npz,
    obtain="numpy.savez or numpy.savez_compressed write it, one array per tensor under the tensor's name.",
)
