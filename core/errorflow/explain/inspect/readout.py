"""Readout of a plot at one place, in a line."""

import numpy as np

from errorflow.explain.inspect.figure import Bars, BoxPlots, Figure, Line, Points, number_text


def readout(figure: Figure, x: float) -> str:
    """Reads a figure at a place on the x axis; "" where there is nothing."""
    bars = [layer for layer in figure.layers if isinstance(layer, Bars)]
    if bars:
        return _bar_text(bars, x, figure.y.log)
    boxes = [layer for layer in figure.layers if isinstance(layer, BoxPlots)]
    if boxes:
        return _box_text(boxes, x, dict(figure.x.names))
    lines = [layer for layer in figure.layers if isinstance(layer, Line) and not layer.dashed]
    return "" if any(isinstance(layer, Points) for layer in figure.layers) else _line_text(lines, x)


def stops(figure: Figure) -> list[float]:
    """The places that arrow keys go through."""
    for layer in figure.layers:
        if isinstance(layer, Bars):
            middles: list[float] = ((layer.edges[:-1] + layer.edges[1:]) / 2).tolist()
            return middles
        if isinstance(layer, BoxPlots):
            return [float(at) for at in range(len(layer.said))] if layer.said else [at for at, _ in figure.x.names]
        if isinstance(layer, Line) and not layer.dashed:
            places: list[float] = layer.x.tolist()
            return places
    return []


def _bar_text(bars: list[Bars], x: float, log: bool) -> str:
    edges = bars[0].edges
    at = int(np.searchsorted(edges, x, side="right")) - 1
    if not 0 <= at < len(edges) - 1:
        return ""
    width = float(edges[at + 1] - edges[at])
    counts = (_count(float(layer.heights[at]), log) for layer in bars)
    said = " · ".join(f"{layer.label} {count:,}" for layer, count in zip(bars, counts, strict=True))
    return f"{number_text(float(edges[at]), width)} … {number_text(float(edges[at + 1]), width)}: {said}"


def _count(height: float, log: bool) -> int:
    return round(0.0 if height < 0 else 10.0**height) if log else round(height)


def _box_text(boxes: list[BoxPlots], x: float, names: dict[float, str]) -> str:
    at = round(x)
    said = boxes[0].said
    if said:
        name = said[at] if 0 <= at < len(said) else ""
    else:
        name = f"Channel {names[float(at)]}" if float(at) in names else ""
    if not name:
        return ""
    parts = (f"{layer.label} {_given(layer, at)}" for layer in boxes if at < len(layer.x))
    return f"{name}: " + " · ".join(parts)


def _given(layer: BoxPlots, at: int) -> str:
    low, middle, high = layer.values[at] if layer.values else (layer.low[at], layer.middle[at], layer.high[at])
    return f"{number_text(float(low))} … {number_text(float(middle))} … {number_text(float(high))}"


def _line_text(lines: list[Line], x: float) -> str:
    parts = []
    for layer in lines:
        if len(layer.x):
            at = int(np.abs(layer.x - x).argmin())
            parts.append((float(layer.x[at]), f"{layer.label} {number_text(float(layer.y[at]))}"))
    return f"{parts[0][0]:,.0f}: " + " · ".join(text for _, text in parts) if parts else ""
