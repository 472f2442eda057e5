"""A ranking in a file: JSON that others can read, and that a later session goes on from."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.codec import Codec, FileKind, OddError
from errorflow.base.files import write_atomic
from errorflow.base.values import dataclass
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import PLAN
from errorflow.study.rank.model import Doubles, Ground, Measure, OwnMeasure, Part, Question, Ranking, can_be_asked
from errorflow.study.rank.reading import order
from errorflow.study.rank.sureness import sureness

KIND = "errorflow ranking"
FILE = FileKind(
    "ranking", {"kind": KIND}, "version", 1, 256 << 20, "`errorflow sensitivity` writes one.", "Rank again."
)
# Values of all arrays together, and parts.
MAX_NUMBERS, MAX_PARTS = 50_000_000, 500_000
# What JSON has no number for stands as text; nothing stands for what is not known, or none.
Number = float | str | None
_WORDS = {"inf": math.inf, "-inf": -math.inf}
# Of a ranking, beside those by measure.
ARRAYS = ("powers", "whole", "whole_powers", "sizes", "counts", "expected")
_CODEC = Codec({Plan: PLAN})


@dataclass(frozen=True, slots=True)
class _Head:
    """Head of a ranking: all but its numbers, by the names that it has there."""

    question: Question
    plan: Plan
    parts: tuple[Part, ...]
    outputs: tuple[str, ...]
    samples: tuple[int, ...]
    notes: Mapping[str, str]
    ground: Ground | None = None


@dataclass(frozen=True, slots=True)
class _OwnNumbers:
    label: str
    higher_is_better: bool
    values: dict[str, list[Number]]
    done: dict[str, list[str]]
    whole: Number
    floating: Number
    digest: str = ""


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Arrays in the order of their axes, the last one fastest; of what was measured a text of ones and zeros a part."""

    values: dict[str, list[Number]]
    done: dict[str, list[str]]
    powers: list[Number]
    whole: list[Number]
    whole_powers: list[Number]
    sizes: list[Number]
    counts: list[Number]
    expected: list[Number]
    own: _OwnNumbers | None = None


def save_ranking(path: Path, ranking: Ranking) -> None:
    """Replaces the file in one step."""
    write_atomic(path, ranking_text(ranking))


def ranking_text(ranking: Ranking) -> bytes:
    import msgspec

    numbers = _plain(ranking)
    rows = {
        **FILE.head,
        "complete": ranking.complete,
        "ranks": {measure: _ranks(ranking, measure) for measure in ranking.question.measures},
        **{name: getattr(ranking, name) for name in _Head.__slots__},
        "plan": PLAN.plain(ranking.plan),
        **{name: getattr(numbers, name) for name in _Numbers.__slots__},
    }
    return msgspec.json.format(msgspec.json.encode(rows), indent=1)


def _ranks(ranking: Ranking, measure: Measure) -> Mapping[str, Any] | None:
    """Tells others how sure the ranks are, by part; None: one sample says nothing of it."""
    sure, ranked = sureness(ranking, measure), order(ranking, measure).tolist()
    if sure is None:
        return None
    alike = [[ranking.parts[part].name for part in ranked[begin : end + 1]] for begin, end in sure.alike(len(ranked))]
    return {"from": (sure.low + 1).tolist(), "to": (sure.high + 1).tolist(), "swap": alike}


def load_ranking(path: Path) -> Ranking:
    """Raises a `FormatError` where it is none, or not all of it is there."""
    return FILE.read(path, _ranking)


def parse_ranking(data: bytes, name: str = "The file") -> Ranking:
    return FILE.parse(data, name, _ranking)


