"""One tensor in a file of its own: `.npy`, text with a value per line, or bare values."""

from collections.abc import Iterator
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorflow.base import SILENT, FormatError, WrongFileError, dataclass, replace
from errorflow.base.arrays import is_possible
from errorflow.base.files import Snapshot, Source
from errorflow.formats.arrays.npy import NPY, NpyDump, read_npy
from errorflow.formats.folders.scan import Declared
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams

# What is read at once: text takes several bytes per value.
MAX_TEXT = 1 << 30
MAX_RAW = 1 << 31
MAX_WORD = 100
# More than any head of a `.npy` file that is read takes.
HEAD = 1 << 14


@dataclass(frozen=True, slots=True)
class NpyMember:
    """A `.npy` file; `qparams` says how the codes in it are meant, where they are codes."""

    path: Path
    qparams: QParams | None = None

    def stored(self, name: str) -> "NpyStored":
        with Source(self.path, HEAD) as source:
            if not NPY.claims(source):
                raise WrongFileError(f"{self.path.name} is not in NumPy's file format.", "Write it with numpy.save.")
            dump = read_npy(source, SILENT)
        inner = dump.info(dump.names()[0])
        codes = self.qparams if np.dtype(inner.dtype).kind in "iu" else None
        return NpyStored(replace(inner, name=name, qparams=codes), dump)


@dataclass(frozen=True, slots=True)
class NpyStored:
    """The tensor of a `.npy` file under a name that is not the file's."""

    info: TensorInfo
    dump: NpyDump

    @property
    def path(self) -> str:
        return str(self.dump.file.path)

    def read(self) -> NDArray[np.generic]:
        return self.dump.read(self.dump.names()[0])


@dataclass(frozen=True, slots=True)
class TextMember:
    """A file with one number per line."""

    path: Path

    def stored(self, name: str) -> "TextStored":
        count = 0
        last = b"\n"
        with Source(self.path) as source:
            if source.size > MAX_TEXT:
                raise FormatError(f"{self.path.name} has more than {MAX_TEXT:,} bytes of text.", "Write it as .npy.")
            for piece in source.pieces():
                count += piece.count(b"\n")
                last = piece[-1:]
            file = Snapshot.of(source)
        count += last != b"\n"
        return TextStored(TensorInfo(name, "float32", (count,), 4 * count), file)


@dataclass(frozen=True, slots=True)
class TextStored:
    """Numbers in text, as float32."""

    info: TensorInfo
    file: Snapshot

    @property
    def path(self) -> str:
        return str(self.file.path)

    def read(self) -> NDArray[np.generic]:
        values = np.empty(self.info.shape[0], np.float32)
        at = 0
        with self.file.open() as source:
            for words in _words(source):
                values[at : at + len(words)] = words[: len(values) - at]
                at += len(words)
        if at != len(values):
            raise FormatError(f"{self.file.path.name} does not hold one number per line.", "Write it again.")
        values.flags.writeable = False
        return values


def _words(source: Source) -> Iterator[NDArray[np.float32]]:
    """The numbers of a text, piece by piece; a piece may end within a number."""
    rest = b""
    for piece in source.pieces():
        text, _, rest = (rest + piece).rpartition(b"\n")
        yield _floats(text.split(), source.name)
        if len(rest) > MAX_WORD:
            raise FormatError(f"{source.name} does not hold one number per line.", "Write it again.")
    yield _floats(rest.split(), source.name)


def _floats(words: list[bytes], name: str) -> NDArray[np.float32]:
    # A long word would make NumPy reserve its length for all of them.
    if max(map(len, words), default=0) > MAX_WORD:
        raise FormatError(f"{name} holds a word that is no number.", "Write it again.")
    try:
        return np.array(words, dtype=np.bytes_).astype(np.float32) if words else np.zeros(0, np.float32)
    except ValueError as error:
        raise FormatError(f"{name} holds a word that is no number.", "Write it again.") from error


@dataclass(frozen=True, slots=True)
class RawMember:
    """A file of bare values, whose type and shape are known from elsewhere."""

    path: Path
    declared: Declared

    def stored(self, name: str) -> "RawStored":
        with Source(self.path) as source:
            file = Snapshot.of(source)
        return RawStored(self._info(name, file.size), file)

    def _info(self, name: str, size: int) -> TensorInfo:
        what = self.path.name
        itemsize = _itemsize(self.declared.dtype)
        if not itemsize:
            raise FormatError(
                f"{what} should hold values of type “{self.declared.dtype}”, which cannot be read from bare values.",
                "Give a type of NumPy, such as float32.",
            )
        shape = _filled(self.declared.shape, size // itemsize)
        if not is_possible(shape, itemsize) or prod(shape) * itemsize != size or size > MAX_RAW:
            text = "×".join(str(dim) for dim in shape)
            raise FormatError(
                f"{what} has {size:,} bytes, which is not what {self.declared.dtype} {text} takes.",
                "Say in “Shapes of raw files” (--shapes) what it was written with.",
            )
        return TensorInfo(name, np.dtype(self.declared.dtype).name, shape, size)


@dataclass(frozen=True, slots=True)
class RawStored:
    """Bare values of a known type and shape."""

    info: TensorInfo
    file: Snapshot

    @property
    def path(self) -> str:
        return str(self.file.path)

    def read(self) -> NDArray[np.generic]:
        flat = np.frombuffer(self.file.read(0, self.file.size), np.dtype(self.info.dtype).newbyteorder("<"))
        return flat.reshape(self.info.shape)


def _itemsize(dtype: str) -> int:
    """0 for a type that is unknown or holds no numbers."""
    try:
        found = np.dtype(dtype)
    except TypeError:
        return 0
    return found.itemsize if found.kind in "biufc" else 0


def _filled(shape: tuple[int | None, ...], count: int) -> tuple[int, ...]:
    """The shape with its one open dimension as the number of values says."""
    known = prod(dim for dim in shape if dim is not None)
    return tuple((count // known if known else 0) if dim is None else dim for dim in shape)
