"""The right answers of samples: in a file beside them, or as the folders that they lie in."""

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import numpy as np

from errorflow.base.errors import FormatError, UsageError, WrongFileError
from errorflow.base.files import Source, is_folder
from errorflow.base.progress import SILENT, Progress
from errorflow.formats import read_tensors
from errorflow.formats.folders.scan import Listing, listing
from errorflow.formats.folders.stems import stem_of
from errorflow.run.samples.asked import Asked
from errorflow.run.samples.fitting import Part
from errorflow.run.samples.naming import natural
from errorflow.run.samples.pictures import SUFFIXES
from errorflow.study.evaluate.naming import by_tail, path_of

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
        """Those of these samples, which are named with as much of their paths as is known; without names they are those
        from `first` on."""
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


def right_answers(labels: Labels, samples: Part) -> tuple[int, ...]:
    """Those of these samples, which are some of all that were given; labels in order are of all, or up to the last."""
    taken = samples.first + samples.count
    labels.check((taken, samples.whole.count))
    return labels.of([path_of(samples.whole.source, number) for number in range(samples.first, taken)], samples.first)


def read_labels(path: Path) -> Labels:
    """From a file."""
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


def by_class(asked: Asked, inputs: Collection[str], progress: Progress = SILENT) -> tuple[Asked, Labels] | None:
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
