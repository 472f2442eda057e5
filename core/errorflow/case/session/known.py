"""A finished comparison as a file: what was found is there at once, before any model has run again for its values."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow import __version__
from errorflow.base.errors import FileError
from errorflow.base.files import is_file, write_atomic
from errorflow.compare.journal import VERSION, plain, row_of
from errorflow.compare.match.model import Listed, Match, Pair
from errorflow.compare.model import Row
from errorflow.explain.blame.model import ExactParts, Floats
from errorflow.graph.dump import Stored, TensorInfo
from errorflow.graph.model import Problem
from errorflow.graph.qparams import QParams

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
class Known:
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


def path_in(folder: Path, mark: str) -> Path:
    return folder / NAME.format(mark[:_SHORT])


def read_known(folder: Path, mark: str) -> Known | None:
    """What was kept of this comparison; None: nothing that can be read."""
    path = path_in(folder, mark)
    try:
        if path.is_symlink() or not is_file(path) or path.stat().st_size > MAX_BYTES:
            return None
        found = json.loads(path.read_bytes())
        if [found[key] for key in ("errorflow", "rows", "compares")] != [__version__, VERSION, mark]:
            return None
        known = _known(found)
        path.touch()
    except (OSError, AttributeError, LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        _log.info("what was kept could not be read: %s", error)
        return None
    return known


def write_known(folder: Path, mark: str, known: Known) -> Path:
    """Writes it whole or not at all."""
    path = path_in(folder, mark)
    head = {"errorflow": __version__, "rows": VERSION, "compares": mark}
    parts = None if known.parts is None else _plain_parts(known.parts)
    found = {**head, "match": None if known.match is None else _plain_match(known.match, known.rows), "parts": parts}
    write_atomic(path, json.dumps(found, separators=(",", ":")))
    return path


def _told(pair: Pair) -> tuple[object, ...]:
    sides = [None if side is None else side.info for side in (pair.candidate, pair.reference)]
    return (*(getattr(pair, name) for name in _TEXTS), *sides)


def _plain_match(match: Match, rows: Sequence[Row]) -> dict[str, object]:
    return {
        "pairs": [_plain_pair(pair) for pair in match.pairs],
        "measured": [plain(row) for row in rows],
        "only": [match.only_reference, match.only_candidate],
        "outputs": match.network_outputs,
        "problems": [[problem.text, problem.where, problem.side] for problem in match.problems],
    }


def _plain_pair(pair: Pair) -> dict[str, object]:
    return {
        **{name: getattr(pair, name) for name in _TEXTS},
        "shape": pair.shape,
        "listed": None if pair.listed is None else asdict(pair.listed),
        "sides": [None if side is None else asdict(side.info) for side in (pair.candidate, pair.reference)],
    }


def _plain_parts(parts: ExactParts) -> dict[str, object]:
    return {
        "exact": parts.exact.tolist(),
        **{name: getattr(parts, name).tolist() for name in _NUMBERS},
        "notes": dict(parts.notes),
        "contributions": {tensor: shares.tolist() for tensor, shares in parts.contributions.items()},
        "gains": dict(parts.gains),
    }


def _known(found: Mapping[str, Any]) -> Known:
    match, rows = (None, ()) if found["match"] is None else _match(found["match"])
    return Known(match, rows, None if found["parts"] is None else _parts(found["parts"]))


def _match(found: Mapping[str, Any]) -> tuple[Match, tuple[Row, ...]]:
    pairs = tuple(map(_pair, found["pairs"]))
    rows = tuple(row_of(pair, measured) for pair, measured in zip(pairs, found["measured"], strict=True))
    references, candidates = (tuple(map(str, names)) for names in found["only"])
    problems = tuple(Problem(str(text), str(where), str(side)) for text, where, side in found["problems"])
    outputs = tuple(map(str, found["outputs"]))
    return Match(pairs, references, candidates, problems, network_outputs=outputs), rows


def _pair(found: Mapping[str, Any]) -> Pair:
    candidate, reference = (_side(side) for side in found["sides"])
    texts: dict[str, Any] = {name: str(found[name]) for name in _TEXTS}
    listed = None if found["listed"] is None else _listed(found["listed"])
    return Pair(candidate=candidate, reference=reference, shape=_shape(found["shape"]), listed=listed, **texts)


def _listed(found: Mapping[str, Any]) -> Listed:
    texts = ("op_type", "candidates", "references", "tensor", "reason", "candidate_path", "reference_path")
    types = found["types"]
    return Listed(
        index=int(found["index"]),
        sequence=int(found["sequence"]),
        measured=bool(found["measured"]),
        address=None if found["address"] is None else int(found["address"]),
        types=None if types is None else (str(types[0]), str(types[1])),
        **{name: str(found[name]) for name in texts},
    )


def _side(found: Mapping[str, Any] | None) -> Stored | None:
    if found is None:
        return None
    shape, address, qparams = _shape(found["shape"]), found["address"], found["qparams"]
    return Awaited(
        TensorInfo(
            str(found["name"]),
            str(found["dtype"]),
            () if shape is None else shape,
            int(found["nbytes"]),
            str(found["layout"]),
            _shape(found["original_shape"]),
            int(found["groups"]),
            None if address is None else int(address),
            None if qparams is None else _qparams(qparams),
        )
    )


def _qparams(found: Mapping[str, Any]) -> QParams:
    axis = None if found["axis"] is None else int(found["axis"])
    points = tuple(map(int, found["zero_points"]))
    return QParams(tuple(map(float, found["scales"])), points, int(found["bits"]), bool(found["signed"]), axis)


def _shape(found: Sequence[Any] | None) -> tuple[int, ...] | None:
    return None if found is None else tuple(map(int, found))


def _parts(found: Mapping[str, Any]) -> ExactParts:
    exact = np.array(found["exact"], np.bool_)
    numbers = {name: _floats(found[name], len(exact)) for name in _NUMBERS}
    notes = {int(node): str(note) for node, note in found["notes"].items()}
    shares = {int(tensor): _floats(values, len(exact)) for tensor, values in found["contributions"].items()}
    gains = {int(node): float(gain) for node, gain in found["gains"].items()}
    if exact.ndim != 1 or any(not 0 <= node < len(exact) for node in (*notes, *gains)):
        raise ValueError("no such node")
    return ExactParts(exact=exact, notes=notes, contributions=shares, gains=gains, **numbers)


def _floats(found: Sequence[Any], count: int) -> Floats:
    values = np.array(found, np.float64)
    if values.shape != (count,):
        raise ValueError("another number of nodes")
    return values
