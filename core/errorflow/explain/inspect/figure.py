"""A plot as plain values, which a window paints and a file holds alike: axes, and layers from back to front.

Colours are roles: the reference has a warm one, the candidate the accent; the scale of errors is not used.
"""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorflow.base.values import dataclass
from errorflow.explain.inspect.planes import PlaneView

Doubles = NDArray[np.float64]
Role = Literal["reference", "candidate", "error", "quiet", "strong"]


@dataclass(frozen=True, slots=True)
class Axis:
    """Axis from `low` to `high`. With `log`, these are powers of ten of what is written there."""

    label: str
    low: float
    high: float
    log: bool = False
    # Whole numbers only, such as those of channels.
    whole: bool = False
    # What stands at some places instead of numbers.
    names: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """A histogram's outline: `heights` between `edges`."""

    role: Role
    label: str
    edges: Doubles
    heights: Doubles
    filled: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    role: Role
    label: str
    x: Doubles
    y: Doubles


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """Line through all points in their order."""

    role: Role
    label: str
    x: Doubles
    y: Doubles
    dashed: bool = False
    # Its label stands at its end.
    named: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """Band between two places of the x axis, hatched: values that no code stands for."""

    label: str
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Lines from top to bottom; `ticks` are short ones at the foot. `names` stand at their heads."""

    role: Role
    label: str
    x: Doubles
    names: tuple[str, ...] = ()
    ticks: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BoxPlots:
    """A box per place of x: whiskers from `low` to `high`, the box from `first` to `third`, a line in the middle."""

    role: Role
    label: str
    x: Doubles
    low: Doubles
    first: Doubles
    middle: Doubles
    third: Doubles
    high: Doubles
    width: float = 0.8
    # Lowest, middle and highest as they are, where the axis presses them together.
    values: tuple[tuple[float, float, float], ...] = ()
    # What each is of, in words; (): of the channel that the axis names there.
    said: tuple[str, ...] = ()


Layer = Bars | Points | Line | Band | Rules | BoxPlots


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """`title` is what it shows in one sentence, for those who cannot see it, too."""

    title: str
    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    # What there is no place for in the plot.
    notes: tuple[str, ...] = ()
    # Both axes have the same scale where there is the room.
    square: bool = False

    @property
    def told(self) -> str:
        """The notes as sentences, to be read aloud."""
        return " ".join(f"{note[:1].upper()}{note[1:].rstrip('.')}." for note in self.notes)


def ticks(axis: Axis, most: int) -> list[tuple[float, str]]:
    """Finds round places between the ends and what is written there."""
    if axis.names:
        return [(place, text) for place, text in axis.names if axis.low <= place <= axis.high]
    if axis.log:
        first, last = math.ceil(axis.low), math.floor(axis.high)
        every = max(1, -(-(last - first + 1) // max(most, 1)))
        return [(float(power), power_text(power)) for power in range(first, last + 1, every)]
    span = axis.high - axis.low
    if not (span > 0 and math.isfinite(span)):
        return []
    step = nice(span / max(most, 1))
    if axis.whole:
        step = max(1.0, step)
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return [(number * step, number_text(number * step, step)) for number in range(first, last + 1)][: 4 * most + 8]


def nice(rough: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    if not (rough > 0 and math.isfinite(rough)):
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next((factor * power for factor in (1, 2, 5) if factor * power >= rough * 0.999999), 10 * power)


def number_text(value: float, step: float = 0.0) -> str:
    """Writes as many decimals as the step needs, without one four digits; a minus is one."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "−∞"
    step = step if step else abs(value) / 1000
    size = max(abs(value), step)
    if size >= 1e6 or size < 1e-4:
        return f"{value:.3g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e").replace("-", "−")
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:,.{min(decimals, 8)}f}".replace("-", "−")


def short_text(value: float) -> str:
    """Three digits that count, for a narrow column: 0.0123, 12.3, 1,234 and beyond them 2.3e−4."""
    size = abs(value)
    if size == 0 or not math.isfinite(size):
        return number_text(value)
    if 0.001 <= size < 99_999.5:
        text = f"{value:,.{max(0, 2 - math.floor(math.log10(size)))}f}"
    else:
        digits, power = f"{value:.2e}".split("e")
        text = f"{digits.rstrip('0').rstrip('.')}e{int(power)}"
    return text.replace("-", "−")


def power_text(power: int) -> str:
    """1, 10, 100 … and beyond them 1e5."""
    return f"{10**power:,}" if 0 <= power < 4 else f"1e{power}".replace("-", "−")


# The numbers of a plot, for a spreadsheet.


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
