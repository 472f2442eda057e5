"""The same comparison for several inputs: one input proves little, the worst one and the middle one say more."""

import math
import re
import statistics
from collections.abc import Mapping
from pathlib import Path

from errorflow.base import UsageError, dataclass
from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.metric import Scale
from errorflow.compare.model import Comparison, Row

MAX_SAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class SamplePaths:
    """Paths of both runs of one input."""

    name: str
    candidate: Path
    reference: Path


@dataclass(frozen=True, slots=True)
class SampleSpread:
    """One tensor over all inputs: per metric the worst value and whose it is, and the one in the middle."""

    tensor: str
    samples: int
    worst: Mapping[str, tuple[float, str]]
    median: Mapping[str, float]


def sample_paths(candidate: Path, reference: Path) -> tuple[SamplePaths, ...]:
    """The folders or files that both have, by name, in the order in which people count: 2 before 10."""
    ours, theirs = _entries(candidate), _entries(reference)
    names = sorted(ours.keys() & theirs.keys(), key=_counting)
    if not names:
        raise UsageError(
            f"{candidate.name} and {reference.name} have no folders of the same name.",
            "With --samples both sides hold a folder per input, such as 0, 1, 2, with the same names on both sides.",
        )
    if len(names) > MAX_SAMPLES:
        raise UsageError(
            f"{candidate.name} holds {len(names):,} samples; {MAX_SAMPLES:,} is the most.", "Compare them in parts."
        )
    return tuple(SamplePaths(name, ours[name], theirs[name]) for name in names)


def lonely_samples(candidate: Path, reference: Path) -> tuple[list[str], list[str]]:
    """The names of inputs that only the candidate has, and that only the reference has."""
    ours, theirs = _entries(candidate).keys(), _entries(reference).keys()
    return sorted(ours - theirs, key=_counting), sorted(theirs - ours, key=_counting)


def _entries(folder: Path) -> dict[str, Path]:
    """Folders under their names, archives under theirs without the suffix."""
    try:
        found = [path for path in folder.iterdir() if not path.name.startswith(".")]
        return {
            path.stem if path.is_file() else path.name: path for path in found if path.is_dir() or _is_archive(path)
        }
    except OSError as error:
        raise UsageError(
            f"{folder} is no folder that can be read.",
            "With --samples both sides are folders with one entry per input.",
        ) from error


def _is_archive(path: Path) -> bool:
    return path.suffix.lower() == ".npz"


def _counting(name: str) -> list[tuple[bool, int, str]]:
    return [
        (not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d{1,18})", name)
    ]


def spread(comparisons: Mapping[str, Comparison]) -> tuple[SampleSpread, ...]:
    """A line per tensor that any input measured, in the order of the first input that has it."""
    found: dict[str, dict[str, Row]] = {}
    for sample, comparison in comparisons.items():
        for row in comparison.rows:
            if row.values:
                found.setdefault(row.tensor, {})[sample] = row
    return tuple(_spread(tensor, rows) for tensor, rows in found.items())


def _spread(tensor: str, rows: Mapping[str, Row]) -> SampleSpread:
    worst, median = {}, {}
    for metric in MEASURES:
        values = {sample: row.values[metric.key] for sample, row in rows.items() if metric.key in row.values}
        if values:
            sample = max(values, key=lambda name: _badness(metric, values[name]))
            worst[metric.key] = values[sample], sample
            median[metric.key] = _median(list(values.values()))
    return SampleSpread(tensor, len(rows), worst, median)


def _badness(metric: Scale, value: float) -> float:
    if math.isnan(value):
        return math.inf
    return -value if metric.higher_is_better else value


def _median(values: list[float]) -> float:
    """NaN as soon as half of them are none."""
    numbers = [value for value in values if not math.isnan(value)]
    return statistics.median(numbers) if 2 * len(numbers) > len(values) else math.nan
