"""Which label is of which sample: both are paths, of which either may leave out folders."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath

from errorflow.base.errors import UsageError
from errorflow.run.samples.arrays import Archives, Columns, Files, Stack, Whole
from errorflow.run.samples.model import Source
from errorflow.run.samples.opening import Joined
from errorflow.run.samples.pictures import Folder, PictureSource

Tail = tuple[str, ...]
# Where labels that differ have the same name.
_SEVERAL = -1
# Whichever system wrote the labels.
_SLASH = re.compile(r"[\\/]+")
_NAMES = "The first column must name the samples' files, with or without their suffix."
_FOLDERS = "Name their folders too, as in train/0.npy, so that each is of one sample."


def path_of(source: Source, number: int) -> str:
    """What a sentence calls the sample, with all folders of its file if it has one."""
    if isinstance(source, Joined):
        return path_of(*source.at(number))
    if isinstance(source, PictureSource) and source.batch == 1 and isinstance(source.album, Folder):
        return source.album.paths[number].as_posix()
    held = next(iter(source.columns.values())) if isinstance(source, Columns) else source
    if isinstance(held, Files | Archives):
        return held.paths[number].as_posix()
    return (held.path.parent / held.name(number)).as_posix() if isinstance(held, Stack | Whole) else held.name(number)


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
        """Its number; None: there is none. Whole names come before those without a suffix."""
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
    """As much of it as tells samples apart in most cases."""
    return "/".join(_parts(sample)[-2:])
