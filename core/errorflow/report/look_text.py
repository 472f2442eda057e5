"""Lines and data of a close look at one tensor, for a terminal and for programs."""

import math
from collections.abc import Iterator
from typing import Any

from errorflow.compare.metrics import METRICS
from errorflow.compare.placed import Side
from errorflow.explain.inspect.figures import clipped_texts, histogram_text
from errorflow.explain.inspect.look import Looked
from errorflow.explain.inspect.overview import Overview
from errorflow.explain.inspect.summary import Summary
from errorflow.graph.model import Graph


def look_lines(found: Looked, graph: Graph | None) -> Iterator[str]:
    """Sentences first, then numbers, then the histogram."""
    seen, tensors = found.overview, found.tensors
    yield f"{_title(found)}  {'×'.join(map(str, tensors.shape))}".rstrip()
    yield from (
        text
        for text in (
            found.other if found.other else tensors.note,
            *_measured(found),
            *tensors.done,
            *_causes(found, graph),
        )
        if text
    )
    for label, side in (("reference", seen.reference), ("candidate", seen.candidate)):
        if side is not None:
            yield f"{label:10} {_side_text(side)}"
    if seen.errors is not None:
        errors = seen.errors
        percents = "  ".join(f"p{percent:g} {value:.6g}" for percent, value in errors.percentiles)
        yield f"error      {percents}  largest {errors.largest:.6g}  mean {errors.mean:.6g}  bias {errors.bias:.6g}"
        if errors.broken:
            yield f"           {errors.broken:,} errors are no number"
    if seen.grid is not None:
        yield f"{seen.grid.text}; {seen.grid.low:.6g} … {seen.grid.high:.6g}"
    if seen.grids is not None:
        yield seen.grids.text
    yield from (f"{text[:1].upper()}{text[1:]}." for text in clipped_texts(seen))
    yield ""
    yield from histogram_text(seen.values)


def look_data(found: Looked, graph: Graph | None) -> dict[str, Any]:
    """The same for programs; a number that is none is null."""
    seen, tensors = found.overview, found.tensors
    return {
        "tensor": tensors.name,
        "reference tensor": _name_in(found, "reference"),
        "candidate tensor": _name_in(found, "candidate"),
        "shape": list(tensors.shape),
        "note": tensors.note,
        "done": list(tensors.done),
        "other model": found.other,
        "values": {} if found.row is None else {key: _number(value) for key, value in found.row.values.items()},
        "causes": list(_causes(found, graph)),
        "reference": _side_data(seen.reference),
        "candidate": _side_data(seen.candidate),
        "error": _error_data(seen),
        "grid": None
        if seen.grid is None
        else {"scale": seen.grid.scale, "low": seen.grid.low, "high": seen.grid.high, "known from": seen.grid.source},
        "grids": None
        if seen.grids is None
        else {
            "axis": seen.grids.axis,
            "scales": seen.grids.scales.tolist(),
            "finest": seen.grids.finest,
            "coarsest": seen.grids.coarsest,
            "known from": seen.grids.source,
        },
        "clipped": None if seen.clipping is None else seen.clipping.below + seen.clipping.above,
        "on the rails": None
        if seen.clipping is None
        else {"lowest": seen.clipping.lowest, "highest": seen.clipping.highest},
        "histogram": {
            "edges": seen.values.bins.edges.tolist(),
            "reference": None if seen.values.reference is None else seen.values.reference.tolist(),
            "candidate": None if seen.values.candidate is None else seen.values.candidate.tolist(),
        },
    }


def _title(found: Looked) -> str:
    """The tensor, and what the reference calls it if that is another name."""
    other = _name_in(found, "reference")
    return f"{found.tensors.name}, against {other}" if other not in ("", found.tensors.name) else found.tensors.name


def _name_in(found: Looked, run: Side) -> str:
    """`""`: that run has none, or both are models."""
    pair = found.choice.pair
    side = None if pair is None else pair.reference if run == "reference" else pair.candidate
    return "" if side is None else side.info.name


def _measured(found: Looked) -> Iterator[str]:
    """Yields the measures of weights, which no other command compares."""
    values = {} if found.row is None else found.row.values
    told = [f"{metric.label} {metric.text(values[metric.key])}" for metric in METRICS if metric.key in values]
    if told:
        yield ", ".join(told)


def _causes(found: Looked, graph: Graph | None) -> Iterator[str]:
    loud, born = found.loud, found.born
    if found.upstream is not None:
        loud, born = found.upstream.loud, found.upstream.born
    if loud is not None:
        yield loud.text
    if born is not None and graph is not None:
        yield f"It is made by {graph.title(born.node)}."


def _side_text(side: Summary) -> str:
    said = f"min {side.low:.6g}  max {side.high:.6g}  mean {side.mean:.6g}  spread {side.deviation:.6g}"
    return f"{said}  zeros {side.zeros:,}  NaN {side.nan:,}  infinite {side.infinite:,}  of {side.count:,}"


def _side_data(side: Summary | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "count": side.count,
        "nan": side.nan,
        "infinite": side.infinite,
        "zeros": side.zeros,
        "min": _number(side.low),
        "max": _number(side.high),
        "mean": _number(side.mean),
        "spread": _number(side.deviation),
        "percentiles": {f"{percent:g}": _number(value) for percent, value in side.percentiles},
    }


def _error_data(seen: Overview) -> dict[str, Any] | None:
    errors = seen.errors
    if errors is None:
        return None
    return {
        "count": errors.count,
        "no number": errors.broken,
        "largest": _number(errors.largest),
        "mean": _number(errors.mean),
        "bias": _number(errors.bias),
        "percentiles": {f"{percent:g}": _number(value) for percent, value in errors.percentiles},
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
