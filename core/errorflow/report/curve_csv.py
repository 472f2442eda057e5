"""Curves as a table: a line for each curve, metric and point, with all samples."""

from collections.abc import Iterator

from errorflow.report.tables import csv_text
from errorflow.study.rank.curves import Curves

HEAD = (
    *("curve", "measure", "output", "metric", "index", "name", "type", "tensor"),
    *("mean", "median", "worst", "best", "lower quartile", "upper quartile", "samples", "no number", "exact"),
)


def curves_csv(curves: Curves) -> str:
    """Empty cells: not measured; nan and inf are what was measured. Numbers are written so that none is rounded."""
    samples = (f"sample {number + 1}" for number in curves.samples)
    return csv_text([*HEAD, *samples], _lines(curves))


def _lines(curves: Curves) -> Iterator[list[str]]:
    for curve in curves.curves:
        measure = f"average {curve.measure}" if curves.averaged else curve.measure
        for at, key in enumerate(curves.metrics):
            over = curves.over(curve, key)
            for place, point in enumerate(curves.points[curve.start :], curve.start):
                columns = (over.mean, over.median, over.worst, over.best, over.lower, over.upper)
                known = bool(over.measured[place])
                cells = zip(curve.values[at, place].tolist(), curve.done[place].tolist(), strict=True)
                yield [
                    *(curve.label, measure, curve.output, key, str(place), point.name, point.type, point.tensor),
                    *(repr(float(column[place])) if known else "" for column in columns),
                    *(str(int(count[place])) for count in (over.measured, over.broken, over.exact)),
                    *(repr(value) if done else "" for value, done in cells),
                ]
