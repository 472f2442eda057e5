"""Distributions as tables and in words."""

import json
import math
from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.explain.inspect.distribution import Distribution, thresholds_of
from errorflow.explain.inspect.figure import number_text
from errorflow.explain.inspect.spread_figures import QUIET_BITS, judged
from errorflow.report.tables import csv_text

_HEAD = (
    *("tensor", "kind", "node", "operator", "shape", "samples", "values", "zeros", "not finite", "lowest", "highest"),
    *("lowest code", "highest code", "clipped", "peaks", "one clear peak", "middle takes of the range"),
    *("channels", "loudest channel", *(f"channels below 1/{2**bits}" for bits in QUIET_BITS), "note"),
)
_CHANNEL_HEAD = (
    *("channel", "lowest", "whisker", "first quartile", "median", "third quartile", "upper whisker", "highest"),
    *("mean", "lowest code", "highest code", "range over the tensor's"),
)


def distributions_csv(rows: Sequence[Distribution]) -> str:
    """A line per tensor."""
    return csv_text(_HEAD, (_line(row) for row in rows))


def distributions_json(rows: Sequence[Distribution]) -> str:
    """The same for programs, with the places of the peaks; what is no number is null."""
    found = [dict(zip(_HEAD, _line(row), strict=True)) | {"peak places": list(row.peaks.places)} for row in rows]
    return json.dumps([{key: _plain(value) for key, value in row.items()} for row in found], indent=1) + "\n"


def histogram_csv(seen: Distribution) -> str:
    """A line per bar; zeros are in none."""
    edges = [repr(float(edge)) for edge in seen.bins.edges]
    sides = [seen.before.tolist(), *(() if seen.after is None else (seen.after.tolist(),))]
    head = ["from", "to", "before", *(() if seen.after is None else ("after",))]
    rows = zip(edges[:-1], edges[1:], *([str(count) for count in side] for side in sides), strict=True)
    return csv_text(head, rows)


def channels_csv(seen: Distribution) -> str:
    """A line per channel."""
    return csv_text(_CHANNEL_HEAD, _channel_lines(seen))


def _channel_lines(seen: Distribution) -> Iterator[list[str]]:
    spread = seen.channels
    if spread is None:
        return
    top = float(spread.ranges.max(initial=0.0))
    ends = _ends(seen, len(spread))
    columns = (
        *(spread.low, spread.whisker_low, spread.first, spread.median, spread.third, spread.whisker_high),
        *(spread.high, spread.mean, *ends, spread.ranges / top if top else spread.ranges),
    )
    for channel in range(len(spread)):
        yield [str(channel), *(_number(float(column[channel])) for column in columns)]


def _ends(seen: Distribution, count: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    """Finds the ends of the codes of each channel; NaN where there are none."""
    if seen.qparams is None or len(seen.qparams.scales) not in (1, count):
        return np.full(count, np.nan), np.full(count, np.nan)
    low, high = (np.broadcast_to(end, (count,)) for end in thresholds_of(seen.qparams))
    return low, high


def distribution_lines(seen: Distribution) -> Iterator[str]:
    """Yields lines on one tensor for a terminal."""
    of = f" of {seen.node}" if seen.node else ""
    samples = f" over {seen.samples:,} samples" if seen.samples > 1 else ""
    yield f"{seen.tensor} ({seen.kind}{of}){samples}: {number_text(seen.low)} … {number_text(seen.high)}"
    yield from (f"  {said}" for said in judged(seen))
    if seen.thresholds is not None:
        low, high = (number_text(end) for end in seen.thresholds)
        yield f"  codes reach from {low} to {high}; {seen.clipped_share:.2%} of the values are beyond"
    if seen.channels is not None:
        shares = ", ".join(f"{seen.channels.quiet(bits):.0%} below 1/{2**bits}" for bits in (1, 3, 5))
        channels = f"{len(seen.channels):,} channels, by their range in the tensor's"
        yield f"  {channels}: {shares}; loudest {seen.channels.loudest}"
    if seen.note:
        yield f"  {seen.note}"


def _line(seen: Distribution) -> list[str]:
    ends = ("", "") if seen.thresholds is None else tuple(_number(end) for end in seen.thresholds)
    friendly = "" if seen.peaks.friendly is None else "yes" if seen.peaks.friendly else "no"
    spread = seen.channels
    quiet = ["" if spread is None else _number(spread.quiet(bits)) for bits in QUIET_BITS]
    return [
        *(seen.tensor, seen.kind, seen.node, seen.op_type, "×".join(map(str, seen.shape)), str(seen.samples)),
        *(str(seen.count), str(seen.zeros), str(seen.broken), _number(seen.low), _number(seen.high)),
        *(*ends, _number(seen.clipped_share), str(len(seen.peaks.places)), friendly, _number(seen.peaks.used)),
        "" if spread is None else str(len(spread)),
        "" if spread is None else str(spread.loudest),
        *quiet,
        seen.note,
    ]


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.9g}"


def _plain(value: object) -> object:
    """Numbers as numbers, as far as JSON has them."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value if value else None
    return number if math.isfinite(number) else value
