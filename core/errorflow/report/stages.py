"""Float, simulator and board: which step is at fault, as lines, as JSON and as a table."""

import math
from collections.abc import Iterator
from typing import Any

from errorflow.compare.metrics import METRICS
from errorflow.compare.model import Row
from errorflow.explain.stages.model import Stages, StageTensor
from errorflow.report.tables import csv_text

_SHOWN = tuple(metric for metric in METRICS if metric.key in ("cosine", "relative_l2", "sqnr"))
_STEPS = ("quantization", "deployment", "total")


def stages_lines(stages: Stages) -> Iterator[str]:
    """Yields what a reader at a terminal wants to know first."""
    yield stages.text
    counts = _counts(stages)
    if counts:
        yield "Tensors by the step at fault: " + ", ".join(f"{name} {count:,}" for name, count in counts.items())
    for each in stages.deciding:
        if each.note and each.fault:
            yield f"{each.tensor}: {each.note}"


def stages_data(stages: Stages) -> dict[str, Any]:
    """The same as plain values that `json` takes."""
    first = {"quantization": stages.first_quantization, "deployment": stages.first_deployment}
    return {
        "fault": stages.fault,
        "text": stages.text,
        "first beyond the limits": {step: None if tensor is None else tensor.tensor for step, tensor in first.items()},
        "tensors": _counts(stages),
    }


def stages_csv(stages: Stages) -> str:
    """A line per tensor: the fault, each step's numbers, and how the two errors go together."""
    head = ["tensor", "simulator", "board", "operator", "fault", "errors", "angle"]
    head += [f"{step} {metric.key}" for step in _STEPS for metric in _SHOWN]
    return csv_text([*head, "note"], (_line(each) for each in stages.tensors))


def _line(each: StageTensor) -> list[str]:
    rows = (each.quantization, each.deployment, each.total)
    node = next((row.node for row in (each.total, each.deployment, each.quantization) if row and row.node), "")
    numbers = [_number(row, metric.key) for row in rows for metric in _SHOWN]
    angle = "" if math.isnan(each.angle) else f"{each.angle:.4g}"
    return [each.tensor, each.simulator, each.board, node, each.fault, each.interplay, angle, *numbers, each.note]


def _number(row: Row | None, key: str) -> str:
    return f"{row.values[key]:.9g}" if row is not None and key in row.values else ""


def _counts(stages: Stages) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in stages.tensors:
        word = each.fault if each.fault else "not measured"
        found[word] = found.get(word, 0) + 1
    return found
