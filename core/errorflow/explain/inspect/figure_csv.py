"""The numbers of a plot, for a spreadsheet."""

import csv
import io
from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.explain.inspect.figure import Bars, BoxPlots, Figure, Layer, Line, Points
from errorflow.explain.inspect.planes import PlaneView


def figure_csv(figure: Figure) -> str:
    """A block per kind of layer: histograms over the same bars share one."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    bars = [layer for layer in figure.layers if isinstance(layer, Bars)]
    if bars:
        writer.writerow(["from", "to", *(layer.label for layer in bars)])
        edges = bars[0].edges
        heights = [_counts(layer, figure.y.log) for layer in bars]
        writer.writerows(zip(edges[:-1].tolist(), edges[1:].tolist(), *heights, strict=True))
    for layer in figure.layers:
        for row in _rows(layer, figure):
            writer.writerow(row)
    return text.getvalue()


def _counts(layer: Bars, log: bool) -> list[int]:
    heights = np.where(layer.heights < 0, 0, np.power(10.0, layer.heights)) if log else layer.heights
    return [round(height) for height in heights.tolist()]


def _rows(layer: Layer, figure: Figure) -> Iterator[Sequence[object]]:
    if isinstance(layer, Points | Line):
        yield [figure.x.label, f"{figure.y.label} ({layer.label})"]
        yield from zip(layer.x.tolist(), layer.y.tolist(), strict=True)
    elif isinstance(layer, BoxPlots):
        names = dict(figure.x.names)
        places = np.round(layer.x).tolist()
        yield [figure.x.label, "lowest", "first quartile", "median", "third quartile", "highest", layer.label]
        columns = (layer.low, layer.first, layer.middle, layer.third, layer.high)
        for at, place in enumerate(places):
            name = layer.said[at] if layer.said else names.get(place, place)
            yield [name, *(float(column[at]) for column in columns)]


def plane_csv(view: PlaneView, row_step: int = 1, column_step: int = 1) -> str:
    """A row per value of a plane that is drawn; `row_step`: of how many rows one is."""
    sides = (("reference", view.reference), ("candidate", view.candidate), ("difference", view.difference))
    known = [(name, side) for name, side in sides if side is not None]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", "column", *(name for name, _ in known)])
    rows, columns = np.indices(known[0][1].shape) if known else (np.zeros(0, int), np.zeros(0, int))
    places = ((rows * row_step).ravel().tolist(), (columns * column_step).ravel().tolist())
    writer.writerows(zip(*places, *(side.ravel().tolist() for _, side in known), strict=True))
    return text.getvalue()
