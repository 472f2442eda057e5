"""Curves for a terminal."""

from collections.abc import Iterator

import numpy as np

from errorflow.compare.metrics.metric import places
from errorflow.report.curve_text import kept_word, knee_text
from errorflow.study.rank.curves import Curve, Curves, Over
from errorflow.study.rank.curves_falls import fall_of
from errorflow.study.rank.curves_knee import knee_of

# Points of a ranking that are listed, and columns of names.
_SHOWN, _NAME = 12, 48


def curve_lines(curves: Curves) -> Iterator[str]:
    """Yields along the depth where each curve ends and where it falls most; along a ranking what the first parts
    gain.
    """
    if curves.kind == "cumulative":
        for curve in curves.curves:
            yield from _along_depth(curves, curve)
    else:
        for output in curves.outputs:
            yield from _along_ranking(curves.at(output), output)
    for label, note in curves.notes.items():
        yield f"{label}: {note}"


def _along_depth(curves: Curves, curve: Curve) -> Iterator[str]:
    key = curves.metrics[0]
    over, metric = curves.over(curve, key), curves.metric(key)
    known = np.flatnonzero(~np.isnan(over.mean))
    if not len(known):
        yield f"{curve.label}: no numbers"
        return
    last = int(known[-1])
    yield f"{curve.label}: {metric.label} {metric.text(float(over.mean[last]))} at {curves.points[last].name}"
    place = _largest_fall(curves, over, key)
    if place is not None:
        before, after = (metric.text(float(over.mean[at])) for at in place)
        yield f"  largest step at {curves.points[place[1]].name}: {before} → {after}"
    broken = int((over.broken > 0).sum())
    if broken:
        first = curves.points[int(np.argmax(over.broken > 0))].name
        yield f"  NaN or infinite at {broken:,} points, the first is {first}"


def _largest_fall(curves: Curves, over: Over, key: str) -> tuple[int, int] | None:
    """The neighbours between which most is lost, as the metric counts beyond its good limit; None: nothing is."""
    known = np.flatnonzero(~np.isnan(over.mean))
    falls = np.diff(np.maximum(places(curves.metric(key), over.mean[known]), 0.0))
    if not len(falls) or falls.max() <= 0:
        return None
    at = int(np.argmax(falls))
    return int(known[at]), int(known[at + 1])


def _along_ranking(curves: Curves, output: str) -> Iterator[str]:
    key = curves.metrics[0]
    metric = curves.metric(key)
    rows = [(curve, curves.over(curve, key)) for curve in curves.curves]
    heads = [f"kept in {kept_word(curves)}" if curve.look == "line" else "quantized alone" for curve, _ in rows]
    yield f"{output}: {metric.label}"
    yield "  " + "kept".rjust(5) + "  " + "part".ljust(_NAME) + "".join(f"{head:>18}" for head in heads)
    for place, point in enumerate(curves.points[: _SHOWN + 1]):
        cells = (_cell(curves, key, over, place) if place >= curve.start else "" for curve, over in rows)
        name = point.name if len(point.name) <= _NAME else f"…{point.name[1 - _NAME :]}"
        yield f"  {place:>5}  {name:<{_NAME}}" + "".join(f"{cell:>18}" for cell in cells)
    if len(curves.points) > _SHOWN + 1:
        yield f"  … and {len(curves.points) - _SHOWN - 1:,} more in the table"
    knee = knee_of(curves, curves.curves[0], key)
    if knee is None:
        yield "  The curve has no knee."
    else:
        yield f"  {knee_text(curves, key, knee)}: {knee.share:.0%} of what there is to gain."
    yield from _falling(curves, key)


def _falling(curves: Curves, key: str) -> Iterator[str]:
    curve, metric = curves.curves[0], curves.metric(key)
    found = fall_of(curves, curve, key)
    if found is not None:
        mean = curves.over(curve, key).mean
        before, after = (f"{at:,} kept {metric.text(float(mean[at]))}" for at in (found.before, found.after))
        yield f"  More is not always better: with {before}, with {after}. Look at the curve before you halve along it."


def _cell(curves: Curves, key: str, over: Over, place: int) -> str:
    if not over.measured[place]:
        return "not measured"
    if np.isnan(over.mean[place]):
        return "exact" if over.exact[place] else "no number"
    return curves.metric(key).text(float(over.mean[place]))
