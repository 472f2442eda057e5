"""Calibration as a table and in words."""

from collections.abc import Iterable
from operator import itemgetter

from errorflow.graph.build import counted
from errorflow.graph.model import Graph
from errorflow.quant.precision import Precision
from errorflow.report.tables import csv_text
from errorflow.run.calibrating import Calibrated
from errorflow.run.collecting import SeenTensor

SHOWN = 5
# In decibel: methods that are nearer to each other than that are equally good.
NEAR = 0.5
# Bits that the median channel loses to the loudest ones, from which on that is told.
LOST = 3.0


def calibration_csv(found: Calibrated, graph: Graph) -> str:
    """A line per tensor and method, tensors in the order of running."""
    judges = [f"sqnr_{_key(judge)}_db" for judge in found.judges]
    head = [
        *("tensor", "node", "type", "method", "low", "high", "clipped_share", *judges),
        *("seen_low", "seen_high", "values", "nan", "infinite"),
        *("channels", "channel_axis", "loudest_to_median_channel", "bits_lost"),
    ]
    return csv_text(head, (line for tensor in found.tensors for line in _lines(tensor, found, graph)))


def _lines(tensor: SeenTensor, found: Calibrated, graph: Graph) -> Iterable[list[str]]:
    who = [tensor.name, *_maker(tensor.name, graph)]
    seen = [_number(tensor.low), _number(tensor.high)] if tensor.count else ["", ""]
    counts = [*seen, str(tensor.count), str(tensor.nans), str(tensor.infinities), *_channels(tensor)]
    if not tensor.found:
        yield [*who, *[""] * (4 + len(found.judges)), *counts]
    for method, each in zip(found.methods, tensor.found, strict=False):
        sqnr = [_number(value) for value in each.sqnr]
        clipped = _number(each.clipped) if found.judges else ""
        yield [*who, method.key, _number(each.low), _number(each.high), clipped, *sqnr, *counts]


def _channels(tensor: SeenTensor) -> list[str]:
    channels = tensor.channels
    if channels is None:
        return [""] * 4
    loud = channels.loudness
    return [str(loud.channels), str(channels.axis), _number(loud.ratio), _number(loud.bits_lost)]


def calibration_lines(found: Calibrated) -> list[str]:
    """The tensors that deserve a look: where methods differ most, or where one method leaves least; loud channels."""
    return [*_by_method(found), *_loud(found)]


def _loud(found: Calibrated) -> list[str]:
    """Lists where one scale for all channels costs most."""
    rows = [(tensor.name, tensor.channels.loudness) for tensor in found.tensors if tensor.channels is not None]
    rows = sorted((row for row in rows if row[1].bits_lost >= LOST), key=lambda row: -row[1].bits_lost)
    if not rows:
        return []
    lines = (
        f"  {name}: {loud.bits_lost:.1f} bits of its {loud.channels:,} channels' median" for name, loud in rows[:SHOWN]
    )
    return ["Loud channels take bits from the others, most:", *lines]


def _by_method(found: Calibrated) -> list[str]:
    if not found.judges:
        return []
    judge = found.judges[0]
    if len(found.methods) > 1:
        return _different(found, judge)
    rows = sorted(((tensor.found[0].sqnr[0], tensor) for tensor in found.tensors if tensor.found), key=itemgetter(0))
    lines = [
        f"  {tensor.name}: {sqnr:.1f} dB ({tensor.found[0].low:.6g} … {tensor.found[0].high:.6g})"
        for sqnr, tensor in rows[:SHOWN]
    ]
    return [f"Least SQNR of {judge.text} codes:", *lines] if lines else []


def _different(found: Calibrated, judge: Precision) -> list[str]:
    rows: list[tuple[float, str]] = []
    for tensor in found.tensors:
        by_method = [(each.sqnr[0], method.key) for each, method in zip(tensor.found, found.methods, strict=False)]
        if by_method:
            (worst, bad), (best, good) = min(by_method), max(by_method, key=itemgetter(0))
            # Infinite where codes make no error at all.
            gain = 0.0 if best == worst else best - worst
            rows.append((gain, f"  {tensor.name}: {worst:.1f} dB by {bad}, {best:.1f} dB by {good}"))
    rows = sorted((row for row in rows if row[0] > NEAR), key=itemgetter(0), reverse=True)
    if not rows:
        return [f"All methods serve {judge.text} codes alike, within {NEAR:g} dB."]
    head = f"Methods differ in {counted(len(rows), 'tensor', 'tensors')}, most (SQNR of {judge.text} codes):"
    return [head, *(text for _, text in rows[:SHOWN])]


def _maker(tensor: str, graph: Graph) -> tuple[str, str]:
    """Name and type of the node that makes it; an input of the model has none."""
    number = graph.tensor_index(tensor)
    node = -1 if number is None else int(graph.producers[number])
    return ("", "") if node < 0 else (graph.title(node), graph.op_types[node])


def _key(precision: Precision) -> str:
    return precision.text.replace(",", "").replace(" ", "_")


def _number(value: float) -> str:
    return f"{value:.9g}"
