"""Results of steps before quantization: a table, and values for programs."""

import math
from collections.abc import Iterator
from typing import Any

from errorflow.report.tables import csv_text
from errorflow.study.rewrites.model import ChannelScaling, Skipped
from errorflow.study.simulate.applied import Applied

HEAD = (
    *("what", "tensor", "makers", "readers", "inserted", "channels", "least", "largest"),
    *("activations_before_bits", "activations_after_bits", "outliers_before", "outliers_after"),
    *("weights_before_bits", "weights_after_bits", "note"),
)


def remedies_csv(found: Applied) -> str:
    """A line per tensor that was changed, and per tensor that could not be; bits are the usual channel below the
    loudest one."""
    return csv_text(HEAD, _rows(found))


def remedies_json(found: Applied) -> dict[str, Any]:
    return {
        "changes": [dict(zip(HEAD, _changed(change), strict=True)) for change in found.changes],
        "left as they are": [{"what": each.what, "tensor": each.tensor, "why": each.reason} for each in found.skipped],
        "text": list(found.lines()),
    }


def _rows(found: Applied) -> Iterator[list[str]]:
    for change in found.changes:
        yield ["" if cell is None else str(cell) for cell in _changed(change)]
    yield from (_left(each) for each in found.skipped)


def _changed(change: ChannelScaling) -> list[Any]:
    before, after = change.before, change.after
    ends = [before.activations, after.activations, before.share, after.share, before.weights, after.weights]
    return [
        *(change.what, change.tensor, "; ".join(change.makers), "; ".join(change.readers), change.inserted),
        *(change.channels, _number(change.low), _number(change.high)),
        *map(_number, ends),
        "",
    ]


def _left(skipped: Skipped) -> list[str]:
    return [f"not {skipped.what}", skipped.tensor, *[""] * (len(HEAD) - 3), skipped.reason]


def _number(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None
