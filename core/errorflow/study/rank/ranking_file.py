"""A ranking in a file: JSON that others can read, and that a later session goes on from."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorflow.base.errors import FormatError, WrongFileError
from errorflow.base.files import Source, write_atomic
from errorflow.compare.metrics import METRICS
from errorflow.quant.plan_file import plain_plan, plan_of
from errorflow.quant.switching import SWITCHES, Switch
from errorflow.study.rank.model import KINDS, MEASURES, Doubles, Ground, Kind, Measure, Own, Part, Question, Ranking

KIND, VERSION = "errorflow ranking", 1
MAX_BYTES = 256 << 20
# Values of all arrays together, and parts.
MAX_NUMBERS, MAX_PARTS = 50_000_000, 500_000
_AGAIN = "Rank again."
# What JSON has no number for stands as text; nothing stands for what is not known, or none.
Number = float | str | None


def save_ranking(path: Path, ranking: Ranking) -> None:
    """Replaces the file in one step."""
    write_atomic(path, ranking_text(ranking))


def ranking_text(ranking: Ranking) -> bytes:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(_plain(ranking)), indent=1)


def load_ranking(path: Path) -> Ranking:
    """Raises a `FormatError` where it is none, or not all of it is there."""
    with Source(path, head=0) as source:
        if source.size > MAX_BYTES:
            raise FormatError(f"{path.name} has {source.size:,} bytes; {MAX_BYTES:,} is the most.", _AGAIN)
        return parse_ranking(source.read(0, source.size), path.name)


def parse_ranking(data: bytes, name: str = "The file") -> Ranking:
    import msgspec

    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise WrongFileError(f"{name} is no ranking.", "`errorflow sensitivity` writes one.") from error
    if head.kind != KIND:
        raise WrongFileError(f"{name} is no ranking.", "`errorflow sensitivity` writes one.")
    if head.version != VERSION:
        raise FormatError(f"{name} was saved by a newer Errorflow (version {head.version}).", "Update Errorflow.")
    try:
        saved = msgspec.json.decode(data, type=_Saved)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"{name} is a broken ranking: {str(error)[:200]}.", _AGAIN) from error
    return _Reader(name).ranking(saved)


def _plain(ranking: Ranking) -> dict[str, Any]:
    question, own, ground = ranking.question, ranking.own, ranking.ground
    return {
        "kind": KIND,
        "version": VERSION,
        "complete": ranking.complete,
        "question": {
            "kind": question.kind,
            "measures": list(question.measures),
            "metrics": list(question.metrics),
            "outputs": list(question.outputs),
            "samples": list(question.samples),
            "only": [list(names) for names in question.only],
            "to": question.to,
        },
        "ground": None if ground is None else {key: getattr(ground, key) for key in ("model", "data", "ranges")},
        "plan": plain_plan(ranking.plan),
        "parts": [
            {"name": part.name, "type": part.type, "nodes": list(part.nodes), "tensors": list(part.tensors)}
            for part in ranking.parts
        ],
        "outputs": list(ranking.outputs),
        "samples": list(ranking.samples),
        "values": {measure: _numbers(values) for measure, values in ranking.values.items()},
        "done": {measure: _bits(done) for measure, done in ranking.done.items()},
        "powers": _numbers(ranking.powers),
        "whole": _numbers(ranking.whole),
        "whole_powers": _numbers(ranking.whole_powers),
        "sizes": _numbers(ranking.sizes),
        "counts": _numbers(ranking.counts),
        "expected": _numbers(ranking.expected),
        "notes": dict(ranking.notes),
        "own": None
        if own is None
        else {
            "label": own.label,
            "higher_is_better": own.higher_is_better,
            "values": {measure: _numbers(values) for measure, values in own.values.items()},
            "done": {measure: _bits(done) for measure, done in own.done.items()},
            "whole": _number(own.whole),
            "floating": _number(own.floating),
            "digest": own.digest,
        },
    }


def _numbers(array: Doubles) -> list[Number]:
    """In the order of the arrays' axes, the last one fastest."""
    return [_number(value) for value in array.ravel().tolist()]


def _number(value: float) -> Number:
    """JSON has no other ones."""
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def _bits(done: NDArray[np.bool_]) -> list[str]:
    """A text of ones and zeros per part."""
    return ["".join("1" if each else "0" for each in row) for row in done.reshape(len(done), -1).tolist()]


@dataclass(frozen=True, slots=True)
class _Head:
    kind: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class _Question:
    kind: str
    measures: list[str]
    metrics: list[str]
    outputs: list[str]
    samples: list[int]
    only: list[list[str]]
    to: str | int


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    type: str
    nodes: list[str]
    tensors: list[str]


@dataclass(frozen=True, slots=True)
class _Ground:
    model: str
    data: str
    ranges: str


@dataclass(frozen=True, slots=True)
class _Own:
    label: str
    higher_is_better: bool
    values: dict[str, list[Number]]
    done: dict[str, list[str]]
    whole: Number
    floating: Number
    digest: str = ""


