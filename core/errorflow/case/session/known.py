"""A finished comparison as a file: what was found is there at once, before any model has run again for its values."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow import __version__
from errorflow.base import FileError, dataclass, field, fields
from errorflow.base.codec import Codec, as_json, parsed
from errorflow.base.files import is_file, write_atomic
from errorflow.compare.journal import VERSION, JournalRow
from errorflow.compare.match.model import Listed, Match, Pair
from errorflow.compare.model import Row
from errorflow.explain.blame.model import ExactParts, Floats, Switched
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Problem

NAME = ".errorflow-known-{}.json"
_SHORT = 16
# A tensor takes about a kilobyte.
MAX_BYTES = 256 << 20
_TEXTS = ("tensor", "rule", "note", "node", "op_type", "layout", "broken")
_NUMBERS = ("accumulated", "introduced", "inherited", "shares")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Awaited:
    """A tensor of a model that has not run again yet."""

    info: TensorInfo
    path: str = ""

    def read(self) -> NDArray[np.generic]:
        raise FileError(f"The values of {self.info.name} are not there yet.", "They come when the models have run.")


@dataclass(frozen=True, slots=True)
class KnownRows:
    """`rows` stand in the order of `match.pairs`, whose tensors cannot be read; without a match only `parts` count."""

    match: Match | None = None
    rows: tuple[Row, ...] = ()
    # What running single nodes once more found; None: nobody did.
    parts: ExactParts | None = None

    def fits(self, match: Match) -> bool:
        """Whether its rows are those of a match, whose tensors can be read."""
        return self.match is not None and [_told(pair) for pair in self.match.pairs] == [
            _told(pair) for pair in match.pairs
        ]


@dataclass(frozen=True, slots=True)
class _KeptPair:
    """A pair without the ways to its values."""

    tensor: str
    rule: str
    note: str
    node: str
    op_type: str
    layout: str
    broken: str
    shape: tuple[int, ...] | None
    listed: Listed | None
    # Candidate and reference.
    sides: tuple[TensorInfo | None, TensorInfo | None]


@dataclass(frozen=True, slots=True)
class _KeptMatch:
    """`measured` in the order of `pairs`; `only`: those of the reference, and those of the candidate."""

    pairs: tuple[_KeptPair, ...]
    measured: tuple[JournalRow, ...]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    outputs: tuple[str, ...]
    # Text, place and side of each.
    problems: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class KeptParts:
    """`ExactParts` as lists."""

    exact: tuple[bool, ...]
    accumulated: tuple[float, ...]
    introduced: tuple[float, ...]
    inherited: tuple[float, ...]
    shares: tuple[float, ...]
    notes: Mapping[int, str]
    switched: Mapping[int, Switched] = field(default_factory=dict)
    off: Mapping[int, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _File:
    """Content of the file: the first three say whether it is of this program and of this comparison."""

    errorflow: str
    rows: int
    compares: str
    match: _KeptMatch | None
    parts: KeptParts | None


def path_in(folder: Path, mark: str) -> Path:
    return folder / NAME.format(mark[:_SHORT])


def read_known(folder: Path, mark: str) -> KnownRows | None:
    """Reads what was kept of this comparison; None: nothing that can be read."""
    path = path_in(folder, mark)
    try:
        if path.is_symlink() or not is_file(path) or path.stat().st_size > MAX_BYTES:
            return None
        found = parsed(path.read_bytes())
        if [found[key] for key in ("errorflow", "rows", "compares")] != [__version__, VERSION, mark]:
            return None
        known = _known(Codec().read(_File, found))
        path.touch()
    except (OSError, LookupError, TypeError, ValueError, OverflowError) as error:
        _log.info("what was kept could not be read: %s", error)
        return None
    return known


def write_known(folder: Path, mark: str, known: KnownRows) -> Path:
    """Writes it whole or not at all."""
    path, match = path_in(folder, mark), known.match
    kept = None if match is None else _kept_match(match, known.rows)
    write_atomic(
        path,
        as_json(_File(__version__, VERSION, mark, kept, None if known.parts is None else _kept_parts(known.parts))),
    )
    return path


def _told(pair: Pair) -> tuple[object, ...]:
    sides = [None if side is None else side.info for side in (pair.candidate, pair.reference)]
    return (*(getattr(pair, name) for name in _TEXTS), *sides)


def _kept_match(match: Match, rows: Sequence[Row]) -> _KeptMatch:
    only = match.only_reference, match.only_candidate
    problems = tuple((problem.text, problem.where, problem.side) for problem in match.problems)
    measured = tuple(map(JournalRow.of, rows))
    return _KeptMatch(tuple(map(_kept_pair, match.pairs)), measured, only, match.network_outputs, problems)


def _kept_pair(pair: Pair) -> _KeptPair:
    same = {name: getattr(pair, name) for name in (*_TEXTS, "shape", "listed")}
    candidate, reference = (None if side is None else side.info for side in (pair.candidate, pair.reference))
    return _KeptPair(**same, sides=(candidate, reference))


def _kept_parts(parts: ExactParts) -> KeptParts:
    return KeptParts(**{each.name: getattr(parts, each.name) for each in fields(KeptParts)})  # arrays become lists


def _known(found: _File) -> KnownRows:
    match, rows = (None, ()) if found.match is None else _match(found.match)
    return KnownRows(match, rows, None if found.parts is None else parts_of(found.parts))


def _match(kept: _KeptMatch) -> tuple[Match, tuple[Row, ...]]:
    pairs = tuple(map(_pair, kept.pairs))
    rows = tuple(measured.row(pair) for pair, measured in zip(pairs, kept.measured, strict=True))
    problems = tuple(Problem(*problem) for problem in kept.problems)
    return Match(pairs, *kept.only, problems, network_outputs=kept.outputs), rows


def _pair(kept: _KeptPair) -> Pair:
    same: dict[str, Any] = {name: getattr(kept, name) for name in (*_TEXTS, "shape", "listed")}
    candidate, reference = (None if info is None else Awaited(info) for info in kept.sides)
    return Pair(candidate=candidate, reference=reference, **same)


def parts_of(kept: KeptParts) -> ExactParts:
    """A `ValueError` where its numbers do not go together."""
    count = len(kept.exact)
    righted = (node for each in kept.switched.values() for node in _nodes(each))
    if any(not 0 <= node < count for node in (*kept.notes, *kept.off, *righted)):
        raise ValueError("no such node")
    return ExactParts(
        exact=_array(kept.exact, np.bool_),
        **{name: _floats(getattr(kept, name), count) for name in _NUMBERS},
        notes=kept.notes,
        switched=kept.switched,
        off=kept.off,
    )


def _nodes(switched: Switched) -> tuple[int, ...]:
    remedy = switched.remedy
    return (*switched.shares, *(() if remedy is None else (*remedy.nodes, *remedy.others)))


def _floats(found: Sequence[float], count: int) -> Floats:
    if len(found) != count:
        raise ValueError("another number of nodes")
    return _array(found, np.float64)


def _array(found: Sequence[Any], dtype: Any) -> NDArray[Any]:
    values = np.array(found, dtype)
    values.flags.writeable = False
    return values
