"""Curves as JSON, which another program may read and a later call goes on with.

A value is null where nothing was measured yet; what is no number is written as "nan", "inf" or "-inf".
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from errorflow.base.codec import Between, Codec, FileKind, OddError
from errorflow.base.files import write_atomic
from errorflow.base.values import dataclass, field
from errorflow.compare.metrics import METRICS
from errorflow.quant.plan import Plan
from errorflow.quant.plan_file import PLAN
from errorflow.quant.switching import Switch
from errorflow.study.rank.curves import Bools, Curve, Curves, Doubles, Kind, Look, Measure, Point

MARK = "errorflow-curves"
_HINT = "Compare it with the curves.json that `errorflow curve` writes."
FILE = FileKind("file of curves", {}, MARK, 1, 512 << 20, _HINT, _HINT)
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf, None: math.nan}
_METRICS = frozenset(metric.key for metric in METRICS)
_CODEC = Codec({Plan: PLAN})


@dataclass(frozen=True, slots=True)
class SavedCurves:
    """Curves, and what they were measured on, in words: the same words mean the same model, samples and ranges."""

    curves: Curves
    about: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _CurveRows:
    label: str
    measure: Measure
    # Metrics × points × samples.
    values: list[list[list[float | str | None]]]
    output: str = ""
    look: Look = "line"
    start: int = 0
    # Points × samples; (): not known.
    sizes: Any = ()


@dataclass(frozen=True, slots=True)
class _Rows:
    """Content of the file: that of `Curves` by its names, curves as lists."""

    kind: Kind
    plan: Plan
    metrics: tuple[str, ...]
    samples: tuple[Annotated[int, Between(0)], ...]
    points: tuple[Point, ...]
    curves: tuple[_CurveRows, ...]
    to: Switch
    averaged: bool = False
    threshold: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)


_SAME = tuple(name for name in _Rows.__slots__ if name not in ("curves", "about"))


def write_curves(path: Path, saved: SavedCurves) -> None:
    """Writes the file, all of it or not at all."""
    write_atomic(path, curves_text(saved))


def read_curves(path: Path) -> SavedCurves:
    return FILE.read(path, _saved)


def curves_text(saved: SavedCurves) -> bytes:
    import msgspec

    same = {**{name: getattr(saved.curves, name) for name in _SAME}, "plan": PLAN.plain(saved.curves.plan)}
    curves = [_plain(curve) for curve in saved.curves.curves]
    return msgspec.json.encode({**FILE.head, "about": saved.about, **same, "curves": curves})


def parse_curves(data: bytes, name: str = "The file") -> SavedCurves:
    return FILE.parse(data, name, _saved)


def _plain(curve: Curve) -> _CurveRows:
    """Values by metric, point and sample."""
    rows = [
        [_cells(values, known) for values, known in zip(metric.tolist(), curve.done.tolist(), strict=True)]
        for metric in curve.values
    ]
    return _CurveRows(curve.label, curve.measure, rows, curve.output, curve.look, curve.start, curve.sizes.tolist())


def _cells(values: list[float], known: list[bool]) -> list[float | str | None]:
    cells = zip(values, known, strict=True)
    return [None if not done else value if math.isfinite(value) else str(value) for value, done in cells]


def _saved(rows: dict[str, Any]) -> SavedCurves:
    unknown = [name for name in rows if name not in _Rows.__slots__]
    _check(not unknown, f"curves have no “{unknown[0][:80] if unknown else ''}”.")
    found: _Rows = _CODEC.read(_Rows, rows)
    _check(_METRICS.issuperset(found.metrics), "it has a metric that is not known.")
    size = (len(found.metrics), len(found.points), len(found.samples))
    same = {name: getattr(found, name) for name in _SAME}
    return SavedCurves(Curves(**same, curves=tuple(_curve(curve, size) for curve in found.curves)), found.about)


def _curve(rows: _CurveRows, size: tuple[int, int, int]) -> Curve:
    try:
        values: Doubles = np.array(
            [[[_number(cell) for cell in point] for point in metric] for metric in rows.values], np.float64
        ).reshape(size)
        known = np.array([[[cell is not None for cell in point] for point in metric] for metric in rows.values], bool)
    except ValueError as error:
        raise OddError("it has a curve with more or fewer values than points.") from error
    done: Bools = np.all(known.reshape(size), axis=0) if len(known) else np.ones(size[1:], bool)
    start = min(max(rows.start, 0), size[1])
    return Curve(rows.label, rows.measure, values, done, rows.output, rows.look, start, _sizes(rows.sizes, size[1:]))


def _number(cell: float | str | None) -> float:
    if isinstance(cell, float | int):
        return cell
    _check(cell in _WORDS, "it has what is no number as a value.")
    return _WORDS[cell]


def _sizes(rows: Any, size: tuple[int, ...]) -> Doubles:
    """Sums of squares of all points and samples, or none."""
    none = np.zeros((0, 0))
    if not isinstance(rows, list) or [len(row) if isinstance(row, list) else -1 for row in rows] != [size[1]] * size[0]:
        return none
    found = np.array(Codec().read(list[list[float]], rows), np.float64)
    return found if found.shape == size else none


def _check(good: bool, what: str) -> None:
    if not good:
        raise OddError(what)
