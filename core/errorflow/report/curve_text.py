"""Texts on curves: on a point, in a legend, below the plot."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from errorflow.compare.metrics.metric import Metric
from errorflow.graph.build import counted
from errorflow.study.rank.curves import Curve, Curves, Kind, Over
from errorflow.study.rank.curves_heights import exact
from errorflow.study.rank.curves_knee import Knee

# What is odd about so many curves is told.
_NOTES = 3
TITLES: dict[Kind, str] = {
    "cumulative": "Error along the depth",
    "recovery": "Recovery along the ranking",
    "partial": "Partial quantization",
}


def x_title(curves: Curves) -> str:
    """Says what the points are."""
    if curves.kind == "cumulative":
        return "Nodes, in the order of running"
    return f"Kept in {kept_word(curves)}, worst first"


def kept_word(curves: Curves) -> str:
    return f"{curves.to} bits" if isinstance(curves.to, int) else "float"


def measure_title(curves: Curves, key: str) -> str:
    """The number's name: its metric and, along the depth, that of the whole run."""
    metric = curves.metric(key)
    unit = f" in {metric.unit}" if metric.unit else ""
    before = "Average " if curves.averaged else ""
    label = metric.label if not before or metric.label.isupper() else metric.label[0].lower() + metric.label[1:]
    way = "higher is better" if metric.higher_is_better else "lower is better"
    return f"{before}{label}{unit}, {way}"


def point_lines(curves: Curves, key: str, place: int, overs: tuple[Over, ...]) -> Iterator[str]:
    """Yields what is known at a point: its name, then a line for each curve."""
    point = curves.points[place]
    number = f"{place} kept" if curves.kind != "cumulative" else f"{place + 1} of {len(curves.points):,}"
    yield " · ".join(part for part in (number, point.name, point.type) if part)
    if point.tensor and point.tensor != point.name:
        yield point.tensor
    for curve, over in zip(curves.curves, overs, strict=True):
        if place >= curve.start:
            yield f"{curve.label}: {value_text(curves, key, over, place)}"


def value_text(curves: Curves, key: str, over: Over, place: int) -> str:
    """The mean with its spread, and what of the samples has none."""
    metric, measured = curves.metric(key), int(over.measured[place])
    if not measured:
        return "not measured yet"
    parts = []
    if not np.isnan(over.mean[place]):
        parts.append(metric.text(float(over.mean[place])))
        if measured > 1:
            parts.append(f"{metric.text(float(over.worst[place]))} … {metric.text(float(over.best[place]))}")
    broken, exact = int(over.broken[place]), int(over.exact[place])
    parts += [f"{broken} of {measured} samples no number or infinite"] if broken else []
    parts += [f"{exact} of {measured} samples exact"] if exact else []
    return ", ".join(parts)


def end_text(curves: Curves, key: str, curve: Curve, over: Over) -> str:
    """Says where a line along the depth ends: that is what reaches the output. "": nowhere yet."""
    known = np.flatnonzero(~np.isnan(over.mean))
    if curves.kind != "cumulative" or curve.look != "line" or not len(known):
        return ""
    return f"ends at {curves.metric(key).text(float(over.mean[known[-1]]))}"


def knee_text(curves: Curves, key: str, knee: Knee) -> str:
    word = "Knee" if knee.settled else "Knee so far"
    return f"{word}: {knee.at} kept, {curves.metric(key).text(knee.value)}"


def only_exact(over: Over, metric: Metric) -> NDArray[np.bool_]:
    """The points with nothing but exact values."""
    return ((over.exact > 0) & np.isnan(over.mean)) | exact(over.mean, metric)


def notes(curves: Curves, key: str, overs: tuple[Over, ...], *, bands: bool) -> Iterator[str]:
    """Yields lines below the plot: what the bands are, and what has no place in it."""
    samples = len(curves.samples)
    band = "; inner band: half of the samples, outer band: worst to best" if bands and samples > 1 else ""
    line = f"{samples:,} samples together" if curves.pooled(key) else f"Mean of {samples:,} samples"
    yield f"{line}{band}" if samples > 1 else "One sample"
    broken = sum(int((over.broken > 0).sum()) for over in overs)
    if broken:
        yield f"{counted(broken, 'value is', 'values are')} no number or infinite in some sample: checked, at the edge"
    as_in_float = sum(int(only_exact(over, curves.metric(key)).sum()) for over in overs)
    if as_in_float:
        yield f"{counted(as_in_float, 'value is', 'values are')} exact: a ring, at the edge"
    if not curves.complete:
        yield f"{curves.share_done:.0%} measured"
    for label, note in list(curves.notes.items())[:_NOTES]:
        yield f"{label}: {note}"
