"""The numbers of a plot, for a spreadsheet."""

import csv
import io
from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.evidence.figure import Bars, BoxPlots, Figure, Layer, Line, Points


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
            yield [names.get(place, place), *(float(column[at]) for column in columns)]
