"""Curves as JSON, which another program may read and a later call goes on with.

A value is null where nothing was measured yet; what is no number is written as "nan", "inf" or "-inf".
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np

from errorflow.base.errors import FormatError
from errorflow.base.files import Source, write_atomic
from errorflow.compare.metrics import METRICS
from errorflow.quant.plan_file import plain_plan, plan_of
from errorflow.quant.switching import SWITCHES
from errorflow.study.rank.curves import KINDS, Bools, Curve, Curves, Doubles, Look, Measure, Point

MARK, VERSION = "errorflow-curves", 1
MOST_BYTES = 512 << 20
_HINT = "Compare it with the curves.json that `errorflow curve` writes."
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@dataclass(frozen=True, slots=True)
class Saved:
    """Curves, and what they were measured on, in words: the same words mean the same model, samples and ranges."""

    curves: Curves
    about: Mapping[str, str]


def write_curves(path: Path, saved: Saved) -> None:
    """Writes the file, all of it or not at all."""
    write_atomic(path, curves_text(saved))


def read_curves(path: Path) -> Saved:
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path.name} is too large for curves.", _HINT)
        return parse_curves(source.read(0, source.size), path.name)


def curves_text(saved: Saved) -> bytes:
    import msgspec

    curves = saved.curves
    return msgspec.json.encode(
        {
            MARK: VERSION,
            "kind": curves.kind,
            "about": dict(saved.about),
            "metrics": curves.metrics,
            "samples": curves.samples,
            "to": curves.to,
            "averaged": curves.averaged,
            "threshold": curves.threshold,
            "notes": dict(curves.notes),
            "points": [
                {"name": point.name, "tensor": point.tensor, "nodes": point.nodes, "type": point.type}
                for point in curves.points
            ],
            "curves": [_plain(curve) for curve in curves.curves],
            "plan": plain_plan(curves.plan),
        }
    )


def parse_curves(data: bytes, name: str = "The file") -> Saved:
    import msgspec

    try:
        rows = msgspec.json.decode(data, type=dict[str, Any])
        if rows.pop(MARK, None) is None:
            raise FormatError(f"{name} holds no curves: it does not say {MARK}.", _HINT)
        return _saved(rows, name)
    except msgspec.MsgspecError as error:
        raise FormatError(f"{name} holds no curves: {error}.", _HINT) from error
    except RecursionError as error:
        raise FormatError(f"{name} is nested too deeply for curves.", _HINT) from error


def _plain(curve: Curve) -> dict[str, Any]:
    """Values by metric, point and sample."""
    rows = [
        [_cells(values, known) for values, known in zip(metric.tolist(), curve.done.tolist(), strict=True)]
        for metric in curve.values
    ]
    return {
        "label": curve.label,
        "measure": curve.measure,
        "output": curve.output,
        "look": curve.look,
        "start": curve.start,
        "values": rows,
        "sizes": curve.sizes.tolist(),
    }


def _cells(values: list[float], known: list[bool]) -> list[float | str | None]:
    cells = zip(values, known, strict=True)
    return [None if not done else value if math.isfinite(value) else str(value) for value, done in cells]


def _saved(rows: dict[str, Any], name: str) -> Saved:
    import msgspec

    plan = plan_of(_as(rows.pop("plan", None), dict[str, Any]), name)
    metrics = _words(rows.pop("metrics", None), [metric.key for metric in METRICS], name)
    samples = _as(rows.pop("samples", None), tuple[Annotated[int, msgspec.Meta(ge=0)], ...])
    points = tuple(_point(point) for point in _as(rows.pop("points", None), list[dict[str, Any]]))
    size = (len(metrics), len(points), len(samples))
    curves = tuple(_curve(curve, size, name) for curve in _as(rows.pop("curves", None), list[dict[str, Any]]))
    found = Curves(
        _one(rows.pop("kind", None), KINDS, name),
        plan,
        metrics,
        samples,
        points,
        curves,
        _one(rows.pop("to", None), SWITCHES, name),
        _as(rows.pop("averaged", False), bool),
        _as(rows.pop("threshold", None), float | None),
        _as(rows.pop("notes", {}), dict[str, str]),
    )
    about = _as(rows.pop("about", {}), dict[str, str])
    if rows:
        raise FormatError(f"{name} has “{next(iter(rows))[:80]}”, which curves have not.", _HINT)
    return Saved(found, about)


def _point(row: dict[str, Any]) -> Point:
    nodes = _as(row.get("nodes", ()), tuple[int, ...])
    return Point(_as(row.get("name"), str), _as(row.get("tensor", ""), str), nodes, _as(row.get("type", ""), str))


def _curve(row: dict[str, Any], size: tuple[int, int, int], name: str) -> Curve:
    cells = _as(row.get("values"), list[list[list[float | str | None]]])
    flat = [cell for metric in cells for point in metric for cell in point]
    shapes = {len(metric) for metric in cells} | {size[1]}, {len(point) for metric in cells for point in metric}
    if len(cells) != size[0] or shapes[0] != {size[1]} or not shapes[1] <= {size[2]} or len(flat) != np.prod(size):
        raise FormatError(f"{name} has a curve with more or fewer values than points.", _HINT)
    values: Doubles = np.array([_number(cell, name) for cell in flat], np.float64).reshape(size)
    known = np.array([cell is not None for cell in flat], bool).reshape(size)
    done: Bools = np.all(known, axis=0) if len(known) else np.ones(size[1:], bool)
    sizes = np.array(_as(row["sizes"], list[list[float]]) if _is_table(row, size) else [], np.float64)
    return Curve(
        _as(row.get("label"), str),
        _one(row.get("measure"), get_args(Measure), name),
        values,
        done,
        _as(row.get("output", ""), str),
        _one(row.get("look", "line"), get_args(Look), name),
        min(max(_as(row.get("start", 0), int), 0), size[1]),
        sizes if sizes.shape == size[1:] else np.zeros((0, 0)),
    )


def _is_table(row: dict[str, Any], size: tuple[int, int, int]) -> bool:
    """Whether there are sizes for all points and samples."""
    sizes = row.get("sizes")
    rows = sizes if isinstance(sizes, list) else []
    return len(rows) == size[1] and all(isinstance(each, list) and len(each) == size[2] for each in rows)


def _number(cell: float | str | None, name: str) -> float:
    if isinstance(cell, str):
        if cell not in _WORDS:
            raise FormatError(f"{name} has “{cell[:40]}” as a value.", _HINT)
        return _WORDS[cell]
    return math.nan if cell is None else float(cell)


def _words(given: Any, known: list[str], name: str) -> tuple[str, ...]:
    return tuple(_one(word, tuple(known), name) for word in _as(given, list[str]))


def _one(given: Any, known: tuple[Any, ...], name: str) -> Any:
    if given not in known or isinstance(given, bool):
        raise FormatError(f"{name} says “{str(given)[:40]}” where one of {', '.join(map(str, known))} is meant.", _HINT)
    return given


def _as(given: Any, kind: Any) -> Any:
    import msgspec

    return msgspec.convert(given, kind)
