"""What a session keeps of rankings: questions and parts as they are, numbers packed, and back.

A ranking that is too large for a session is left out of the file, the oldest first: it can be asked for again.
"""

import base64
import binascii
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.case.session.fields import Fields, is_text
from errorflow.case.session.model import Ranked
from errorflow.case.session.simulated import Reader, plain
from errorflow.compare.metrics import METRICS
from errorflow.quant.plan import Plan
from errorflow.study.rank.model import MEASURES, Doubles, Ground, Measure, Part, Question, Ranking
from errorflow.study.simulate.basis import Basis

MOST_RANKINGS = 12
# Of all rankings of a file together: numbers, and names.
MOST_NUMBERS, MOST_NAMES = 500_000, 200_000
_KNOWN = frozenset(metric.key for metric in METRICS)


def question_rows(question: Question, folder: Path) -> Any:
    return plain(question, folder)


def question_of(rows: Fields, folder: Path) -> Question:
    """The first one that is offered where there is none, or what cannot be asked."""
    given = rows.rows.get("question")
    read = None if given is None else Reader(folder, rows.problems).read(Question, given, "question")
    if read is not None and not can_be_asked(read):
        rows.problems.append("question is left out: it names no metric, or one that is not known.")
        return Question()
    return Question() if read is None else read


def can_be_asked(question: Question) -> bool:
    return bool(question.metrics) and _KNOWN.issuperset(question.metrics) and bool(question.measures)


def ranking_rows(rankings: Iterable[Ranked], folder: Path) -> list[Any]:
    """The newest ones for which there is room."""
    kept: list[Any] = []
    numbers = names = 0
    for ranked in reversed(tuple(rankings)):
        ranking = ranked.ranking
        numbers += sum(array.size for array in _arrays(ranking).values())
        names += sum(len(part.nodes) + len(part.tensors) for part in ranking.parts)
        if numbers > MOST_NUMBERS or names > MOST_NAMES or len(kept) == MOST_RANKINGS:
            break
        kept.append(_row(ranked, folder))
    return kept[::-1]


def rankings_of(rows: Fields, folder: Path) -> tuple[Ranked, ...]:
    """Those that can be read."""
    listed = rows.rows.get("rankings")
    if listed is None:
        return ()
    if not (isinstance(listed, list) and len(listed) <= MOST_RANKINGS):
        rows.problems.append(f"rankings is left out: it should be a list of {MOST_RANKINGS} at most.")
        return ()
    read = (_ranked(entry, f"rankings[{at}]", folder, rows.problems) for at, entry in enumerate(listed))
    return tuple(ranked for ranked in read if ranked is not None)


@dataclass(frozen=True, slots=True)
class _Head:
    """All of a ranking but its numbers."""

    basis: Basis
    question: Question
    plan: Plan
    outputs: tuple[str, ...]
    samples: tuple[int, ...]
    ground: Ground | None = None


def _row(ranked: Ranked, folder: Path) -> Mapping[str, Any]:
    ranking = ranked.ranking
    head = _Head(ranked.basis, ranking.question, ranking.plan, ranking.outputs, ranking.samples, ranking.ground)
    parts = [[part.name, part.type, list(part.nodes), list(part.tensors)] for part in ranking.parts]
    numbers = {key: _packed(array) for key, array in _arrays(ranking).items()}
    return {**plain(head, folder), "parts": parts, "notes": dict(ranking.notes), "numbers": numbers}


def _ranked(row: object, where: str, folder: Path, problems: list[str]) -> Ranked | None:
    head = Reader(folder, problems).read(_Head, row, where)
    if head is None or not isinstance(row, dict):
        return None
    fields = Fields.of(row, problems, f"{where}.")
    parts = _parts(row.get("parts"))
    numbers = row.get("numbers")
    if parts is None or not isinstance(numbers, dict) or not can_be_asked(head.question):
        problems.append(f"{where} is left out: nothing can be made of its parts or numbers.")
        return None
    shapes = _shapes(head, len(parts))
    found = {key: _unpacked(numbers.get(key), shape) for key, shape in shapes.items()}
    known = {key: array for key, array in found.items() if array is not None}
    if len(known) < len(found):
        problems.append(f"{where} is left out: some of its numbers are broken.")
        return None
    return Ranked(head.basis, _put_together(head, parts, known, fields.mapping("notes", is_text, "a text")))


def _put_together(
    head: _Head, parts: tuple[Part, ...], found: Mapping[str, Doubles], notes: Mapping[str, str]
) -> Ranking:
    asked: list[Measure] = [measure for measure in MEASURES if measure in head.question.measures]
    return Ranking(
        question=head.question,
        plan=head.plan,
        parts=parts,
        outputs=head.outputs,
        samples=head.samples,
        values={measure: found[measure] for measure in asked},
        done={measure: found[f"{measure} done"] > 0 for measure in asked},
        powers=found["powers"],
        whole=found["whole"],
        whole_powers=found["whole_powers"],
        sizes=found["sizes"],
        expected=found["expected"],
        notes=notes,
        counts=found["counts"],
        ground=head.ground,
    )


def _arrays(ranking: Ranking) -> Mapping[str, NDArray[Any]]:
    return {
        **{str(measure): values for measure, values in ranking.values.items()},
        **{f"{measure} done": done for measure, done in ranking.done.items()},
        "powers": ranking.powers,
        "whole": ranking.whole,
        "whole_powers": ranking.whole_powers,
        "sizes": ranking.sizes,
        "expected": ranking.expected,
        "counts": ranking.counts if ranking.counts.size else np.zeros((len(ranking.outputs), len(ranking.samples))),
    }


def _shapes(head: _Head, parts: int) -> Mapping[str, tuple[int, ...]]:
    """Of all arrays, by the names of `_arrays`."""
    metrics, outputs, samples = len(head.question.metrics), len(head.outputs), len(head.samples)
    asked = [measure for measure in MEASURES if measure in head.question.measures]
    return {
        **dict.fromkeys(asked, (metrics, parts, outputs, samples)),
        **dict.fromkeys((f"{measure} done" for measure in asked), (parts, samples)),
        "powers": (parts if "impact" in asked else 0, outputs, samples),
        "whole": (metrics, outputs, samples),
        "whole_powers": (outputs, samples),
        "sizes": (outputs, samples),
        "expected": (parts,),
        "counts": (outputs, samples),
    }


def _parts(value: object) -> tuple[Part, ...] | None:
    """None: they are no parts, or two have one name."""
    rows: list[Any] = value if isinstance(value, list) else [""]
    if not all(map(_is_part, rows)):
        return None
    found = tuple(Part(name, kind, tuple(nodes), tuple(tensors)) for name, kind, nodes, tensors in rows)
    return found if len({part.name for part in found}) == len(found) else None


def _is_part(row: object) -> bool:
    if not (isinstance(row, list) and len(row) == 4 and is_text(row[0]) and is_text(row[1])):
        return False
    return all(isinstance(names, list) and all(map(is_text, names)) for names in row[2:])


def _packed(array: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(array.astype("<f8").tobytes())).decode("ascii")


def _unpacked(text: object, shape: tuple[int, ...]) -> Doubles | None:
    """None: it is not so many numbers."""
    size = prod(shape) * 8
    if not isinstance(text, str) or size > 8 * MOST_NUMBERS:
        return None
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), size + 1)
    except (binascii.Error, ValueError, zlib.error):
        return None
    return np.frombuffer(data, "<f8").reshape(shape).astype(np.float64) if len(data) == size else None
