"""Finds what lies near each other without comparing all with all.

Everything is put into bands of equal height, and only ranges of x that meet in one band are paired.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errorflow.base.arrays import Ints
from errorflow.layout.drawing import Floats

BAND = 48.0  # about the height of a row
MOST_BANDED = 20_000_000  # entries in bands; what is in several bands counts in each
MOST_PAIRS = 400_000_000
CHUNK = 1_000_000  # pairs at a time


class TooManyError(Exception):
    """Comparing would take minutes."""


@dataclass(frozen=True, eq=False)
class Bands:
    """Ranges of x in bands, sorted; band and x are one number, so that one search finds both."""

    numbers: Ints
    left: Floats
    right: Floats


def corners_of(pieces: Floats) -> tuple[Floats, tuple[float, float]]:
    """Left, top, right and bottom of each, and the least and greatest x of all."""
    left, right = pieces[:, 0::2].min(axis=1), pieces[:, 0::2].max(axis=1)
    corners = np.column_stack([left, pieces[:, 1::2].min(axis=1), right, pieces[:, 1::2].max(axis=1)])
    return corners, (float(left.min(initial=0.0)), float(right.max(initial=0.0)))


def banded(corners: Floats, numbers: Ints, span: tuple[float, float]) -> Bands:
    """These rows of `corners` (left, top, right, bottom) in bands. `span`: the least and the greatest x of all."""
    left, top, right, bottom = corners[numbers].T
    first, last = np.floor(top / BAND).astype(np.int64), np.floor(bottom / BAND).astype(np.int64)
    counts = last - first + 1
    if counts.sum() > MOST_BANDED:
        raise TooManyError
    rows = np.repeat(np.arange(len(numbers)), counts)
    band = first[rows] + np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    base = band * (span[1] - span[0] + 1.0) - span[0]
    order = np.argsort(base + left[rows], kind="stable")
    return Bands(numbers[rows][order].astype(np.int32), (base + left[rows])[order], (base + right[rows])[order])


def meeting(some: Bands, others: Bands) -> Iterator[tuple[Ints, Ints]]:
    """Numbers of each two that meet, in chunks; a pair may come more than once."""
    yield from _begun_within(some, others)
    if some is not others:
        for theirs, mine in _begun_within(others, some):
            yield mine, theirs


def _begun_within(some: Bands, others: Bands) -> Iterator[tuple[Ints, Ints]]:
    """Pairs in which the second begins within the first."""
    first = np.searchsorted(others.left, some.left)
    counts = np.searchsorted(others.left, some.right, "right") - first
    ends = np.cumsum(counts)
    if counts.sum() > MOST_PAIRS:
        raise TooManyError
    start = 0
    while start < len(counts):
        done = int(ends[start] - counts[start])
        stop = max(start + 1, int(np.searchsorted(ends, done + CHUNK)))
        part = slice(start, stop)
        rows = np.repeat(np.arange(start, stop), counts[part])
        within = np.arange(len(rows)) - np.repeat(ends[part] - counts[part] - done, counts[part])
        yield some.numbers[rows], others.numbers[first[rows] + within]
        start = stop
