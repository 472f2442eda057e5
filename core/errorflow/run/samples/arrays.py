"""Samples in files of arrays: a file each, or stacked along the first axis of one."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from pathlib import Path

from errorflow.base.errors import UsageError, WrongFileError
from errorflow.base.values import dataclass, replace
from errorflow.formats import read_tensors
from errorflow.formats.arrays.npy import NpyDump, StoredArray
from errorflow.formats.arrays.values import to_array
from errorflow.formats.folders.array_file import NpyMember, RawMember
from errorflow.formats.folders.scan import Declared
from errorflow.graph.dump import Dump, Stored
from errorflow.run.inputs import fits, partner
from errorflow.run.model import Array, ModelInput
from errorflow.run.samples.fitting import misfit
from errorflow.run.samples.sizes import lacking

RAW = ".bin"


@dataclass(frozen=True)
class Files:
    """One input: a file per sample."""

    want: ModelInput
    paths: tuple[Path, ...]

    @property
    def count(self) -> int:
        return len(self.paths)

    def name(self, number: int) -> str:
        return self.paths[number].name

    def shape(self, number: int) -> tuple[int, ...]:
        """Finds the shape without reading the values; a file that cannot be meant raises."""
        path = self.paths[number]
        if path.suffix.lower() == RAW:
            return RawMember(path, declared(self.want)).stored(self.want.name).info.shape
        return NpyMember(path).stored(self.want.name).info.shape

    def read(self, number: int) -> Array:
        path = self.paths[number]
        if path.suffix.lower() == RAW:
            return RawMember(path, declared(self.want)).stored(self.want.name).read()
        dump = read_tensors(path)
        if not isinstance(dump, NpyDump):
            raise WrongFileError(f"{path.name} is no .npy file ({dump.label}).", "Save each sample with numpy.save.")
        return dump.read(dump.names()[0])


@dataclass(frozen=True)
class InputStack:
    """One input: all samples in one array. Of a .npy file only the rows of the sample are read."""

    stored: Stored
    path: Path
    # Rows of the first axis that are a sample, …
    rows: int
    # … and whether that axis is none of the model's.
    drop: bool = False

    @property
    def count(self) -> int:
        return self.stored.info.shape[0] // self.rows

    def name(self, number: int) -> str:
        return f"{self.path.name}[{number}]"

    def read(self, number: int) -> Array:
        start = number * self.rows
        rows = self._read(start, start + self.rows)
        return rows[0] if self.drop else rows

    def _read(self, start: int, end: int) -> Array:
        dump = self.stored.dump if isinstance(self.stored, StoredArray) else None
        if not isinstance(dump, NpyDump) or dump.header.fortran:
            return self._held[start:end]
        header = replace(dump.header, shape=(end - start, *dump.header.shape[1:]))
        row = prod(dump.header.shape[1:]) * dump.header.dtype.itemsize
        first = dump.header.start + start * row
        return to_array(dump.file.read(first, first + header.nbytes), header)

    @cached_property
    def _held(self) -> Array:
        return self.stored.read()


@dataclass(frozen=True)
class Whole:
    """One input: the only sample."""

    stored: Stored
    path: Path
    count: int = 1

    def name(self, number: int) -> str:  # noqa: ARG002 - as every column is called
        return self.path.name

    def read(self, number: int) -> Array:  # noqa: ARG002 - as every column is called
        return self.stored.read()


Column = Files | InputStack | Whole


@dataclass(frozen=True)
class ColumnSource:
    """A source: a column per input, of the same number of samples."""

    columns: Mapping[str, Column]

    @property
    def count(self) -> int:
        return next(iter(self.columns.values())).count

    def name(self, number: int) -> str:
        return next(iter(self.columns.values())).name(number)

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        return {name: column.shape(number) for name, column in self.columns.items() if isinstance(column, Files)}

    def read(self, number: int) -> Mapping[str, Array]:
        return {name: column.read(number) for name, column in self.columns.items()}


@dataclass(frozen=True)
class Archives:
    """A source: an .npz per sample."""

    wanted: tuple[ModelInput, ...]
    paths: tuple[Path, ...]

    @property
    def count(self) -> int:
        return len(self.paths)

    def name(self, number: int) -> str:
        return self.paths[number].name

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        dump, names = self._opened(number)
        return {name: dump.info(tensor).shape for name, tensor in names.items()}

    def read(self, number: int) -> Mapping[str, Array]:
        dump, names = self._opened(number)
        return {name: dump.read(tensor) for name, tensor in names.items()}

    def _opened(self, number: int) -> tuple[Dump, dict[str, str]]:
        """The archive, and its tensors by the names of the inputs."""
        path = self.paths[number]
        dump = read_tensors(path)
        names: dict[str, str] = {}
        for want in self.wanted:
            tensor = partner(want, self.wanted, dump.names())
            if tensor is not None:
                names[want.name] = tensor
            elif not want.optional:
                raise without(want, path.name, dump.names())
        return dump, names


def stacked(path: Path, wanted: Sequence[ModelInput]) -> ColumnSource:
    """The inputs' arrays in a file, each with all samples along its first axis."""
    dump = read_tensors(path)
    columns: dict[str, Column] = {}
    for want in wanted:
        tensor = partner(want, wanted, dump.names())
        if tensor is not None:
            columns[want.name] = stack(dump.stored(tensor), want, path)
        elif not want.optional:
            raise without(want, path.name, dump.names())
    return checked(columns)


