"""The right answers of samples: in a file beside them, or as the folders that they lie in."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

import numpy as np

from errorflow.base.errors import FormatError, UsageError, WrongFileError
from errorflow.base.files import Source, is_folder
from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass, replace
from errorflow.formats import read_tensors
from errorflow.formats.folders.scan import Listing, listing, stem_of
from errorflow.run.samples.arrays import Archives, ColumnSource, Files, InputStack, Whole
from errorflow.run.samples.asked import SampleSpec
from errorflow.run.samples.fitting import SampleSlice
from errorflow.run.samples.model import SampleSource
from errorflow.run.samples.naming import natural
from errorflow.run.samples.opening import JoinedSamples
from errorflow.run.samples.pictures import SUFFIXES, PictureFolder, PictureSource

MOST_BYTES = 64 << 20
# A class has a number below this.
MOST_CLASSES = 1 << 31
_SUFFIXES = frozenset((".npy", ".npz", ".bin", *SUFFIXES))
_HINT = "Give a number per line, `name,label` per line, an .npy of whole numbers, or a folder per class."
_NUMBERS = "Classes are numbered from 0 on, as the model's outputs are."


@dataclass(frozen=True, slots=True)
class Labels:
    """Right answers: in the order of the samples, or by their names."""

    values: tuple[int, ...]
    # Of each the name of its sample; (): they are in order.
    names: tuple[str, ...] = ()
    # Of classes, where folders have them.
    classes: tuple[str, ...] = ()

    def of(self, names: Sequence[str], first: int = 0) -> tuple[int, ...]:
        """Finds the labels of these samples, which are named with as much of their paths as is known; without names
        they are those from `first` on.
        """
        if not self.names:
            if len(self.values) < first + len(names):
                raise self._unlike(first + len(names))
            return self.values[first : first + len(names)]
        return by_tail(self.names, self.values, names)

    def check(self, counts: Collection[int]) -> None:
        """Raises where they are in order and there are as many of none of these counts: some lines are too many."""
        if not self.names and len(self.values) not in counts:
            raise self._unlike(max(counts))

    def _unlike(self, count: int) -> UsageError:
        return UsageError(f"There are {len(self.values):,} labels for {count:,} samples.", "Give one per sample.")


def right_answers(labels: Labels, samples: SampleSlice) -> tuple[int, ...]:
    """Finds the labels of these samples, which are some of all that were given; labels in order are of all, or up to
    the last.
    """
    taken = samples.first + samples.count
    labels.check((taken, samples.whole.count))
    return labels.of([path_of(samples.whole.source, number) for number in range(samples.first, taken)], samples.first)


def read_labels(path: Path) -> Labels:
    """Reads labels from a file."""
    if path.suffix.lower() in (".npy", ".npz"):
        return _from_array(path)
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path.name} is too large for labels.", _HINT)
        text = source.read(0, source.size).decode("utf-8-sig", "replace")
    found = _from_text(text, path.name)
    if not found.values:
        raise WrongFileError(f"{path.name} holds no labels.", _HINT)
    return found


def _from_array(path: Path) -> Labels:
    dump = read_tensors(path)
    names = dump.names()
    if len(names) != 1:
        raise WrongFileError(f"{path.name} holds {len(names):,} arrays.", _HINT)
    array = np.asarray(dump.read(names[0])).reshape(-1)
    whole = array.astype(np.int64) if array.dtype.kind in "biuf" and np.isfinite(array).all() else array
    if array.dtype.kind not in "biuf" or not np.array_equal(whole, array):
        raise WrongFileError(f"{path.name} holds no whole numbers.", _HINT)
    return Labels(tuple(_class(int(value), path.name) for value in whole.tolist()))


def _from_text(text: str, name: str) -> Labels:
    values, names = [], []
    for number, cells in enumerate(_rows(text)):
        label = _whole(cells[-1])
        if label is None:
            if number == 0 and len(cells) > 1:
                continue  # the names of the columns
            raise FormatError(f"{name}: “{cells[-1][:40]}” in line {number + 1} is no number of a class.", _HINT)
        values.append(_class(label, name))
        names += [" ".join(cells[:-1])] if len(cells) > 1 else []
    if names and len(names) != len(values):
        raise FormatError(f"{name} names some of its samples and others not.", _HINT)
    return Labels(tuple(values), tuple(names))


def _rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    mark = next((mark for mark in (",", ";", "\t") if lines and mark in lines[0]), None)
    if mark is None:
        return [line.split() for line in lines]
    return [[cell.strip() for cell in row] for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark)]


def _whole(text: str) -> int | None:
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.removeprefix("-").isdigit() and len(digits) < 12 else None


def _class(value: int, name: str) -> int:
    if not 0 <= value < MOST_CLASSES:
        raise FormatError(f"{name}: there is no class {value}.", _NUMBERS)
    return value


def by_class(
    asked: SampleSpec, inputs: Collection[str], progress: Progress = SILENT
) -> tuple[SampleSpec, Labels] | None:
    """Samples that lie in a folder per class, and their labels; None: they do not lie so.

    Folders that are numbers name their class so, others are counted in their order. Samples of all classes are mixed,
    so that the first ones, which calibrate, are of each.
    """
    if len(asked.paths) != 1 or not is_folder(asked.paths[0]):
        return None
    found = listing(Path(asked.paths[0]), progress=progress)
    names = sorted(found.folders, key=natural)
    if len(names) < 2 or any(stem_of(name) in {stem_of(each) for each in inputs} for name in names):
        return None
    inside = [_samples(found, name) for name in names]
    if not all(inside):
        return None
    numbers = [_whole(name) for name in names]
    classes = [number for number in numbers if number is not None]
    if len(set(classes)) != len(names):
        classes = list(range(len(names)))
    rows = [(place, number, path) for number, paths in enumerate(inside) for place, path in enumerate(paths)]
    rows.sort(key=lambda row: row[:2])
    labels = Labels(tuple(_class(classes[number], found.path.name) for _, number, _ in rows), (), tuple(names))
    return replace(asked, paths=tuple(str(path) for _, _, path in rows)), labels


def _samples(found: Listing, name: str) -> list[Path]:
    inner = listing(found.path / name, found.root, found.progress)
    files = (file for file in inner.files if not file.startswith(".") and PurePath(file).suffix.lower() in _SUFFIXES)
    return [inner.path / file for file in sorted(files, key=natural)]


# Which label is of which sample: both are paths, of which either may leave out folders.

Tail = tuple[str, ...]
# Where labels that differ have the same name.
_SEVERAL = -1
# Whichever system wrote the labels.
_SLASH = re.compile(r"[\\/]+")
_NAMES = "The first column must name the samples' files, with or without their suffix."
_FOLDERS = "Name their folders too, as in train/0.npy, so that each is of one sample."


def path_of(source: SampleSource, number: int) -> str:
    """Names the sample as a sentence does, with all folders of its file if it has one."""
    if isinstance(source, JoinedSamples):
        return path_of(*source.at(number))
    if isinstance(source, PictureSource) and source.batch == 1 and isinstance(source.album, PictureFolder):
        return source.album.paths[number].as_posix()
    held = next(iter(source.columns.values())) if isinstance(source, ColumnSource) else source
    if isinstance(held, Files | Archives):
        return held.paths[number].as_posix()
    return (
        (held.path.parent / held.name(number)).as_posix() if isinstance(held, InputStack | Whole) else held.name(number)
    )


def by_tail(names: Sequence[str], values: Sequence[int], samples: Sequence[str]) -> tuple[int, ...]:
    """The label of each sample: that whose name shares most folders with it. Each is of one sample alone."""
    _check(names, values)
    found = _Known(names, values)
    rows = [found.row(_parts(sample)) for sample in samples]
    lacking = [sample for sample, row in zip(samples, rows, strict=True) if row is None]
    if lacking:
        raise UsageError(
            f"{len(lacking):,} of {len(samples):,} samples have no label, such as {PurePath(lacking[0]).name}.", _NAMES
        )
    owner: dict[int, str] = {}
    for sample, row in zip(samples, rows, strict=True):
        assert row is not None, "those are told above"
        if row == _SEVERAL:
            raise UsageError(f"There are several labels for the sample {_short(sample)}.", _FOLDERS)
        if row in owner:
            both = f"{_short(owner[row])} and {_short(sample)}"
            raise UsageError(f"The label of {names[row][:100]} could be that of {both}.", _FOLDERS)
        owner[row] = sample
    return tuple(values[row] for row in owner)


def _check(names: Sequence[str], values: Sequence[int]) -> None:
    """The same name twice, with labels that differ, is wrong whatever it is the name of."""
    first: dict[Tail, int] = {}
    for name, value in zip(names, values, strict=True):
        if first.setdefault(_parts(name), value) != value:
            raise UsageError(f"{name[:100]} has two labels that differ.", "Leave one of them in the file.")


class _Known:
    """Labels by all that their names may be shortened to."""

    def __init__(self, names: Sequence[str], values: Sequence[int]) -> None:
        parts = [_parts(name) for name in names]
        self._named = _by_tails(parts, values)
        self._stems = _by_tails([_stem(each) for each in parts], values)

    def row(self, sample: Tail) -> int | None:
        """Finds its number; None: there is none. Whole names come before those without a suffix."""
        stem = _stem(sample)
        for known, tail in ((self._named, sample), (self._named, stem), (self._stems, stem)):
            found = next((known[each] for each in _tails(tail) if each in known), None)
            if found is not None:
                return found
        return None


def _by_tails(parts: Iterable[Tail], values: Sequence[int]) -> Mapping[Tail, int]:
    found: dict[Tail, int] = {}
    for row, each in enumerate(parts):
        for tail in _tails(each):
            before = found.setdefault(tail, row)
            if before != _SEVERAL and values[before] != values[row]:
                found[tail] = _SEVERAL
    return found


def _tails(parts: Tail) -> Iterator[Tail]:
    """The longest first."""
    return (parts[start:] for start in range(len(parts)))


def _parts(name: str) -> Tail:
    return tuple(part for part in _SLASH.split(name.strip()) if part not in ("", "."))


def _stem(parts: Tail) -> Tail:
    return (*parts[:-1], PurePath(parts[-1]).stem) if parts else ()


def _short(sample: str) -> str:
    """Shortens a path to as much as tells samples apart in most cases."""
    return "/".join(_parts(sample)[-2:])