@dataclass(frozen=True, slots=True)
class _Saved:
    """What the file must look like."""

    question: _Question
    plan: dict[str, Any]
    parts: list[_Part]
    outputs: list[str]
    samples: list[int]
    values: dict[str, list[Number]]
    done: dict[str, list[str]]
    powers: list[Number]
    whole: list[Number]
    whole_powers: list[Number]
    sizes: list[Number]
    counts: list[Number]
    expected: list[Number]
    notes: dict[str, str]
    own: _Own | None = None
    ground: _Ground | None = None


class _Reader:
    """Of one file, whose name its errors say."""

    def __init__(self, name: str) -> None:
        self._name = name

    def ranking(self, saved: _Saved) -> Ranking:
        question = self._question(saved.question)
        parts = tuple(Part(row.name, row.type, tuple(row.nodes), tuple(row.tensors)) for row in saved.parts)
        self._check(len(parts) <= MAX_PARTS, f"{len(parts):,} parts")
        self._check(len({part.name for part in parts}) == len(parts), "two parts of one name")
        outputs, samples = len(saved.outputs), len(saved.samples)
        metrics, measures = len(question.metrics), question.measures
        self._check(metrics * len(parts) * outputs * samples <= MAX_NUMBERS, "more numbers than can be")
        impact = len(parts) if "impact" in measures else 0
        return Ranking(
            question,
            plan_of(saved.plan, self._name),
            parts,
            tuple(saved.outputs),
            tuple(saved.samples),
            {
                each: self._array(self._of(saved.values, each), metrics, len(parts), outputs, samples)
                for each in measures
            },
            {each: self._done(self._of(saved.done, each), len(parts), samples) for each in measures},
            powers=self._array(saved.powers, impact, outputs, samples),
            whole=self._array(saved.whole, metrics, outputs, samples),
            whole_powers=self._array(saved.whole_powers, outputs, samples),
            sizes=self._array(saved.sizes, outputs, samples),
            expected=self._array(saved.expected, len(parts)),
            notes=saved.notes,
            counts=self._array(saved.counts, outputs, samples),
            own=None if saved.own is None else self._own(saved.own, measures, len(parts)),
            ground=None if saved.ground is None else Ground(saved.ground.model, saved.ground.data, saved.ground.ranges),
        )

    def _question(self, saved: _Question) -> Question:
        metrics = {metric.key: metric.key for metric in METRICS}
        measures: dict[str, Measure] = {each: each for each in MEASURES}
        kinds: dict[str, Kind] = {each: each for each in KINDS}
        switches: dict[str | int, Switch] = {each: each for each in SWITCHES}
        self._check(saved.kind in kinds, "parts of a kind that is not known")
        self._check(bool(saved.measures) and set(saved.measures) <= set(measures), "a measure that is not known")
        self._check(bool(saved.metrics) and set(saved.metrics) <= set(metrics), "a metric that is not known")
        self._check(saved.to in switches, "a switch that is not known")
        return Question(
            kinds[saved.kind],
            tuple(measures[each] for each in saved.measures),
            tuple(saved.metrics),
            tuple(saved.outputs),
            tuple(saved.samples),
            tuple(tuple(names) for names in saved.only),
            switches[saved.to],
        )

    def _own(self, saved: _Own, measures: Sequence[Measure], count: int) -> Own:
        there = [each for each in measures if each in saved.values]
        return Own(
            saved.label,
            saved.higher_is_better,
            {each: self._array(saved.values[each], count) for each in there},
            {each: self._done(self._of(saved.done, each), count, 1)[:, 0] for each in there},
            self._value(saved.whole),
            self._value(saved.floating),
            saved.digest,
        )

    def _of(self, rows: Mapping[str, Any], measure: str) -> Any:
        self._check(measure in rows, f"no numbers of {measure}")
        return rows[measure]

    def _array(self, saved: Sequence[Number], *sizes: int) -> Doubles:
        self._check(len(saved) == math.prod(sizes), "too few or too many numbers")
        return np.array([self._value(value) for value in saved], np.float64).reshape(sizes)

    def _value(self, value: Number) -> float:
        if isinstance(value, str):
            self._check(value in ("inf", "-inf"), "what is no number")
            return math.inf if value == "inf" else -math.inf
        return math.nan if value is None else float(value)

    def _done(self, rows: Iterable[str], parts: int, samples: int) -> NDArray[np.bool_]:
        found = list(rows)
        fits = len(found) == parts and all(len(row) == samples and not row.strip("01") for row in found)
        self._check(fits, "no word on what was measured")
        return np.array([[digit == "1" for digit in row] for row in found], bool).reshape(parts, samples)

    def _check(self, good: bool, what: str) -> None:
        if not good:
            raise FormatError(f"{self._name} is a broken ranking: it has {what}.", _AGAIN)
