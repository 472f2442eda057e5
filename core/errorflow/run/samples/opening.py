"""Opening of samples from the user's files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from errorflow.base.errors import FileError, UsageError, WrongFileError
from errorflow.base.files import is_file, is_folder
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.formats.folders.scan import Listing, listing, stem_of
from errorflow.run.inputs import random_values
from errorflow.run.model import Array, ModelInput
from errorflow.run.samples.arrays import RAW, Archives, Column, ColumnSource, Files, checked, raw, stacked
from errorflow.run.samples.asked import SampleSpec
from errorflow.run.samples.fitting import Fitted
from errorflow.run.samples.model import SampleSource
from errorflow.run.samples.naming import natural
from errorflow.run.samples.pictures import SUFFIXES, PictureFolder, is_picture, picture_source
from errorflow.run.samples.sizes import closed, sized
from errorflow.run.samples.tar import is_tar, read_tar

_ARRAYS = (".npz", ".npy", RAW)
_WAYS = (
    "Give a folder of .npy files per input, an .npz with an array per input, pictures, or raw .bin files; or make "
    "samples up with --random SEED."
)
# How the note on such samples begins.
MADE_UP = "The samples are made up"


def open_samples(wanted: Sequence[ModelInput], asked: SampleSpec, progress: Progress = SILENT) -> Fitted:
    """Opens what the model is fed with; the first sample is read, and what is wrong with it is said."""
    known = sized(wanted, asked.dims)
    if asked.paths:
        sources = [_source(Path(path), known, asked, progress) for path in asked.paths]
        source = sources[0] if len(sources) == 1 else JoinedSamples(tuple(sources))
        samples = Fitted(source, known)
    elif asked.seed is not None:
        text = f"{MADE_UP}, random values of seed {asked.seed}: they say nothing about real data."
        samples = Fitted(MadeUp.of(known, asked.seed, asked.count), known, (text,), made_up=True)
    else:
        raise UsageError("There are no samples to run the model on.", _WAYS)
    if not samples.count:
        raise UsageError(f"There are no samples in {', '.join(asked.paths)}.", _WAYS)
    return replace(samples, notes=(*samples.notes, *samples.fitted(0)[1]))


@dataclass(frozen=True, slots=True)
class JoinedSamples:
    """A source: several, one after the other."""

    sources: tuple[SampleSource, ...]

    @property
    def count(self) -> int:
        return sum(source.count for source in self.sources)

    def name(self, number: int) -> str:
        source, own = self.at(number)
        return source.name(own)

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:
        source, own = self.at(number)
        return source.shapes(own)

    def read(self, number: int) -> Mapping[str, Array]:
        source, own = self.at(number)
        return source.read(own)

    def at(self, number: int) -> tuple[SampleSource, int]:
        """Finds which of them holds the sample, and its number there."""
        for source in self.sources:
            if number < source.count:
                return source, number
            number -= source.count
        raise IndexError(number)


def _source(path: Path, wanted: tuple[ModelInput, ...], asked: SampleSpec, progress: Progress) -> SampleSource:
    if is_folder(path):
        return _folder(listing(path, progress=progress), wanted, asked)
    if not is_file(path):
        raise FileError(f"There is no data at {path}.", "Check the path.")
    suffix = path.suffix.lower()
    if is_tar(path):
        return picture_source(read_tar(path, progress), _only(wanted, path), asked.pictures)
    if is_picture(path):
        return picture_source(PictureFolder((path,)), _only(wanted, path), asked.pictures)
    if suffix == RAW:
        want = _only(wanted, path)
        return ColumnSource({want.name: raw(path, want)})
    if suffix not in _ARRAYS:
        raise WrongFileError(f"{path.name} is nothing that samples are read from.", _WAYS)
    return stacked(path, wanted)


def _folder(found: Listing, wanted: tuple[ModelInput, ...], asked: SampleSpec) -> SampleSource:
    inner = _inner(found, wanted)
    if inner:
        return checked({want.name: _column(found, want, name) for want, name in inner})
    kinds = {suffix: _of_kind(found, (suffix,)) for suffix in _ARRAYS} | {"picture": _of_kind(found, SUFFIXES)}
    there = [kind for kind, paths in kinds.items() if paths]
    if len(there) != 1:
        text = f"holds files of several kinds: {', '.join(there)}" if there else "holds no samples"
        raise UsageError(f"The folder {found.path} {text}.", _lacking(wanted) if not there else "Give one kind.")
    paths = kinds[there[0]]
    if there[0] == ".npz":
        # One alone may hold all samples, stacked.
        return stacked(paths[0], wanted) if len(paths) == 1 else Archives(wanted, paths)
    by_stem = {path.stem: path for path in paths}
    if _is_each(by_stem, wanted):
        return _named(by_stem, wanted)
    want = _only(wanted, found.path)
    if there[0] == "picture":
        return picture_source(PictureFolder(paths), want, asked.pictures)
    return ColumnSource({want.name: Files(want, paths)})


def _inner(found: Listing, wanted: Sequence[ModelInput]) -> list[tuple[ModelInput, str]]:
    """The folders that are called as inputs are, if any is."""
    by_stem = {stem_of(name): name for name in found.folders}
    named = [(want, by_stem[stem_of(want.name)]) for want in wanted if stem_of(want.name) in by_stem]
    lacking = [want.name for want in wanted if not want.optional and stem_of(want.name) not in by_stem]
    if named and lacking:
        raise UsageError(f"The folder {found.path} has no folder for the input {lacking[0]}.", _lacking(wanted))
    return named


def _column(found: Listing, want: ModelInput, name: str) -> Column:
    inside = listing(found.path / name, found.root, found.progress)
    paths = _of_kind(inside, (".npy",))
    paths = paths if paths else _of_kind(inside, (RAW,))
    if not paths:
        raise UsageError(f"The folder {inside.path} holds no .npy or .bin files.", "Save a file per sample in it.")
    return Files(want, paths)


def _of_kind(found: Listing, suffixes: tuple[str, ...]) -> tuple[Path, ...]:
    names = (name for name in found.files if name.lower().endswith(suffixes) and not name.startswith("."))
    return tuple(found.path / name for name in sorted(names, key=natural))


def _is_each(by_stem: Mapping[str, Path], wanted: Sequence[ModelInput]) -> bool:
    """Whether the files are called as the inputs are; of a model with one input, that is another sample."""
    stems = {stem_of(want.name) for want in wanted if not want.optional}
    return len(stems) > 1 and stems <= by_stem.keys()


def _named(by_stem: Mapping[str, Path], wanted: Sequence[ModelInput]) -> ColumnSource:
    columns: dict[str, Column] = {}
    for want in wanted:
        path = by_stem.get(stem_of(want.name))
        if path is not None:
            alone = (want,)
            columns |= {want.name: raw(path, want)} if path.suffix == RAW else stacked(path, alone).columns
    return checked(columns)


def _only(wanted: Sequence[ModelInput], path: Path) -> ModelInput:
    """The input that unnamed samples are for."""
    needed = [want for want in wanted if not want.optional]
    if len(needed) != 1:
        raise UsageError(f"{path} does not say which of the model's {len(needed)} inputs it is for.", _lacking(wanted))
    return needed[0]


def _lacking(wanted: Sequence[ModelInput]) -> str:
    names = ", ".join(stem_of(want.name) for want in wanted if not want.optional)
    return f"Make a folder per input ({names}) with files 0.npy, 1.npy and so on in each, or an .npz with these names."


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A source: standard normal floats, whole numbers 0 and 1; the same for the same seed and number."""

    wanted: tuple[ModelInput, ...]
    seed: int
    count: int

    @classmethod
    def of(cls, wanted: tuple[ModelInput, ...], seed: int, count: int) -> "MadeUp":
        """Makes samples up. All sizes must be known."""
        needed = tuple(want for want in wanted if not want.optional)
        for want in needed:
            closed(want)
        return cls(needed, seed, count)

    def name(self, number: int) -> str:
        return f"made-up sample {number}"

    def shapes(self, number: int) -> Mapping[str, tuple[int, ...]]:  # noqa: ARG002 - as every source is called
        return {}

    def read(self, number: int) -> Mapping[str, Array]:
        generator = np.random.default_rng((self.seed, number))
        return {want.name: random_values(want, closed(want), generator) for want in self.wanted}