def stack(stored: Stored, want: ModelInput, path: Path) -> Column:
    """The samples in one array, or the array as the only one."""
    shape, wished = stored.info.shape, want.shape
    if wished is None or len(shape) < len(wished):
        return Whole(stored, path)
    if len(shape) == len(wished) + 1 and fits(wished, shape[1:]):
        return InputStack(stored, path, 1, drop=True)
    if len(shape) != len(wished) or not shape or not fits(wished[1:], shape[1:]):
        raise misfit(want, shape, path.name)
    rows = wished[0]
    if not isinstance(rows, int):
        if shape[0] == 1:
            return Whole(stored, path)
        raise lacking(replace(want, shape=(rows, *shape[1:])), f": {path.name} holds {shape[0]:,} rows")
    if rows <= 0 or shape[0] % rows:
        raise misfit(want, shape, path.name)
    return Whole(stored, path) if rows == shape[0] else InputStack(stored, path, rows)


def raw(path: Path, want: ModelInput) -> Column:
    """A .bin file: one sample, or as many as its size says."""
    known = declared(want)
    if None in known.shape:
        return stack(RawMember(path, known).stored(want.name), want, path)
    # Of any number of samples, one too.
    return stack(RawMember(path, Declared(known.dtype, (None, *known.shape))).stored(want.name), want, path)


def declared(want: ModelInput) -> Declared:
    """Declares what the model says of an input whose file holds bare values."""
    if want.shape is None or sum(not isinstance(dim, int) for dim in want.shape) > 1:
        raise lacking(want)
    return Declared(want.dtype, tuple(dim if isinstance(dim, int) else None for dim in want.shape))


def checked(columns: Mapping[str, Column]) -> ColumnSource:
    """Checks that all inputs have as many samples."""
    counts = {name: column.count for name, column in columns.items()}
    if len(set(counts.values())) > 1:
        text = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        raise UsageError(f"The inputs have different numbers of samples: {text}.", "Give the same samples for each.")
    return ColumnSource(columns)


def without(want: ModelInput, what: str, names: Sequence[str]) -> UsageError:
    there = f" It holds: {', '.join(names[:5])}." if names else ""
    return UsageError(
        f"{what} holds nothing for the model's input {want.text}.{there}", f"Save an array under the name {want.name}."
    )