def shapes_of(question: Question, parts: int, outputs: int, samples: int) -> Mapping[str, tuple[int, ...]]:
    """Maps the names of `ARRAYS` and measures to the shapes of a ranking's arrays."""
    metrics = len(question.metrics)
    return {
        **dict.fromkeys(question.measures, (metrics, parts, outputs, samples)),
        "powers": (parts if "impact" in question.measures else 0, outputs, samples),
        "whole": (metrics, outputs, samples),
        "whole_powers": (outputs, samples),
        "sizes": (outputs, samples),
        "counts": (outputs, samples),
        "expected": (parts,),
    }


def _plain(ranking: Ranking) -> _Numbers:
    own = ranking.own
    return _Numbers(
        {measure: _numbers(values) for measure, values in ranking.values.items()},
        {measure: _bits(done) for measure, done in ranking.done.items()},
        **{name: _numbers(getattr(ranking, name)) for name in ARRAYS},
        own=None
        if own is None
        else _OwnNumbers(
            own.label,
            own.higher_is_better,
            {measure: _numbers(values) for measure, values in own.values.items()},
            {measure: _bits(done) for measure, done in own.done.items()},
            _number(own.whole),
            _number(own.floating),
            own.digest,
        ),
    )


def _numbers(array: Doubles) -> list[Number]:
    found: list[Any] = array.ravel().tolist()
    return found if np.isfinite(array).all() else [_number(value) for value in found]


def _number(value: float) -> Number:
    """JSON has no other ones."""
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def _bits(done: NDArray[np.bool_]) -> list[str]:
    return ["".join("1" if each else "0" for each in row) for row in done.reshape(len(done), -1).tolist()]


def _ranking(rows: dict[str, Any]) -> Ranking:
    head: _Head = _CODEC.read(_Head, rows)
    numbers: _Numbers = _CODEC.read(_Numbers, rows)
    question, count, samples = head.question, len(head.parts), len(head.samples)
    _check(count <= MAX_PARTS, f"it has {count:,} parts.")
    _check(len({part.name for part in head.parts}) == count, "two of its parts have one name.")
    _check(can_be_asked(question), "it has a measure or a metric that is not known.")
    shapes = shapes_of(question, count, len(head.outputs), samples)
    _check(math.prod(shapes[question.measures[0]]) <= MAX_NUMBERS, "it has more numbers than can be.")
    same: dict[str, Any] = {name: getattr(head, name) for name in _Head.__slots__}
    arrays: dict[str, Any] = {name: _array(getattr(numbers, name), shapes[name]) for name in ARRAYS}
    return Ranking(
        **same,
        values={each: _array(numbers.values.get(each, []), shapes[each]) for each in question.measures},
        done={each: _done(numbers.done.get(each, []), count, samples) for each in question.measures},
        **arrays,
        own=None if numbers.own is None else _own(numbers.own, question, count),
    )


def _own(saved: _OwnNumbers, question: Question, count: int) -> OwnMeasure:
    there = [each for each in question.measures if each in saved.values]
    whole, floating = _array([saved.whole, saved.floating], (2,)).tolist()
    return OwnMeasure(
        saved.label,
        saved.higher_is_better,
        {each: _array(saved.values[each], (count,)) for each in there},
        {each: _done(saved.done.get(each, []), count, 1)[:, 0] for each in there},
        whole,
        floating,
        saved.digest,
    )


def _array(saved: Sequence[Number], shape: tuple[int, ...]) -> Doubles:
    _check(len(saved) == math.prod(shape), "it has too few or too many numbers.")
    _check(all(value in _WORDS for value in saved if isinstance(value, str)), "it has what is no number.")
    values = [math.nan if value is None else _WORDS[value] if isinstance(value, str) else value for value in saved]
    return np.array(values, np.float64).reshape(shape)


def _done(rows: Sequence[str], parts: int, samples: int) -> NDArray[np.bool_]:
    fits = len(rows) == parts and all(len(row) == samples and not row.strip("01") for row in rows)
    _check(fits, "it does not say what was measured.")
    return np.array([[digit == "1" for digit in row] for row in rows], bool).reshape(parts, samples)


def _check(good: bool, what: str) -> None:
    if not good:
        raise OddError(what)
