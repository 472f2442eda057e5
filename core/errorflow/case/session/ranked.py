"""Rankings in a session: questions and parts as they are, numbers packed, and back.

A ranking that is too large for a session is left out of the file, the oldest first: it can be asked for again.
"""

import base64
import binascii
import contextlib
import zlib
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.codec import Codec, Each, OddError
from errorflow.base.values import dataclass, field
from errorflow.case.session.model import MOST_RANKINGS, KeptRanking
from errorflow.quant.plan import Plan
from errorflow.study.rank.model import MEASURES, Doubles, Ground, Measure, Part, Question, Ranking, can_be_asked
from errorflow.study.rank.ranking_file import ARRAYS, shapes_of
from errorflow.study.simulate.basis import Basis

# Of all rankings of a file together: numbers, and names.
MOST_NUMBERS, MOST_NAMES = 500_000, 200_000


@dataclass(frozen=True, slots=True)
class _Row:
    """A ranking as it is written."""

    basis: Basis
    question: Question
    plan: Plan
    outputs: tuple[str, ...]
    samples: tuple[int, ...]
    # Name, type, nodes and tensors of each.
    parts: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...]
    # By the names of `_arrays`.
    numbers: Mapping[str, str]
    ground: Ground | None = None
    notes: Each[Mapping[str, str]] = field(default_factory=dict)


def newest_rankings(rankings: Iterable[KeptRanking]) -> tuple[KeptRanking, ...]:
    """Keeps those for which there is room in a file."""
    kept: list[KeptRanking] = []
    numbers = names = 0
    for ranked in reversed(tuple(rankings)):
        numbers += sum(array.size for array in _arrays(ranked.ranking).values())
        names += sum(len(part.nodes) + len(part.tensors) for part in ranked.ranking.parts)
        if numbers > MOST_NUMBERS or names > MOST_NAMES or len(kept) == MOST_RANKINGS:
            break
        kept.append(ranked)
    return tuple(kept[::-1])


def plain_ranked(codec: Codec, ranked: KeptRanking) -> Any:
    found = ranked.ranking
    parts = tuple((part.name, part.type, part.nodes, part.tensors) for part in found.parts)
    numbers = {key: _packed(array) for key, array in _arrays(found).items()}
    asked = found.question, found.plan, found.outputs, found.samples
    return codec.plain(_Row(ranked.basis, *asked, parts, numbers, found.ground, found.notes))


def ranked_of(codec: Codec, value: Any, where: str, notes: list[str] | None) -> KeptRanking:
    row: _Row = codec.read(_Row, value, where, notes)
    parts = tuple(Part(*part) for part in row.parts)
    if not can_be_asked(row.question) or len({part.name for part in parts}) < len(parts):
        raise OddError("nothing can be made of its parts or numbers.")
    known = {key: _unpacked(row.numbers.get(key, ""), shape) for key, shape in _shapes(row).items()}
    return KeptRanking(row.basis, _put_together(row, parts, known))


def _put_together(row: _Row, parts: tuple[Part, ...], found: Mapping[str, Doubles]) -> Ranking:
    asked: list[Measure] = [measure for measure in MEASURES if measure in row.question.measures]
    arrays: dict[str, Any] = {name: found[name] for name in ARRAYS}
    return Ranking(
        question=row.question,
        plan=row.plan,
        parts=parts,
        outputs=row.outputs,
        samples=row.samples,
        values={measure: found[measure] for measure in asked},
        done={measure: found[f"{measure} done"] > 0 for measure in asked},
        **arrays,
        notes=row.notes,
        ground=row.ground,
    )


def _arrays(ranking: Ranking) -> Mapping[str, NDArray[Any]]:
    counts = ranking.counts if ranking.counts.size else np.zeros((len(ranking.outputs), len(ranking.samples)))
    return {
        **{str(measure): values for measure, values in ranking.values.items()},
        **{f"{measure} done": done for measure, done in ranking.done.items()},
        **{name: getattr(ranking, name) for name in ARRAYS},
        "counts": counts,
    }


def _shapes(row: _Row) -> Mapping[str, tuple[int, ...]]:
    """Maps the names of `_arrays` to the shapes of all arrays."""
    parts, samples = len(row.parts), len(row.samples)
    done = {f"{measure} done": (parts, samples) for measure in row.question.measures}
    return {**shapes_of(row.question, parts, len(row.outputs), samples), **done}


def _packed(array: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(array.astype("<f8").tobytes())).decode("ascii")


def _unpacked(text: str, shape: tuple[int, ...]) -> Doubles:
    size, data = prod(shape) * 8, b""
    with contextlib.suppress(binascii.Error, ValueError, zlib.error):
        if size <= 8 * MOST_NUMBERS:
            data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), size + 1)
    if len(data) != size:
        raise OddError("some of its numbers are broken.")
    return np.frombuffer(data, "<f8").reshape(shape).astype(np.float64)
